import { fileName, once, seed } from "../options.ts";
import type { Verb } from "../verb.ts";
import type { FigureOptions } from "../bench/run-bench.ts";

/** `mnemo bench`: the figures of the project, measured now. */
export const benchVerb: Verb = (program, { terminal, exit }) => program.command("bench")
  .description("measure and print the figures: latencies, throughput, simulation speed, elaboration speed; none of them is a verdict")
  .addOption(once("--seed <number>", "seed of the workloads", seed).default(1))
  .addOption(once("--json <file>", "write the figures as JSON, too", fileName(".json")))
  .action(async (options: FigureOptions) => {
    const { runBench } = await import("../bench/run-bench.ts");
    exit(await runBench(options, terminal));
  });
