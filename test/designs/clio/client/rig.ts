import { Client, type ClientOptions, type NodeAddress } from "../../../../designs/clio/client/index.ts";
import { clientEndpoint } from "../../../../designs/clio/workload/index.ts";
import { ClientStation } from "../../../../designs/clio/rig/index.ts";
import { type LinkOptions, NetworkModel, Random, SimulatedTime } from "../../../../sim/index.ts";
import { modelStation, type ModelStation, type ModelStationOptions } from "./model-station.ts";

export interface RigOptions {
  readonly seed?: number;
  readonly link?: LinkOptions;
  readonly clients?: number;
  readonly client?: Partial<Omit<ClientOptions, "transport" | "clock">>;
  readonly node?: ModelStationOptions;
  /** More nodes. */
  readonly others?: readonly ModelStationOptions[];
  readonly limitNs?: number;
}
export interface Rig {
  readonly time: SimulatedTime;
  readonly network: NetworkModel;
  readonly node: ModelStation;
  readonly address: NodeAddress;
  readonly others: readonly ModelStation[];
  readonly clients: readonly Client[];
  /** The first of them. */
  readonly client: Client;
}

/** 10 % of everything that a network can do to a frame, in each direction of the node's link. */
export const tenPercent: LinkOptions = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 3000 };

/** Clients and a model node on a simulated network: runs `body` in simulated time. */
export async function onNetwork<T>(o: RigOptions, body: (rig: Rig) => Promise<T>): Promise<T> {
  const seed = o.seed ?? 1,
    time = new SimulatedTime(),
    network = new NetworkModel(time, { seed });
  const node = await modelStation(network, { ...o.node, ...(o.link && { out: o.link, in: o.link }) });
  const others: ModelStation[] = [];
  for (const other of o.others ?? []) others.push(await modelStation(network, other));
  const macs = new Map([node, ...others].map(n => [n.address.ip, n.mac]));
  const clients = Array.from({ length: o.clients ?? 1 }, (_, i) => {
    const station = new ClientStation(network, `client${i}`, clientEndpoint(i), macs),
      random = new Random(seed * 1000 + i);
    return new Client({
      timeoutNs: 20_000,
      ...o.client,
      transport: station,
      clock: time,
      random: () => random.fraction(),
    });
  });
  const describe = (): string => clients.map((c, i) => `client${i}: ${c.describe()}`).join("\n");
  try {
    return await time.run(body({ time, network, node, others, address: node.address, clients, client: clients[0]! }), {
      limitNs: o.limitNs ?? 1e9,
      describe,
    });
  } catch (e) {
    if (e instanceof Error) e.message += ` [seed ${seed}]`;
    throw e;
  } finally {
    for (const n of [node, ...others]) await n.close();
  }
}
