import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { cacheSizes, hitRate, type System, systems, throughput, workloads } from "../epochs/index.ts";
import { coreCycles, hopNotes, keyValueHops } from "./parts/hops.ts";

/** Operations under way: enough that a line is what bounds, and not latency. */
const underWay = 64;

/** Throughput of YCSB with and without the cache. */
export const figure517: Definition = {
  number: "5.17",
  title: "YCSB: throughput",
  paper: [
    [
      "5.7.3",
      "The cache helps throughput most: all lines have 100 Gbit/s but the one to the Clio board, which has 10, and a hit does not need it.",
    ],
  ],
  given: keyValueHops,
  notes: [
    ...hopNotes,
    `${underWay} operations under way at a time; how many the paper had is not told. The board's line carries values both ways at once, so sets bound workload A with a cache as without. Hits: FIFO, figure 5.16.`,
  ],
  measure: async ({ seed }) => {
    const cycles = await coreCycles(seed),
      largest = cacheSizes[cacheSizes.length - 1] ?? 0,
      hitsOf = new Map<number, number>(workloads.map(([, sets]) => [sets, hitRate(seed, "FIFO", largest, sets)]));
    const of = (system: System, sets: number): number =>
      throughput({ sets, hits: system === "Clio-sNIC-$" ? (hitsOf.get(sets) ?? 0) : 0 }, system, cycles, underWay);
    const bars = (name: string, y: (sets: number) => number): Series => ({
      name,
      standing: "calibrated",
      points: workloads.map(([x, sets]) => ({ x, y: y(sets) })),
    });
    return {
      plots: [
        {
          title: "One board",
          kind: "bars",
          x: { label: "workload", scale: "category" },
          y: { label: "throughput", unit: "operations a µs", scale: "linear" },
          series: systems.map(s => bars(s, sets => of(s, sets))),
        },
        {
          title: "What the cache gains",
          kind: "bars",
          x: { label: "workload", scale: "category" },
          y: { label: "gain", unit: "times", scale: "linear" },
          series: [
            bars("gain", sets => of("Clio-sNIC-$", sets) / of("Clio-sNIC", sets)),
            bars("by hits alone", sets => (sets > 0.1 ? 1 : 1 / (1 - (hitsOf.get(sets) ?? 0)))),
          ],
        },
      ],
      claims: [
        [
          "an sNIC without a cache changes nothing",
          { kind: "above", series: "Clio-sNIC", base: "Clio", least: -0.001, most: 0.001 },
        ],
        ["the cache never harms", { kind: "above", series: "Clio-sNIC-$", base: "Clio-sNIC", least: 0, most: 100 }],
        [
          "gets gain what the board's line is spared of",
          { kind: "above", series: "gain", base: "by hits alone", least: -0.4, most: 0.1 },
        ],
      ],
    };
  },
};
