/** What figures 5.14 and 5.15 have in common. */
import type { Plot, Series } from "../../../../shared/evaluation/index.ts";
import { lengths } from "../../measure/index.ts";

export const idle: readonly string[] = [
  "An idle device and one frame of 64 bytes: from its last beat in to its first beat out. Each task takes 6 cycles. Each length has a chain of that length, so no skipped slot counts.",
];
export const lengthsOf = (quick: boolean): readonly number[] => (quick ? [2, 3, 7] : lengths);
export const lines = (name: string, of: readonly number[], cycles: readonly number[]): Series => ({
  name,
  standing: "predicted",
  points: of.map((x, i) => ({ x, y: cycles[i] ?? Number.NaN })),
});
export const sequence = (series: readonly Series[]): Plot => ({
  title: "One packet through the device",
  kind: "lines",
  x: { label: "number of tasks", scale: "linear", ticks: [...lengths] },
  y: { label: "latency", unit: "cycles", scale: "linear" },
  series: [...series],
});
