import { Client, type NodeAddress, type Thread } from "../../client/index.ts";
import { clioNode } from "../../build/index.ts";
import { makeSettings, type RuntimeSettings } from "../../config/index.ts";
import { clientEndpoint } from "../../workload/index.ts";
import { ClientStation, joinNetwork, type NodePorts, type SimulatedNode, timeOf, withNode } from "../../rig/index.ts";
import { type Design, designOf, type LinkOptions, NetworkModel, Random } from "../../../../sim/index.ts";
import { boardGbps, clibNs, clientGbps, lineNs } from "./given.ts";

/** Clients with CLib, and their time. */
export interface Clients {
  readonly clients: readonly Client[];
  /** Simulated time, ns. */
  readonly now: () => number;
  readonly pause: (ns: number) => Promise<void>;
  /** An operation with the time that CLib itself takes. @returns ns */
  readonly timed: (operation: () => Promise<unknown>) => Promise<number>;
}
/** Clients with CLib, the network and the node. */
export interface Rig extends Clients {
  readonly node: SimulatedNode;
  readonly address: NodeAddress;
}
export interface RigOptions {
  readonly seed: number;
  readonly clients: number;
  /**
   * Offloads answer within the time of a read: a client waits no longer for them, and retries as soon after BUSY. The
   * default is as for the node's software.
   */
  readonly fastOffloads?: boolean;
  /** Setup at the node's own ports before it joins the network. */
  readonly prepare?: (node: SimulatedNode) => Promise<void>;
  /** ns on the way to the node's software; default the node's. */
  readonly slowPathLatency?: number;
  /** The node's offloads; default none. */
  readonly offloads?: string;
}

/**
 * Time, ns, so long that a queue at a port of 10 Gbit/s causes no repetition of a request and no
 * smaller congestion window.
 */
const timeoutNs = 40_000,
  targetDelayNs = 12_000,
  slowTimeoutNs = 2_000_000;

const designs = new Map<string, Design<NodePorts>>();
/** The default build with these offloads, emitted once for all figures. */
export function designWith(offloads: string): Design<NodePorts> {
  const known = designs.get(offloads) ?? designOf(clioNode(makeSettings({ offloads }).config));
  designs.set(offloads, known);
  return known;
}

/** The lines of `given.ts`: a client's, and what differs at a node. */
export const clientLine: LinkOptions = { latencyNs: lineNs, gbps: clientGbps };
const boardLine: LinkOptions = { gbps: boardGbps };
/** Joins a node to a network by the lines of `given.ts`. */
export function joinBoard(node: SimulatedNode, network: NetworkModel, name?: string): void {
  joinNetwork(node, network, { ...(name !== undefined && { name }), out: boardLine, in: boardLine });
}

/** Clients of CLib on a network with these nodes. */
export function clientsOn(
  network: NetworkModel,
  nodes: readonly RuntimeSettings[],
  o: Pick<RigOptions, "seed" | "clients" | "fastOffloads">,
): Clients {
  const macs = new Map(nodes.map(n => [n.ip, n.mac]));
  const clients = Array.from({ length: o.clients }, (_, i) => {
    const station = new ClientStation(network, `client${i}`, clientEndpoint(i), macs),
      random = new Random(o.seed * 1000 + i);
    return new Client({
      transport: station,
      clock: network.time,
      timeoutNs,
      targetDelayNs,
      slowTimeoutNs: o.fastOffloads === true ? timeoutNs : slowTimeoutNs,
      random: () => random.fraction(),
    });
  });
  const now = (): number => network.time.now(),
    pause = (ns: number): Promise<void> =>
      new Promise(resolve => {
        network.time.after(ns, resolve);
      });
  const timed = async (operation: () => Promise<unknown>): Promise<number> => {
    const from = now();
    await pause(clibNs);
    await operation();
    return now() - from;
  };
  return { clients, now, pause, timed };
}

/** Runs clients of CLib against the cycle-accurate node on the network of `given.ts`, without faults. */
export function withClients<T>(name: string, o: RigOptions, body: (rig: Rig) => Promise<T>): Promise<T> {
  const { offloads = "none" } = o,
    settings = makeSettings({
      ...(o.slowPathLatency !== undefined && { slowPathLatency: o.slowPathLatency }),
      offloads,
    }),
    { runtime } = settings;
  return withNode(
    name,
    settings,
    { design: designWith(offloads), seed: o.seed, wave: false, limitCycles: 1e9, hangCycles: 200_000 },
    async node => {
      await o.prepare?.(node);
      const network = new NetworkModel(timeOf(node), { seed: o.seed, link: clientLine });
      joinBoard(node, network);
      return body({ node, address: { ip: runtime.ip, port: runtime.nativePort }, ...clientsOn(network, [runtime], o) });
    },
  );
}

/**
 * One process, with `threads` threads on each client, and pages that all of them may use. @param populate pages
 * have their frames
 */
export async function sharedProcess(
  { clients, address }: Rig,
  { threads, pages, populate }: { readonly threads: number; readonly pages: number; readonly populate: boolean },
): Promise<{
  readonly threads: readonly Thread[];
  readonly va: bigint;
  readonly page: (i: number) => bigint;
}> {
  const first = clients[0];
  if (first === undefined) throw new RangeError("a rig has one client or more");
  const { pid } = await first.createProcess(address),
    all = clients.flatMap(c => Array.from({ length: threads }, () => c.process(pid, address).thread()));
  const bytes = BigInt(first.options.pageSize),
    va = await (all[0] as Thread).ralloc(BigInt(pages) * bytes, { populate, region: 1 });
  return { threads: all, va, page: i => va + BigInt(i) * bytes };
}
