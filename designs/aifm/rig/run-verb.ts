import {
  type DesignVerb,
  exitCode,
  once,
  seed,
  setting,
  table,
  UsageError,
  wholeNumber,
} from "../../shared/command-line/index.ts";
import { stages } from "../client/index.ts";
import { parseSettings } from "../config/index.ts";
import { measurePolling } from "./polling.ts";
import { measureSwap, objectSizes, ways } from "./swap.ts";

interface Options {
  readonly set: readonly string[];
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly accesses: number;
  readonly threads: number;
}

function sizesOf(text: string): readonly number[] {
  const all = text.split(",").map(Number);
  for (const n of all)
    if (!objectSizes.some(s => s === n))
      throw new UsageError(`--sizes = "${text}": each must be one of ${objectSizes.join(", ")}`);
  return all;
}

/** `mnemo run aifm`: objects against pages on the cycle-accurate node, and who polls. */
export const runVerb: DesignVerb = {
  options: () => [
    once("--sizes <bytes>", "sizes of objects, with commas between", sizesOf).default(objectSizes),
    once("--accesses <number>", "accesses of each size", wholeNumber(16, 10_000)).default(32),
    once("--threads <number>", "threads, where polling is counted", wholeNumber(1, 256)).default(16),
    setting(),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: async ({ set, sizes, seed: s, accesses, threads }: Options, terminal) => {
    const settings = parseSettings(set),
      rows: string[][] = [];
    for (const objectBytes of sizes)
      for (const way of ways) {
        const r = await measureSwap(way, { seed: s, gbps: settings.gbps, objectBytes, accesses });
        rows.push([
          `${objectBytes}`,
          way,
          r.wireBytes.toFixed(0),
          (r.latencyNs / 1000).toFixed(2),
          r.goodput.toFixed(2),
        ]);
      }
    terminal.print("Each access misses, changes its object and sends another one back");
    terminal.print(table(["object B", "swapped", "wire B each", "us each", "Gbit/s, 8 at once"], rows, "rlrrr"));
    const polled: string[][] = [];
    for (const stage of stages) {
      const p = await measurePolling(stage, { seed: s, settings, threads, accesses, objectBytes: 64 });
      const share = (ns: number): string => `${((100 * ns) / (settings.cores * p.passed)).toFixed(1)} %`;
      polled.push([stage, p.rate.toFixed(2), p.idleCycles.toFixed(0), share(p.use.work), share(p.use.free)]);
    }
    terminal.print(`\n${threads} threads on ${settings.cores} cores, objects of 64 B: who polls`);
    terminal.print(
      table(["polled by", "accesses/us", "idle cycles each", "cores at work", "cores free"], polled, "lrrrr"),
    );
    return exitCode.done;
  },
};
