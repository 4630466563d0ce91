import type { SessionNetwork } from "./session-network.ts";
import { parseSettings, type Settings } from "../../config/index.ts";
import { type Endpoint, formatIpv4 } from "../../../shared/wire/index.ts";
import { udpPorts } from "../../wire/index.ts";
import { openTap } from "./tap-network.ts";
import { UdpNetwork } from "./udp-network.ts";
import { freeUdpPort } from "../../../../sim/index.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import type { Setup } from "../run/setup.ts";
import type { ServeOptions } from "./options.ts";

/** The monitor's MAC where it is a station of its own: locally administered, and no node's default. */
export const monitorMac = 0x02c110000009n;
/** Last bytes of addresses in the node's /24 that are chosen when none are given. */
export const lastByte = { monitor: 9, host: 254 } as const;

/** Where a node is served: settings with all addresses known, the monitor's address, and what opens the network. */
export interface Place {
  readonly settings: Settings;
  readonly monitor: Endpoint | undefined;
  readonly open: () => Promise<SessionNetwork>;
}

/**
 * Works out where to serve.
 * @param setup of a set-up file: settings, and where the monitor is
 * @throws UsageError when addresses contradict each other; ConfigError for the settings; ServeError when there is no
 * such address here
 */
export async function placeOf(o: ServeOptions, setup: Pick<Setup, "settings" | "monitor">): Promise<Place> {
  return o.tap === undefined ? sockets(o, setup) : tap(o, o.tap, setup);
}

async function sockets(o: ServeOptions, setup: Pick<Setup, "settings" | "monitor">): Promise<Place> {
  if (o.tapAddress)
    throw new UsageError("--tap-address is this machine's end of a TAP device; give --tap, too, or leave it out");
  if (setup.monitor)
    throw new UsageError(
      `${o.setup ?? ""}: monitor.ip = ${formatIpv4(setup.monitor.ip)}: behind sockets the monitor has the node's address; leave the field out and give its port with --monitor, or serve a TAP device with --tap`,
    );
  // Sockets can only have addresses of this machine.
  const given = parseSettings(o.set, { ip: "127.0.0.1", ...drawn, ...setup.settings }),
    port = o.port === 0 ? await freeUdpPort(formatIpv4(given.runtime.ip)) : o.port;
  const settings = port === undefined ? given : withPort(o.set, port, { ip: "127.0.0.1", ...drawn, ...setup.settings });
  const { ip, mac, nativePort, clientPort } = settings.runtime,
    wanted = o.monitor === "off" ? undefined : (o.monitor ?? { port: udpPorts.monitor });
  if (wanted?.ip !== undefined && wanted.ip !== ip) {
    throw new UsageError(
      `--monitor ${formatIpv4(wanted.ip)}: behind sockets the monitor has the node's address, ${formatIpv4(ip)}; give only its port`,
    );
  }
  const last = clientPort + settings.config.clientPorts - 1;
  if (wanted && (wanted.port === nativePort || (wanted.port >= clientPort && wanted.port <= last))) {
    throw new UsageError(
      `--monitor ${wanted.port} is a port of the node (${nativePort}, ${clientPort} to ${last}); give another`,
    );
  }
  return {
    settings,
    monitor: wanted && { mac, ip, port: wanted.port },
    open: () => UdpNetwork.open(settings, { sessions: o.sessions, monitorPort: wanted?.port }),
  };
}

/** Drawn for each start: nobody on the network knows where the node keeps what. */
const drawn = { hashKey: "random" };

/** `--port` is the setting `nativePort`. */
export function withPort(set: readonly string[], port: number, defaults: Readonly<Record<string, unknown>>): Settings {
  if (set.some(s => s.trim().startsWith("nativePort")))
    throw new UsageError("--port and --set nativePort=... are the same; give one of them");
  return parseSettings(set, { ...defaults, nativePort: port });
}

function tap(o: ServeOptions, device: string, setup: Pick<Setup, "settings" | "monitor">): Place {
  if (o.port === 0)
    throw new UsageError(
      "--port 0 asks for a free port of this machine; on a TAP device all ports are the node's, leave it out",
    );
  const settings =
      o.port === undefined
        ? parseSettings(o.set, { ...drawn, ...setup.settings })
        : withPort(o.set, o.port, { ...drawn, ...setup.settings }),
    { ip } = settings.runtime;
  const inNet = (last: number): number => ((ip & 0xffffff00) | last) >>> 0;
  const wanted = o.monitor === "off" ? undefined : (o.monitor ?? setup.monitor ?? { port: udpPorts.monitor });
  const monitor = wanted && {
    mac: setup.monitor?.mac ?? monitorMac,
    ip: wanted.ip ?? inNet(lastByte.monitor),
    port: wanted.port,
  };
  const host = o.tapAddress ?? { ip: inNet(lastByte.host), prefix: 24 };
  const taken = new Map<number, string>([[ip, "the node (--set ip=...)"]]);
  for (const [own, whose] of [
    [monitor?.ip, "the monitor (--monitor)"],
    [host.ip, "this machine (--tap-address)"],
  ] as const) {
    if (own === undefined) continue;
    const other = taken.get(own);
    if (other !== undefined)
      throw new UsageError(
        `${formatIpv4(own)} would be the address of ${other} and of ${whose}; give one of them another`,
      );
    taken.set(own, whose);
  }
  return { settings, monitor, open: () => openTap(settings, { device, address: host.ip, prefix: host.prefix }) };
}
