import type { Definition } from "../../../shared/evaluation/index.ts";
import { measureChaining } from "../measure/index.ts";
import { idle, lengthsOf, lines, sequence } from "./parts/sequence.ts";

/** Latency of a sequence as one chain, as two, and with the scheduler between all tasks. */
export const figure514: Definition = {
  number: "5.14",
  title: "A sequence of tasks as chains",
  paper: [
    [
      "5.7.2",
      "One chain of 2 to 7 tasks is faster than two half chains, which go through the scheduler once more. Both are faster than PANIC's mechanism on the same platform.",
    ],
  ],
  notes: [
    ...idle,
    "Each alone: every task is a stage of its own, so a packet goes through the scheduler after each, as the paper has PANIC.",
    "Each pushes on: as PANIC's public code. A task gives the packet to the next one past the scheduler; only where that has no credit, the packet goes to the scheduler. It comes from the cycle model of the scheduler, which has the device's times and takes as long as the device for the three other ways, to the cycle.",
    "An idle device shows the best of pushing on. Under load a packet that has to ask waits while later ones of its flow are pushed past it: the model's test shows such an order.",
  ],
  measure: async ({ seed, quick }) => {
    const of = lengthsOf(quick),
      ways = await measureChaining(seed, of);
    return {
      plots: [
        sequence([
          lines("one chain", of, ways.whole),
          lines("two chains", of, ways.half),
          lines("each alone", of, ways.each),
          lines("each pushes on", of, ways.push),
        ]),
      ],
      claims: [
        ["one chain: longer with more tasks", { kind: "rising", series: "one chain", slack: 0 }],
        [
          "two chains: slower than one",
          { kind: "above", series: "two chains", base: "one chain", least: 1, most: 1000 },
        ],
        [
          "each alone: slower than two chains; the same for two tasks",
          { kind: "above", series: "each alone", base: "two chains", least: 0, most: 1000 },
        ],
        [
          "each pushes on: slower than one chain",
          { kind: "above", series: "each pushes on", base: "one chain", least: 1, most: 1000 },
        ],
        [
          "each pushes on: faster than to ask the scheduler for each",
          { kind: "above", series: "each alone", base: "each pushes on", least: 1, most: 1000 },
        ],
      ],
    };
  },
};
