import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import type { GlobalController, MigrationReport } from "../../../../../designs/clio/software/index.ts";
import { formatIpv4 } from "../../../../../designs/shared/wire/index.ts";
import { serveCluster, type ServedCluster } from "../../../../../designs/clio/rig/serve/serve-cluster.ts";
import { UdpNetwork } from "../../../../../designs/clio/rig/serve/udp-network.ts";
import type { SimulatedNode } from "../../../../../designs/clio/rig/node/index.ts";
import { ownAddress } from "./served.ts";

/** A build that the migration test has, too: one model for all. */
export const clusterBuild = {
  dataWidth: 256,
  pageSize: "4KB",
  physicalMemory: "64MB",
  tlbEntries: 16,
  outstandingMisses: 4,
  requestSlots: 16,
  freePageBuffer: 8,
};

export interface ServedClusterOptions {
  /** Frames of each node. */
  readonly pages: readonly number[];
  readonly pressureFrames?: number;
  readonly watchNs?: number;
}
export interface RunningCluster {
  readonly controller: GlobalController;
  readonly nodes: readonly SimulatedNode[];
  readonly migrations: readonly MigrationReport[];
  /** The controller's address, native port 1200 and the published client's monitor on 10000; and each node's. */
  readonly ip: number;
  readonly nodeIps: readonly number[];
  readonly stop: () => Promise<ServedCluster>;
}

/** Cycle-accurate nodes behind UDP sockets, and their controller, in this process. */
export async function servedCluster({ pages, watchNs = 5e9, ...o }: ServedClusterOptions): Promise<RunningCluster> {
  const settings = pages.map((_, i) =>
    makeSettings({ ...clusterBuild, ip: ownAddress(10 + i), mac: `02:c1:10:00:00:0${i + 1}` }),
  );
  const own = makeSettings({ ip: ownAddress(9), mac: "02:c1:10:00:00:ff" }),
    { ip, mac, nativePort } = own.runtime,
    migrations: MigrationReport[] = [];
  const networks = await Promise.all([
    ...settings.map(s => UdpNetwork.open(s, { sessions: 2 })),
    UdpNetwork.open(own, { sessions: 0, monitorPort: 10_000 }),
  ]);
  let end: () => void = () => undefined,
    ended: Promise<ServedCluster> = Promise.reject(new Error("not started"));
  ended.catch(() => undefined);
  const stop = new Promise<void>(resolve => {
    end = resolve;
  });
  const { controller, nodes } = await new Promise<Pick<RunningCluster, "controller" | "nodes">>((resolve, reject) => {
    ended = serveCluster(
      settings.map((s, i) => ({ settings: s, network: networks[i]!, slowPath: { pages: pages[i]! } })),
      { own: { ip, mac }, nativePort, monitorPort: 10_000, network: networks.at(-1)! },
      {
        stop,
        ready: (controller, nodes) => resolve({ controller, nodes }),
        times: { watchNs },
        report: (_, m) => {
          migrations.push(m);
        },
        ...o,
      },
    );
    ended.catch(reject);
  });
  return {
    controller,
    nodes,
    migrations,
    ip,
    nodeIps: settings.map(s => s.runtime.ip),
    stop: async () => {
      end();
      try {
        return await ended;
      } finally {
        await Promise.all(networks.map(n => n.close()));
      }
    },
  };
}

/** For messages. */
export const names = (ips: readonly number[]): readonly string[] => ips.map(formatIpv4);
