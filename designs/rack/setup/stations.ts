/** All places of a rack: their names, ports and addresses, each there once. */
import { UsageError } from "../../shared/errors/index.ts";
import { formatIpv4, formatMac, parseIpv4, parseMac } from "../../shared/wire/index.ts";
import type { Parameters } from "../../supernic/config/index.ts";
import { type RackStation, rawSetup } from "./devices.ts";
import type { Socket } from "./plugs.ts";
import type { RackFile } from "./schema.ts";

/** Refuses what is there twice. */
function once<T>(all: readonly T[], of: (x: T) => string, where: (x: T) => string, path: string): void {
  const seen = new Map<string, T>();
  for (const x of all) {
    const before = seen.get(of(x));
    if (before !== undefined)
      throw new UsageError(`${path}: ${where(x)} = ${of(x)}: ${where(before)} is the same; give one of them another`);
    seen.set(of(x), x);
  }
}

/** The sNICs' own addresses, as far as their setups tell them: what is wrong there is told later. */
function ownStation(device: RackFile["devices"][number], at: string): readonly RackStation[] {
  const { mac, ip } = rawSetup(device, `${at}.setup`);
  try {
    return [{ name: device.name, mac: parseMac(String(mac)), ip: parseIpv4(String(ip)) }];
  } catch {
    return [];
  }
}
interface Placed extends RackStation {
  readonly at: string;
}
/** Whoever has an address: sNICs, nodes and endpoints. @throws UsageError for one that is there twice */
export function stationsOf(file: RackFile, path: string): readonly Placed[] {
  const devices = file.devices.flatMap((d, i) =>
    ownStation(d, `${path}: devices[${i}]`).map(s => ({ ...s, at: `devices[${i}].setup` })),
  );
  const stations = [
    ...devices,
    ...file.nodes.map((n, i) => ({ ...n, at: `nodes[${i}]` })),
    ...file.endpoints.map((e, i) => ({ ...e, at: `endpoints[${i}]` })),
  ];
  once(
    stations,
    s => formatMac(s.mac),
    s => `${s.at}.mac`,
    path,
  );
  once(
    stations,
    s => formatIpv4(s.ip),
    s => `${s.at}.ip`,
    path,
  );
  return stations;
}

/** All places, with their ports. @throws UsageError for a name that is there twice */
export function socketsOf(file: RackFile, parameters: readonly Parameters[], path: string): readonly Socket[] {
  const sockets = [
    ...file.devices.map((d, i): Socket => ({
      name: d.name,
      at: `devices[${i}]`,
      ports: parameters[i]?.ports ?? 0,
      passes: true,
    })),
    ...file.switches.map((s, i): Socket => ({ name: s.name, at: `switches[${i}]`, ports: s.ports, passes: true })),
    ...file.nodes.map((n, i): Socket => ({ name: n.name, at: `nodes[${i}]`, ports: 1, passes: false })),
    ...file.endpoints.map((e, i): Socket => ({ name: e.name, at: `endpoints[${i}]`, ports: 1, passes: false })),
  ];
  once(
    sockets,
    s => s.name,
    s => `${s.at}.name`,
    path,
  );
  return sockets;
}
