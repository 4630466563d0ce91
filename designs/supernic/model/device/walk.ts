/** A frame's way through the device, from the port where it comes in to those where it leaves. */
import { decode, ethernetHeader } from "../../../shared/wire/index.ts";
import { type Dag, loopPort, type Setup } from "../../software/index.ts";
import { enclosedFrame, trailerBytes } from "../../wire/index.ts";
import { deparse } from "../deparse/index.ts";
import { type JudgedFrame, type JudgedPortKind, judgeFrame } from "../judge/index.ts";
import { type Matched, matchFrame, type MatchSettings } from "../match/index.ts";
import { type ChainExit, type ChainTask, type Front, type Made, throughChain } from "../tasks/index.ts";
import type { Drop, Exit, Fate, Pass, SlotOf } from "./fate.ts";
import { keptShim, passedFrame, redirectedFrame, taggedFrame } from "./shims.ts";

/** All that a way depends on. */
export interface Surroundings {
  readonly setup: Setup;
  /** By port, the loop port last. */
  readonly kinds: readonly JudgedPortKind[];
  readonly matches: readonly MatchSettings[];
  readonly chains: readonly (readonly ChainTask[])[];
}
type Accepted = NonNullable<JudgedFrame["accepted"]>;
const headerBytes = 64;

/** Behind the stages of a DAG. */
interface Done extends Front {
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  readonly trailer?: ChainExit["trailer"];
  readonly reply: boolean;
  /** Frames that tasks made, with the chain of each. */
  readonly made: readonly (Made & { readonly chain: number })[];
  readonly unordered: boolean;
  readonly took: Pass["took"];
  readonly dropped: Pass["dropped"];
  readonly drop?: Drop;
}

/** A packet through the stages of its DAG. The branches of a stage see the same header; what they write is disjoint. */
function throughStages(a: Accepted, dag: Dag, ingress: number, { chains }: Surroundings): Done {
  let header = new Uint8Array(headerBytes);
  header.set(a.bytes.slice(0, headerBytes));
  const lengths = {
    headBytes: Math.min(a.bytes.length, headerBytes),
    payloadBytes: Math.max(0, a.bytes.length - headerBytes),
  };
  let front: Front = { prepend: 0, frontBytes: 0, dropFront: 0 },
    reply = false,
    unordered = false,
    trailer: ChainExit["trailer"],
    payload: Uint8Array = a.bytes.slice(headerBytes);
  const made: (Made & { readonly chain: number })[] = [],
    took: SlotOf[] = [],
    dropped: SlotOf[] = [];
  for (const stage of dag.stages) {
    const next = header.slice(),
      given = payload,
      before = front;
    let drop: Drop | undefined;
    for (const { chain, run, arg } of stage) {
      const exit = throughChain(chains[chain.number] ?? [], {
        ...{ header, uid: dag.uid, user: dag.user.number, ingress, flowHash: a.flowHash, noL4: a.noL4, arg, run },
        ...lengths,
        ...before,
        payload: given,
      });
      const taken = run.slice(0, run.length - exit.refund.length);
      took.push(...taken.map(slot => ({ chain: chain.number, slot })));
      for (let i = 0; i < headerBytes; i++) if ((exit.mask >> BigInt(i)) & 1n) next[i] = exit.header[i] ?? 0;
      // One of the branches at most writes it.
      if (exit.payload !== given) payload = exit.payload ?? payload;
      trailer = exit.trailer ?? trailer;
      reply ||= exit.reply;
      unordered ||= exit.unordered === true;
      made.push(...(exit.made ?? []).map(m => ({ ...m, chain: chain.number })));
      if (exit.prepend !== before.prepend || exit.dropFront !== before.dropFront) front = exit;
      const by = taken.at(-1);
      if (exit.dropped && by !== undefined) {
        dropped.push({ chain: chain.number, slot: by });
        drop = { by: "task", task: chain.labels[by] ?? "", chain: chain.number, slot: by };
      }
    }
    header = next;
    if (drop !== undefined) return { ...front, header, payload, reply, made, unordered, took, dropped, drop };
  }
  return { ...front, header, payload, ...(trailer && { trailer }), reply, made, unordered, took, dropped };
}

/** The port by which a packet leaves; or why it has none. */
function portOf(done: Done, dag: Dag, ingress: number, s: Setup): number | "nowhere" | "again" {
  const loop = loopPort(s);
  if (done.reply || dag.way === "back") return ingress === loop ? "again" : ingress;
  if (dag.way === "loop") return ingress === loop ? "again" : loop;
  if (dag.way === "port") return dag.port;
  const { dst } = decode(ethernetHeader, done.header),
    known = [...s.stations, ...s.peers].find(x => x.mac === dst),
    port = known?.port ?? s.uplink;
  return port === undefined || port === ingress ? "nowhere" : port;
}

/** The frame that a packet has become. */
function frameOf(a: Accepted, uid: number, dag: Dag, done: Done, s: Setup, ingress: number): Uint8Array {
  const template = s.tunnels.find(t => t.number === done.prepend)?.template,
    at = { origin: s.number, ingress },
    { vlan } = a.taken;
  return deparse({
    header: done.header.slice(0, Math.min(a.bytes.length, headerBytes)),
    payload: done.trailer === "cut" ? done.payload.slice(0, -trailerBytes) : done.payload,
    ...(typeof done.trailer === "object" && { trailer: done.trailer }),
    dropFront: done.dropFront,
    template: template ?? { bytes: new Uint8Array(), lengths: false },
    shims: { ...(vlan && { vlan }), ...(dag.keepShim && { snic: keptShim(uid, a.taken, at) }) },
  });
}

/** What has been passed until now. */
interface Past {
  readonly passes: readonly Pass[];
  readonly steps: readonly string[];
  readonly order: string | undefined;
  /** Frames that tasks have made of it. */
  readonly made: readonly Exit[];
}
const orders = (past: Past, key: string | undefined): string | undefined =>
  past.order === undefined || key === undefined ? undefined : `${past.order}/${key}`;
const ends = ({ made, ...past }: Past, { exits = [], ...end }: Partial<Fate>, ...steps: readonly string[]): Fate => ({
  ...past,
  ...end,
  exits: [...made, ...exits],
  steps: [...past.steps, ...steps],
});
const dropped = (past: Past, drop: Drop): Fate => ends(past, { drop }, dropText(drop));

/** Why a frame does not leave, in words. */
export function dropText(drop: Drop): string {
  if (drop.by === "judge") return `refused: ${drop.reason}`;
  if (drop.by === "task") return `dropped by ${drop.task}`;
  if (drop.by === "match") return `dropped: ${drop.reason}`;
  return drop.reason === "again" ? "dropped: a third pass" : "dropped: no way out";
}

function throughCore(a: Accepted, m: Matched, port: number, past: Past, around: Surroundings): Fate {
  const { setup } = around,
    dag = setup.dags[m.entry?.dag ?? -1],
    uid = m.uid ?? 0;
  if (dag === undefined) throw new RangeError(`UID ${uid} has no DAG`);
  const done = throughStages(a, dag, port, around),
    now: Past = {
      passes: [...past.passes, { dag: dag.number, took: done.took, dropped: done.dropped }],
      steps: [...past.steps, `DAG ${dag.name}`],
      order: orders(past, dag.unordered || done.unordered ? undefined : `${dag.number}:${a.flowHash}`),
      made: [...past.made, ...done.made.map(m => madeExit(m, past, dag, a.flowHash))],
    };
  if (done.drop !== undefined) return dropped(now, done.drop);
  const out = portOf(done, dag, port, setup);
  if (typeof out === "string") return dropped(now, { by: "egress", reason: out });
  const bytes = frameOf(a, uid, dag, done, setup, port);
  const steps = done.reply ? { ...now, steps: [...now.steps, "reply"] } : now;
  if (out !== loopPort(setup)) return leaves(steps, [{ port: out, bytes }]);
  return walk(bytes, false, out, { ...steps, steps: [...steps.steps, "loop"] }, around);
}
/** A frame that a task made. Those of a task leave in the order in which it took what they were made of. */
const madeExit = (m: Made & { readonly chain: number }, past: Past, dag: Dag, flowHash: number): Exit => ({
  port: m.port,
  bytes: m.bytes,
  order: orders(past, dag.unordered ? undefined : `${dag.number}:${flowHash}:made ${m.chain}.${m.slot}`),
});
const leaves = (past: Past, exits: readonly Exit[]): Fate =>
  ends(past, { exits }, `port ${exits.map(e => e.port).join(", ")}`);

/** What becomes of a frame that comes in at a port. The loop port is one, too. */
export function walk(frame: Uint8Array, badFcs: boolean, port: number, past: Past, around: Surroundings): Fate {
  const { setup, kinds, matches } = around,
    kind = kinds[port],
    match = matches[port];
  if (kind === undefined || match === undefined) throw new RangeError(`there is no port ${port}`);
  const judged = judgeFrame(frame, badFcs, kind, setup.sizes.frameBytes),
    a = judged.accepted;
  if (a === undefined) {
    if (judged.reason === "none") throw new Error("unreachable: an accepted frame is judged");
    return dropped(past, { by: "judge", reason: judged.reason, port });
  }
  const m = matchFrame(judged, match),
    where = { origin: setup.number, ingress: port },
    here = `${port}`;
  switch (m.outcome) {
    case "drop":
      if (m.reason === "none" || m.reason === "refused") throw new Error("unreachable: a drop has its reason");
      return dropped(past, { by: "match", reason: m.reason, port });
    case "link":
      return ends(past, {}, "link");
    case "software":
      return ends({ ...past, order: orders(past, here) }, { software: taggedFrame(a.bytes, a.taken) }, "software");
    case "core":
      return throughCore(a, m, port, { ...past, order: orders(past, here) }, around);
    case "ports": {
      const bytes = taggedFrame(a.bytes, a.taken),
        exits = (m.ports ?? []).map(p => ({ port: p, bytes })),
        // Results have a class of their own, and so have messages of peers: others of that port may overtake them.
        fromPeer = m.peer === 1 ? "passing" : "returned",
        queue = setup.ports[port]?.peer === true ? fromPeer : "switched";
      return leaves({ ...past, order: orders(past, `${here}:${queue}`), steps: [...past.steps, "switched"] }, exits);
    }
    case "redirect": {
      const peer = setup.peers[m.peer ?? -1];
      if (peer === undefined) throw new RangeError(`there is no peer ${m.peer ?? -1}`);
      const uid = m.uid ?? a.taken.snic?.uid ?? 0,
        bytes = redirectedFrame(a.bytes, a.taken, { own: setup.mac, peer: peer.mac, far: peer.hops > 1 }, uid, where);
      const at = {
        ...past,
        order: orders(past, `${here}:switched`),
        steps: [...past.steps, `redirect to ${peer.name}`],
      };
      return leaves(at, [{ port: peer.port, bytes }]);
    }
    case "onward": {
      const bytes = passedFrame(a.bytes, a.taken, m.peer === 1, where),
        at = { ...past, order: orders(past, `${here}:switched`), steps: [...past.steps, "passed on"] };
      return leaves(
        at,
        (m.ports ?? []).map(p => ({ port: p, bytes })),
      );
    }
    case "unwrap": {
      const at = { ...past, order: orders(past, `${here}:switched`), steps: [...past.steps, "unwrapped"] };
      return walk(enclosedFrame({ ...a.taken, frame: a.bytes }), false, loopPort(setup), at, around);
    }
  }
}
export const begins: Past = { passes: [], steps: [], order: "", made: [] };
