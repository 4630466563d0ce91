import { Argument } from "commander";
import { setting } from "../options.ts";
import type { Verb } from "../verb.ts";

/**
 * `mnemo lint`: every generated design, and the node in a matrix of configurations, through three independent tools.
 */
export const lintVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("lint")
    .description(
      "check the generated Verilog, the node's in many configurations, with verilator --lint-only -Wall, yosys check -assert and iverilog -Wall",
    )
    .addArgument(new Argument("[design]", "just this one").choices(["clio", "library", "examples"]))
    .addOption(setting())
    .action(
      async (design: "clio" | "library" | "examples" | undefined, options: { readonly set: readonly string[] }) => {
        const { runLint } = await import("../lint/run-lint.ts");
        exit(await runLint(design, options.set, terminal));
      },
    );
