/** The setup of each sNIC: what the file says of it, and the stations that the links put behind its ports. */
import { readFileSync } from "node:fs";
import { UsageError } from "../../shared/errors/index.ts";
import { formatIpv4, formatMac } from "../../shared/wire/index.ts";
import { deviceSizes } from "../../supernic/build/index.ts";
import type { Parameters } from "../../supernic/config/index.ts";
import { readSetup } from "../../supernic/software/index.ts";
import type { Declared } from "../../supernic/wire/index.ts";
import type { DevicePlan } from "./rack.ts";
import type { RackFile } from "./schema.ts";
import type { Topology } from "./topology.ts";

/** Whoever frames are sent to. */
export interface RackStation {
  readonly name: string;
  readonly mac: bigint;
  readonly ip: number;
}
type DeviceFile = RackFile["devices"][number];
type Raw = Readonly<Record<string, unknown>>;

/** What stands in the setup before the rack adds to it. */
export function rawSetup({ setup }: DeviceFile, at: string): Raw {
  if (typeof setup !== "string") return setup;
  const json: unknown = parsed(setup, at);
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new UsageError(`${at} = "${setup}": the file has no setup of a sNIC; give one that is an object`);
  return json as Raw;
}
function parsed(path: string, at: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (e) {
    throw new UsageError(`${at} = "${path}" is not JSON: ${(e as Error).message}; mend it there`);
  }
}

const listOf = (raw: Raw, field: string): readonly unknown[] => {
  const value = raw[field];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
};
/** A field of an entry, whatever that is. */
const fieldOf = (entry: unknown, field: string): unknown =>
  typeof entry === "object" && entry !== null ? (entry as Raw)[field] : undefined;
const macOf = (peer: unknown): string => {
  const mac = fieldOf(peer, "mac");
  return typeof mac === "string" ? mac.toLowerCase() : "";
};
/**
 * The port to a station that is behind a peer: the way to the nearest peer, so that results take the ways of redirects.
 * @param port by the fewest links
 */
function portBehind(
  raw: Raw,
  own: string,
  station: string,
  port: number,
  topology: Topology,
  all: readonly RackStation[],
): { readonly port: number; readonly behind?: string } {
  if (fieldOf(listOf(raw, "ports")[port], "peer") !== true) return { port };
  const far = topology.distances(station),
    peers = listOf(raw, "peers").flatMap(p => {
      const name = all.find(s => formatMac(s.mac) === macOf(p))?.name,
        at = fieldOf(p, "port");
      return name === undefined || name === own || typeof at !== "number"
        ? []
        : [{ peer: p, port: at, far: far.get(name) }];
    }),
    nearest = Math.min(...peers.map(p => p.far ?? Infinity)),
    found = peers.find(p => p.far === nearest),
    name = fieldOf(found?.peer, "name");
  // With two ways software must know who is behind it.
  const behind = typeof name === "string" && fieldOf(found?.peer, "around") !== undefined ? { behind: name } : {};
  return { port: found?.port ?? port, ...behind };
}
const broadcast = "ff:ff:ff:ff:ff:ff";

/**
 * A device's setup with the stations of the rack, and rules that keep broadcasts out of links that would close a ring.
 * @throws ConfigError in one sentence for what cannot be
 */
export function devicePlan(
  device: DeviceFile,
  at: string,
  {
    parameters,
    stations,
    topology,
    declared,
  }: {
    readonly parameters: Parameters;
    readonly stations: readonly RackStation[];
    readonly topology: Topology;
    readonly declared: (task: string) => Declared;
  },
): DevicePlan {
  const { name } = device,
    raw = rawSetup(device, `${at}.setup`);
  if (raw["stations"] !== undefined)
    throw new UsageError(`${at}.setup.stations: the links say who is behind a port; leave the field out`);
  // Peers are known as such: redirects go there, and nothing that is only switched.
  const peers = new Set(listOf(raw, "peers").map(macOf));
  const others = stations.filter(s => !peers.has(formatMac(s.mac)));
  const there = others.flatMap(({ name: station, mac, ip }) => {
    const nearest = station === name ? undefined : topology.portTo(name, station);
    if (nearest === undefined) return [];
    const way = portBehind(raw, name, station, nearest, topology, stations);
    return [{ name: station, mac: formatMac(mac), ip: formatIpv4(ip), ...way }];
  });
  const closed = [...(topology.closing().get(name) ?? [])],
    rules = closed.length === 0 ? [] : [{ name: "ring", dst: broadcast, ports: closed, action: "drop" }];
  const whole = {
    ports: Array.from({ length: parameters.ports }, () => ({})),
    ...raw,
    stations: there,
    rules: [...rules, ...listOf(raw, "rules")],
  };
  const setup = readSetup(JSON.stringify(whole), `${at}.setup`, deviceSizes(parameters), declared);
  return { name, setup, parameters };
}
