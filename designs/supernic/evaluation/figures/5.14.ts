import type { Definition } from "../../../shared/evaluation/index.ts";
import { chaining, measureWays } from "../measure/index.ts";
import { idle, lengthsOf, lines, sequence } from "./sequence.ts";

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
    "Each alone: every task is a stage of its own, so a packet goes through the scheduler after each, as with PANIC. What PANIC's public code does first, pushing on past the scheduler, is not modelled.",
  ],
  measure: async ({ seed, quick }) => {
    const of = lengthsOf(quick),
      ways = await measureWays(seed, chaining, of);
    return {
      plots: [
        sequence([
          lines("one chain", of, ways.whole),
          lines("two chains", of, ways.half),
          lines("each alone", of, ways.each),
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
      ],
    };
  },
};
