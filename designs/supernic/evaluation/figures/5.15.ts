import type { Definition } from "../../../shared/evaluation/index.ts";
import { branching, grouping, measureWays } from "../measure/index.ts";
import { idle, lengthsOf, lines, sequence } from "./parts/sequence.ts";

/** Latency of tasks side by side, in two groups, and one after the other. */
export const figure515: Definition = {
  number: "5.15",
  title: "Tasks side by side",
  paper: [
    [
      "5.7.2",
      "All tasks side by side are fastest and take most regions. Two groups take two regions and are still faster than PANIC, which has no tasks side by side.",
    ],
  ],
  notes: [...idle, "Each alone: as in figure 5.14, on this build."],
  measure: async ({ seed, quick }) => {
    const of = lengthsOf(quick),
      { parallel, each } = await measureWays(seed, branching, of),
      { groups } = await measureWays(seed, grouping, of);
    return {
      plots: [
        sequence([
          lines("all side by side", of, parallel),
          lines("two groups", of, groups),
          lines("each alone", of, each),
        ]),
      ],
      claims: [
        ["all side by side: a cycle more a task at least", { kind: "rising", series: "all side by side", slack: 0 }],
        [
          "two groups: no faster than all side by side",
          { kind: "above", series: "two groups", base: "all side by side", least: 0, most: 1000 },
        ],
        ["each alone: slowest", { kind: "above", series: "each alone", base: "two groups", least: 1, most: 1000 }],
      ],
    };
  },
};
