import type { BenchFigure } from "../../../shared/command-line/index.ts";
import { table51 } from "../figures/index.ts";
import {
  branching,
  grouping,
  lengths,
  measureByCredits,
  measureChaining,
  measureCiphers,
  measureCore,
  measureThroughput,
  measureWays,
} from "../measure/index.ts";
import { compareDeviceSimulators, simulatorReport } from "./simulators.ts";
import { areaReport, cipherReport, coreReport, creditReport, sequenceReport, throughputReport } from "./report.ts";

const figure = <T>(
  name: string,
  measure: (seed: number) => T | Promise<T>,
  report: (value: T) => string,
  counts: BenchFigure["counts"] = "cycles",
): BenchFigure => ({
  name,
  counts,
  measure: async seed => {
    const value = await measure(seed);
    return { value, text: report(value) };
  },
});
const ofThroughput = 900,
  ofCredits = 200;

/** The device's figures for `mnemo bench`. */
export const benchFigures: readonly BenchFigure[] = [
  figure("core", measureCore, coreReport),
  figure("throughput", seed => measureThroughput(seed, { frames: ofThroughput }), throughputReport),
  figure("ciphers", seed => measureCiphers(seed, { sizes: [64, 256, 1024, 1518], frames: ofCredits }), cipherReport),
  figure(
    "credits",
    seed => measureByCredits(seed, { credits: [1, 2, 4, 8, 16], sizes: [64, 256, 1024], frames: ofCredits }),
    creditReport,
  ),
  figure(
    "chaining",
    seed => measureChaining(seed, lengths),
    w =>
      sequenceReport("Figure 5.14", lengths, {
        "one chain": w.whole,
        "two chains": w.half,
        "each alone": w.each,
        "pushes on (model)": w.push,
      }),
  ),
  figure(
    "parallelism",
    async seed => ({
      ...(await measureWays(seed, branching, lengths)),
      ...(await measureWays(seed, grouping, lengths)),
    }),
    w =>
      sequenceReport("Figure 5.15", lengths, {
        "side by side": w.parallel,
        "two groups": w.groups,
        "each alone": w.each,
      }),
  ),
  figure("area", table51, areaReport),
  figure("deviceSimulators", compareDeviceSimulators, simulatorReport, "time"),
];
