import type { Definition } from "../../../shared/evaluation/index.ts";
import { type Replication, replications, secondCopyNs, workloads } from "../epochs/index.ts";
import { hopNotes, keyValueHops } from "./parts/hops.ts";

const replicated = workloads.filter(([, sets]) => sets > 0);

/** What a second copy of each set costs. */
export const figure518: Definition = {
  number: "5.18",
  title: "YCSB with two copies",
  paper: [
    [
      "5.7.3",
      "With the sNIC's replication the second copy costs next to nothing. Clio and Clover, which replicate without it, are clearly slower with two copies.",
    ],
  ],
  given: keyValueHops,
  notes: [
    ...hopNotes,
    "Replication is a sum of hops here, no task of the device. The client that sends both copies goes through its library twice; the primary passes the value on and waits for its answer. How the paper's Clio replicates is not told; Clover is not modelled.",
  ],
  measure: () => {
    const series = (how: Replication) => ({
      name: how,
      standing: "calibrated" as const,
      points: replicated.map(([x, sets]) => ({ x, y: (sets * secondCopyNs(how)) / 1000 })),
    });
    return Promise.resolve({
      plots: [
        {
          title: "Added to the mean latency by the second copy",
          kind: "bars",
          x: { label: "workload", scale: "category" },
          y: { label: "latency added", unit: "µs", scale: "linear" },
          series: replications.map(series),
        },
      ],
      claims: [
        ["sNIC: at most 10 ns", { kind: "above", series: "sNIC replicates", base: "one copy", least: 0, most: 0.01 }],
        [
          "the client's own copies cost more",
          { kind: "above", series: "client sends both", base: "sNIC replicates", least: 0.01, most: 10 },
        ],
        [
          "a primary that passes on costs most",
          { kind: "above", series: "primary passes on", base: "client sends both", least: 0.05, most: 10 },
        ],
      ],
    });
  },
};
