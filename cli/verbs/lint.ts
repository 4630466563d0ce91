import { setting } from "../../designs/shared/command-line/index.ts";
import { designArgument } from "../design-named.ts";
import { strictOption } from "../strict.ts";
import type { Verb } from "../verb.ts";

/**
 * `mnemo lint`: every generated design, and the designs in a matrix of configurations, through three independent tools.
 */
export const lintVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("lint")
    .description(
      "check the generated Verilog, the designs' in many configurations, with verilator --lint-only -Wall, yosys check -assert and iverilog -Wall",
    )
    .addArgument(designArgument("[design]", "just this one", ["library", "examples"]))
    .addOption(setting())
    .addOption(strictOption())
    .action(
      async (design: string | undefined, options: { readonly set: readonly string[]; readonly strict?: true }) => {
        const { runLint } = await import("../lint/run-lint.ts");
        exit(await runLint(design, options.set, options.strict === true, terminal));
      },
    );
