import type { Definition, Options, Result } from "../../../shared/evaluation/index.ts";
import type { WicCall } from "../../model/index.ts";
import { engineRun, nsPerCycle, walks } from "../measure.ts";

/** Cycles of the paper's 5.3 µs for a read with its software, and nanoseconds of its two ways. */
const paperHop = 1325,
  paperWays = 9800;
/** Cycles of an access at the node, of a frame's way, and of the log's accesses. */
const atNode = 75,
  way = 500;
const walk = (n: number): WicCall => ({ program: 0, words: [BigInt(n)] });
const paperLatencies = [
  { nodes: 1, ns: 16_100 },
  { nodes: 2, ns: 20_200 },
  { nodes: 16, ns: 94_700 },
] as const;
const us = (ns: number): string => `${(ns / 1000).toFixed(1)} µs`;

async function measure({ seed }: Options): Promise<Result> {
  const latencies: number[] = [];
  for (const { nodes } of paperLatencies) {
    const { each } = await engineRun("list", {}, paperHop, [walk(nodes)], seed);
    latencies.push(paperWays + (each[0] ?? 0) * nsPerCycle);
  }
  const further = async (place: "node" | "client", l: number): Promise<string> => {
    const [one = 0, two = 0] = await walks(place, [1, 2], l, seed);
    return `${two - one} cycles, ${l} of them put in`;
  };
  // With as many contexts as keep the core busy, all that an access costs is the core's time.
  const hops = 16,
    calls = Array.from({ length: 32 }, () => walk(hops)),
    { cycles } = await engineRun("list", { contexts: 16 }, 20, calls, seed),
    occupancy = Math.round((cycles * nsPerCycle) / (calls.length * hops));
  const appends = Array.from({ length: 16 }, (_, i): WicCall => ({ program: 0, words: [BigInt(i), 100n] })),
    locked = await engineRun("log", { contexts: 8 }, paperHop, appends, seed),
    perSecond = Math.round(1e6 / ((locked.cycles * nsPerCycle) / appends.length));
  const cores = "cores, caches, RDMA";
  return {
    plots: [
      {
        title: "Latency of a SmartNIC over the paper's, its constants put in",
        kind: "bars",
        x: { label: "nodes", scale: "category" },
        y: { label: "ratio", unit: "1", scale: "linear" },
        series: [
          {
            name: "over the paper's",
            standing: "calibrated",
            points: paperLatencies.map(({ nodes, ns }, i) => ({ x: String(nodes), y: (latencies[i] ?? 0) / ns })),
          },
        ],
      },
    ],
    claims: [],
    table: {
      columns: ["", "in hardware", "in traffic", "not modelled", "paper", "measured", "standing"],
      rows: [
        ...paperLatencies.map(({ nodes, ns }, i) => [
          `SmartNIC, nodes: ${nodes}`,
          "engine",
          "list",
          cores,
          us(ns),
          us(latencies[i] ?? Number.NaN),
          "calibrated",
        ]),
        [
          "a further node, at the memory",
          "engine, offload",
          "list",
          "server's cores",
          "",
          await further("node", atNode),
          "calibrated",
        ],
        [
          "a further node, at the client",
          "engine, requester",
          "list",
          "RDMA, batches",
          "",
          await further("client", way),
          "calibrated",
        ],
        [
          "core's time of an access",
          "engine",
          "list",
          cores,
          "417 ns (of its throughput)",
          `${occupancy} ns`,
          "predicted",
        ],
        [
          "appends under a lock, the SmartNIC's constants",
          "engine",
          "log",
          cores,
          "100 K/s",
          `${perSecond} K/s`,
          "calibrated",
        ],
        [
          "key-value store",
          "engine, both places",
          "50 % gets, 50 % puts",
          "eRPC, prefetching",
          "",
          "replies are compared, no time",
          "predicted",
        ],
      ],
    },
  };
}

/** What of the paper is hardware here, what is traffic, and what is not there. */
export const partsFigure: Definition = {
  number: "parts",
  title: "What is in hardware, in traffic, and not modelled",
  paper: [],
  notes: [
    "Locks stand in the node's memory at every place; the paper's SmartNIC keeps them in its own.",
    "Calibrated: latencies of memory and network were put in. Predicted: cycles of the hardware alone.",
  ],
  measure,
};
