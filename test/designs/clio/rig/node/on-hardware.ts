/** CLib's clients and the cycle-accurate node on a simulated network. */
import { Client, type NodeAddress, OperationError } from "../../../../../designs/clio/client/index.ts";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import {
  ClientStation,
  joinNetwork,
  type NodePorts,
  type SimulatedNode,
  timeOf,
  withNode,
} from "../../../../../designs/clio/rig/index.ts";
import { type Design, type LinkOptions, NetworkModel, Random } from "../../../../../sim/index.ts";
import { spreadEndpoint } from "../../../../support/spread.ts";

export interface Rig {
  readonly node: SimulatedNode;
  readonly network: NetworkModel;
  readonly clients: readonly Client[];
  readonly address: NodeAddress;
}
export interface RunOptions {
  readonly seed: number;
  readonly clients: number;
  readonly link?: LinkOptions;
  /** Build parameters other than the default ones. */
  readonly build?: Readonly<Record<string, unknown>>;
  /** The hardware, when it is not what the language emits for these (a planted fault). */
  readonly design?: Design<NodePorts>;
}

/**
 * The hardware and clients on a network. Each link takes 200 ns, so that a round trip is well below the node's
 * `retryTimeout` of 4 us.
 */
export function onHardware<T>(name: string, o: RunOptions, body: (rig: Rig) => Promise<T>): Promise<T> {
  const settings = makeSettings(o.build);
  return withNode(
    name,
    settings,
    { seed: o.seed, limitCycles: 2_000_000_000, wave: false, ...(o.design && { design: o.design }) },
    async node => {
      const { runtime } = settings,
        network = new NetworkModel(timeOf(node), { seed: o.seed, link: { latencyNs: 200 } });
      joinNetwork(node, network, { ...(o.link && { out: o.link, in: o.link }) });
      const clients = Array.from({ length: o.clients }, (_, i) => {
        const station = new ClientStation(
          network,
          `client${i}`,
          spreadEndpoint(i),
          new Map([[runtime.ip, runtime.mac]]),
        );
        const random = new Random(o.seed * 1000 + i);
        return new Client({
          transport: station,
          clock: network.time,
          timeoutNs: settings.config.retryTimeout,
          random: () => random.fraction(),
        });
      });
      return body({ node, network, clients, address: { ip: runtime.ip, port: runtime.nativePort } });
    },
  );
}

export const tenPercent: LinkOptions = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1, reorderNs: 1500 };
/** False for an operation that was refused or not answered; any other error is one of the test. */
export function refused(e: unknown): false {
  if (e instanceof OperationError) return false;
  throw e;
}
export async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      return await attempt();
    } catch (e) {
      if (!(e instanceof OperationError)) throw e;
    }
  }
  throw new Error("50 operations one after another have failed");
}
