/** Latencies as sums over the hops of a way: what is calibrated, and what is measured on the device. */
import { valueBytes } from "../../../shared/workload/index.ts";
import { clockPeriod } from "../../config/index.ts";

/** Nanoseconds. `macs`: MAC and PHY of an sNIC, both ways: 1.3 us for all, less 196 ns for its core (§5.7.1). */
export const macs = 1_300 - 196,
  torSwitch = 900,
  /** CLib at the client, and a memory node from request to answer. */
  client = 250,
  node = 1_000;
/** Gbit/s of lines: to clients, and to Clio's boards. */
const fast = 100,
  slow = 10;
/** Headers of a frame, preamble, check sequence and gap. */
const around = 66 + 24;

/** What an sNIC's core takes, measured: for a frame that is processed, and for one that is switched. */
export interface CoreCycles {
  readonly processed: number;
  readonly switched: number;
}
const processing = (c: CoreCycles): number => macs + c.processed * clockPeriod,
  passing = (c: CoreCycles): number => macs + c.switched * clockPeriod;

export const ways = ["single", "ring, nearest", "ring, farthest", "switch"] as const;
export type Way = (typeof ways)[number];
/** From an endpoint to behind the ToR switch, in nanoseconds. @param devices of the pool, 2 or more */
export function wayNs(way: Way, devices: number, c: CoreCycles): number {
  // A frame is redirected out and returned: each time all sNICs on the way but the one that processes it pass it on.
  const redirected = (hops: number): number => processing(c) + 2 * hops * passing(c) + torSwitch;
  switch (way) {
    case "single":
      return processing(c) + torSwitch;
    case "ring, nearest":
      return redirected(1);
    case "ring, farthest":
      return redirected(Math.floor(devices / 2));
    case "switch":
      return processing(c) + 2 * torSwitch;
  }
}

const line = (bytes: number, gbps: number): number => ((bytes + around) * 8) / gbps;
export const systems = ["Clio", "Clio-sNIC", "Clio-sNIC-$"] as const;
export type System = (typeof systems)[number];
/** Of an idle system, in nanoseconds: an operation that goes to the memory node, and a get that hits. */
export function operationNs(kind: "get" | "set", system: System, c: CoreCycles) {
  const request = kind === "set" ? valueBytes : 0,
    answer = kind === "get" ? valueBytes : 0,
    device = system === "Clio" ? 0 : processing(c);
  const out = line(request, fast) + torSwitch + device + line(request, slow),
    back = line(answer, slow) + device + torSwitch + line(answer, fast),
    near = line(request, fast) + 2 * torSwitch + device + line(answer, fast);
  return { far: client + out + node + back, near: client + near };
}
/** Means of a workload. @param sets share of sets @param hits share of gets that hit */
export interface Workload {
  readonly sets: number;
  readonly hits: number;
}
export function meanNs({ sets, hits }: Workload, system: System, c: CoreCycles): number {
  const get = operationNs("get", system, c),
    set = operationNs("set", system, c);
  return (1 - sets) * (hits * get.near + (1 - hits) * get.far) + sets * set.far;
}
/** Operations a microsecond of so many that are under way at a time: bounded by the board's line, either way. */
export function throughput(w: Workload, system: System, c: CoreCycles, underWay: number): number {
  const misses = (1 - w.sets) * (1 - w.hits),
    toNode = w.sets * line(valueBytes, slow) + misses * line(0, slow),
    fromNode = misses * line(valueBytes, slow) + w.sets * line(0, slow);
  return 1000 * Math.min(underWay / meanNs(w, system, c), 1 / toNode, 1 / fromNode);
}

export const replications = ["one copy", "sNIC replicates", "client sends both", "primary passes on"] as const;
export type Replication = (typeof replications)[number];
/** What a second copy of a set adds in an idle system, in nanoseconds, until both are there. */
export function secondCopyNs(how: Replication): number {
  switch (how) {
    case "one copy":
      return 0;
    case "sNIC replicates":
      // Both copies have a port and a context each: the second one is taken a cycle later.
      return clockPeriod;
    case "client sends both":
      // The client's operations are one after the other in its library and on its line.
      return client + line(valueBytes, fast);
    case "primary passes on":
      return 2 * torSwitch + 2 * line(valueBytes, slow) + node + line(0, slow);
  }
}
