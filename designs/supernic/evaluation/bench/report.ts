/** Tables of what was measured, beside the paper and the goals. */
import { table } from "../../../shared/command-line/index.ts";
import { coreRows, type Table51 } from "../figures/index.ts";
import {
  beatsOf,
  type ByCredits,
  type CipherRate,
  type CoreFigures,
  type Rate,
  type Throughput,
} from "../measure/index.ts";

/** 148.8 M frames a second at 250 MHz (64 bytes and 20 around them at 100 Gbit/s), and one in every cycle. */
const lineRate = 100 / (84 * 8) / 0.25,
  beatsGoal = 0.97,
  levels = { reached: "reached", missed: (by: string) => `missed by ${by}` } as const;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const large = (n: number): string => n.toLocaleString("en-US");

export function coreReport(f: CoreFigures): string {
  return `Latency of an idle frame of 64 bytes, cycles; core: last beat in to first beat out. Measured.
${table(
  ["what", "cycles", "paper", "goal", ""],
  coreRows.map(r => [
    r.what,
    String(r.of(f)),
    r.paper === undefined ? "not told" : String(r.paper),
    String(r.goal),
    r.of(f) <= r.goal ? levels.reached : levels.missed(String(r.of(f) - r.goal)),
  ]),
  "lrrrl",
)}
paper: section 5.7.1 (196 ns at 250 MHz are 49 cycles); through a chain of four dummies it is ${f.chain}

Where the cycles of the core go: ${f.stages.map(s => `${s.stage} ${s.cycles}`).join(", ")}`;
}

export function throughputReport({ credits, short, long }: Throughput): string {
  const goal = (r: Rate): string =>
    r.size === 64
      ? `${lineRate.toFixed(3)} ${r.perCycle >= lineRate ? levels.reached : levels.missed((lineRate - r.perCycle).toFixed(3))}; 1 ${r.perCycle >= 0.999 ? levels.reached : levels.missed((1 - r.perCycle).toFixed(3))}`
      : `${percent(beatsGoal)} of beats ${r.beats >= beatsGoal ? levels.reached : levels.missed(percent(beatsGoal - r.beats))}`;
  return `Throughput of a chain of four dummies with ${credits} credits, frames back to back, measured; the paper's prototype reaches more than 100 Gbit/s (section 5.7.1)
${table(
  ["frame B", "beats", "ports", "frames a cycle", "Gbit/s", "beats used", "goal"],
  [...short, ...long].map(r => [
    String(r.size),
    String(beatsOf(r.size)),
    String(r.ports),
    r.perCycle.toFixed(3),
    r.gbps.toFixed(1),
    percent(r.beats),
    goal(r),
  ]),
  "rrrrrrl",
)}
sizes and bits with the check sequence; 100 Gbit/s of 64 bytes are ${lineRate.toFixed(3)} frames a cycle`;
}

export function cipherReport(rates: readonly CipherRate[]): string {
  return `Throughput of the ciphers, into a tunnel, frames back to back at one port, measured; the design's goal is 128 Gbit/s of four lanes of AES
${table(
  ["task", "frame B", "frames a cycle", "cycles a frame", "Gbit/s in", "Gbit/s out"],
  rates.map(({ task, rate, leaves }) => [
    task,
    String(rate.size),
    rate.perCycle.toFixed(3),
    (1 / rate.perCycle).toFixed(2),
    rate.gbps.toFixed(1),
    ((rate.gbps * leaves) / rate.size).toFixed(1),
  ]),
  "lrrrrr",
)}
sizes and bits with the check sequence, in: of the frames that come; out: with 48 bytes of the tunnel, and 16 of the tag`;
}

export function creditReport({ loop, rows }: ByCredits): string {
  return `Figure 5.9: throughput of one dummy by credits, Gbit/s, one port, measured; a credit can be used again after ${loop.toFixed(1)} cycles
${table(
  ["credits", "frame B", "Gbit/s", "frames a cycle"],
  rows.map(r => [String(r.credits), String(r.rate.size), r.rate.gbps.toFixed(1), r.rate.perCycle.toFixed(3)]),
  "rrrr",
)}`;
}

export function sequenceReport(
  title: string,
  of: readonly number[],
  ways: Readonly<Record<string, readonly number[]>>,
) {
  return `${title}, cycles of an idle frame of 64 bytes, tasks of 6 cycles, measured
${table(
  ["tasks", ...Object.keys(ways)],
  of.map((n, i) => [String(n), ...Object.values(ways).map(w => String(w[i] ?? ""))]),
  "rrrrrr",
)}`;
}

/** The goal is half of the paper's; a sum that lacks blocks reaches nothing. */
const besidePaper = (here: number, paper: number, partly: boolean): readonly string[] => {
  const judged = here > paper / 2 ? levels.missed(large(here - paper / 2)) : partly ? "not known" : "within";
  return [large(paper), large(paper / 2), judged];
};

export function areaReport({ rows, missing, larger }: Table51): string {
  return `Table 5.1: area by synthesis of each block by itself, beside half of the paper's
${table(
  ["part", "of", "here", "paper", "goal", ""],
  rows.map(r => [
    r.what,
    r.resource === "lut" ? "LUT" : "BRAM36",
    large(r.here),
    ...(r.paper === undefined ? ["not told", "", ""] : besidePaper(r.here, r.paper, r.partly)),
  ]),
  "llrrrl",
)}
core: all of a device of two ports but packet store, tasks and their wrappers; with its counters, and with the ways to the regions
${[
  missing.length === 0
    ? "all blocks of the core are measured"
    : `not in the baseline, so not in the core's sum, which is too small: ${missing.join(", ")}`,
  ...(larger.length === 0
    ? []
    : [`measured with four ports only, so the core's sum is an upper bound: ${larger.join(", ")}`]),
].join("\n")}`;
}
