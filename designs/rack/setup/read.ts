/** From a setup file to a rack: what cannot be is refused in one sentence. */
import { makeSettings } from "../../clio/config/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import { makeParameters, type Parameters } from "../../supernic/config/index.ts";
import { checkFile } from "../../shared/settings/index.ts";
import { formatIpv4, formatMac, parseIpv4, parseMac } from "../../shared/wire/index.ts";
import { devicePlan, type RackStation, rawSetup } from "./devices.ts";
import { plugs, type Socket } from "./plugs.ts";
import type { DevicePlan, EndpointPlan, NodePlan, Rack, SwitchPlan } from "./rack.ts";
import { type RackFile, rackSchema } from "./schema.ts";
import { Topology } from "./topology.ts";

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
function stationsOf(file: RackFile, path: string): readonly Placed[] {
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

/** What `read` gives. @throws UsageError with the place in front of what it throws */
function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (e) {
    throw e instanceof UsageError ? new UsageError(`${place}: ${e.message}`) : e;
  }
}

function socketsOf(file: RackFile, parameters: readonly Parameters[], path: string): readonly Socket[] {
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

/** The UID of the DAG that an endpoint names: `name`, or `device/name`. */
function uidOf(dag: string, at: string, devices: readonly DevicePlan[]): number {
  const [first = "", second] = dag.split("/"),
    wanted = second ?? first;
  const found = devices
    .filter(d => second === undefined || d.name === first)
    .flatMap(d => d.setup.dags.filter(x => x.name === wanted).map(x => ({ device: d.name, uid: x.uid })));
  const [only, more] = found;
  if (more !== undefined)
    throw new UsageError(
      `${at}.dag = "${dag}": ${found.map(f => f.device).join(" and ")} have such a DAG; say whose, as ${only?.device ?? ""}/${wanted}`,
    );
  if (only !== undefined) return only.uid;
  const all = devices.flatMap(d => d.setup.dags.map(x => x.name));
  throw new UsageError(
    `${at}.dag = "${dag}": no sNIC has such a DAG; ${all.length === 0 ? "add it to one" : `there are ${all.join(", ")}`}`,
  );
}
function endpointPlan(
  e: RackFile["endpoints"][number],
  at: string,
  { devices, nodes }: { readonly devices: readonly DevicePlan[]; readonly nodes: readonly NodePlan[] },
): EndpointPlan {
  const { name, mac, ip, dag, program } = e;
  if (program.kind !== "capture" && !nodes.some(n => n.name === program.node))
    throw new UsageError(
      `${at}.program.node = "${program.node}": there is no such node; ${nodes.length === 0 ? "add it" : `there are ${nodes.map(n => n.name).join(", ")}`}`,
    );
  if (program.kind === "capture" && dag !== undefined)
    throw new UsageError(`${at}.dag = "${dag}": frames of a capture go out as they are; leave it out`);
  return { name, mac, ip, uid: dag === undefined ? undefined : uidOf(dag, at, devices), program };
}
function nodePlan({ name, mac, ip, set }: RackFile["nodes"][number], at: string): NodePlan {
  for (const own of ["mac", "ip"])
    if (own in set)
      throw new UsageError(`${at}.set.${own}: the node's ${own} stands beside its name; leave it out here`);
  const settings = within(`${at}.set`, () => makeSettings({ ...set, mac: formatMac(mac), ip: formatIpv4(ip) }));
  if (settings.config.transport !== "none")
    throw new UsageError(
      `${at}.set.transport = "${settings.config.transport}": clients of a rack speak none; leave it out`,
    );
  return { name, settings };
}

/**
 * Reads a rack of a file's text.
 * @param path of the file, for sentences
 * @throws UsageError in one sentence naming file, field, value and remedy
 */
export function readRack(text: string, path: string): Rack {
  const file = checkFile(rackSchema, path, text, UsageError);
  if (file.devices.length + file.nodes.length === 0)
    throw new UsageError(`${path}: it has neither a sNIC nor a node; add one to devices or nodes`);
  const parameters = file.devices.map((d, i) => within(`${path}: devices[${i}].set`, () => makeParameters(d.set))),
    sockets = socketsOf(file, parameters, path),
    stations = stationsOf(file, path),
    links = plugs(file.links, sockets, path),
    topology = new Topology(sockets, links);
  const devices = file.devices.map((d, i) =>
      devicePlan(d, `${path}: devices[${i}]`, { parameters: parameters[i] as Parameters, stations, topology }),
    ),
    nodes = file.nodes.map((n, i) => nodePlan(n, `${path}: nodes[${i}]`)),
    closing = topology.closing();
  const switches = file.switches.map((s): SwitchPlan => ({
    ...s,
    table: new Map(
      stations.flatMap(({ name, mac }) => {
        const port = topology.portTo(s.name, name);
        return port === undefined ? [] : [[mac, port] as const];
      }),
    ),
    blocked: closing.get(s.name) ?? new Set(),
  }));
  const endpoints = file.endpoints.map((e, i) => endpointPlan(e, `${path}: endpoints[${i}]`, { devices, nodes }));
  checkReach(file, topology, path);
  return {
    ...{ devices, nodes, switches, endpoints, links, hasRing: closing.size > 0 },
    neighbours: new Map(stations.map(s => [s.ip, s.mac])),
  };
}
/** Clients reach their nodes. */
function checkReach(file: RackFile, topology: Topology, path: string): void {
  for (const [i, { name, program }] of file.endpoints.entries()) {
    if (program.kind === "capture" || topology.portTo(name, program.node) !== undefined) continue;
    throw new UsageError(
      `${path}: endpoints[${i}].program.node = "${program.node}": no links lead there from ${name}; add one`,
    );
  }
}
