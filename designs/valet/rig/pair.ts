/** Two memory nodes with tables of activity, cycle by cycle, a controller and a client, in one time. */
import { clioNode } from "../../clio/build/index.ts";
import { Client, OperationError } from "../../clio/client/index.ts";
import { clockPeriod, makeSettings, type NodeConfig } from "../../clio/config/index.ts";
import { ClientStation, joinController, joinNetwork, type NodePorts, SimulatedNode } from "../../clio/rig/index.ts";
import type { GlobalController, MigrationReport } from "../../clio/software/index.ts";
import { clientEndpoint } from "../../clio/workload/index.ts";
import {
  type Design,
  designOf,
  type LinkOptions,
  Lockstep,
  NetworkModel,
  Random,
  runBench,
  SimulatedTime,
} from "../../../sim/index.ts";

export const pageBytes = 4096;
const controllerAt = { mac: 0x02c1_1000_00ffn, ip: 0x0a0a_00ff, port: 10_000 };
/** The controller's native port. */
export const home = { ip: controllerAt.ip, port: 1200 };
/** Until a request is sent again, ns; and how long a copy of one may be on its way. */
const timeoutNs = 4000,
  peerTimeoutNs = 20_000;
export const quietNs = 80_000;

/** A small node: the mechanism does not depend on its widths. */
const settingsOf = (i: number) =>
  makeSettings({
    dataWidth: 256,
    pageSize: pageBytes,
    physicalMemory: "64MB",
    tlbEntries: 16,
    outstandingMisses: 4,
    requestSlots: 16,
    freePageBuffer: 8,
    activityRegions: 4096,
    ip: `10.10.0.${i + 1}`,
    mac: `02:c1:10:00:00:0${i + 1}`,
  });

export interface Pair {
  readonly nodes: readonly SimulatedNode[];
  readonly controller: GlobalController;
  readonly client: Client;
  readonly time: SimulatedTime;
  readonly reports: readonly MigrationReport[];
  readonly config: NodeConfig;
  readonly after: (ns: number) => Promise<void>;
}
export interface PairOptions {
  readonly seed: number;
  readonly link?: LinkOptions;
}

/** The nodes are elaborated once for all that is measured. */
let design: Design<NodePorts> | undefined;

/** Runs a body on such a pair. */
export async function withPair<T>(
  name: string,
  { seed, link = {} }: PairOptions,
  body: (p: Pair) => Promise<T>,
): Promise<T> {
  const lockstep = new Lockstep(2),
    nodes: SimulatedNode[] = [],
    reports: MigrationReport[] = [];
  design ??= designOf(clioNode(settingsOf(0).config));
  let network: NetworkModel | undefined,
    begin: () => void = () => undefined,
    end: () => void = () => undefined;
  const begun = new Promise<void>(resolve => {
      begin = resolve;
    }),
    ended = new Promise<void>(resolve => {
      end = resolve;
    });
  const one = (i: number, built: Design<NodePorts>): Promise<void> =>
    runBench(
      `${name}, node ${i}`,
      built,
      { seed, hangCycles: 0, limitCycles: 100_000_000, wave: false },
      async bench => {
        await lockstep.join(bench);
        // The first one's clock is the network's.
        network ??= new NetworkModel(new SimulatedTime(() => bench.cycle * clockPeriod), {
          seed,
          link: { latencyNs: 200 },
        });
        const cluster = {
          clock: network.time,
          controller: { ...controllerAt, port: home.port },
          pressureFrames: 0,
          watchNs: 1e9,
          timeoutNs: peerTimeoutNs,
          report: (r: MigrationReport): void => {
            reports.push(r);
          },
        };
        const node = await SimulatedNode.start(bench, settingsOf(i), { slowPath: { cluster } });
        joinNetwork(node, network, { name: `node${i}`, out: link, in: link });
        nodes[i] = node;
        if (Object.keys(nodes).length === 2) begin();
        try {
          await ended;
        } finally {
          node.transport.close();
          lockstep.leave(bench);
        }
      },
    );
  const work = async (): Promise<T> => {
    await begun;
    const net = network as NetworkModel,
      { time } = net,
      controller = joinController(net, controllerAt, { timeoutNs: peerTimeoutNs, pollNs: 10_000 }),
      random = new Random(seed * 1000);
    const macs = new Map([
      [controllerAt.ip, controllerAt.mac],
      ...nodes.map((n): [number, bigint] => [n.runtime.ip, n.runtime.mac]),
    ]);
    const client = new Client({
      transport: new ClientStation(net, "client", clientEndpoint(0), macs),
      clock: time,
      timeoutNs,
      pageSize: pageBytes,
      random: () => random.fraction(),
    });
    const after = (ns: number): Promise<void> =>
      new Promise(resolve => {
        time.after(ns, resolve);
      });
    while (controller.monitor.map.nodes.length < 2) await after(10_000);
    return body({ nodes, controller, client, time, reports, config: settingsOf(0).config, after });
  };
  const benches = Promise.all([one(0, design), one(1, design)]);
  benches.catch(end);
  const [result] = await Promise.all([work().finally(end), benches]);
  return result;
}

/** Until it is answered: for steps that are not measured. */
export async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (e) {
      if (!(e instanceof OperationError) || tries === 100) throw e;
    }
  }
}
