import { Option } from "commander";
import type { Verb } from "../verb.ts";

/** `mnemo catalogue`: the units of the library. */
export const catalogueVerb: Verb = (program, { terminal }) =>
  program
    .command("catalogue")
    .description("list the library's units: latency, initiation interval, cost, proofs (docs/catalogue.md says more)")
    .addOption(
      new Option(
        "--measure",
        "synthesize the units that have changed with Yosys, and keep what they cost in docs/catalogue.json",
      ),
    )
    .action(async (options: { readonly measure?: true }) => {
      const { runCatalogue } = await import("../catalogue/run-catalogue.ts");
      await runCatalogue(options, terminal);
    });
