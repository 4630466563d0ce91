/** From a setup file to a rack: what cannot be is refused in one sentence. */
import { UsageError } from "../../shared/errors/index.ts";
import { checkFile } from "../../shared/settings/index.ts";
import { taskNamed } from "../../supernic/build/index.ts";
import { makeParameters, type Parameters } from "../../supernic/config/index.ts";
import type { Declared } from "../../supernic/wire/index.ts";
import { devicePlan } from "./devices.ts";
import { endpointPlan, nodePlan, within } from "./places.ts";
import { plugs } from "./plugs.ts";
import type { EndpointPlan, Rack, SwitchPlan } from "./rack.ts";
import { isClient, type RackFile, rackSchema } from "./schema.ts";
import { socketsOf, stationsOf } from "./stations.ts";
import { Topology } from "./topology.ts";
import { checkWays } from "./ways.ts";

/**
 * Reads a rack of a file's text.
 * @param path of the file, for sentences
 * @param declared what tasks say of themselves, where there are others than the project's
 * @throws UsageError in one sentence naming file, field, value and remedy
 */
export function readRack(
  text: string,
  path: string,
  declared: (task: string) => Declared = t => taskNamed(t).declared,
): Rack {
  const file = checkFile(rackSchema, path, text, UsageError);
  if (file.devices.length + file.nodes.length === 0)
    throw new UsageError(`${path}: it has neither a sNIC nor a node; add one to devices or nodes`);
  const parameters = file.devices.map((d, i) => within(`${path}: devices[${i}].set`, () => makeParameters(d.set))),
    sockets = socketsOf(file, parameters, path),
    stations = stationsOf(file, path),
    links = plugs(file.links, sockets, path),
    topology = new Topology(sockets, links);
  const devices = file.devices.map((d, i) =>
      devicePlan(d, `${path}: devices[${i}]`, {
        parameters: parameters[i] as Parameters,
        stations,
        topology,
        declared,
      }),
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
  const endpoints = file.endpoints.map((e, i) =>
    endpointPlan(e, `${path}: endpoints[${i}]`, { devices, nodes, stations }),
  );
  checkWays(devices, links, path);
  checkReach(file, topology, path);
  checkForwards(endpoints, topology, path);
  if (closing.size > 0) checkRing(file, path);
  return {
    ...{ devices, nodes, switches, endpoints, links, hasRing: closing.size > 0 },
    neighbours: new Map(stations.map(s => [s.ip, s.mac])),
  };
}
/** Clients reach their nodes. */
function checkReach(file: RackFile, topology: Topology, path: string): void {
  for (const [i, { name, program }] of file.endpoints.entries()) {
    if (!isClient(program) || topology.portTo(name, program.node) !== undefined) continue;
    throw new UsageError(
      `${path}: endpoints[${i}].program.node = "${program.node}": no links lead there from ${name}; add one`,
    );
  }
}
/** Sockets reach their stations. */
function checkForwards(endpoints: readonly EndpointPlan[], topology: Topology, path: string): void {
  for (const [i, { name, forwards }] of endpoints.entries())
    for (const [k, { to }] of forwards.entries())
      if (topology.portTo(name, to.name) === undefined)
        throw new UsageError(
          `${path}: endpoints[${i}].program.listen[${k}].to = "${to.name}:${to.port}": no links lead there from ${name}; add one`,
        );
}
/** Programs of this machine send frames for multicast groups, which would go round in a ring for ever. */
function checkRing(file: RackFile, path: string): void {
  for (const [i, { program }] of file.endpoints.entries())
    if (program.kind === "frames" || program.kind === "tap")
      throw new UsageError(
        `${path}: endpoints[${i}].program.kind = "${program.kind}": its frames may be for multicast groups, and the links close a ring, where they would never end; leave a link out, or use "sockets"`,
      );
}
