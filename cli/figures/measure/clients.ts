import { Client, type NodeAddress, type Thread } from "../../../designs/clio/client/index.ts";
import { makeSettings } from "../../../designs/clio/config/index.ts";
import { clientEndpoint } from "../../../designs/clio/workload/index.ts";
import { ClientStation, joinNetwork, NetworkModel, Random, timeOf, withNode, type SimulatedNode } from "../../../sim/index.ts";
import { boardGbps, clibNs, clientGbps, lineNs } from "./given.ts";

/** Clients with CLib, the network and the node. */
export interface Rig {
  readonly node: SimulatedNode; readonly clients: readonly Client[]; readonly address: NodeAddress;
  /** Simulated time, ns. */
  readonly now: () => number;
  readonly pause: (ns: number) => Promise<void>;
  /** An operation with the time that CLib itself takes. @returns ns */
  readonly timed: (operation: () => Promise<unknown>) => Promise<number>;
}
export interface RigOptions {
  readonly seed: number; readonly clients: number;
  /** ns on the way to the node's software; default the node's. */
  readonly slowPathLatency?: number;
  /** The node's offloads; default none. */
  readonly offloads?: string;
}

/** So long, ns, that no request is repeated for a queue at a port of 10 Gbit/s, nor the congestion window falls for less than it. */
const timeoutNs = 40_000, targetDelayNs = 12_000, slowTimeoutNs = 2_000_000;

/** Runs clients of CLib against the cycle-accurate node on the network of `given.ts`, without faults. */
export function withClients<T>(name: string, o: RigOptions, body: (rig: Rig) => Promise<T>): Promise<T> {
  const settings = makeSettings({ ...(o.slowPathLatency !== undefined && { slowPathLatency: o.slowPathLatency }), ...(o.offloads !== undefined && { offloads: o.offloads }) }), { runtime } = settings;
  return withNode(name, settings, { seed: o.seed, wave: false, limitCycles: 1e9, hangCycles: 200_000 }, async (node) => {
    const network = new NetworkModel(timeOf(node), { seed: o.seed, link: { latencyNs: lineNs, gbps: clientGbps } }), board = { gbps: boardGbps };
    joinNetwork(node, network, { out: board, in: board });
    const clients = Array.from({ length: o.clients }, (_, i) => {
      const station = new ClientStation(network, `client${i}`, clientEndpoint(i), new Map([[runtime.ip, runtime.mac]])), random = new Random(o.seed * 1000 + i);
      return new Client({ transport: station, clock: network.time, timeoutNs, targetDelayNs, slowTimeoutNs, random: () => random.float() });
    });
    const now = (): number => network.time.now(), pause = (ns: number): Promise<void> => new Promise((resolve) => { network.time.after(ns, resolve); });
    const timed = async (operation: () => Promise<unknown>): Promise<number> => {
      const from = now();
      await pause(clibNs);
      await operation();
      return now() - from;
    };
    return body({ node, clients, address: { ip: runtime.ip, port: runtime.nativePort }, now, pause, timed });
  });
}

/** One process, with `threads` threads on each client, and pages that all of them may use. @param populate pages have their frames */
export async function sharedProcess({ clients, address }: Rig, { threads, pages, populate }: { readonly threads: number; readonly pages: number; readonly populate: boolean }): Promise<{
  readonly threads: readonly Thread[]; readonly va: bigint; readonly page: (i: number) => bigint }> {
  const first = clients[0];
  if (first === undefined) throw new RangeError("a rig has one client or more");
  const { pid } = await first.createProcess(address), all = clients.flatMap((c) => Array.from({ length: threads }, () => c.process(pid, address).thread()));
  const bytes = BigInt(first.options.pageSize), va = await (all[0] as Thread).ralloc(BigInt(pages) * bytes, { populate, region: 1 });
  return { threads: all, va, page: (i) => va + BigInt(i) * bytes };
}
