import { makeSettings, parseSettings, type Settings } from "../../config/index.ts";
import { formatIpv4 } from "../../../shared/wire/index.ts";
import { udpPorts } from "../../wire/index.ts";
import { UdpNetwork } from "./udp-network.ts";
import type { ServedController } from "./serve-cluster.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import type { ServeOptions } from "./options.ts";
import { lastByte, monitorMac, withPort } from "./place.ts";

/** Where a cluster is served: the settings of each node, and the controller's address and ports. */
export interface ClusterPlace {
  readonly nodes: readonly Settings[];
  readonly controller: Omit<ServedController, "network">;
  /** Opens the networks of all, the controller's last. @throws ServeError, with none left open */
  readonly open: () => Promise<readonly UdpNetwork[]>;
}

/**
 * Works out where to serve several nodes: at addresses that follow each other, all with the same ports, and the
 * controller at another.
 * @throws UsageError when addresses contradict each other or no node can be there; ConfigError for the settings
 */
export function clusterPlaceOf(o: ServeOptions): ClusterPlace {
  const wanted = o.nodes;
  if (o.setup !== undefined)
    throw new UsageError(
      `--setup ${o.setup} prepares one node; leave it out with --nodes ${wanted}, whose processes are the global controller's, or serve one node`,
    );
  if (o.tap !== undefined || o.tapAddress)
    throw new UsageError(
      `--nodes ${wanted} are served behind sockets only; leave --tap and --tap-address out, or serve one node`,
    );
  if (o.port === 0)
    throw new UsageError(
      `--port 0 asks for any free port of one address; --nodes ${wanted} need the same at each, give its number`,
    );
  if (o.monitor === "off")
    throw new UsageError(
      `--monitor off leaves out the global controller, which --nodes ${wanted} need; give it another address, or serve one node`,
    );
  const usual = { ip: "127.0.0.1", hashKey: "random" };
  const settings = (): Settings =>
    o.port === undefined ? parseSettings(o.set, usual) : withPort(o.set, o.port, usual);
  const { config, runtime } = settings();
  // Each node draws a key of its own.
  const nodes = Array.from({ length: wanted }, (_, i): Settings => ({
    config,
    runtime: {
      ...runtime,
      ip: (runtime.ip + i) >>> 0,
      mac: runtime.mac + BigInt(i),
      hashKey: settings().runtime.hashKey,
    },
  }));
  const ip = o.monitor?.ip ?? ((runtime.ip & 0xffff_ff00) | lastByte.monitor) >>> 0,
    monitorPort = o.monitor?.port ?? udpPorts.monitor;
  const last = nodes.at(-1)?.runtime.ip ?? runtime.ip;
  if (ip >= runtime.ip && ip <= last)
    throw new UsageError(
      `${formatIpv4(ip)} would be the address of the global controller (--monitor) and of a node (${formatIpv4(runtime.ip)} to ${formatIpv4(last)}); give one of them another`,
    );
  if (monitorPort === runtime.nativePort)
    throw new UsageError(
      `--monitor port ${monitorPort} is the native port, which the global controller has, too; give the monitor another`,
    );
  const own = makeSettings({ ip: formatIpv4(ip), nativePort: runtime.nativePort });
  return {
    nodes,
    controller: { own: { mac: monitorMac, ip }, nativePort: runtime.nativePort, monitorPort },
    open: async () => {
      const networks: UdpNetwork[] = [];
      try {
        for (const s of nodes) networks.push(await UdpNetwork.open(s, { sessions: o.sessions }));
        networks.push(
          await UdpNetwork.open(
            { config: own.config, runtime: { ...own.runtime, mac: monitorMac } },
            { sessions: 0, monitorPort },
          ),
        );
      } catch (e) {
        for (const n of networks) await n.close();
        throw e;
      }
      return networks;
    },
  };
}
