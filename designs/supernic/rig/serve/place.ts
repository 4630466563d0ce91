import { TapPipe } from "../../../../sim/index.ts";
import { UsageError } from "../../../shared/command-line/index.ts";
import { FramePort, type ServedNetwork } from "../../../shared/rig/index.ts";
import { ethernetHeader, formatIpv4, formatMac } from "../../../shared/wire/index.ts";
import type { Setup, Station } from "../../software/index.ts";
import type { SuperNicServeOptions, TapPort } from "./options.ts";

/** Prefix of a TAP device's network, unless it is given. */
const usualPrefix = 24;

/** Opens one port's network. */
type Opening = () => Promise<ServedNetwork>;

/**
 * What opens the network of each port, in their order.
 * @throws UsageError in one sentence for ports and stations that there are not
 */
export function openings(o: SuperNicServeOptions, setup: Setup): readonly Opening[] {
  const { ports } = setup.sizes,
    last = o.udp.port + ports - 1;
  for (const [i, { port, device }] of o.tapPort.entries()) {
    if (port >= ports)
      throw new UsageError(`--tap-port ${port}=${device}: the ports are 0 to ${ports - 1}; name one of these`);
    if (o.tapPort.slice(0, i).some(t => t.port === port))
      throw new UsageError(`--tap-port ${port}=${device}: port ${port} has a TAP device; name another port`);
  }
  if (last > 65_535)
    throw new UsageError(`--udp: port ${ports - 1} would be UDP port ${last}; give ${65_536 - ports} or less`);
  return setup.ports.map((_, port): Opening => {
    const tap = o.tapPort.find(t => t.port === port);
    if (tap !== undefined) return openingOfTap(tap, setup);
    return () =>
      FramePort.open(
        { ip: o.udp.ip, port: o.udp.port + port },
        { port: "choose others with --udp", address: "give one that is with --udp, such as 127.0.0.1:7000" },
      );
  });
}

function openingOfTap({ port, device, address }: TapPort, setup: Setup): Opening {
  const station = setup.stations.find((s): s is Station & { ip: number } => s.port === port && s.ip !== undefined);
  if (station === undefined)
    throw new UsageError(
      `--tap-port ${port}=${device}: the setup has no station with an IPv4 address at port ${port}, which this machine would be; add one`,
    );
  const { ip, prefix } = address ?? { ip: station.ip, prefix: usualPrefix },
    mac = formatMac(station.mac);
  return () =>
    TapPipe.open(
      { device, address: formatIpv4(ip), prefix, mtu: setup.sizes.frameBytes - ethernetHeader.bytes, mac },
      `station ${station.name}, MAC ${mac}`,
    );
}

/** Opens all, or none. @throws ServeError */
export async function openAll(all: readonly Opening[]): Promise<readonly ServedNetwork[]> {
  const open: ServedNetwork[] = [];
  try {
    for (const one of all) open.push(await one());
  } catch (e) {
    for (const network of open) await network.close();
    throw e;
  }
  return open;
}
