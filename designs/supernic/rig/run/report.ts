/** What a run tells. */
import { table } from "../../../shared/command-line/index.ts";
import { clockPeriod } from "../../config/index.ts";
import type { Setup } from "../../software/index.ts";
import type { AllCounts, Played, PlayResult } from "../device/index.ts";

/** Frames that the table shows of a long capture, and from how many on a capture is long. */
const mostRows = 40,
  longCapture = 120;
const mostProblems = 10;

const grouped = (n: number): string => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");
/** The value that is not exceeded by `share` of all. @param sorted ascending */
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

export function frameTable(played: readonly Played[]): string {
  const shown = played.slice(0, played.length < longCapture ? undefined : mostRows);
  const rows = shown.map((f, i) => [
    String(i + 1),
    ((f.start * clockPeriod) / 1000).toFixed(3),
    String(f.port),
    grouped(f.length),
    f.outcome,
    f.latency === undefined ? "" : grouped(f.latency),
    f.latency === undefined ? "" : grouped(f.latency * clockPeriod),
  ]);
  const text = table(["#", "time us", "port", "bytes", "outcome", "cycles", "ns"], rows, "rrrrlrr"),
    more = played.length - shown.length;
  return more > 0 ? `${text}\n... and ${grouped(more)} more (--stats has the totals, the frames are in --out)` : text;
}

export interface WayStatistics {
  readonly frames: number;
  readonly latencyCycles: { readonly p50: number; readonly p99: number; readonly max: number } | undefined;
}
/** Frames by what became of them. */
export function byOutcome(played: readonly Played[]): ReadonlyMap<string, WayStatistics> {
  const groups = new Map<string, Played[]>();
  for (const f of played) groups.set(f.outcome, [...(groups.get(f.outcome) ?? []), f]);
  return new Map(
    [...groups].map(([name, list]) => {
      const sorted = list.flatMap(f => f.latency ?? []).sort((a, b) => a - b);
      const latencyCycles =
        sorted.length === 0
          ? undefined
          : { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
      return [name, { frames: list.length, latencyCycles }];
    }),
  );
}
export const outcomeTable = (played: readonly Played[]): string =>
  table(
    ["outcome", "frames", "p50 cycles", "p99", "max"],
    [...byOutcome(played)].map(([name, { frames, latencyCycles: l }]) => [
      name,
      grouped(frames),
      ...(l ? [l.p50, l.p99, l.max].map(grouped) : []),
    ]),
    "lrrrr",
  );

const notZero = (c: Readonly<Record<string, number>>): string =>
  Object.entries(c)
    .filter(([, n]) => n !== 0)
    .map(([name, n]) => `${name} ${grouped(n)}`)
    .join(", ");
/** The counters that are not 0, a line for each port, the loop port and the middle. */
export const counterLines = ({ ports, middle }: AllCounts, setup: Setup): string =>
  [
    ...ports.map((c, i) => `${i === setup.sizes.ports ? "loop port" : `port ${i}`}: ${notZero(c) || "all 0"}`),
    `middle: ${notZero(middle) || "all 0"}`,
  ].join("\n");

export function throughputLine({ played, out, cycles, skipped }: PlayResult): string {
  const line = (frames: number, bytes: number): string =>
    `${grouped(frames)} frames, ${grouped(bytes)} bytes (${((bytes * 8) / Math.max(1, cycles * clockPeriod)).toFixed(3)} Gbit/s)`;
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  return `in ${line(played.length, sum(played.map(f => f.length)))}; out ${line(out.length, sum(out.map(f => f.bytes.length)))}; ${grouped(cycles)} cycles = ${((cycles * clockPeriod) / 1000).toFixed(3)} us${
    skipped > 0 ? `, ${grouped(skipped)} of them idle and left out` : ""
  }`;
}
export function verdict({ problems, comparedBytes }: PlayResult): string {
  const shown = problems.slice(0, mostProblems).map(p => `  ${p}`),
    more = problems.length - shown.length;
  return `${grouped(comparedBytes)} bytes of frames compared with the reference model: ${
    problems.length === 0
      ? "no difference"
      : `${problems.length} difference${problems.length === 1 ? "" : "s"}\n${shown.join("\n")}${more > 0 ? `\n  ... and ${more} more` : ""}`
  }`;
}
