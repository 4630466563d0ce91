import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { type CoreFigures, measureCore } from "../measure/index.ts";

/** What the paper says of latencies, and what we want: cycles at 250 MHz. */
export const coreRows: readonly {
  readonly what: string;
  /** Under a bar. */
  readonly short: string;
  readonly paper?: number;
  readonly goal: number;
  readonly of: (f: CoreFigures) => number;
}[] = [
  { what: "core, a dummy", short: "core", paper: 49, goal: 40, of: f => f.dummy },
  { what: "scheduler, arrival to start", short: "arrival", paper: 16, goal: 13, of: f => f.rounds.arrive },
  { what: "scheduler, back to start", short: "back", paper: 16, goal: 13, of: f => f.rounds.back },
  { what: "a skipped slot", short: "skip", goal: 1, of: f => f.skip },
];

/** Latency of the core and of the scheduler. */
export const figureCore: Definition = {
  number: "core",
  title: "Latency of the core and of the scheduler",
  paper: [
    [
      "5.7.1",
      "A packet is 196 ns in the core: 49 cycles at 250 MHz. The scheduler takes 16 cycles. The whole way takes 1.3 µs, most of it in PHY and MAC.",
    ],
  ],
  notes: [
    "An idle default build and one frame of 64 bytes. Core: from its last beat in to its first beat out, through one dummy. PHY and MAC are not modelled.",
  ],
  measure: async ({ seed }) => {
    const figures = await measureCore(seed);
    const series = (name: string, of: (r: (typeof coreRows)[number]) => number | undefined): Series => ({
      name,
      standing: "predicted",
      points: coreRows.flatMap(r => {
        const y = of(r);
        return y === undefined ? [] : [{ x: r.short, y }];
      }),
    });
    return {
      plots: [
        {
          title: "Cycles at 250 MHz",
          kind: "bars",
          x: { label: "what", scale: "category" },
          y: { label: "latency", unit: "cycles", scale: "linear" },
          series: [series("here", r => r.of(figures)), series("goal", r => r.goal)],
        },
      ],
      table: {
        columns: ["what", "cycles", "paper", "goal"],
        rows: coreRows.map(r => [
          r.what,
          String(r.of(figures)),
          r.paper === undefined ? "not told" : String(r.paper),
          String(r.goal),
        ]),
      },
      claims: [],
    };
  },
};
