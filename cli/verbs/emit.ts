import { dirname, relative, resolve } from "node:path";
import { Option } from "commander";
import { fileName, once } from "../../designs/shared/command-line/index.ts";
import { strictOption } from "../strict.ts";
import type { Verb } from "../verb.ts";

interface EmitOptions {
  readonly module?: string;
  readonly out: string;
  readonly set: readonly string[];
  readonly lint?: true;
  readonly strict?: true;
}

/** `mnemo emit`: the Verilog of any module that a TypeScript file exports. */
export const emitVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("emit")
    .description(
      "write the Verilog of a module of your own, one file for each definition, with maps back to the TypeScript",
    )
    .argument("<file>", "the TypeScript file that exports the module")
    .addOption(once("--module <name>", "the export; needed when the file has several", fileName()))
    .addOption(
      new Option("--set <name=value...>", "a parameter of the module")
        .default([], "none")
        .argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]),
    )
    .addOption(once("--out <folder>", "where to write", fileName()).default("generated"))
    .addOption(
      new Option(
        "--lint",
        "check what was written with verilator --lint-only -Wall, yosys check -assert and iverilog -Wall",
      ),
    )
    .addOption(strictOption())
    .action(async (file: string, options: EmitOptions) => {
      const { loadDefinition } = await import("../emit/load-definition.ts");
      const { ofUser } = await import("../own/of-user.ts");
      const { Warned } = await import("../warnings.ts");
      const { fileLists, filesOf } = await import("../generate/design-files.ts");
      const { withPads } = await import("../../hdl-dsl/index.ts");
      const { writeAll } = await import("../generate/files.ts");
      const { packageAbove } = await import("../../sim/index.ts");
      const warned = new Warned(options.strict === true),
        definition = await loadDefinition(file, options.module, options.set),
        core = ofUser(file, () => warned.emit(definition)),
        emitted = ofUser(file, () => withPads(core, definition.ports));
      // Maps name sources from the folder of the project that the module belongs to.
      const out = resolve(options.out),
        project = packageAbove(dirname(resolve(file)));
      const lists = fileLists(emitted);
      writeAll(out, [...filesOf(emitted, relative(out, project).replaceAll("\\", "/")), ...lists]);
      for (const f of emitted.files) terminal.print(`${options.out}/${f.name}`);
      for (const f of lists) terminal.print(`${options.out}/${f.path}`);
      warned.print(terminal);
      if (options.lint !== true) return;
      const { lintEmitted } = await import("../lint/lint-own.ts");
      exit(await lintEmitted(core, terminal));
    });
