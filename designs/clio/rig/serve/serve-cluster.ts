import type { SessionNetwork } from "./session-network.ts";
import type { Settings } from "../../config/index.ts";
import {
  type ClusterNodeOptions,
  GlobalController,
  type MigrationReport,
  type SlowPathOptions,
} from "../../software/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";
import type { SimulatedNode } from "../node/index.ts";
import { serve, type Served, type ServeOptions } from "./serve.ts";
import { realClock } from "./udp-transport.ts";

/** One node of a served cluster and what it hangs on. */
export interface ServedMember {
  readonly settings: Settings;
  readonly network: SessionNetwork;
  /** Options of this node's slow path that differ (frames that it may give out, say). */
  readonly slowPath?: Omit<SlowPathOptions, "cluster" | "sessions">;
}
/** Where the global controller is: its native port, and the published client's monitor beside it. */
export interface ServedController {
  readonly own: Omit<Endpoint, "port">;
  readonly nativePort: number;
  readonly monitorPort: number;
  readonly network: SessionNetwork;
}

export interface ClusterServeOptions extends Pick<ServeOptions, "stop" | "seed"> {
  /** Called once every node has joined the controller. */
  readonly ready?: (controller: GlobalController, nodes: readonly SimulatedNode[]) => void;
  /** Times of the cluster's software that differ (`clusterTimes`); real time, ns. */
  readonly times?: Partial<ClusterTimes>;
  /** Free frames of a node at or below which it requests that a region be moved; default an eighth of all. */
  readonly pressureFrames?: number;
  /** Called at the end of every migration, by the node that the region left. */
  readonly report?: (node: Settings, migration: MigrationReport) => void;
}
export type ClusterTimes = Required<Pick<ClusterNodeOptions, "watchNs" | "timeoutNs" | "silentNs">> & {
  readonly pollNs: number;
};

/**
 * The cluster's software in real time: a message of a node takes milliseconds of it, because its hardware is simulated.
 * Memory is scanned every 2 s; a message is repeated after 1 s; a member that was silent for 30 s is gone. The
 * controller polls the progress of a migration every 0.1 s.
 */
export const clusterTimes: ClusterTimes = { watchNs: 2e9, timeoutNs: 1e9, silentNs: 3e10, pollNs: 1e8 };

/** Counts of a served cluster; what `serve` gives of each node, in the order of the members. */
export interface ServedCluster {
  readonly nodes: readonly (Served | undefined)[];
  readonly migrations: readonly MigrationReport[];
  /** Frames that came to the controller. */
  readonly controllerFrames: number;
}

/**
 * Serves several cycle-accurate nodes and the global controller that makes one memory of them (paper §4.4.7),
 * each on a network of its own, until `stop`. Each node's clock runs by itself and only while it has something to
 * do, as `serve` says. Messages between the members go through their networks like all frames, and are timed in
 * real time (`clusterTimes`).
 * @throws what `serve` throws for any of the nodes: the others are ended then
 */
export async function serveCluster(
  members: readonly ServedMember[],
  at: ServedController,
  o: ClusterServeOptions,
): Promise<ServedCluster> {
  const { pollNs, ...times } = { ...clusterTimes, ...o.times },
    native: Endpoint = { ...at.own, port: at.nativePort },
    migrations: MigrationReport[] = [];
  const clientPort = members[0]?.settings.runtime.clientPort;
  let frames = 0,
    ended = false,
    end: () => void = () => undefined;
  const stop = new Promise<void>(resolve => {
    end = resolve;
  });
  o.stop.then(end, end);
  const controller = new GlobalController({
    own: { ...at.own, port: at.monitorPort },
    nativePort: at.nativePort,
    clock: realClock,
    send: frame => at.network.send(frame),
    pollNs,
    timeoutNs: times.timeoutNs,
    silentNs: times.silentNs,
    ...(clientPort !== undefined && { clientPort }),
  });
  const failed = new Promise<Error>(resolve => {
    at.network.attach(
      frame => {
        if (!ended) {
          frames++;
          controller.receive(frame);
        }
      },
      error => {
        resolve(error);
        end();
      },
    );
  });
  const ready: Promise<SimulatedNode>[] = [];
  const services = members.map(({ settings, network, slowPath }, i) => {
    let started: (node: SimulatedNode) => void = () => undefined;
    ready.push(
      new Promise(resolve => {
        started = resolve;
      }),
    );
    const report = (m: MigrationReport): void => {
      migrations.push(m);
      o.report?.(settings, m);
    };
    const cluster: ClusterNodeOptions = {
      clock: realClock,
      controller: native,
      ...times,
      ...(o.pressureFrames !== undefined && { pressureFrames: o.pressureFrames }),
      report,
    };
    return serve(settings, network, {
      stop,
      ready: started,
      ...(o.seed !== undefined && { seed: o.seed + i }),
      slowPath: { ...slowPath, cluster },
    }).finally(end);
  });
  const joined = async (): Promise<void> => {
    const nodes = await Promise.all(ready),
      { map } = controller.monitor;
    while (!ended && map.nodes.length < members.length)
      await new Promise<void>(resolve => {
        setTimeout(resolve, 5);
      });
    if (!ended) o.ready?.(controller, nodes);
  };
  void joined();
  void stop.then(() => {
    ended = true;
    controller.close();
  });
  const served = await Promise.allSettled(services),
    failure = served.find(s => s.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  const error = await Promise.race([failed, Promise.resolve()]);
  if (error) throw error;
  return {
    nodes: served.map(s => (s as PromiseFulfilledResult<Served | undefined>).value),
    migrations,
    controllerFrames: frames,
  };
}
