import type { SessionNetwork } from "./session-network.ts";
import { type CounterName, type Settings } from "../../config/index.ts";
import type { SessionPorts } from "../../software/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";
import {
  type NodeOptions,
  type NodePorts,
  type Preparation,
  prepare,
  PrepareError,
  SimulatedNode,
} from "../node/index.ts";
import { clioNode } from "../../build/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { lingered, type Totals, untilStopped } from "../../../shared/rig/index.ts";
import { servedNode } from "./node-options.ts";
import { Service } from "./service.ts";

export interface ServeOptions extends Omit<NodeOptions, "mac" | "time"> {
  /**
   * The published client's monitor, with the node as its only member; its address is its own, or the node's
   * with another port.
   */
  readonly monitor?: Endpoint | undefined;
  /** Processes, memory and its contents before the first frame. */
  readonly preparation?: Preparation;
  /** Ends the service when it settles, wherever it is: also while the model is compiled. */
  readonly stop: Promise<unknown>;
  /** Called once the node takes frames. */
  readonly ready?: (node: SimulatedNode) => void;
  readonly seed?: number;
}

/** Counts of a served node. */
export interface Served extends Totals {
  /** Of the hardware; none when the node could not be asked any more. */
  readonly counters: Readonly<Record<CounterName, bigint>> | undefined;
}

/**
 * Serves a cycle-accurate node on a network until `stop`. Simulated time passes only while something is under way. A
 * frame starts the clock. The clock stands still, with the process asleep, soon after the last of its consequences
 * (service.ts). So latencies in cycles are the hardware's, latencies in seconds those of the simulator. The slow path's
 * time is real time.
 * @returns undefined when `stop` came before the node took frames; at most 1 s after `stop` otherwise
 * @throws HangError and the like when the design fails; the error of `network` when that fails; PrepareError
 */
export async function serve(settings: Settings, network: SessionNetwork, o: ServeOptions): Promise<Served | undefined> {
  const sessions: SessionPorts = network.openSession ? { open: network.openSession.bind(network) } : {};
  const options = servedNode({
    ...o,
    slowPath: { ...(o.monitor && { monitor: true }), ...o.slowPath, sessions },
  });
  const body = async (bench: Bench<NodePorts>, ended: AbortSignal): Promise<Served | Error | undefined> => {
    const late = lingered(o.stop);
    let service: Service | undefined;
    const whole = async (): Promise<Served | Error | undefined> => {
      const node = await SimulatedNode.start(bench, settings, options);
      try {
        if (o.preparation) await prepare(node, o.preparation);
        await node.settled();
        if (ended.aborted) return undefined;
        service = new Service(node, network, o.monitor, settings.config);
        const run = service.run(o.stop);
        o.ready?.(node);
        const failure = await run;
        if (failure) return failure;
        await node.settled();
        return { counters: await node.counters(), ...service.totals() };
      } catch (e) {
        // Told outside the bench: a fault of a setup file is no failure of the design at some cycle.
        if (e instanceof PrepareError) return e;
        throw e;
      } finally {
        node.transport.close();
      }
    };
    const last = late.then(() => service && { counters: undefined, ...service.totals() });
    return Promise.race([whole(), last]);
  };
  const result = await untilStopped(o.stop, ended =>
    runBench(
      "serve clio",
      o.design ?? clioNode(settings.config),
      { hangCycles: 20_000, limitCycles: Infinity, wave: false, ...(o.seed !== undefined && { seed: o.seed }) },
      bench => body(bench, ended),
    ),
  );
  if (result instanceof Error) throw result;
  return result;
}
