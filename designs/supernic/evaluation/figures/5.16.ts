import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import {
  cachePolicies,
  type CachePolicy,
  cacheSizes,
  hitRate,
  meanNs,
  type System,
  systems,
  workloads,
} from "../epochs/index.ts";
import { coreCycles, hopNotes, keyValueHops } from "./parts/hops.ts";

/** Share of gets that the design expects to hit, by values and policy, in percent. */
const expected: Readonly<Record<CachePolicy, readonly number[]>> = { FIFO: [45, 59, 75], LRU: [49, 63, 78] };

/** Hit rates of the cache, and latency of YCSB. */
export const figure516: Definition = {
  number: "5.16",
  title: "YCSB: hits of the cache, and latency",
  paper: [
    ["5.7.3", "100K entries of 1 KB, 100K operations, Zipf with theta 0.99; one client and one Clio board."],
    [
      "5.7.3",
      "Clio with its transport on the sNIC is on par with Clio. With the cache it is the fastest of all systems.",
    ],
  ],
  given: keyValueHops,
  notes: [
    ...hopNotes,
    "The cache is a model of which keys are held: no task of it is built yet. It is warm, and gets that miss and sets fill it.",
    'An sNIC is passed twice, each time with its MAC and PHY. In an idle system that is more than the paper\'s "on par" has it; with many operations under way it costs nothing (figure 5.17).',
    "Clover, HERD and HERD-BF are not modelled. The paper does not say how many values its cache holds; latencies are with 16,384 by FIFO, the paper's policy in our reading.",
  ],
  measure: async ({ seed }) => {
    const cycles = await coreCycles(seed),
      largest = cacheSizes[cacheSizes.length - 1] ?? 0;
    const hits = (policy: CachePolicy): Series => ({
      name: `${policy}, hits`,
      standing: "predicted",
      points: cacheSizes.map(x => ({ x: `${x}`, y: 100 * hitRate(seed, policy, x, 0) })),
    });
    const design = (policy: CachePolicy): Series => ({
      name: `${policy}, as designed`,
      standing: "predicted",
      points: cacheSizes.map((x, i) => ({ x: `${x}`, y: expected[policy][i] ?? Number.NaN })),
    });
    const latency = (system: System): Series => ({
      name: `${system}, latency`,
      standing: "calibrated",
      points: workloads.map(([x, sets]) => {
        const hits = system === "Clio-sNIC-$" ? hitRate(seed, "FIFO", largest, sets) : 0;
        return { x, y: meanNs({ sets, hits }, system, cycles) / 1000 };
      }),
    });
    return {
      plots: [
        {
          title: "Gets that hit",
          kind: "bars",
          x: { label: "values in the cache", scale: "category" },
          y: { label: "hits", unit: "%", scale: "linear" },
          series: [...cachePolicies.map(hits), ...cachePolicies.map(design)],
        },
        {
          title: "Idle system",
          kind: "bars",
          x: { label: "workload", scale: "category" },
          y: { label: "latency, mean", unit: "µs", scale: "linear" },
          series: systems.map(latency),
        },
      ],
      claims: [
        ...cachePolicies.map(
          p =>
            [
              `${p}: hits as designed, within 2 points`,
              { kind: "above", series: `${p}, hits`, base: `${p}, as designed`, least: -2, most: 2 },
            ] as const,
        ),
        [
          "LRU hits more often than FIFO",
          { kind: "above", series: "LRU, hits", base: "FIFO, hits", least: 1, most: 10 },
        ],
        [
          "an sNIC costs two passes through it, at most 3 µs",
          { kind: "above", series: "Clio-sNIC, latency", base: "Clio, latency", least: 0.1, most: 3 },
        ],
        [
          "with the cache it is faster than without, in each workload",
          { kind: "above", series: "Clio-sNIC, latency", base: "Clio-sNIC-$, latency", least: 0.5, most: 100 },
        ],
      ],
      sizes: [{ what: "entries of 1 KB", paper: "100,000", here: "100,000" }],
    };
  },
};
