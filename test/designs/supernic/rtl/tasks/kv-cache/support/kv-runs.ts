/** Runs of the KV cache that its bench and its planted faults share. */
import type { KvAnswer, KvCacheModel, KvPacket } from "../../../../../../../designs/supernic/model/index.ts";
import {
  kvAgeCycles,
  kvKeyHash,
  kvPending,
  kvTick,
  kvWords,
} from "../../../../../../../designs/supernic/wire/index.ts";
import type { Pause } from "../../../../../../../sim/index.ts";
import {
  carryingClient,
  clientOf,
  fromClient,
  fromNode,
  node,
  nodePort,
  nodeReply,
  requestFrame,
  user,
} from "./kv-frames.ts";
import { type Answered, type B, KvRig } from "./kv-rig.ts";

/** The process of all clients. */
export const pid = 17;
/** Keys that share a set. */
export function keysOfOneSet(sets: number, count: number): readonly bigint[] {
  const found: bigint[] = [];
  for (let key = 1n; found.length < count; key++)
    if (Number(kvKeyHash(BigInt(pid) | (key << 16n))) % sets === 3) found.push(key);
  return found;
}
/** Time after which no request is under way, and cycles until the cache learns again. */
export const life = 2,
  deafCycles = (life + 4) * kvTick + 1_100;
export const words = (l = life) => kvWords({ valid: true, user, ip: node.ip, port: nodePort }, l);
const ops = ["read", "read", "read", "read", "read", "read", "update", "delete", "create"] as const;
/** Longer than the run: nothing grows old in it, as the model has no time. */
const longLife = 400;

/** One packet after the other, with time between them: all as the model says. */
class Settled {
  readonly rig: KvRig;
  readonly model: KvCacheModel;
  readonly seen = { hits: 0, forgotten: 0, forwarded: 0 };
  readonly #b: B;
  due: KvAnswer | undefined;
  #made: KvAnswer["made"];

  constructor(b: B, model: KvCacheModel, pause?: () => Pause) {
    this.#b = b;
    this.model = model;
    this.rig = new KvRig(b, { ...(pause && { pause }), latency: 12, jitter: 20 });
    this.rig.onAnswer = ({ verdict, packet }) => {
      if (verdict !== this.due?.verdict)
        throw new Error(`${verdict}, not ${String(this.due?.verdict)}: ${Buffer.from(packet.bytes).toString("hex")}`);
    };
    this.rig.onMade = (bytes, port) => void (this.#made = { bytes, port });
  }
  async begin(): Promise<void> {
    for (const w of words(longLife)) {
      await this.rig.configure([w]);
      this.model.configure(w.at, w.data);
    }
    await this.hears();
  }
  async play(packet: KvPacket): Promise<void> {
    this.due = this.model.answer(packet);
    this.#made = undefined;
    this.rig.send(packet);
    await this.rig.settled();
    const text = (m: KvAnswer["made"]): string =>
      m === undefined ? "none" : `${m.port} ${Buffer.from(m.bytes).toString("hex")}`;
    if (text(this.#made) !== text(this.due.made))
      throw new Error(`it makes ${text(this.#made)}, not ${text(this.due.made)}`);
    if (this.due.verdict === "drop") this.seen.hits++;
    else this.seen.forwarded++;
  }
  /** All places of what is waited for are looked at once, and nothing is deaf. */
  async hears(): Promise<void> {
    await this.#b.cycles((longLife + 3) * kvTick + 1_100 + kvPending * kvAgeCycles);
    this.model.grown();
  }
}

/** Packets of all kinds; some of them damaged, of others, or for a process that ends. */
export async function settledRun(b: B, model: KvCacheModel, packets: number, pause?: () => Pause) {
  const it = new Settled(b, model, pause),
    { random } = b,
    waiting: Uint8Array[] = [];
  await it.begin();
  let id = 0;
  const forgotten = async (before: boolean): Promise<void> => {
    if (!model.deaf || before) return;
    it.seen.forgotten++;
    waiting.splice(0);
    await it.hears();
  };
  for (let i = 0; i < packets; i++) {
    const client = clientOf(random.below(3)),
      // Some keys come often.
      key = BigInt(random.chance(0.7) ? random.below(4) : random.below(150)) * 0x1_0000_0001n,
      op = random.pick(ops);
    if (waiting.length > 3 || (waiting.length > 0 && random.chance(0.5))) {
      // A reply, not always of the oldest request; sometimes none comes of it.
      const [request] = waiting.splice(random.below(waiting.length), 1);
      if (request === undefined) continue;
      const isRead = request[45] === 0x60,
        status = random.pick([0, 0, 0, 0, 0, 4, 6]),
        value = random.bytes(random.pick([1, 2, 3, 66, 67, 300, 1000, 1026, 1027]));
      if (random.chance(0.95)) await it.play(fromNode(nodeReply(request, status, isRead ? value : undefined)));
      continue;
    }
    const frame = requestFrame(client, {
      ...{ op, key, requestId: id++, pid: random.pick([17, 17, 17, 18]), tracked: random.chance(0.95) },
      ...((op === "update" || op === "create") && { value: random.bytes(random.between(1, 200)) }),
    });
    if (random.below(80) === 0) {
      const at = random.pick([16, 17, 45, 48, 59, 30, 36]);
      frame[at] = (frame[at] ?? 0) ^ 1;
    }
    const before = model.deaf,
      who: KvPacket = { ...fromClient(frame), user: random.chance(0.97) ? user : 4 };
    await it.play(who);
    await forgotten(before);
    if (it.due?.verdict === "forward" && (frame[45] ?? 0) < 0x70) waiting.push(frame);
    if (random.chance(0.04)) await it.play(who);
    if (i % 199 !== 150) continue;
    // A process ends: its keys are nobody's.
    const free = frame.slice(0, 60);
    free[45] = 0x86;
    await it.play(fromClient(free));
    await forgotten(before);
  }
  await it.rig.end();
  return it.seen;
}

/** Reads of more keys than a set has places: which value goes is the policy's, also after all was forgotten. */
export async function replaceRun(b: B, model: KvCacheModel, reads: number) {
  const it = new Settled(b, model),
    keys = keysOfOneSet(16, 7);
  for (let id = 0; id < reads; id++) {
    // Who configures it anew in the middle finds it empty, with no turn left over from before.
    if (id % Math.ceil(reads / 2) === 0) await it.begin();
    const key = b.random.chance(0.4) ? keys[0] : b.random.pick(keys);
    if (key === undefined) throw new RangeError("there are keys");
    const frame = requestFrame(clientOf(1), { op: "read", key, requestId: id });
    await it.play(fromClient(frame));
    const value = new Uint8Array(8).fill(id);
    if (it.due?.verdict === "forward") await it.play(fromNode(nodeReply(frame, 0, value)));
  }
  await it.rig.end();
  return it.seen;
}

/** What crosses what: each case with a key of its own, and at its end a read that says whether a value was kept. */
export async function crossings(b: B, model: KvCacheModel) {
  const it = new Settled(b, model),
    client = carryingClient(100);
  let id = 100,
    key = 1n;
  const verdicts: string[] = [];
  const ask = (op: "read" | "update" | "delete", more: { readonly tracked?: boolean } = {}): Uint8Array =>
      requestFrame(client, {
        op,
        key,
        requestId: id++,
        ...more,
        ...(op === "update" && { value: new Uint8Array(20).fill(1) }),
      }),
    value = new Uint8Array(100).map((_, i) => i),
    sends = (frame: Uint8Array): Promise<void> => it.play(fromClient(frame)),
    says = (request: Uint8Array, status = 0): Promise<void> =>
      it.play(fromNode(nodeReply(request, status, request[45] === 0x60 ? value : undefined)));
  const ends = async (): Promise<void> => {
    await sends(ask("read"));
    verdicts.push(it.due?.verdict ?? "none");
    key++;
  };
  const cases: readonly (() => Promise<void>)[] = [
    // A read and its reply: kept.
    async () => {
      const read = ask("read");
      await sends(read);
      await says(read);
    },
    // A read that comes twice, and the reply to the first of it.
    async () => {
      const read = ask("read");
      await sends(read);
      await sends(read);
      await says(read);
    },
    // A read behind a write that has not been answered.
    async () => {
      const write = ask("update"),
        read = ask("read");
      await sends(write);
      await sends(read);
      await says(read);
      await says(write);
    },
    // A write between a read and its reply, answered before or after it.
    async () => {
      const read = ask("read"),
        write = ask("update");
      await sends(read);
      await sends(write);
      await says(read);
      await says(write);
    },
    async () => {
      const read = ask("read"),
        write = ask("delete");
      await sends(read);
      await sends(write);
      await says(write);
      await says(read);
    },
    // A write whose reply is lost, one that nobody waits for, one that the node will do later.
    async () => {
      await sends(ask("update"));
      const read = ask("read");
      await sends(read);
      await says(read);
    },
    async () => {
      const write = ask("update", { tracked: false }),
        read = ask("read");
      await sends(write);
      await says(write);
      await sends(read);
      await says(read);
    },
    async () => {
      const write = ask("update"),
        read = ask("read");
      await sends(write);
      await says(write, 6);
      await sends(read);
      await says(read);
    },
    // A reply that comes from elsewhere.
    async () => {
      const read = ask("read");
      await sends(read);
      await it.play(fromClient(nodeReply(read, 0, value)));
    },
    // A value that was kept, and a write.
    async () => {
      const read = ask("read"),
        write = ask("update");
      await sends(read);
      await says(read);
      await sends(ask("read"));
      await sends(write);
      await says(write);
    },
    // Another user's read, and its reply.
    async () => {
      const read = ask("read");
      await it.play({ ...fromClient(read), user: user + 1 });
      await says(read);
    },
    // A value that was kept, and a process that ends.
    async () => {
      const read = ask("read"),
        free = ask("read").slice(0, 60);
      free[45] = 0x86;
      await sends(read);
      await says(read);
      await sends(ask("read"));
      await sends(free);
    },
  ];
  // At first nothing is learnt: requests may be under way that were not seen.
  for (const w of words(longLife)) {
    await it.rig.configure([w]);
    model.configure(w.at, w.data);
  }
  const early = ask("read");
  await b.cycles(1_100);
  await sends(early);
  await says(early);
  await ends();
  await it.hears();
  for (const one of cases) {
    await one();
    await ends();
  }
  // What was closed is open again when it is old.
  await it.hears();
  for (key = 7n; key < 10n;) {
    const read = ask("read");
    await sends(read);
    await says(read);
    await ends();
  }
  await it.rig.end();
  return verdicts;
}

/** Packets as fast as they are taken. @returns least cycles to an answer, and from one answer to the next */
export async function rates(b: B) {
  const rig = new KvRig(b),
    client = clientOf(1),
    answers: Answered[] = [];
  rig.onAnswer = a => void answers.push(a);
  await rig.configure(words());
  await b.cycles(deafCycles);
  const measure = async (who: number) => {
    for (let i = 0; i < 20; i++)
      rig.send({ ...fromClient(requestFrame(client, { op: "read", key: BigInt(i), requestId: i })), user: who });
    await rig.settled();
    const of = answers.splice(0),
      gaps = of.slice(1).map((a, i) => a.at - (of[i]?.at ?? 0));
    return { latency: Math.min(...of.map(a => a.cycles)), interval: Math.min(...gaps) };
  };
  return { others: await measure(user + 1), reads: await measure(user) };
}

/** A hit alone, all ends free: cycles that are neither memory's nor the way's of the payload. */
export async function oneHit(b: B): Promise<{ readonly cycles: number; readonly accesses: number }> {
  const latency = 20,
    rig = new KvRig(b, { latency }),
    client = clientOf(1);
  await rig.configure(words());
  await b.cycles(deafCycles);
  const ask = (requestId: number): Uint8Array => requestFrame(client, { op: "read", key: 77n, requestId });
  rig.send(fromClient(ask(1)));
  await rig.settled();
  rig.send(fromNode(nodeReply(ask(1), 0, new Uint8Array(500).fill(3))));
  await rig.settled();
  const before = rig.counts.reads;
  let done = 0;
  rig.onMade = () => void (done = b.cycle);
  rig.send(fromClient(ask(2)));
  await b.until(() => rig.counts.reads > before);
  const asked = rig.asked.at(-1) ?? 0;
  await rig.settled();
  if (done === 0) throw new Error("the second read is no hit");
  return { cycles: asked + rig.toReply, accesses: rig.counts.reads - before };
}

/**
 * A value goes while hits of it are on their way out of a slow memory, and writes are done at once: each reply has the
 * value that was found, and none has bytes of the one that comes in its place. For a cache that replaces as FIFO.
 * @returns replies that were compared
 */
export async function overwriteRun(b: B): Promise<number> {
  const rig = new KvRig(b, { latency: 300, jitter: 100, writeLatency: 1 }),
    client = clientOf(1),
    keys = keysOfOneSet(16, 12),
    bytes = 600,
    valueOf = (key: number): Uint8Array => new Uint8Array(bytes).fill(key + 1);
  let id = 0,
    compared = 0;
  const read = (key: number): Uint8Array => requestFrame(client, { op: "read", key: keys[key] ?? 0n, requestId: id++ }),
    says = (request: Uint8Array, key: number): void => rig.send(fromNode(nodeReply(request, 0, valueOf(key)))),
    awaited: number[] = [];
  rig.onMade = frame => {
    const key = awaited.shift(),
      value = frame.slice(-bytes);
    if (key === undefined) throw new Error("a reply of no hit");
    if (value.some(x => x !== key + 1))
      throw new Error(`the value of key ${key} has bytes of another: ${value.join()}`);
    compared++;
  };
  await rig.configure(words(longLife));
  await b.cycles((longLife + 3) * kvTick + 1_100);
  const keeps = async (key: number): Promise<void> => {
    const request = read(key);
    rig.send(fromClient(request));
    says(request, key);
    await rig.settled();
  };
  for (let key = 0; key < 4; key++) await keeps(key);
  // The oldest goes next: it is hit once to eight times, and its successor's reply comes right behind.
  for (let key = 4; key < keys.length; key++) {
    const missed = read(key),
      hits = key - 3;
    rig.send(fromClient(missed));
    for (let i = 0; i < hits; i++) {
      awaited.push(key - 4);
      rig.send(fromClient(read(key - 4)));
    }
    says(missed, key);
    await rig.settled();
    if (awaited.length > 0) throw new Error(`${awaited.length} hits were not answered`);
  }
  await rig.end();
  return compared;
}
