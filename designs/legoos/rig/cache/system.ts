import { clockPeriod, makeSettings, parametersOf, type RuntimeSettings } from "../../../clio/config/index.ts";
import { joinNetwork, type NodePorts, prepare, SimulatedNode } from "../../../clio/rig/index.ts";
import { clioMessage, opcode } from "../../../clio/wire/index.ts";
import { udpFrame } from "../../../shared/wire/index.ts";
import { type Design, designOf, Lockstep, NetworkModel, runBench, SimulatedTime } from "../../../../sim/index.ts";
import { type Parameters, regionShift } from "../../config/index.ts";
import { CompoundNode, ExCache } from "../../rtl/index.ts";
import { type ExCacheBench, ExCacheRig, own } from "./ex-cache-rig.ts";

export interface SystemOptions {
  readonly parameters: Parameters;
  readonly nodes: number;
  readonly seed: number;
  /**
   * Address spaces, and 1 GB regions of each; the r-th, which is region r + 1, is the node's of number r mod `nodes`.
   */
  readonly asids: readonly number[];
  readonly regions: number;
  /** Bytes that are mapped at the beginning of each region. */
  readonly regionBytes: number;
  readonly lineNs?: number;
  readonly gbps?: number;
  readonly lose?: number;
}

/** A promise, and the function that resolves it. */
function signal(): { readonly told: Promise<void>; readonly tell: () => void } {
  let tell: () => void = () => undefined;
  const told = new Promise<void>(resolve => {
    tell = resolve;
  });
  return { told, tell: () => tell() };
}

/** Address 0 is nobody's: the first region stays free. */
export const firstRegion = 1;
/** Largest frames that the nodes take: a line of 4 KB goes in one. */
const mtuFrame = 9018;

/** What is mapped at a node: its regions of all address spaces. */
const mappingsOf = (o: SystemOptions, i: number) =>
  o.asids.flatMap(pid =>
    Array.from({ length: o.regions }, (_, r) => r)
      .filter(r => r % o.nodes === i)
      .map(r => ({
        pid,
        address: BigInt(r + firstRegion) << BigInt(regionShift),
        length: BigInt(o.regionBytes),
        write: true,
        populate: true,
      })),
  );

/** The ExCache on the network, known to all nodes by a fence, with its nodes and regions mapped. */
async function begun(
  bench: ExCacheBench,
  o: SystemOptions,
  nodes: readonly RuntimeSettings[],
  network: NetworkModel,
): Promise<ExCacheRig> {
  const rig = new ExCacheRig(bench, {
    parameters: o.parameters,
    nodes: o.nodes,
    network: receive => {
      const attachment = network.attach("excache", { mac: own.mac, receive });
      for (const { mac, ip, nativePort } of nodes)
        for (const pid of o.asids)
          attachment.send(
            udpFrame(
              own,
              { mac, ip, port: nativePort },
              clioMessage({ pid, opcode: opcode.FENCE, flagTracked: 1, requestId: 0 }),
            ),
          );
      return frame => attachment.send(frame);
    },
  });
  await rig.begin(o.asids, 0);
  for (const [i, { ip, mac }] of nodes.entries()) await rig.mapNode(i, ip, mac);
  let index = 0;
  for (const asid of o.asids)
    for (let r = 0; r < o.regions; r++) await rig.mapRegion(index++, asid, r + firstRegion, r % o.nodes);
  return rig;
}

/**
 * The ExCache in front of cycle-accurate Clio nodes, each with a splitter at its port, in one time and on one network.
 * The process monitor's part is done before `body`: regions, and the fence that makes the ExCache known to each node.
 */
export async function withSystem<T>(
  name: string,
  o: SystemOptions,
  body: (rig: ExCacheRig, nodes: readonly SimulatedNode[]) => Promise<T>,
): Promise<T> {
  const settings = Array.from({ length: o.nodes }, (_, i) =>
    makeSettings({
      mtuFrame,
      ip: `10.10.0.${i + 1}`,
      mac: `02:c1:10:00:00:0${i + 1}`,
    }),
  );
  const [first] = settings;
  if (first === undefined) throw new RangeError("a system has one node or more");
  const design: Design<NodePorts> = designOf(CompoundNode(parametersOf(first.config))),
    lockstep = new Lockstep(o.nodes + 1),
    nodes: SimulatedNode[] = [],
    over = signal();
  let network: NetworkModel | undefined;
  const link = { latencyNs: o.lineNs ?? 500, gbps: o.gbps ?? 100, ...(o.lose !== undefined && { loss: o.lose }) };

  const runNode = (i: number, entered: () => void): Promise<void> =>
    runBench(
      `${name}, node ${i}`,
      design,
      { seed: o.seed, wave: false, limitCycles: 1e9, hangCycles: 0 },
      async bench => {
        network ??= new NetworkModel(new SimulatedTime(() => bench.cycle * clockPeriod), { seed: o.seed, link });
        const joined = lockstep.join(bench);
        entered();
        await joined;
        try {
          const node = await SimulatedNode.start(bench, settings[i] ?? first);
          try {
            await prepare(node, { processes: [...o.asids], mappings: mappingsOf(o, i), memory: [] });
            joinNetwork(node, network, { name: `node${i}` });
            nodes[i] = node;
            await over.told;
          } finally {
            node.transport.close();
          }
        } finally {
          lockstep.leave(bench);
        }
      },
    );

  const runCache = (): Promise<T> =>
    runBench(
      `${name}, cache`,
      ExCache(o.parameters),
      { seed: o.seed, wave: false, limitCycles: 1e9, hangCycles: 0 },
      async bench => {
        await lockstep.join(bench);
        try {
          // Behind a guard: told only when all nodes have started, which takes the same time as this bench's.
          while (Object.keys(nodes).length < o.nodes) await bench.cycles(16);
          const rig = await begun(
            bench,
            o,
            settings.map(x => x.runtime),
            network as NetworkModel,
          );
          await bench.cycles(2000);
          const result = await body(rig, nodes);
          if (rig.problems.length > 0)
            throw new Error(`${rig.problems.length} problems: ${rig.problems.slice(0, 3).join("; ")}`);
          return result;
        } finally {
          lockstep.leave(bench);
          over.tell();
        }
      },
    );

  const benches: Promise<void>[] = [];
  for (let i = 0; i < o.nodes; i++) {
    const entered = signal(),
      bench = runNode(i, entered.tell);
    benches.push(bench);
    await Promise.race([entered.told, bench]);
  }
  const all = Promise.all(benches);
  all.catch(over.tell);
  const [result] = await Promise.all([runCache().finally(over.tell), all]);
  return result;
}
