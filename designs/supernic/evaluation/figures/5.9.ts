import type { Definition } from "../../../shared/evaluation/index.ts";
import { clockPeriod } from "../../config/index.ts";
import { lineGbps, measureByCredits } from "../measure/index.ts";

/** Throughput of one task by its credits and the size of frames. */
export const figure59: Definition = {
  number: "5.9",
  title: "Throughput by credits and size of frames",
  paper: [
    ["5.7.1", "Frames go through a dummy task; credits and sizes vary. The prototype reaches more than 100 Gbit/s."],
  ],
  notes: [
    "Frames come back to back at one port, as fast as its bus has beats. Sizes and bits include the check sequence.",
    "The estimate is the smaller of what the bus carries and credits x bits of a frame / loop. The loop, cycles until a credit can be used again, is measured with one credit; with more it is a little shorter.",
  ],
  measure: async ({ seed, quick }) => {
    const sizes = quick ? [64, 256] : [64, 256, 1024],
      credits = quick ? [1, 4, 16] : [1, 2, 4, 8, 16],
      { loop, rows } = await measureByCredits(seed, { credits, sizes, frames: quick ? 120 : 300 });
    const measured = (size: number): string => `${size} bytes`,
      estimate = (size: number): string => `${size} bytes, estimate`;
    return {
      plots: [
        {
          title: "One dummy task, one port",
          kind: "lines",
          x: { label: "number of credits", scale: "log2" },
          y: { label: "throughput", unit: "Gbit/s", scale: "linear" },
          references: [{ at: 100, says: "the paper's prototype reaches more" }],
          series: sizes.flatMap(size => [
            {
              name: measured(size),
              standing: "predicted" as const,
              points: rows.flatMap(r => (r.rate.size === size ? [{ x: r.credits, y: r.rate.gbps }] : [])),
            },
            {
              name: estimate(size),
              standing: "predicted" as const,
              points: credits.map(x => ({ x, y: Math.min(lineGbps(size), (x * size * 8) / (loop * clockPeriod)) })),
            },
          ]),
        },
      ],
      claims: sizes.map(size => [
        `${size} bytes: no less with more credits`,
        { kind: "rising", series: measured(size), slack: 0.01 },
      ]),
      notes: [`The loop measured is ${loop.toFixed(1)} cycles.`],
    };
  },
};
