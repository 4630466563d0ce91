import { resolve } from "node:path";
import { Option } from "commander";
import {
  CheckFailed,
  type Design,
  fileName,
  once,
  setting,
  UsageError,
} from "../../designs/shared/command-line/index.ts";
import { defaultDesign, designNamed } from "../design-named.ts";
import { strictOption } from "../strict.ts";
import type { Verb } from "../verb.ts";

interface GenerateOptions {
  readonly check?: true;
  readonly out?: string;
  readonly design?: Design;
  readonly set: readonly string[];
  readonly strict?: true;
}

/** `mnemo generate`: the committed output again, or a design for a configuration of one's own. */
export const generateVerb: Verb = (program, { terminal }) =>
  program
    .command("generate")
    .description(
      "write the Verilog of the designs and the library modules, what else the designs make (dissector, pages of reference, C headers), and the pages' excerpts",
    )
    .addOption(
      new Option("--check", "write nothing: fail when what is committed differs, and list the files").conflicts([
        "out",
      ]),
    )
    .addOption(
      once("--out <folder>", "write a design's Verilog there instead, with the parameters of --set", fileName()),
    )
    .addOption(once("--design <name>", `with --out: which design (default: ${defaultDesign.name})`, designNamed))
    .addOption(setting())
    .addOption(strictOption())
    .action(async (options: GenerateOptions) => {
      if (options.set.length > 0 && options.out === undefined) {
        throw new UsageError(
          "--set needs --out <folder>: what is committed under generated/ has the default parameters",
        );
      }
      const { configuredFiles, projectFiles } = await import("../generate/artefacts.ts");
      const { compare, writeAll } = await import("../generate/files.ts");
      const { Warned } = await import("../warnings.ts");
      const { repository } = await import("../repository.ts");
      const warned = new Warned(options.strict === true);
      if (options.out !== undefined) {
        const folder = resolve(options.out),
          files = await configuredFiles(options.design ?? defaultDesign, options.set, warned);
        writeAll(folder, files);
        warned.print(terminal);
        terminal.print(`${files.length} files written to ${options.out}`);
        return;
      }
      const root = repository("mnemo generate without --out");
      terminal.progress("elaborating ...");
      const files = await projectFiles(root, warned);
      warned.print(terminal);
      const different = compare(root, files);
      if (options.check === true) {
        if (different.length > 0) {
          throw new CheckFailed(
            `${different.length} of ${files.length} generated files differ from a fresh generation (npx mnemo generate writes them):\n${different
              .map(d => `  ${d.path}: ${d.how}`)
              .join("\n")}`,
          );
        }
        terminal.print(`${files.length} generated files are up to date`);
        return;
      }
      writeAll(root, files, different);
      terminal.print(
        different.length === 0
          ? `${files.length} generated files were up to date`
          : different.map(d => `${d.path}: ${d.how}, written`).join("\n"),
      );
    });
