/** A machine with two queue pairs to a memory node between the two lanes, on a line of 10 Gbit/s. */
import { Client, type Thread } from "../../clio/client/index.ts";
import { clockPeriod, makeSettings as makeNode } from "../../clio/config/index.ts";
import { ClientStation, joinNetwork, type NodePorts, timeOf, withNode } from "../../clio/rig/index.ts";
import { type Design, designOf, NetworkModel, Random } from "../../../sim/index.ts";
import { fastswapNode } from "../build/index.ts";
import { pageBytes, type QueuePair } from "../client/index.ts";
import type { Settings } from "../config/index.ts";
import { linePause } from "./line-pause.ts";

/** Gbit/s of the line from the node: the paper's testbed limits far memory to 10 Gbps with one thread (section 1). */
export const lineGbps = 10;
/** ns of each line. */
const latencyNs = 500;
/** Behind a line of 10 Gbit/s a window of pages takes 28 us: no request is repeated, and no window falls. */
const patientNs = 400_000;

export interface PagedMachineOptions {
  readonly seed: number;
  readonly settings: Settings;
  /** Pages at the node. */
  readonly pages: number;
  /** Both pairs in the class of prefetches: one queue, as systems before had it. */
  readonly oneQueue?: boolean;
  readonly design?: Design<NodePorts>;
  /** Share of frames of each kind of fault on the machine's lines; default none. */
  readonly faults?: number;
}
export interface PagedMachine {
  readonly critical: QueuePair;
  readonly bulk: QueuePair;
  /** ns. */
  readonly now: () => number;
  readonly pause: (ns: number) => Promise<void>;
  /** All is done and nothing is held anywhere. */
  readonly settled: () => Promise<void>;
}

/** Emitted once for all that is measured. */
const designs = new Map<string, Design<NodePorts>>();
function designFor(s: Settings): Design<NodePorts> {
  const key = JSON.stringify(s),
    made = designs.get(key) ?? designOf(fastswapNode(s));
  designs.set(key, made);
  return made;
}

/** A client for each pair: a station of its own, whose port has the class in its bit. */
function pairPort(base: number, classBit: number, bulk: boolean): number {
  const bit = 1 << classBit;
  return bulk ? base | bit : base & ~bit;
}

/** Runs a body with such a machine. Every page holds its number, in 32-bit words. */
export function withPagedMachine<T>(
  name: string,
  o: PagedMachineOptions,
  body: (m: PagedMachine) => Promise<T>,
): Promise<T> {
  const node = makeNode(),
    { runtime } = node;
  const given = {
    design: o.design ?? designFor(o.settings),
    seed: o.seed,
    wave: false as const,
    limitCycles: 1e9,
    hangCycles: 500_000,
    mac: { gbps: lineGbps, pauseTx: linePause(lineGbps, clockPeriod) },
  };
  return withNode(name, node, given, async simulated => {
    const bad = o.faults ?? 0;
    const network = new NetworkModel(timeOf(simulated), {
      seed: o.seed,
      link: { latencyNs, gbps: 100, loss: bad, duplicate: bad, corrupt: bad, reorder: bad },
    });
    // The node's own line is the one that the lanes see; behind it the frames go at once.
    joinNetwork(simulated, network, { out: { gbps: 1000, latencyNs: 0 }, in: { gbps: 1000, latencyNs: 0 } });
    const macs = new Map([[runtime.ip, runtime.mac]]),
      address = { ip: runtime.ip, port: runtime.nativePort };
    const client = (i: number, bulk: boolean): Client => {
      const random = new Random(o.seed * 100 + i),
        port = pairPort(0x4000, o.settings.lanes.classBit, bulk);
      const own = { mac: 0x02_fa57_0000_00n + BigInt(i), ip: 0x0a0a_0050 + i, port };
      return new Client({
        transport: new ClientStation(network, `pair${i}`, own, macs),
        clock: network.time,
        timeoutNs: bad > 0 ? 60_000 : patientNs,
        targetDelayNs: patientNs,
        slowTimeoutNs: 2_000_000,
        window: { initial: 256, most: 256 },
        incastBytes: 1 << 20,
        random: () => random.fraction(),
      });
    };
    const clients = [client(0, false), client(1, true)] as const;
    const { pid } = await clients[0].createProcess(address),
      threadOf = (c: Client): Thread => c.process(pid, address).thread(),
      critical = threadOf(clients[0]),
      bulk = threadOf(clients[1]);
    const va = await critical.ralloc(BigInt(o.pages * pageBytes), { populate: true });
    const at = (page: number): bigint => va + BigInt(page * pageBytes);
    for (let p = 0; p < o.pages; p++) await critical.rwrite(at(p), pageOf(p));
    await bulk.rread(at(0), 8);
    const pairOf = (t: Thread): QueuePair => ({
      read: page => t.rreadAsync(at(page), pageBytes).result,
      write: (page, data) => t.rwriteAsync(at(page), data).result,
    });
    const result = await body({
      // One queue is one client: what is asked for first is sent first.
      critical: pairOf(o.oneQueue === true ? bulk : critical),
      bulk: pairOf(bulk),
      now: () => network.time.now(),
      pause: ns =>
        new Promise(resolve => {
          network.time.after(ns, resolve);
        }),
      settled: () => simulated.settled(),
    });
    await simulated.settled();
    return result;
  });
}

/** A page as it is at first. */
export function pageOf(page: number): Uint8Array {
  return new Uint8Array(new Uint32Array(pageBytes / 4).fill(page).buffer);
}
