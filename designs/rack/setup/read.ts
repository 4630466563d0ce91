/** From a setup file to a rack: what cannot be is refused in one sentence. */
import { UsageError } from "../../shared/errors/index.ts";
import { checkFile } from "../../shared/settings/index.ts";
import { makeParameters, type Parameters } from "../../supernic/config/index.ts";
import { devicePlan } from "./devices.ts";
import { endpointPlan, nodePlan, within } from "./places.ts";
import { plugs } from "./plugs.ts";
import type { Rack, SwitchPlan } from "./rack.ts";
import { type RackFile, rackSchema } from "./schema.ts";
import { socketsOf, stationsOf } from "./stations.ts";
import { Topology } from "./topology.ts";

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
