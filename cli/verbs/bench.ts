import { once, seed } from "../options.ts";
import type { Verb } from "../verb.ts";

/** `mnemo bench`: the figures of the project, measured now. */
export const benchVerb: Verb = (program, { terminal, exit }) => program.command("bench")
  .description("measure and print the figures: latencies, throughput, simulation speed, elaboration speed")
  .addOption(once("--seed <number>", "seed of the workloads", seed).default(1))
  .action(async (options: { readonly seed: number }) => {
    const { runBench } = await import("../bench/run-bench.ts");
    exit(await runBench(options.seed, terminal));
  });
