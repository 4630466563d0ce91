import type { NodeAddress } from "../../client/index.ts";
import { clockPeriod, makeSettings } from "../../config/index.ts";
import { Lockstep, NetworkModel, runBench, SimulatedTime } from "../../../../sim/index.ts";
import { SimulatedNode } from "../../rig/index.ts";
import { clientLine, type Clients, clientsOn, designWith, joinBoard, type RigOptions } from "./clients.ts";

/** Clients with CLib, the network and some nodes. */
export interface NodesRig extends Clients {
  readonly nodes: readonly SimulatedNode[];
  readonly addresses: readonly NodeAddress[];
}
export interface NodesOptions extends Pick<RigOptions, "seed" | "clients" | "fastOffloads"> {
  readonly nodes: number;
  /** The nodes' offloads. */
  readonly offloads: string;
  /** Setup at a node's own ports before it joins the network. */
  readonly prepare: (node: SimulatedNode, index: number) => Promise<void>;
}

/** A promise, and the function that resolves it. */
function signal(): { readonly told: Promise<void>; readonly tell: () => void } {
  let tell: () => void = () => undefined;
  const told = new Promise<void>(resolve => {
    tell = resolve;
  });
  return { told, tell: () => tell() };
}

/**
 * Runs clients of CLib against several cycle-accurate nodes in one time, on the network of `given.ts`, without faults.
 */
export async function withNodes<T>(name: string, o: NodesOptions, body: (rig: NodesRig) => Promise<T>): Promise<T> {
  const settings = Array.from({ length: o.nodes }, (_, i) =>
    makeSettings({ offloads: o.offloads, ip: `10.10.0.${i + 1}`, mac: `02:c1:10:00:00:0${i + 1}` }),
  );
  const [first] = settings;
  if (first === undefined) throw new RangeError("a rig has one node or more");
  // Addresses are run-time settings: all nodes are one design.
  const design = designWith(o.offloads),
    lockstep = new Lockstep(o.nodes),
    nodes: SimulatedNode[] = [],
    ready = signal(),
    over = signal();
  let network: NetworkModel | undefined;
  const run = (i: number, entered: () => void): Promise<void> =>
    runBench(
      `${name}, node ${i}`,
      design,
      { seed: o.seed, wave: false, limitCycles: 1e9, hangCycles: 200_000 },
      async bench => {
        // The first node's clock is the network's.
        network ??= new NetworkModel(new SimulatedTime(() => bench.cycle * clockPeriod), {
          seed: o.seed,
          link: clientLine,
        });
        const joined = lockstep.join(bench),
          own = settings[i] ?? first;
        entered();
        await joined;
        try {
          const node = await SimulatedNode.start(bench, own);
          await o.prepare(node, i);
          joinBoard(node, network, `node${i}`);
          nodes[i] = node;
          if (Object.keys(nodes).length === o.nodes) ready.tell();
          try {
            await over.told;
          } finally {
            node.transport.close();
          }
        } finally {
          lockstep.leave(bench);
        }
      },
    );
  const benches: Promise<void>[] = [];
  // One behind another, so that their order, and with it the run, is always the same.
  for (let i = 0; i < o.nodes; i++) {
    const entered = signal(),
      bench = run(i, entered.tell);
    benches.push(bench);
    await Promise.race([entered.told, bench]);
  }
  const work = async (): Promise<T> => {
    await ready.told;
    const addresses = settings.map(({ runtime }) => ({ ip: runtime.ip, port: runtime.nativePort }));
    return body({
      nodes,
      addresses,
      ...clientsOn(
        network as NetworkModel,
        settings.map(s => s.runtime),
        o,
      ),
    });
  };
  const all = Promise.all(benches);
  // A node that fails ends the others.
  all.catch(over.tell);
  const [result] = await Promise.all([work().finally(over.tell), all]);
  return result;
}
