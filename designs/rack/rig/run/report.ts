/** What a run tells. */
import { table } from "../../../shared/command-line/index.ts";
import { clockPeriod, type Finished, type RunningRack } from "../fabric/index.ts";
import type { EndpointClients, Workload } from "../program/index.ts";

/** Problems that are shown one by one. */
const mostProblems = 10;
const grouped = (n: number | bigint): string => n.toString().replace(/\B(?=(\d{3})+$)/g, ",");
const titled = (title: string, columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ""
    : `\n${table(
        [title, ...columns],
        rows.map(r => [...r]),
        `l${"r".repeat(columns.length)}`,
      )}`;

function ofClients({ clients }: EndpointClients): readonly number[] {
  const sum = (of: "begun" | "done" | "failed" | "retries" | "timeouts" | "damaged"): number =>
    clients.reduce((n, c) => n + c.statistics[of], 0);
  return [sum("begun"), sum("done"), sum("failed"), sum("retries"), sum("timeouts")];
}
/** Frames of every endpoint, and how the operations of its clients ended. */
function endpointTable(rack: RunningRack, workloads: readonly Workload[]): string {
  const clients = new Map(workloads.flatMap(w => w.endpoints).map(e => [e.endpoint.name, e]));
  const rows = rack.endpoints.map(({ name, jack }, i) => {
    const own = clients.get(name),
      program = rack.plan.endpoints[i]?.program,
      what = program === undefined ? "" : "node" in program ? `${program.kind} at ${program.node}` : program.kind;
    return [
      name,
      what,
      grouped(jack.counts.sent),
      grouped(jack.counts.received),
      ...(own ? ofClients(own).map(grouped) : []),
    ];
  });
  return table(
    ["endpoint", "program", "frames out", "in", "operations", "done", "failed", "retries", "timeouts"],
    rows,
    "llrrrrrrr",
  );
}
const linkTable = ({ lines }: RunningRack): string =>
  titled(
    "link",
    ["frames", "lost", "twice", "late", "damaged", "no room"],
    lines
      .flatMap(l => l.ways)
      .map(({ from, to, statistics: s }) => [
        `${from.name} > ${to.name}`,
        ...[s.sent, s.lost, s.duplicated, s.reordered, s.corrupted, s.overflowed].map(grouped),
      ]),
  );
function deviceTable(rack: RunningRack, { devices }: Finished): string {
  const rows = rack.devices.map(({ name, jacks, left, comparedBytes }) => {
    const middle = devices.get(name)?.middle ?? {},
      sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
    return [
      name,
      sum(jacks.map(j => j.counts.received)),
      sum(left),
      middle["arrived"] ?? 0,
      middle["laneLeft"] ?? 0,
      comparedBytes,
    ].map(x => (typeof x === "number" ? grouped(x) : x));
  });
  return titled("sNIC", ["frames in", "out", "processed", "switched", "bytes compared"], rows);
}
const nodeTable = (rack: RunningRack, { nodes }: Finished): string =>
  titled(
    "node",
    ["frames in", "out", "reads", "writes", "atomics", "by software", "repetitions answered"],
    rack.nodes.map(({ name }) => {
      const c = nodes.get(name);
      return [name, c?.rxFrames, c?.txFrames, c?.reads, c?.writes, c?.atomics, c?.slowRequests, c?.retriesAnswered].map(
        x => (typeof x === "bigint" ? grouped(x) : (x ?? "")),
      );
    }),
  );
const switchTable = ({ switches }: RunningRack): string =>
  titled(
    "switch",
    ["frames in", "out", "damaged", "nowhere", "without room", "pauses sent"],
    switches.map(({ name, counts: c }) => [
      name,
      ...[c.in, c.forwarded, c.damaged, c.unknown, c.full, c.pauses].map(grouped),
    ]),
  );

export interface Summary {
  readonly workloads: readonly Workload[];
  readonly finished: Finished;
  readonly problems: readonly string[];
  readonly cycles: number;
  /** By the clock and of processors, while cycles were simulated. */
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly threads: number;
}
export function speedLine(rack: RunningRack, { cycles, seconds, processorSeconds, threads }: Summary): string {
  const members = `${rack.devices.length} sNICs and ${rack.nodes.length} memory nodes`,
    rate = (s: number): string => grouped(Math.round(cycles / s)),
    shared = threads === 1 ? "1 thread" : `${threads} threads`;
  return `${grouped(cycles)} cycles = ${((cycles * clockPeriod) / 1000).toFixed(3)} us of ${members}; ${rate(seconds)} cycles a second here by ${shared}, ${rate(processorSeconds)} a second of a processor`;
}
export function judged({ workloads, problems }: Summary): string {
  const sum = (of: "judgedOperations" | "judgedBytes"): number => workloads.reduce((n, w) => n + w.result[of], 0),
    shown = problems.slice(0, mostProblems).map(p => `  ${p}`),
    more = problems.length - shown.length;
  const verdict =
    problems.length === 0
      ? "nothing lost, nothing done twice, nothing left inside"
      : `${problems.length} problem${problems.length === 1 ? "" : "s"}\n${shown.join("\n")}${more > 0 ? `\n  ... and ${more} more` : ""}`;
  return `${grouped(sum("judgedOperations"))} operations judged by linearizability, ${grouped(sum("judgedBytes"))} bytes by the writes that they are of: ${verdict}`;
}
/** What lines, sNICs, nodes and switches counted. */
export const hardwareTables = (rack: RunningRack, finished: Finished): string =>
  [linkTable(rack), deviceTable(rack, finished), nodeTable(rack, finished), switchTable(rack)]
    .filter(part => part !== "")
    .join("\n");
export const reportOf = (rack: RunningRack, s: Summary): string =>
  [endpointTable(rack, s.workloads), hardwareTables(rack, s.finished), `\n${speedLine(rack, s)}`, judged(s)]
    .filter(part => part !== "")
    .join("\n");
