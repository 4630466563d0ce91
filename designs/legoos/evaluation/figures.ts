import type { FigureHook } from "../../shared/command-line/index.ts";
import type { Beside, Definition, Given } from "../../shared/evaluation/index.ts";
import { count, fetchCycles, lineBytes, measure, memoryLines } from "./measure.ts";

const given: readonly Given[] = [
  {
    what: "a fetch",
    value: `${fetchCycles} cycles of 4 ns from request to reply, always`,
    source: "paper 3.4.3: a line from an mComponent takes about 6.5 µs",
  },
  {
    what: "locality",
    value: "90 % and 95 % of the accesses in the paper's shares of memory, evenly within each",
    source: "paper 3.4.2; evenness is assumed",
  },
];
const sizes = [
  { what: "line", paper: "4 KB", here: `${lineBytes} B` },
  { what: "memory of the application", paper: "0.9 GB and 1.7 GB", here: `${memoryLines} lines` },
];
const accesses = (quick: boolean): number => (quick ? 240 : 600);

/** What a dirty miss costs, by the way of flushing. */
const requests: Definition = {
  number: "requests",
  title: "Requests of a dirty miss",
  paper: [["3.5.3", "A flush and a fetch go in one RPC when the same mComponent has both."]],
  given,
  sizes,
  notes: ["Misses are hardware here; the paper has them in software."],
  measure: async ({ seed, quick }) => {
    const points: { x: string; y: number }[] = [];
    for (const flush of ["serial", "parallel", "piggyback"] as const) {
      const p = await measure({
        seed,
        locality: "phoenix",
        accesses: accesses(quick),
        writes: 1,
        parameters: { flush },
      });
      points.push({ x: flush, y: count(p, "read", "write", "compound") / Math.max(1, count(p, "miss")) });
    }
    return {
      plots: [
        {
          title: "All accesses are writes, one node",
          kind: "bars",
          x: { label: "flush", scale: "category" },
          y: { label: "number of requests for a miss", scale: "linear" },
          series: [{ name: "requests", standing: "predicted", points }],
        },
      ],
      claims: [],
    };
  },
};

/** Slowdown by the size of the cache. */
const bySize: Definition = {
  number: "3.9",
  title: "Slowdown by the size of the ExCache (also 3.10)",
  paper: [["3.6.2", "With about 25 % of the working set: 1.68 times for TensorFlow, 1.34 for Phoenix."]],
  given,
  sizes,
  notes: [
    "The paper's numbers are of whole programs, whose traces are not published; they are not reproduced. This processor does nothing but access memory, so its slowdown is larger by far. The shape is what counts.",
  ],
  measure: async ({ seed, quick }) => {
    const sets = quick ? [2, 16] : [2, 4, 8, 16, 32];
    const of = async (locality: "tensorflow" | "phoenix"): Promise<{ x: number; y: number }[]> => {
      const points = [];
      for (const s of sets) {
        const p = await measure({ seed, locality, accesses: accesses(quick), parameters: { sets: s, ways: 8 } });
        points.push({ x: (100 * s * 8) / memoryLines, y: p.slowdown });
      }
      return points;
    };
    const tensorflow = await of("tensorflow"),
      phoenix = await of("phoenix");
    return {
      plots: [
        {
          title: "Eight ways",
          kind: "lines",
          x: { label: "cache, of the memory", unit: "%", scale: "log2" },
          y: { label: "slowdown to all hits", unit: "times", scale: "linear" },
          series: [
            { name: "TensorFlow's locality", standing: "calibrated", points: tensorflow },
            { name: "Phoenix's locality", standing: "calibrated", points: phoenix },
            {
              name: "TensorFlow's, the smallest cache",
              standing: "calibrated",
              points: tensorflow.map(t => ({ x: t.x, y: tensorflow[0]?.y ?? 0 })),
            },
          ],
        },
      ],
      claims: [
        [
          "a larger cache is no slower",
          {
            kind: "above",
            series: "TensorFlow's, the smallest cache",
            base: "TensorFlow's locality",
            least: -0.01,
            most: 1e6,
          },
        ],
      ],
    };
  },
};

/** Associativity, policy, and the way of flushing. */
const management: Definition = {
  number: "3.11",
  title: "Management of the ExCache",
  paper: [
    ["3.6.2", "Higher associativity improves hits, with less effect beyond 512 ways."],
    ["3.6.2", "FIFO is better than LRU; piggyback with FIFO is best."],
  ],
  given,
  sizes,
  notes: [
    "The paper attributes LRU's loss to a lock that the sweep and the misses share. Hardware has no such lock: no advantage of FIFO is to be expected here, and none is claimed.",
    "Misses are hardware, and a victim is copied on chip before its line is filled.",
  ],
  measure: async ({ seed, quick }) => {
    const ways = quick ? [2, 16] : [2, 4, 8, 16, 32],
      of = async (policy: "fifo" | "lru"): Promise<{ x: number; y: number }[]> => {
        const points = [];
        for (const w of ways) {
          const p = await measure({
            seed,
            locality: "phoenix",
            accesses: accesses(quick),
            parameters: { ways: w, sets: 64 / w, policy },
          });
          points.push({ x: w, y: (100 * count(p, "miss")) / p.accesses });
        }
        return points;
      };
    const flushes: { x: string; y: number }[] = [];
    for (const flush of ["serial", "parallel", "piggyback"] as const) {
      const p = await measure({ seed, locality: "phoenix", accesses: accesses(quick), parameters: { flush } });
      flushes.push({ x: flush, y: p.slowdown });
    }
    return {
      plots: [
        {
          title: "64 lines",
          kind: "lines",
          x: { label: "number of ways", scale: "log2" },
          y: { label: "accesses that miss", unit: "%", scale: "linear" },
          series: [
            { name: "FIFO", standing: "calibrated", points: await of("fifo") },
            { name: "LRU", standing: "calibrated", points: await of("lru") },
          ],
        },
        {
          title: "Flushing",
          kind: "bars",
          x: { label: "flush", scale: "category" },
          y: { label: "slowdown to all hits", unit: "times", scale: "linear" },
          series: [{ name: "slowdown by flush", standing: "calibrated", points: flushes }],
        },
      ],
      claims: [],
    };
  },
};

/** More nodes, and copies of what is flushed. */
const nodes: Definition = {
  number: "3.12",
  title: "Number of mComponents, and replication",
  paper: [
    ["3.6.2", "Four mComponents are up to 6 % worse, for piggyback is lost."],
    ["3.6.2", "Replication costs 2 % to 23 %."],
  ],
  given,
  sizes,
  notes: [
    "Regions are dealt to the nodes in turn, and lines to the regions: a victim and its line share a node as chance will have it.",
  ],
  measure: async ({ seed, quick }) => {
    const ks = quick ? [1, 4] : [1, 2, 4],
      shares: { x: number; y: number }[] = [],
      slow: { x: number; y: number }[] = [],
      copies: { x: string; y: number }[] = [];
    for (const k of ks) {
      const p = await measure({ seed, locality: "phoenix", accesses: 2 * accesses(quick), nodes: k, writes: 1 });
      const together = count(p, "compound");
      shares.push({ x: k, y: together / Math.max(1, together + count(p, "write")) });
      slow.push({ x: k, y: p.slowdown });
    }
    for (const [name, replicated, replicas] of [
      ["one copy", false, "parallel"],
      ["two at once", true, "parallel"],
      ["one after the other", true, "serial"],
    ] as const) {
      const p = await measure({
        seed,
        locality: "phoenix",
        accesses: accesses(quick),
        replicated,
        parameters: { replicas },
      });
      copies.push({ x: name, y: p.slowdown });
    }
    return {
      plots: [
        {
          title: "Flushes that go with their fetch",
          kind: "lines",
          x: { label: "number of nodes", scale: "log2" },
          y: { label: "share of the flushes", unit: "1", scale: "linear" },
          series: [
            { name: "measured", standing: "predicted", points: shares },
            { name: "1/k", standing: "predicted", points: ks.map(k => ({ x: k, y: 1 / k })) },
          ],
        },
        {
          title: "Slowdown by nodes",
          kind: "lines",
          x: { label: "number of nodes", scale: "log2" },
          y: { label: "slowdown to all hits", unit: "times", scale: "linear" },
          series: [{ name: "slowdown", standing: "calibrated", points: slow }],
        },
        {
          title: "Replicated flush",
          kind: "bars",
          x: { label: "copies", scale: "category" },
          y: { label: "slowdown to all hits", unit: "times", scale: "linear" },
          series: [{ name: "slowdown by copies", standing: "calibrated", points: copies }],
        },
      ],
      claims: [
        [
          "a flush goes with its fetch in about 1/k of the cases",
          { kind: "above", series: "measured", base: "1/k", least: -0.2, most: 0.2 },
        ],
      ],
    };
  },
};

const besides: readonly Beside[] = [
  {
    what: "Mean time to failure (table 3.1)",
    section: "3.3",
    standing: "not modelled",
    quote: "A table of the mean times to failure of monolithic and disaggregated systems.",
    here: "Arithmetic on published failure rates; there is no hardware to it.",
  },
];

export const figureHook: FigureHook = {
  definitions: [requests, bySize, management, nodes],
  besides,
  title: "Figures of the LegoOS paper",
  introduction:
    "LegoOS's ExCache as hardware (Shan et al., OSDI 2018; sections and figures as in the dissertation's chapter 3), beside what the paper says. Mechanisms are measured; the run times of applications are not, since their traces are not published.",
};
