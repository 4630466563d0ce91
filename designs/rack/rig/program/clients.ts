/** Clients of CLib and of Clio-KV at endpoints, and the judgement of all that they found. */
import { Random } from "../../../../sim/index.ts";
import { Client, type ClientTransport, GoBackNTransport } from "../../../clio/client/index.ts";
import { partitionsOf } from "../../../clio/config/index.ts";
import { endToEnd, type RunResult } from "../../../clio/end-to-end/index.ts";
import type { ClientProgram } from "../../setup/index.ts";
import type { RackEndpoint, RunningRack } from "../fabric/index.ts";

/** UDP port of an endpoint's first client. */
const firstPort = 40_000,
  /** Delay that is no sign of congestion, by the timeout: some sNICs are on the way. */
  targetDelay = 0.75,
  /** Of a session: longer than the sNIC and the node take; and of a client over one. */
  sessionTimes = { timeoutNs: 40_000, ackDelayNs: 6000 },
  patience = 3_000_000;

/** The clients of an endpoint. */
export interface EndpointClients {
  readonly endpoint: RackEndpoint;
  readonly program: ClientProgram;
  readonly clients: readonly Client[];
}
/** Clients that work on one process together, and how their operations ended. */
export interface Workload {
  readonly kind: ClientProgram["kind"];
  readonly node: string;
  readonly endpoints: readonly EndpointClients[];
  readonly result: RunResult;
}

/** The endpoints with clients, of one kind and node together: they share a process. */
export function clientGroups(rack: RunningRack, seed: number): readonly (readonly EndpointClients[])[] {
  const groups = new Map<string, EndpointClients[]>();
  for (const [i, { name, program }] of rack.plan.endpoints.entries()) {
    if (!("node" in program)) continue;
    const key = `${program.kind} ${program.node}`,
      own = { endpoint: rack.endpoint(name), program, clients: clientsAt(rack, name, program, seed * 1000 + i) };
    groups.set(key, [...(groups.get(key) ?? []), own]);
  }
  return [...groups.values()];
}
const reliable = (rack: RunningRack, under: ClientTransport, random: Random): ClientTransport =>
  new GoBackNTransport(under, { clock: rack.clockwork.time, ...sessionTimes, random: () => random.fraction() });
function clientsAt(rack: RunningRack, name: string, program: ClientProgram, seed: number): readonly Client[] {
  const endpoint = rack.endpoint(name),
    random = new Random(seed),
    { config } = rack.node(program.node).settings;
  return Array.from({ length: program.clients }, (_, c) => {
    const own = random.fork(`client ${c}`);
    const under = endpoint.transport(firstPort + c),
      isReliable = program.transport === "gbn";
    return new Client({
      transport: isReliable ? reliable(rack, under, own) : under,
      clock: rack.clockwork.time,
      // Go-Back-N repeats what is lost: the client does so when that has failed.
      timeoutNs: isReliable ? patience : config.retryTimeout,
      targetDelayNs: targetDelay * config.retryTimeout,
      ...(program.softwareTimeoutNs !== undefined && { slowTimeoutNs: program.softwareTimeoutNs }),
      pageSize: config.pageSize,
      partitions: partitionsOf(config),
      random: () => own.fraction(),
    });
  });
}

/**
 * After so many ns no copy of a failed request is anywhere. A sNIC whose regions can be reprogrammed may hold one for
 * as long as that takes, once here and once at a peer. Undefined: the clients' own bound.
 */
function settleOf({ plan }: RunningRack, { clients }: EndpointClients): number | undefined {
  const held = plan.devices.flatMap(d => (d.setup.bitstreams === undefined ? [] : [d.parameters.reprogramTime]));
  return held.length === 0 ? undefined : 4 * (clients[0]?.options.timeoutNs ?? 0) + 2 * Math.max(...held);
}

/**
 * Runs the operations of a group. Every result is judged: by linearizability, or by the writes that it can be of.
 * @param o.settleNs after this no copy of a failed request is anywhere; left out: as the rack's devices are
 */
export async function work(
  rack: RunningRack,
  group: readonly EndpointClients[],
  o: { readonly seed: number; readonly progress?: (done: number) => void; readonly settleNs?: number },
): Promise<Workload> {
  const [first] = group;
  if (first === undefined) throw new RangeError("a group has an endpoint or more");
  const { program } = first,
    { seed, progress, settleNs = settleOf(rack, first) } = o,
    { runtime } = rack.node(program.node).settings;
  const result = await endToEnd({
    clients: group.flatMap(g => g.clients),
    address: { ip: runtime.ip, port: runtime.nativePort },
    seed,
    operations: group.reduce((n, g) => n + g.program.operations, 0),
    threads: program.threads,
    ...(settleNs !== undefined && { settleNs }),
    ...mixture(program),
    ...(progress && { progress }),
  });
  return { kind: program.kind, node: program.node, endpoints: group, result };
}
function mixture(program: ClientProgram) {
  if (program.kind === "kv") return { atomics: 0, allocation: 0, keyValue: 1, keys: program.keys, pages: 1, words: 1 };
  const { atomics, allocation, mostBytes, pages, words } = program;
  return { atomics, allocation, keyValue: 0, mostBytes, pages, words };
}

/** What is wrong with a workload: results that no order explains, operations that never ended, requests still out. */
export function problemsOf({ kind, node, endpoints, result }: Workload): readonly string[] {
  const wanted = endpoints.reduce((n, e) => n + e.program.operations, 0),
    failed = [...result.failed.values()].reduce((a, b) => a + b, 0),
    ended = result.done + failed;
  const problems = [
    ...result.problems,
    ...(ended === result.operations && ended >= wanted
      ? []
      : [`${wanted} operations were wanted and ${result.operations} begun, ${ended} have ended`]),
    ...endpoints.flatMap(({ endpoint, clients }) =>
      clients.flatMap((c, i) =>
        c.pending === 0 ? [] : [`${endpoint.name}, client ${i}: ${c.pending} requests are out`],
      ),
    ),
  ];
  return problems.map(p => `${kind} at ${node}: ${p}`);
}
