import { fileName, once } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

/** `mnemo new`: a project of the user's own, with one module and all that checks it. */
export const newVerb: Verb = (program, { terminal }) =>
  program
    .command("new")
    .description("make a project: a module, its bench, its proof, lint, a CI file")
    .argument("<folder>", "a folder that is empty or not there yet")
    .addOption(
      once(
        "--package <tarball>",
        "what `npm pack` made of this language; default: the one that this command was installed from",
        fileName(".tgz"),
      ),
    )
    .action(async (folder: string, options: { readonly package?: string }) => {
      const { makeProject } = await import("./make-project.ts");
      for (const path of makeProject(folder, options.package)) terminal.print(path);
      terminal.print(`\ncd ${folder} && npm install && npm run check`);
    });
