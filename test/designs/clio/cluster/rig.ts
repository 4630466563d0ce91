import { Client, ClusterProcess, type NodeAddress, OperationError } from "../../../../designs/clio/client/index.ts";
import { clientEndpoint } from "../../../../designs/clio/workload/index.ts";
import type { ClusterNodeOptions, GlobalController, MigrationReport } from "../../../../designs/clio/software/index.ts";
import { ClientStation, joinController } from "../../../../designs/clio/rig/index.ts";
import { type LinkOptions, NetworkModel, Random, SimulatedTime } from "../../../../sim/index.ts";
import { tableNode, type TableNode, type TableNodeOptions } from "./table-node.ts";

export interface ClusterOptions {
  readonly seed?: number;
  readonly nodes?: number;
  readonly clients?: number;
  /** Faults of every node's and the controller's links. */
  readonly link?: LinkOptions;
  readonly cluster?: Partial<ClusterNodeOptions>;
  /** Frames of each node. */
  readonly pages?: readonly number[];
  readonly plant?: TableNodeOptions["plant"];
  /** Nodes with a table of written regions. */
  readonly activity?: boolean;
  readonly limitNs?: number;
  /** Settings of the nodes that differ; bytes of a page among them. */
  readonly given?: Readonly<Record<string, unknown>> & { readonly pageSize?: number };
  /** Gbit/s of every line; default 100. */
  readonly gbps?: number;
}
export interface ClusterRig {
  readonly time: SimulatedTime;
  readonly network: NetworkModel;
  readonly controller: GlobalController;
  readonly nodes: readonly TableNode[];
  readonly clients: readonly Client[];
  readonly at: NodeAddress;
  readonly reports: readonly MigrationReport[];
  /** A process whose address space every client sees, and a thread of each client. */
  readonly process: () => Promise<readonly ClusterProcess[]>;
  readonly nodeOf: (process: ClusterProcess, region: number) => TableNode;
}

export const pageBytes = 4096,
  page = BigInt(pageBytes);
const controllerAt = { mac: 0x02c1100000ffn, ip: 0x0a0a00ff, port: 10_000 };

/** A controller, nodes and clients on one simulated network. */
export async function onCluster<T>(o: ClusterOptions, body: (rig: ClusterRig) => Promise<T>): Promise<T> {
  const seed = o.seed ?? 1,
    time = new SimulatedTime(),
    network = new NetworkModel(time, { seed, link: { latencyNs: 200, gbps: o.gbps ?? 100 } }),
    reports: MigrationReport[] = [];
  const links = o.link ? { out: o.link, in: o.link } : {},
    nodes: TableNode[] = [];
  const controller = joinController(network, controllerAt, {
    ...links,
    timeoutNs: 50_000,
    pollNs: 20_000,
    ...(o.cluster?.silentNs !== undefined && { silentNs: o.cluster.silentNs }),
  });
  const native = { ...controllerAt, port: 1200 };
  const start = async (): Promise<void> => {
    for (let i = 0; i < (o.nodes ?? 2); i++) {
      const { report, ...cluster } = o.cluster ?? {};
      nodes.push(
        await tableNode(network, {
          name: `node${i}`,
          given: {
            ip: `10.10.0.${i + 1}`,
            mac: `02:c1:10:00:00:0${i + 1}`,
            pageSize: pageBytes,
            physicalMemory: 2 ** 20,
            freePageBuffer: 4,
            ...o.given,
          },
          cluster: {
            pressureFrames: 0,
            watchNs: 200_000,
            timeoutNs: 50_000,
            ...cluster,
            controller: native,
            report: r => {
              reports.push(r);
              report?.(r);
            },
          },
          ...(o.pages?.[i] !== undefined && { pages: o.pages[i] }),
          ...(o.activity !== undefined && { activity: o.activity }),
          ...(o.link && { link: o.link }),
          ...(o.plant && { plant: o.plant }),
        }),
      );
    }
    while (controller.monitor.map.nodes.length < nodes.length)
      await new Promise<void>(resolve => {
        time.after(10_000, resolve);
      });
  };
  const macs = new Map([
    [controllerAt.ip, controllerAt.mac],
    ...Array.from({ length: o.nodes ?? 2 }, (_, i): [number, bigint] => [0x0a0a0001 + i, 0x02c110000001n + BigInt(i)]),
  ]);
  const clients = Array.from({ length: o.clients ?? 1 }, (_, i) => {
    const random = new Random(seed * 1000 + i);
    return new Client({
      transport: new ClientStation(network, `client${i}`, clientEndpoint(i), macs),
      clock: time,
      timeoutNs: 20_000,
      pageSize: o.given?.pageSize ?? pageBytes,
      random: () => random.fraction(),
    });
  });
  const at = { ip: native.ip, port: native.port };
  const rig: ClusterRig = {
    time,
    network,
    controller,
    nodes,
    clients,
    at,
    reports,
    process: async () => {
      const { pid } = await insist(() => clients[0]!.createProcess(at));
      return clients.map(c => new ClusterProcess(c, pid, at));
    },
    nodeOf: ({ pid }, region) => nodes.find(n => n.address.ip === controller.monitor.map.find(pid, region)?.node.ip)!,
  };
  const describe = (): string => clients.map((c, i) => `client${i}: ${c.describe()}`).join("\n");
  try {
    return await time.run(
      start().then(() => body(rig)),
      { limitNs: o.limitNs ?? 1e10, describe },
    );
  } catch (e) {
    if (e instanceof Error) e.message += ` [seed ${seed}]`;
    throw e;
  } finally {
    for (const n of nodes) await n.close();
  }
}

/** Until it is answered: for steps that a test needs and is not about. */
export async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (e) {
      if (!(e instanceof OperationError) || tries === 100) throw e;
    }
  }
}
