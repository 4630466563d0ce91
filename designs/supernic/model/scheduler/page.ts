import { byCredits, chaining, chainRate, parallel, shares } from "./measure.ts";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");
}
const rated = (r: number): string => r.toFixed(3);

/** What the model measures, as the tables of docs/supernic/scheduler.md. */
export function figures(): string {
  const credits = [1, 2, 4, 8],
    lengths = [2, 3, 4, 5, 6, 7],
    stages = [1, 2, 3, 4],
    delays = [0, 1, 2, 3],
    intervals = [1, 2, 4];
  return [
    "Figure 5.9, one task, 64-byte packets:",
    table(
      ["credits", "Gbps"],
      credits.map(c => [c, byCredits(c)]),
    ),
    "Figures 5.14 and 5.15, cycles of one packet through n tasks of 6 cycles:",
    table(
      ["n", "one chain", "two chains", "each alone", "n branches", "two branches"],
      lengths.map(n => {
        const c = chaining(n, 6),
          p = parallel(n, 6);
        return [n, c.whole, c.half, c.each, p.branches, p.groups];
      }),
    ),
    "Packets a cycle of one flow through a chain of four, by credits:",
    table(
      ["stages of a decision", "8", "14", "18", "24"],
      [1, 3].map(decide => [decide, ...[8, 14, 18, 24].map(c => rated(chainRate(c, { decide, prefetch: 4 })))]),
    ),
    "The same with 24 credits, by the entries that a queue holds in registers, each read again after 1 cycle (after 2):",
    table(
      ["stages of a decision", ...stages.map(String)],
      stages.map(decide => [
        decide,
        ...stages.map(prefetch => {
          const at = (refill: number): string => rated(chainRate(24, { decide, prefetch, refill }));
          return `${at(1)} (${at(2)})`;
        }),
      ]),
    ),
    "The same with 24 credits, by the interval of the last task and how late the busy bits are:",
    table(
      ["late by", ...intervals.map(i => `interval ${i}`)],
      delays.map(busyDelay => [busyDelay, ...intervals.map(i => rated(chainRate(24, { busyDelay, prefetch: 4 }, i)))]),
    ),
    "Two users of a task of interval 10, and one of the fast task behind it, packets a cycle:",
    table(
      ["stages of a decision", "first", "second", "third"],
      stages.map(decide => [decide, ...shares(decide).map(rated)]),
    ),
  ].join("\n\n");
}
