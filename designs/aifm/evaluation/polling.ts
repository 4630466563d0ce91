import type { Definition, Plot, Series } from "../../shared/evaluation/index.ts";
import { type Stage, stages } from "../client/index.ts";
import { makeSettings } from "../config/index.ts";
import { measurePolling, type Polled } from "../rig/index.ts";

const names: Readonly<Record<Stage, string>> = {
  thread: "each thread",
  runtime: "one thread of the runtime",
  scheduler: "the scheduler's core",
};
function plotOf(title: string, unit: string, all: readonly Polled[], of: (p: Polled) => number): Plot {
  const series = (stage: Stage): Series => ({
    name: names[stage],
    standing: "calibrated",
    points: all.filter(p => p.stage === stage).map(p => ({ x: p.threads, y: of(p) })),
  });
  return {
    title,
    kind: "lines",
    x: { label: "number of threads", scale: "log2" },
    y: { label: title, unit, scale: "linear" },
    series: stages.map(series),
  };
}

/** Cycles of the cores that are spent on looking for completions. */
export const polling: Definition = {
  number: "polling",
  title: "Who polls: idle cycles of the cores",
  paper: [
    [
      "2",
      "Three stages: each thread polls for its own completion; one thread of the runtime polls for all; the scheduler's core, which is there anyway, polls.",
    ],
    ["4", "With the first stage, the one that was built, polling is the largest part of an operation's time."],
  ],
  given: [
    {
      what: "cores",
      value: "4 of 2,400 MHz, 500 ns of work between accesses",
      source: "section 4: x1170 machines; the rest is ours",
    },
    { what: "switch of threads, completion", value: "100 ns, 50 ns", source: "ours: the paper gives neither" },
  ],
  notes: [
    "In hardware: the node's latency under this load. In the model: cores, threads and their turns, in simulated time. The second and third stages were not built by the authors.",
    "The scheduler's core spins as it did before; it is not among the application's four.",
  ],
  measure: async ({ seed, quick }) => {
    const settings = makeSettings(),
      all: Polled[] = [];
    for (const threads of quick ? [4, 16] : [4, 8, 16, 32])
      for (const stage of stages)
        all.push(await measurePolling(stage, { seed, settings, threads, accesses: 16, objectBytes: 64 }));
    return {
      plots: [
        plotOf("Idle cycles of the application's cores, for an access", "cycles", all, p => p.idleCycles),
        plotOf("Accesses", "a us", all, p => p.rate),
      ],
      table: {
        columns: ["threads", "polled by", "cores at work, %", "polling, %", "switching, %", "free, %"],
        rows: all.map(({ threads, stage, use, passed }) => [
          `${threads}`,
          names[stage],
          ...[use.work, use.polling, use.switches + use.handling, use.free].map(ns =>
            ((100 * ns) / (settings.cores * passed)).toFixed(1),
          ),
        ]),
      },
      claims: [
        [
          "each thread: an access costs its whole wait, whatever the number of threads",
          { kind: "flat", series: names.thread, within: 0.05 },
        ],
        [
          "one thread of the runtime: fewer than half of that with as many threads as cores or more",
          { kind: "within", series: names.runtime, from: 4, to: 64, least: 0, most: 1750 },
        ],
        [
          "the scheduler's core: none of the application's cores polls",
          { kind: "within", series: names.scheduler, from: 4, to: 64, least: 0, most: 0 },
        ],
      ],
    };
  },
};
