import { setting } from "../../designs/shared/command-line/index.ts";
import { designOrFile, isSource, moduleOption, onlyForFile } from "../own/source-file.ts";
import { strictOption } from "../strict.ts";
import type { Verb } from "../verb.ts";

interface LintOptions {
  readonly module?: string;
  readonly set: readonly string[];
  readonly strict?: true;
}

/**
 * `mnemo lint`: every generated design, and the designs in a matrix of configurations, through three
 * independent tools; or a module of the user's own.
 */
export const lintVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("lint")
    .description(
      "check the generated Verilog, the designs' in many configurations, with verilator --lint-only -Wall, yosys check -assert and iverilog -Wall",
    )
    .addArgument(designOrFile("[design]", "just this one", ["library", "examples"]))
    .addOption(moduleOption())
    .addOption(setting())
    .addOption(strictOption())
    .action(async (design: string | undefined, options: LintOptions) => {
      onlyForFile(design, options.module);
      if (design !== undefined && isSource(design)) {
        const { lintFile } = await import("../lint/lint-own.ts");
        exit(await lintFile(design, options, terminal));
        return;
      }
      const { runLint } = await import("../lint/run-lint.ts");
      exit(await runLint(design, options.set, options.strict === true, terminal));
    });
