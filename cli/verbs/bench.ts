import { Option } from "commander";
import { designArgument } from "../design-named.ts";
import { fileName, once, seed } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";
import type { FigureOptions } from "../bench/run-bench.ts";

/**
 * `mnemo bench`: the figures of the project, measured now. Of one design: in cycles, beats and bytes. `simulators`: the
 * built-in one beside Verilator. `language`: the speed of the language by the size of the design.
 */
export const benchVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("bench")
    .description(
      "measure and print the figures: latencies, throughput, simulation speed, elaboration speed; none of them is a verdict",
    )
    .addOption(once("--seed <number>", "seed of the workloads", seed).default(1))
    .addOption(once("--json <file>", "write the figures as JSON, too", fileName(".json")))
    .addArgument(
      designArgument(
        "[what]",
        "only this: a design in cycles, beats and bytes beside its goals; `simulators`, the built-in one beside Verilator; or `language`, the language's speed from 10^3 to 10^6 nodes",
        ["simulators", "language"],
      ),
    )
    .addOption(new Option("--row <design/nodes>", "with `language`: only this row, as JSON").hideHelp())
    .action(async (what: string | undefined, options: FigureOptions & { readonly row?: string }) => {
      if (what === "language") {
        const { languageRow, runLanguageBench } = await import("../bench/language-report.ts");
        if (options.row === undefined) await runLanguageBench(terminal);
        else terminal.print(languageRow(options.row));
        return;
      }
      const { repository } = await import("../repository.ts");
      repository("mnemo bench");
      const { runBench } = await import("../bench/run-bench.ts");
      exit(await runBench(what, options, terminal));
    });
