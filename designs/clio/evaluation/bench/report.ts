import type { SimulatorFigures } from "./simulators.ts";
import type { NodeSpeeds } from "./speed.ts";
import { simulatorTable, table } from "../../../shared/command-line/index.ts";
import type { Elaboration } from "./elaboration.ts";
import type { FirstTouches } from "./first-touches.ts";
import type { LatencyFigures } from "./latency.ts";
import type { StateFigures } from "./state.ts";
import type { Throughput } from "./throughput.ts";

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const round = (n: number): string =>
  Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");

export function latencyReport({ memory, dataBytes, net, netGoal, rows }: LatencyFigures): string {
  const span = (least: number, most: number): string => (least === most ? String(most) : `${least} to ${most}`);
  return `Latency at ${dataBytes} B, memory ${memory} cycles (L), in cycles; whole: last beat in to first beat out; core: without net_rx and net_tx
${table(
  ["request", "whole", "core", "core goal", "published FPGA, DDR included"],
  rows.map(r => [
    r.kind,
    span(r.least, r.most),
    String(r.core),
    r.goal === undefined ? "" : `<= ${r.goal}${r.core > r.goal ? `, missed by ${r.core - r.goal}` : ""}`,
    r.published,
  ]),
  "lrrrl",
)}
net_rx and net_tx together: ${net} (goal <= ${netGoal}); measured with PINGPONG, which passes net_rx, mat (2) and net_tx only
goals: hit 12 + L, miss hit + L + 4, fault miss + 3; with state: 12 beside each memory access that it needs (TAS, FAA two in a row, DEREF two hits)`;
}

export function throughputReport(rows: readonly Throughput[]): string {
  return `Throughput in the steady state, back to back at 512 bits and 250 MHz; share: beats used of those that the busier wire has (goal >= 97 %)
${table(
  ["request", "data B", "frame in", "out", "cycles each", "the wire needs", "share", "data Gbit/s"],
  rows.map(r => [
    r.kind,
    String(r.dataBytes),
    String(r.requestBytes),
    String(r.replyBytes),
    r.taken.toFixed(2),
    String(r.allowed),
    percent(r.share),
    r.gbps.toFixed(1),
  ]),
  "lrrrrrrr",
)}`;
}

export function firstTouchReport(rows: readonly FirstTouches[]): string {
  return `First touches at line rate: 70-byte READ frames back to back (2 beats each), every one of another page that has no frame yet
${table(
  [
    "outstandingMisses",
    "frames",
    "beats",
    "cycles",
    "cycles each",
    "rx stalled",
    "faults",
    "least free pages",
    "cycles without (goal 0)",
  ],
  rows.map(r => [
    String(r.outstandingMisses),
    String(r.frames),
    String(r.beats),
    String(r.cycles),
    (r.cycles / r.frames).toFixed(2),
    String(r.stalls),
    String(r.faults),
    String(r.leastFreePages),
    String(r.emptyCycles),
  ]),
  "rrrrrrrrr",
)}`;
}

export function stateReport({ timeout, gbps, smallestWrite, needed, entries, bytes, goalBytes }: StateFigures): string {
  const part = (name: string, n: number, holds: string): string[] => [name, round(n), holds];
  return `State between requests (retry buffer), bytes of the default build
${table(
  ["part", "bytes", "holds"],
  [
    part("operations", bytes.operations, "client, ID, slot of each; block RAM"),
    part("results", bytes.results, "status, and what an atomic found; block RAM"),
    part("clients", bytes.clients, "key, newest operation forgotten, last heard of"),
    part("in flight", bytes.inFlight, "by request slot"),
    part("in all", bytes.total, ""),
  ],
  "lrl",
)}
3 x TIMEOUT x bandwidth: 3 x ${timeout} ns x ${gbps} Gbit/s of writes of one byte (${smallestWrite} B on the line) are ${round(needed)} operations (goal: remembered ${round(entries)} >= ${round(needed)})
in all ${(bytes.total / 1024).toFixed(1)} KB (the paper's: ${goalBytes / 1024} KB)`;
}

export function speedReport({ cycles, bench, judging, typescript, cxx }: NodeSpeeds): string {
  const row = (what: string, speed: number): string[] => [what, round(speed), (speed / cxx).toFixed(2)];
  return `Simulation speed of the whole node, ${round(cycles)} cycles of random requests on one compiled model, the median of several by turns
${table(
  ["driven by", "cycles/s", "ratio to C++"],
  [
    row("a plain C++ program: recorded inputs, all outputs read", cxx),
    row("TypeScript, the same inputs and outputs", typescript),
    row("the TypeScript bench: MAC, DRAM, slow path, protocol checkers", bench),
  ],
  "lrr",
)}

The TypeScript bench, and the same with every reply judged by the scoreboard, by turns, in processor time
${table(
  ["simulator", "cycles/s", "judged", "ratio", "goal >= 0.5"],
  judging.map(j => [
    j.simulator,
    round(j.bench),
    round(j.judged),
    (j.judged / j.bench).toFixed(2),
    j.judged >= j.bench / 2 ? "reached" : "missed",
  ]),
  "lrrrl",
)}`;
}

export function simulatorReport({ loads, blocks, loadMs, fifoMs }: SimulatorFigures): string {
  const goals = [1.3, 4, 10];
  return simulatorTable(
    "the node, and its blocks while it is full",
    [...loads.map((speeds, i) => ({ speeds, goal: goals[i] ?? 0 })), ...blocks.map(speeds => ({ speeds, goal: 0.8 }))],
    [
      { what: "the node", ms: loadMs, below: 500 },
      { what: "a FIFO of 64 words of 16 bits", ms: fifoMs, below: 20 },
    ],
  );
}

export function elaborationReport(e: Elaboration): string {
  const rate = (ms: number): string => `${round((e.nodes / ms) * 1000)} nodes/s`;
  return `The language on the whole node: ${round(e.nodes)} nodes (expressions and statements), ${e.modules} modules, ${round(e.verilogLines)} lines of Verilog
elaboration and checks ${round(e.elaborationMs)} ms (${rate(e.elaborationMs)}), emission ${round(e.emissionMs)} ms (${rate(e.emissionMs)}), nothing warm`;
}
