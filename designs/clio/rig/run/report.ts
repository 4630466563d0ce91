import { clockPeriod, type CounterName, counters } from "../../config/index.ts";
import { statusName } from "../../wire/index.ts";
import type { Played, PlayResult } from "../node/index.ts";
import { table } from "../../../shared/command-line/index.ts";
import { byType, gbps } from "./statistics.ts";

/** Requests that the table shows of a long capture, and from how many on a capture is long. */
const mostRows = 40,
  longCapture = 50;
/** Differences that are shown at most: later ones are mostly consequences of the first. */
const mostProblems = 10;

const grouped = (n: number | bigint): string => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");

/** Why a request has no reply, in words. */
function silence(reason: string | undefined): string {
  if (reason === "lost") return "LOST: a reply was due";
  if (reason === undefined || reason === "unanswered") return "no reply is due";
  return `dropped: ${counters.find(c => c.name === reason)?.doc ?? reason}`;
}
/** Outcome of a request: status of its reply, or why there is none. */
export const fate = (r: Played): string => (r.status === undefined ? silence(r.silence) : statusName(r.status));

/** One row per request, the first ones. */
export function requestTable(requests: readonly Played[]): string {
  const rows = requests
    .slice(0, requests.length < longCapture ? undefined : mostRows)
    .map((r, i) => [
      String(i + 1),
      ((r.start * clockPeriod) / 1000).toFixed(3),
      r.name,
      grouped(r.length),
      fate(r),
      r.latency === undefined ? "" : grouped(r.latency),
      r.latency === undefined ? "" : grouped(r.latency * clockPeriod),
    ]);
  const more = requests.length - rows.length;
  const shown = table(["#", "time us", "request", "bytes", "outcome", "cycles", "ns"], rows, "rrlrlrr");
  return more > 0
    ? `${shown}\n... and ${grouped(more)} more (--stats has the totals, the replies are in --out)`
    : shown;
}

/** One row per type of request. */
export function typeTable(requests: readonly Played[]): string {
  const rows = [...byType(requests)].map(([name, t]) => {
    const l = t.latencyCycles;
    return [
      name,
      grouped(t.requests),
      grouped(t.answered),
      grouped(t.ok),
      ...(l ? [l.p50, l.p90, l.p99, l.max].map(grouped) : []),
    ];
  });
  return table(["request", "sent", "answered", "OK", "p50 cycles", "p90", "p99", "max"], rows, "lrrrrrrr");
}

/** Frames, bytes and time in one line. */
export function throughputLine({ requests, replies, cycles, skipped }: PlayResult): string {
  const bytesIn = requests.reduce((n, r) => n + r.length, 0),
    bytesOut = replies.reduce((n, r) => n + r.bytes.length, 0);
  const line = (frames: number, bytes: number): string =>
    `${grouped(frames)} frames, ${grouped(bytes)} bytes (${gbps(bytes, cycles).toFixed(3)} Gbit/s)`;
  return `in ${line(requests.length, bytesIn)}; out ${line(replies.length, bytesOut)}; ${grouped(cycles)} cycles = ${((cycles * clockPeriod) / 1000).toFixed(3)} us${
    skipped > 0 ? `, ${grouped(skipped)} of them idle and left out` : ""
  }`;
}

/** The counters that are not 0, in one line. */
export function counterLine(values: Readonly<Record<CounterName, bigint>>): string {
  const shown = counters
    .map(c => c.name as CounterName)
    .filter(n => values[n] !== 0n)
    .map(n => `${n} ${grouped(values[n])}`);
  return `counters: ${shown.length === 0 ? "all 0" : shown.join(", ")}`;
}

/** Result of the comparison with the reference model. */
export function verdict({ problems, comparedBytes }: PlayResult): string {
  const shown = problems.slice(0, mostProblems).map(p => `  ${p}`),
    more = problems.length - shown.length;
  return `${grouped(comparedBytes)} bytes of replies compared with the reference model: ${
    problems.length === 0
      ? "no difference"
      : `${problems.length} difference${problems.length === 1 ? "" : "s"}\n${shown.join("\n")}${more > 0 ? `\n  ... and ${more} more` : ""}`
  }`;
}
