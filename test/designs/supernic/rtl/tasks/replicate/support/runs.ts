/** Runs of replication that its bench and its planted faults share. */
import {
  replicaAgeCycles,
  replicaKeyHash,
  replicaPending,
  replicaSets,
  replicaTick,
  replicaWays,
} from "../../../../../../../designs/supernic/wire/index.ts";
import type { TaskPacketModel } from "../../../../../../../designs/supernic/model/index.ts";
import type { Pause } from "../../../../../../../sim/index.ts";
import {
  carryingBytes,
  type Client,
  clientOf,
  fromClient,
  fromNode,
  nodeReply,
  nodes,
  packetOf,
  requestFrame,
  someClients,
  user,
} from "./frames.ts";
import { type Answered, type B, ReplicaRig } from "./rig.ts";

/** Longer than a run: nothing grows old in it. */
const longLife = 16_000;
/** Cycles behind which the place of a request that waits in vain is free, and within which it is not. */
const oldWithin = (life: number): { readonly least: number; readonly most: number } => ({
  least: life * replicaTick,
  most: (life + 2) * replicaTick + (replicaSets + 1) * replicaAgeCycles,
});
interface Waits {
  readonly arg: number;
  readonly frame: Uint8Array;
}
/** Who asks, and the number. */
const nameOf = (frame: Uint8Array): string =>
  Buffer.from([...frame.slice(26, 30), ...frame.slice(34, 36), ...frame.slice(50, 54)]).toString("hex");
const bodies = [0, 2, 3, 6, 7, carryingBytes, carryingBytes, 70, 71, 500, 1024, 1984 + 6, 1984 + 7];

/** A packet that is not for replication, or is refused. */
function oddPacket(b: B, frame: Uint8Array, arg: number): TaskPacketModel {
  const { random } = b,
    other = Uint8Array.from(frame),
    at = random.pick([12, 13, 14, 23, 30, 33, 36, 37, 45, 46, 50]);
  other[at] = (other[at] ?? 0) ^ (1 << random.below(8));
  if (random.chance(0.3)) return packetOf(frame, { ingress: 0, arg, user: user + 1 });
  if (random.chance(0.3)) return packetOf(frame, { ingress: 0, arg: 5 });
  if (random.chance(0.2)) return { ...fromClient(frame, arg), noL4: true };
  if (random.chance(0.2)) return fromClient(frame.slice(0, random.between(20, 63)), arg);
  return fromClient(other, arg);
}

/** Packets of all kinds: copies of lost, doubled and late replies, statuses, and packets of others. */
export async function mixedRun(b: B, packets: number, pause?: () => Pause) {
  const rig = new ReplicaRig(b, pause),
    { random } = b,
    clients = someClients(),
    ids = clients.map(() => 0),
    asked: Waits[] = [],
    replies: { readonly packet: TaskPacketModel }[] = [];
  await rig.configure(longLife);
  rig.onMade = ({ bytes, port }) => {
    // One that was damaged is nobody's: its replies come with the arg of another group.
    const arg = asked.find(w => nameOf(w.frame) === nameOf(bytes))?.arg ?? 0,
      at = nodes.findIndex(n => n.port === port),
      times = random.pick([0, 1, 1, 1, 1, 1, 1, 2]);
    for (let i = 0; i < times; i++)
      replies.push({ packet: fromNode(at, nodeReply(at, bytes, random.pick([0, 0, 0, 0, 0, 0, 4, 6, 7])), arg) });
  };
  for (let i = 0; i < packets; i++) {
    await b.until(() => rig.pending + rig.due < 14);
    if (replies.length > 0 && random.chance(replies.length > 20 ? 0.9 : 0.45)) {
      const [reply] = replies.splice(random.below(replies.length), 1);
      if (reply === undefined) continue;
      // Of another port than the node's, or with another group's arg, now and then.
      const { packet } = reply;
      rig.send(random.chance(0.97) ? packet : { ...packet, ...random.pick([{ ingress: 0 }, { arg: 5 }, { user: 9 }]) });
      continue;
    }
    const arg = random.pick([0, 0, 1, 2, 15]),
      again = random.chance(0.15) ? asked[random.below(asked.length)] : undefined,
      who = random.below(clients.length),
      requestId = (ids[who] = (ids[who] ?? 0) + 1),
      frame =
        again?.frame ??
        requestFrame(clients[who] ?? clientOf(1), arg, {
          ...{
            requestId,
            opcode: random.pick([0x50, 0x50, 0x50, 0x64, 0x52]),
            body: random.bytes(random.pick(bodies)),
          },
          ...{ replicate: random.chance(0.9), tracked: random.chance(0.95) },
        });
    if (again === undefined) asked.push({ arg, frame });
    const packet = fromClient(frame, again?.arg ?? arg);
    rig.send(random.chance(0.9) ? packet : oddPacket(b, frame, arg));
  }
  await rig.end();
  for (const { packet } of replies.splice(0)) rig.send(packet);
  await rig.end();
  await allPlacesThere(b, rig);
  return { ...rig.model.counts, made: rig.counts.made };
}

/** Numbers of requests of a client that fill every place. */
function fillingIds(client: Client, from: number): readonly number[] {
  const inSet = Array.from({ length: replicaSets }, () => 0),
    found: number[] = [];
  for (let requestId = from; found.length < replicaPending; requestId++) {
    const frame = requestFrame(client, 15, { requestId }),
      key = [...frame.slice(26, 30), ...frame.slice(34, 36), ...frame.slice(50, 54)];
    const set = Number(replicaKeyHash(key.reduceRight((n, x) => (n << 8n) | BigInt(x), 0n)));
    if ((inSet[set] ?? 0) < replicaWays) {
      inSet[set] = (inSet[set] ?? 0) + 1;
      found.push(requestId);
    }
  }
  return found;
}
/** Each place can be had: what was lost is given back by time, all are taken at once, and one more is refused. */
export async function allPlacesThere(b: B, rig: ReplicaRig): Promise<void> {
  const life = 2,
    client = clientOf(9),
    alone = 15;
  await rig.configure(life);
  await b.cycles(oldWithin(life).most);
  rig.model.grown();
  await rig.configure(longLife);
  const ids = fillingIds(client, 1_000_000),
    sends = async (requestId: number): Promise<void> => {
      await b.until(() => rig.pending + rig.due < 14);
      rig.send(fromClient(requestFrame(client, alone, { requestId }), alone));
    };
  for (const id of ids) await sends(id);
  await rig.settled();
  if (rig.model.waiting !== replicaPending)
    throw new Error(`${rig.model.waiting} requests wait in ${replicaPending} places`);
  const { refused } = rig.model.counts;
  for (let i = 0; i < 8; i++) await sends(2_000_000 + i);
  await rig.settled();
  if (rig.model.counts.refused !== refused + 8) throw new Error("a request has a place although all are taken");
  // All of them are answered, and their places are free again at once.
  for (const id of ids) {
    await b.until(() => rig.pending < 14);
    rig.send(fromNode(3, nodeReply(3, requestFrame(client, alone, { requestId: id }), 0), alone));
  }
  await rig.settled();
  if (rig.model.waiting !== 0) throw new Error("requests wait although all were answered");
  for (const id of ids.slice(0, 20)) await sends(id);
  for (const id of ids.slice(0, 20))
    rig.send(fromNode(3, nodeReply(3, requestFrame(client, alone, { requestId: id }), 0), alone));
  await rig.end();
}

/** One set is looked at in each tick: of a request in every set all must wait just as long. */
async function oneOfEachSet(b: B, rig: ReplicaRig, least: number, from: number): Promise<void> {
  const client = clientOf(8),
    ids = fillingIds(client, from).slice(0, replicaSets),
    begin = b.cycle,
    { answered } = rig.model.counts,
    frameOf = (requestId: number): Uint8Array => requestFrame(client, 15, { requestId, body: new Uint8Array() });
  for (const id of ids) {
    rig.send(fromClient(frameOf(id), 15));
    await b.until(() => rig.pending + rig.due < 8);
  }
  await b.until(() => b.cycle >= begin + least - 10);
  for (const id of ids) rig.send(fromNode(3, nodeReply(3, frameOf(id), 0), 15));
  await rig.settled();
  if (rig.model.counts.answered !== answered + ids.length) throw new Error("a request is too old in its life");
}

/** Replies just before a request is too old, when its place was given back, and when a node was heard meanwhile. */
export async function agesRun(b: B): Promise<void> {
  const rig = new ReplicaRig(b),
    client = clientOf(1);
  let verdicts: string[] = [],
    id = 0;
  rig.onAnswer = ({ is }) => void verdicts.push(is);
  const frameNow = (): Uint8Array => requestFrame(client, 0, { requestId: id }),
    asks = async (): Promise<void> => {
      id++;
      rig.send(fromClient(frameNow(), 0));
      await rig.settled();
      verdicts = [];
    },
    says = async (node: number): Promise<void> => {
      rig.send(fromNode(node, nodeReply(node, frameNow(), 0), 0));
      await rig.settled();
    },
    expects = (what: string, ...want: readonly string[]): void => {
      if (verdicts.join() !== want.join()) throw new Error(`${what}: ${verdicts.join()}, not ${want.join()}`);
    };
  for (const life of [3, 9]) {
    const { least, most } = oldWithin(life);
    await rig.configure(life);
    for (let times = 0; times < 3; times++) {
      await asks();
      await b.cycles(least - 60);
      await says(0);
      await says(1);
      expects("within life", "drop", "forward");
      await asks();
      await b.cycles(least - 60);
      await says(0);
      await b.cycles(least - 60);
      await says(1);
      expects("heard meanwhile", "drop", "forward");
    }
    // At several phases of the ticks.
    for (let phase = 0; phase < 4; phase++) {
      await b.cycles(64);
      await oneOfEachSet(b, rig, least, 1_000_000 * (5 + phase));
    }
    await asks();
    await b.cycles(most);
    rig.model.grown();
    await says(0);
    await says(1);
    expects("too old", "drop", "drop");
  }
  // A life that is longer than a look at all sets: one that is not made younger is found old in time.
  const long = 2 * replicaSets,
    { least } = oldWithin(long);
  await rig.configure(long);
  await asks();
  await b.cycles(least - 60);
  await says(0);
  await b.cycles(least - 60);
  await says(1);
  expects("heard meanwhile, for long", "drop", "forward");
  await rig.end();
}

/** A reset among requests that wait: what comes of them is nobody's, and nothing is copied until it is configured. */
export async function resetRun(b: B): Promise<void> {
  const rig = new ReplicaRig(b),
    client = clientOf(2);
  const frames = Array.from({ length: 12 }, (_, i) =>
      requestFrame(client, 1, { requestId: i, body: new Uint8Array(900) }),
    ),
    asks = (): void => {
      for (const f of frames) rig.send(fromClient(f, 1));
    },
    says = (): void =>
      frames.forEach(f => {
        for (const node of [0, 1, 2]) rig.send(fromNode(node, nodeReply(node, f, 0), 1));
      });
  await rig.configure(longLife);
  for (const cycles of [5, 40, 77, 400]) {
    asks();
    await b.cycles(cycles);
    rig.reset();
    // Of no group: requests are refused, and what nodes say passes as it came.
    asks();
    says();
    await rig.settled();
    if (rig.model.counts.answered > 0) throw new Error("a reply of a life before is believed");
    await rig.configure(longLife);
    says();
    await rig.settled();
  }
  asks();
  await rig.settled();
  says();
  await rig.settled();
  if (rig.model.counts.answered !== frames.length) throw new Error("requests behind a reset are not answered");
  await allPlacesThere(b, rig);
}

/** The way out is stopped: requests beyond 16 are refused, all else goes on, and nothing is lost. */
export async function stoppedRun(b: B) {
  let open = false;
  const pause: Pause = () => !open,
    rig = new ReplicaRig(b, undefined, pause),
    client = clientOf(1),
    answers: Answered[] = [];
  await rig.configure(longLife);
  rig.compares = false;
  rig.onAnswer = a => void answers.push(a);
  for (let i = 0; i < 40; i++) {
    rig.send(fromClient(requestFrame(client, 0, { requestId: i, body: new Uint8Array(600).fill(i) }), 0));
    rig.send(fromClient(requestFrame(client, 0, { requestId: i, replicate: false, body: new Uint8Array(600) }), 0));
  }
  await b.until(() => rig.pending === 0);
  const forwarded = answers.filter(a => a.is === "forward").length;
  const copies: number[] = [];
  rig.onMade = ({ bytes, port }) => {
    const body = bytes.slice(58);
    if (body.length !== 600 || body.some(x => x !== body[0])) throw new Error("a copy has another's payload");
    copies.push(10 * (body[0] ?? 0) + port);
  };
  open = true;
  await rig.settled();
  await rig.end();
  return { forwarded, copies };
}

/** Packets as fast as they are taken. @returns least cycles to an answer, and mean from one answer to the next */
export async function rates(b: B) {
  const rig = new ReplicaRig(b),
    client = clientOf(1),
    answers: Answered[] = [];
  rig.onAnswer = a => void answers.push(a);
  await rig.configure(longLife);
  await b.cycles(80);
  const measure = async (packets: readonly TaskPacketModel[]) => {
    answers.splice(0);
    for (const p of packets) rig.send(p);
    await rig.settled();
    const [first, ...rest] = answers.map(a => a.at),
      gaps = rest.map((at, i) => at - ([first ?? 0, ...rest][i] ?? 0)),
      sorted = gaps.toSorted((x, y) => x - y);
    return { latency: Math.min(...answers.map(a => a.cycles)), interval: sorted[Math.floor(sorted.length / 2)] };
  };
  const ids = Array.from({ length: 14 }, (_, i) => i),
    frame = (requestId: number, more = {}) => requestFrame(client, 0, { requestId, body: new Uint8Array(0), ...more });
  const others = await measure([...ids, ...ids, ...ids].map(i => fromClient(frame(i, { replicate: false }), 0))),
    requests = await measure(ids.map(i => fromClient(frame(i), 0))),
    replies = await measure(ids.map(i => fromNode(0, nodeReply(0, frame(i), 0), 0)));
  const times: number[] = [];
  rig.onMade = ({ at }) => void times.push(at);
  const beats = 17;
  for (const i of ids.slice(0, 6)) rig.send(fromClient(frame(100 + i, { body: new Uint8Array(64 * beats - 58) }), 0));
  await rig.settled();
  const made = times
    .slice(1)
    .map((t, i) => t - (times[i] ?? 0))
    .slice(2);
  return { others, requests, replies, beats, frame: Math.max(...made) };
}
