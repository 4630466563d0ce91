/** Nodes and endpoints as they are built. */
import { makeSettings } from "../../clio/config/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import { formatIpv4, formatMac } from "../../shared/wire/index.ts";
import type { RackStation } from "./devices.ts";
import type { DevicePlan, EndpointPlan, Forward, NodePlan } from "./rack.ts";
import { isClient, type RackFile } from "./schema.ts";

/** What `read` gives. @throws UsageError with the place in front of what it throws */
export function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (e) {
    throw e instanceof UsageError ? new UsageError(`${place}: ${e.message}`) : e;
  }
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
/** @throws UsageError for a node or a DAG that there is not */
export function endpointPlan(
  e: RackFile["endpoints"][number],
  at: string,
  {
    devices,
    nodes,
    stations,
  }: {
    readonly devices: readonly DevicePlan[];
    readonly nodes: readonly NodePlan[];
    readonly stations: readonly RackStation[];
  },
): EndpointPlan {
  const { name, mac, ip, dag, program, ignoresPause } = e;
  if (isClient(program) && !nodes.some(n => n.name === program.node))
    throw new UsageError(
      `${at}.program.node = "${program.node}": there is no such node; ${nodes.length === 0 ? "add it" : `there are ${nodes.map(n => n.name).join(", ")}`}`,
    );
  if (!isClient(program) && program.kind !== "sockets" && dag !== undefined)
    throw new UsageError(
      `${at}.dag = "${dag}": frames ${program.kind === "capture" ? "of a capture" : "of programs"} go out as they are; leave it out`,
    );
  const forwards = program.kind === "sockets" ? forwardsOf(program.listen, `${at}.program`, stations) : [];
  const uid = dag === undefined ? undefined : uidOf(dag, at, devices);
  return { name, mac, ip, uid, ignoresPause, program, forwards };
}
/** @throws UsageError for a station that there is not */
function forwardsOf(
  listen: readonly { readonly at: Forward["at"]; readonly to: string }[],
  at: string,
  stations: readonly RackStation[],
): readonly Forward[] {
  return listen.map(({ at: own, to }, i): Forward => {
    const [name = "", port = "", more] = to.split(":"),
      station = stations.find(s => s.name === name),
      n = /^[1-9]\d{0,4}$/.test(port) ? Number(port) : Number.NaN;
    if (station === undefined || more !== undefined || !(n <= 65_535))
      throw new UsageError(
        `${at}.listen[${i}].to = "${to}": it must be a station with a UDP port, such as ${stations[0]?.name ?? "mem0"}:1200; there are ${stations.map(s => s.name).join(", ")}`,
      );
    return { at: own, to: { name, ip: station.ip, port: n } };
  });
}
/** @throws UsageError for settings that cannot be */
export function nodePlan({ name, mac, ip, set }: RackFile["nodes"][number], at: string): NodePlan {
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
