/** Runs of the Go-Back-N task that its bench and its planted faults share. */
import { gbnTypes } from "../../../../../../../designs/shared/go-back-n/wire/index.ts";
import { udpFrame } from "../../../../../../../designs/shared/wire/index.ts";
import { gbnFrameBytes } from "../../../../../../../designs/supernic/wire/index.ts";
import {
  clientEnd,
  clientPort,
  closeFrame,
  manageFrame,
  nodeEnd,
  nodes,
  openFrame,
  parsed,
  parsedGbn,
  sessionFrame,
  user,
} from "./frames.ts";
import { type B, GbnRig } from "./rig.ts";
import { asks, closes, openAll, opens } from "./sessions.ts";
import { World, type WorldOptions } from "./world.ts";

export const small = { sessions: 8, window: 8, timeoutCycles: 2048, ackCycles: 512, ackEvery: 5, tries: 3 };
const must = (is: boolean, what: string): void => {
  if (!is) throw new Error(what);
};
export const lossyRun = async (b: B, o: Partial<WorldOptions> = {}): Promise<World> => {
  const w = new World(b, { clients: 4, requests: 25, lost: 0.1, doubled: 0.1, way: 200, ...o });
  await w.begin();
  await w.play();
  await w.end(small.sessions);
  return w;
};
/** The numbers of both directions pass 2^32 while a tenth is lost. */
export const wrapRun = (b: B): Promise<unknown> => lossyRun(b, { first: 2 ** 32 - 20, clients: 2, requests: 60 });

/** One client by hand: nothing is sent but what a run says. */
class Hand {
  readonly rig: GbnRig;
  readonly b: B;
  readonly from = clientEnd(1);
  readonly to = nodeEnd(1);
  readonly slot = 4;
  session = 0;
  first = 1;
  sequence = 1;
  readonly on: Uint8Array[] = [];
  readonly made: {
    readonly type: number;
    readonly sequence: number;
    readonly at: number;
    readonly body: Uint8Array;
  }[] = [];
  constructor(b: B, rig = new GbnRig(b)) {
    this.b = b;
    this.rig = rig;
    rig.onAnswer = ({ on }) => void (on && this.on.push(on));
    this.listens();
  }
  listens(): void {
    this.rig.onMade = (bytes, port) => {
      const { gbn, body, ethernet } = parsedGbn(bytes);
      if (ethernet.dst === this.from.mac) must(port === clientPort(1), `a frame leaves by port ${port}`);
      if (ethernet.dst === this.from.mac && gbn.srcSlot === this.session)
        this.made.push({ type: gbn.type, sequence: gbn.sequence, at: this.b.cycle, body });
    };
  }
  async open(name = this.slot + 1024): Promise<void> {
    const said = await asks(this.rig, openFrame(this.from, this.to, this.slot, name), clientPort(1));
    must(said?.status === 0, "no session");
    this.session = said?.session ?? 0;
    this.sequence = this.first;
  }
  say(type: number, sequence: number, payload?: Uint8Array, from = this.from): void {
    const header = { type, sequence: sequence >>> 0, srcSlot: this.slot, dstSlot: this.session };
    this.rig.send(sessionFrame(from, this.to, header, payload), clientPort(1));
  }
  request(payload = this.b.random.bytes(40)): void {
    this.say(gbnTypes.data, this.sequence++, payload);
  }
  ack(sequence: number): void {
    this.say(gbnTypes.ack, sequence);
  }
  /** The node answers the request that came to it as the `n`th. */
  reply(n: number, payload = this.b.random.bytes(30)) {
    const { ethernet, ip, udp } = parsed(this.on[n] as Uint8Array);
    return this.rig.send(
      udpFrame(this.to, { mac: ethernet.src, ip: ip.src, port: udp.srcPort }, payload),
      nodes[1]?.port ?? 0,
    );
  }
  data(): number[] {
    return this.made.filter(m => m.type === gbnTypes.data).map(m => m.sequence);
  }
}
async function begun(b: B, rig?: GbnRig, first = 1): Promise<Hand> {
  const h = new Hand(b, rig);
  h.first = first;
  await h.rig.configure();
  await h.open();
  return h;
}
const equal = (is: readonly unknown[], should: readonly unknown[], what: string): void =>
  must(JSON.stringify(is) === JSON.stringify(should), `${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);

export const edge = { first: 2 ** 32 - 2 };
/** By hand where the numbers go round: what is behind and ahead there, and an ACK that stands for a lost one. */
export async function edgeRun(b: B): Promise<void> {
  const h = await begun(b, undefined, edge.first),
    said = () => h.made.map(m => [m.type, m.sequence]),
    last = 2 ** 32 - 1;
  h.request();
  h.request();
  h.say(gbnTypes.data, 1, b.random.bytes(20));
  await b.cycles(60);
  equal(said(), [[gbnTypes.nack, last]], "ahead, round the end");
  h.request();
  h.request();
  await b.until(() => h.on.length === 4);
  await b.cycles(small.ackCycles + 200);
  h.made.length = 0;
  h.say(gbnTypes.data, last, b.random.bytes(20));
  await b.cycles(60);
  equal(said(), [[gbnTypes.ack, 1]], "behind, round the end");
  for (let n = 0; n < 4; n++) h.reply(n);
  await b.cycles(300);
  equal(h.data(), [edge.first, last, 0, 1], "replies round the end");
  // The ACKs of the first two were lost.
  h.ack(0);
  await b.cycles(60);
  h.made.length = 0;
  h.say(gbnTypes.nack, 0);
  await b.cycles(200);
  equal(h.data(), [1], "sent again behind the end");
  h.ack(1);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}
/** A NACK while the frames are still being written, and a new reply while they are sent again. */
export async function raceRun(b: B): Promise<void> {
  const h = await begun(b, new GbnRig(b, { latency: 60, jitter: 0, writing: 500 })),
    body = (n: number): Uint8Array => b.random.bytes(300 + n);
  for (let n = 0; n < 4; n++) h.request();
  await b.until(() => h.on.length === 4);
  const bodies = [0, 1, 2, 3].map(body);
  for (let n = 0; n < 3; n++) h.reply(n, bodies[n]);
  await b.until(() => h.data().length === 3);
  h.say(gbnTypes.nack, 0);
  await b.until(() => h.data().length === 4);
  h.reply(3, bodies[3]);
  await b.until(() => h.data().length >= 7);
  await b.cycles(900);
  equal(h.data(), [1, 2, 3, 1, 2, 3, 4], "sent again, and a new one behind");
  must(
    h.made
      .filter(m => m.type === gbnTypes.data)
      .every(m => Buffer.from(m.body).equals(Buffer.from(bodies[m.sequence - 1] ?? []))),
    "a frame that is sent again is not as it was",
  );
  h.ack(4);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}
/** Behind a reset nobody has a session: not even who begins with the right number. */
export async function closedRun(b: B): Promise<void> {
  const h = await begun(b);
  await h.rig.reset();
  h.request();
  await h.rig.settled();
  must(h.on.length === 0, "a packet of before the reset");
  await openAll(h.rig, small.sessions);
}

/** As many replies as the window has, and one more; then ACKs let through as many as they acknowledge. */
export async function windowRun(b: B): Promise<void> {
  const h = await begun(b),
    { window } = small,
    upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  for (let n = 0; n < window + 4; n++) h.request();
  await b.until(() => h.on.length === window + 4);
  for (let n = 0; n < window + 4; n++) h.reply(n);
  await b.cycles(400);
  equal(h.data(), upTo(window), "a full window");
  h.ack(1);
  await b.cycles(200);
  equal(h.data(), upTo(window + 1), "one acknowledged");
  // What was not sent is not acknowledged.
  h.ack(window + 2);
  await b.cycles(200);
  equal(h.data(), upTo(window + 1), "an ACK of what was never sent");
  h.ack(window + 1);
  await b.cycles(300);
  equal(h.data(), upTo(window + 4), "all acknowledged");
  // A NACK goes back to the first that is missing, and not further.
  h.made.length = 0;
  h.say(gbnTypes.nack, window + 2);
  await b.cycles(400);
  equal(h.data(), [window + 3, window + 4], "sent again");
  h.ack(window + 4);
  await h.rig.settled();
  await closes(h.rig, 0, 0);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}

/** A reply that nobody acknowledges: sent again so often, and then its session is free, within a round of the timer. */
export async function silentRun(b: B): Promise<void> {
  const h = await begun(b),
    { timeoutCycles: t, tries } = small;
  h.request();
  await b.until(() => h.on.length === 1);
  h.reply(0);
  await b.until(() => h.made.some(m => m.type === gbnTypes.data));
  const at = b.cycle;
  // The timer comes by once in t cycles, and sees every second time that nothing was heard.
  await b.cycles((2 * tries + 1) * t - 200);
  must(h.data().length === tries + 1, `sent ${h.data().length} times, not ${tries + 1}`);
  h.request();
  await b.cycles(100);
  must(h.on.length === 2, "given up too early");
  await b.cycles(2 * (tries + 1) * t + 300 - (b.cycle - at));
  must(h.data().length === tries + 1, `sent ${h.data().length} times, not ${tries + 1}`);
  h.request();
  await b.cycles(100);
  must(h.on.length === 2, "it is not given up");
  // A reply of its life is dropped, and nobody waits for it.
  h.reply(1);
  await h.rig.settled();
  must(h.data().length === tries + 1, "a reply of a session that was given up");
  await openAll(h.rig, small.sessions);
}

/** ACKs: of the fifth packet at once, of fewer within a round; a timeout within two rounds, and not before one. */
export async function ageRun(b: B): Promise<void> {
  const h = await begun(b),
    { ackCycles, ackEvery, timeoutCycles: t } = small,
    acks = () => h.made.filter(m => m.type === gbnTypes.ack);
  for (let n = 0; n < ackEvery; n++) h.request();
  await b.until(() => h.on.length === ackEvery);
  await b.cycles(60);
  equal(
    acks().map(a => a.sequence),
    [ackEvery],
    "the ACK of the fifth",
  );
  for (let round = 0; round < 6; round++) {
    h.made.length = 0;
    h.request();
    await b.until(() => h.on.length === ackEvery + 1 + round);
    const at = b.cycle;
    await b.until(() => acks().length > 0);
    must(b.cycle - at <= ackCycles + 64 + 40, `an ACK after ${b.cycle - at} cycles`);
    await b.cycles(ackCycles + 100);
    must(acks().length === 1, "an ACK without a packet");
    await b.cycles(37 * round);
  }
  // Behind, twice: acknowledged again; ahead: one NACK, until one is in order.
  h.made.length = 0;
  h.say(gbnTypes.data, 2, b.random.bytes(20));
  await b.cycles(60);
  equal(
    h.made.map(m => [m.type, m.sequence]),
    [[gbnTypes.ack, h.sequence - 1]],
    "a packet that came before",
  );
  h.made.length = 0;
  for (const more of [2, 3, 1]) h.say(gbnTypes.data, h.sequence + more, b.random.bytes(20));
  await b.cycles(80);
  equal(
    h.made.map(m => [m.type, m.sequence]),
    [[gbnTypes.nack, h.sequence - 1]],
    "packets ahead",
  );
  for (let round = 0; round < 4; round++) {
    h.made.length = 0;
    h.reply(round);
    await b.until(() => h.data().length === 1);
    const at = b.cycle;
    await b.until(() => h.data().length === 2);
    const after = b.cycle - at;
    must(after >= t - 100 && after <= 2 * t + 300, `a timeout after ${after} cycles`);
    h.ack(round + 1);
    await b.cycles(3 * t);
    must(h.data().length === 2, "sent again when it was acknowledged");
    await b.cycles(311 * round);
  }
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}

/** The same slot with another name; replies of before come late. */
export async function beginAnewRun(b: B): Promise<void> {
  const h = await begun(b),
    before = h.session;
  h.request();
  h.request();
  await b.until(() => h.on.length === 2);
  const again = await asks(h.rig, openFrame(h.from, h.to, h.slot, h.slot + 1024), clientPort(1));
  must(again?.session === before, "a repetition opens another one");
  h.listens();
  h.reply(0);
  await h.rig.settled();
  equal(h.data(), [1], "a reply behind a repetition");
  // Another client's CLOSE of it does nothing, nor does one of a session that there is not.
  const other = clientEnd(2);
  must((await asks(h.rig, closeFrame(other, h.to, 4, before), 2))?.status === 4, "closed by another client");
  must((await asks(h.rig, closeFrame(h.from, nodeEnd(2), 4, before), 1))?.status === 4, "closed at another node");
  must((await asks(h.rig, closeFrame(h.from, h.to, 4, before + 8), 1))?.status === 4, "a session that is not there");
  must((await asks(h.rig, closeFrame(h.from, h.to, 4, 0), 1))?.status === 4, "management is closed");
  await h.open(h.slot + 2048);
  must(h.session !== before, "the number that was just given back");
  h.listens();
  h.made.length = 0;
  h.reply(1);
  await h.rig.settled();
  equal(h.data(), [], "a reply of an earlier life");
  h.request();
  await b.until(() => h.on.length === 3);
  const old = h.on[2] as Uint8Array;
  // All others are taken, so the same number comes back: its old replies are still not its own.
  for (let n = 0; n < small.sessions - 2; n++) must((await opens(h.rig, n))?.status === 0, "no session left");
  must((await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), 1))?.status === 0, "its own is not closed");
  h.request();
  await h.rig.settled();
  must(h.on.length === 3, "a closed session takes a packet");
  const last = h.session;
  h.on.length = 0;
  await h.open(h.slot + 3072);
  must(h.session === last, `session ${h.session}, not ${last}`);
  h.listens();
  h.request();
  await b.until(() => h.on.length === 1);
  const now = h.on[0] as Uint8Array;
  h.on.push(old);
  h.made.length = 0;
  h.reply(1);
  await h.rig.settled();
  equal(h.data(), [], "a reply of the life before");
  h.reply(0);
  await h.rig.settled();
  equal(h.data(), [1], "a reply of this life");
  // From another node it is nobody's.
  const { ethernet, ip, udp } = parsed(now);
  h.rig.send(udpFrame(nodeEnd(2), { mac: ethernet.src, ip: ip.src, port: udp.srcPort }, new Uint8Array(30)), 10);
  await h.rig.settled();
  equal(h.data(), [1], "a reply of another node");
  h.ack(1);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), 1);
  for (let n = 0; n < small.sessions - 2; n++) for (let s = 1; s < small.sessions; s++) await closes(h.rig, n, s);
  await openAll(h.rig, small.sessions);
}

/** Resets in the middle of everything: clients begin anew by themselves, and nothing is done twice. */
export async function resetRun(b: B): Promise<void> {
  const w = new World(b, {
    clients: 4,
    requests: 0,
    lost: 0.05,
    doubled: 0.1,
    way: 200,
    timeout: 800,
    patience: 20_000,
  });
  await w.begin();
  for (let n = 0; n < 2; n++) {
    b.spawn(async () => {
      await b.cycles(500 + 400 * n);
      await w.rig.reset();
    });
    await w.play(8);
  }
  await w.play(6);
  await w.end(small.sessions);
}

/** Nodes hold their replies back, and give them at once: the places of half of them are kept free. */
export async function crowdedRun(b: B): Promise<void> {
  const w = new World(b, { clients: 4, requests: 20, way: 1, most: 7, timeout: 4000, make: slow(b) });
  await w.begin();
  await w.play();
  must(w.seen.replies === 80, "a reply is lost");
  must(w.seen.resent > 0, "no request was refused");
  await w.end(small.sessions);
}
const slow = (b: B) => Object.assign(() => !b.random.chance(0.05), { state: { get: () => [], set: () => undefined } });

/** The memory fails while a frame is read: it is not sent, and comes when it is asked for again. */
export async function memoryErrorRun(b: B): Promise<void> {
  const h = await begun(b);
  for (let n = 0; n < 3; n++) h.request();
  await b.until(() => h.on.length === 3);
  for (let n = 0; n < 3; n++) h.reply(n, b.random.bytes(600));
  await h.rig.settled();
  equal(h.data(), [1, 2, 3], "three replies");
  h.made.length = 0;
  let reads = 0;
  h.rig.fails = () => ++reads === 2;
  h.say(gbnTypes.nack, 0);
  await b.cycles(600);
  equal(h.data(), [1, 3], "one that cannot be read");
  h.made.length = 0;
  h.say(gbnTypes.nack, 1);
  await b.cycles(600);
  equal(h.data(), [2, 3], "read again");
  h.ack(3);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}

/** What is no session's: each kind of packet, and what becomes of it. */
export async function checksRun(b: B): Promise<void> {
  const h = await begun(b),
    hex = (x: Uint8Array): string => Buffer.from(x).toString("hex");
  const good = (): Uint8Array =>
    sessionFrame(
      h.from,
      h.to,
      { type: gbnTypes.data, sequence: h.sequence, srcSlot: h.slot, dstSlot: h.session },
      b.random.bytes(40),
    );
  const changed = (at: number, to: number): Uint8Array => good().with(at, to);
  const goes = async (frame: Uint8Array, on: boolean, what: string, port = clientPort(1), of = user): Promise<void> => {
    h.on.length = 0;
    h.rig.send(frame, port, of);
    await h.rig.settled();
    must(h.on.length === (on ? 1 : 0), `${what} ${on ? "is dropped" : "goes on"}`);
    if (on) must(hex(h.on[0] as Uint8Array) === hex(frame), `${what} is changed`);
  };
  await goes(changed(12, 0x86), true, "no IPv4");
  await goes(changed(14, 0x46), true, "options");
  await goes(changed(23, 6), true, "TCP");
  await goes(changed(37, 0xb1), true, "another port");
  await goes(changed(33, 77), true, "another receiver");
  await goes(changed(42, 4), false, "another type");
  await goes(changed(49, 0x0f), false, "another session");
  await goes(changed(17, 60), false, "an IPv4 length that differs");
  await goes(changed(39, 60), false, "a UDP length that differs");
  await goes(good().slice(0, 70), false, "a frame that is cut short");
  await goes(good(), false, "another user's", clientPort(1), user + 1);
  await goes(sessionFrame(h.from, h.to, { type: 3, sequence: 1, srcSlot: h.slot, dstSlot: h.session }), false, "empty");
  await goes(manageFrame(h.from, h.to, h.slot, 0x84, 9), false, "other management");
  await goes(manageFrame(h.from, h.to, 0, 0x88, 9), false, "a request of slot 0");
  const port = nodes[1]?.port ?? 0,
    fromNode = (mac: bigint, at = nodeEnd(1), payload = new Uint8Array(30)) =>
      udpFrame(at, { mac, ip: h.from.ip, port: h.from.port }, payload);
  await goes(fromNode(h.from.mac), true, "a node's frame to a MAC", port);
  await goes(fromNode(0x0247_0001_0101n), true, "a tag with a session that there is not", port);
  await goes(fromNode(0x0247_0000_0001n, { ...nodeEnd(1), port: 7 }), true, "another port of a node", port);
  await goes(fromNode(0x0247_0000_0001n), true, "a node's address at another port", 3);
  await goes(fromNode(0x0247_0001_0001n), false, "a reply of another user", port, user + 1);
  await goes(fromNode(0x0247_0001_0001n, nodeEnd(1), new Uint8Array(2048)), false, "a reply that is too long", port);
  must(h.made.length === 0, "something is made");
  // A stranger with the right number is nobody.
  h.on.length = 0;
  h.request();
  await h.rig.settled();
  must(h.on.length === 1, "the session's own packet");
  // The longest reply, and one byte more.
  const longest = gbnFrameBytes - 8 - 42;
  for (const more of [1, 0]) h.reply(0, new Uint8Array(longest + more));
  await h.rig.settled();
  equal(
    h.made.map(m => m.body.length),
    [longest],
    "the longest reply",
  );
  for (const from of [clientEnd(2), { ...h.from, port: 9 }]) h.say(gbnTypes.data, h.sequence, b.random.bytes(20), from);
  await h.rig.settled();
  must(h.on.length === 1, "a stranger's packet");
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}

/** Latency and interval of packets, and of replies. */
/**
 * A node answers the oldest request last, and long after the others. These wait for nobody: the client hears the
 * replies as the nodes gave them, in numbers of their own, and so again after a NACK.
 */
export async function reorderedRun(b: B): Promise<void> {
  const h = await begun(b),
    { window } = small,
    late = 600,
    order = [...Array.from({ length: window - 1 }, (_, i) => window - 1 - i), 0],
    bodies = order.map(() => b.random.bytes(16));
  for (let n = 0; n < window; n++) h.request();
  await b.until(() => h.on.length === window);
  await b.cycles(800);
  h.rig.madeAt.length = 0;
  const early = order.slice(0, -1).map((n, i) => h.reply(n, bodies[i]));
  await b.until(() => h.data().length === window - 1);
  const held = h.rig.madeAt.map((at, i) => at - (early[i]?.cycle ?? 0));
  // Each is behind those in front of it, and behind no request that has no answer yet.
  must(
    held.every((cycles, i) => cycles <= replyLatency + i * replyInterval),
    `early replies are held for ${held.join()} cycles`,
  );
  await b.cycles(late);
  const last = h.reply(0, bodies.at(-1));
  await b.until(() => h.data().length === window);
  const [at = 0] = h.rig.madeAt.slice(-1);
  equal([at - (last.cycle ?? 0)], [replyLatency], "cycles to the first beat of the late reply");
  const heard = (): unknown[] =>
    h.made.filter(m => m.type === gbnTypes.data).map(m => [m.sequence, Buffer.from(m.body).toString("hex")]);
  const given = bodies.map((body, i) => [i + 1, Buffer.from(body).toString("hex")]);
  equal(heard(), given, "the replies, in the order of the nodes");
  h.made.length = 0;
  h.say(gbnTypes.nack, 2);
  await b.cycles(400);
  equal(heard(), given.slice(2), "the same again");
  h.ack(window);
  await h.rig.settled();
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}
export async function latencyRun(b: B): Promise<void> {
  const h = await begun(b),
    cycles: number[] = [];
  h.rig.onAnswer = ({ on, cycles: c }) => {
    cycles.push(c);
    if (on) h.on.push(on);
  };
  h.ack(0);
  await h.rig.settled();
  equal(cycles, [6], "cycles to an answer");
  cycles.length = 0;
  const from = b.cycle;
  for (let n = 0; n < 64; n++) h.ack(0);
  await b.until(() => cycles.length === 64);
  must(b.cycle - from <= 64 + 12, `64 packets take ${b.cycle - from} cycles`);
  for (let n = 0; n < small.window; n++) h.request();
  await b.until(() => h.on.length === small.window);
  await b.cycles(800);
  h.rig.madeAt.length = 0;
  const sent = Array.from({ length: small.window }, (_, n) => h.reply(n, b.random.bytes(16)));
  await b.until(() => h.rig.madeAt.length === small.window);
  const [first = 0] = h.rig.madeAt,
    last = h.rig.madeAt.at(-1) ?? 0;
  equal([first - (sent[0]?.cycle ?? 0)], [replyLatency], "cycles to the first beat of a reply");
  equal([(last - first) / (small.window - 1)], [replyInterval], "cycles from a reply to the next");
}
/** Nothing leaves while more replies come than there are places: what has none is dropped, and nothing is stuck. */
export async function fullRun(b: B): Promise<void> {
  let holds = true;
  const make = Object.assign(() => holds, { state: { get: () => [], set: () => undefined } }),
    rig = new GbnRig(b, { make });
  holds = false;
  const h = await begun(b, rig),
    many = 24;
  // One window of requests after the other, all of them before the first reply.
  for (let n = 0; n < many; n++) h.request();
  await b.until(() => h.on.length === many);
  holds = true;
  for (let n = 0; n < many; n++) h.reply(n, b.random.bytes(500));
  await b.cycles(600);
  // Half of the places are taken: requests are refused, ACKs are not.
  h.request();
  await b.cycles(100);
  must(h.on.length === many, "a request that has no place for its reply");
  h.sequence--;
  holds = false;
  let acked = 0;
  await b.until(() => {
    const last = Math.max(0, ...h.data());
    if (last > acked) h.ack((acked = last));
    return h.rig.idle && h.data().length > 0;
  });
  await h.rig.settled();
  const had = h.data().length;
  must(had < many && had >= full.replies, `${had} of ${many} replies have left`);
  h.request();
  await h.rig.settled();
  must(h.on.length === many + 1, "there are places again");
  h.reply(many);
  await h.rig.settled();
  equal(h.data().slice(-1), [had + 1], "the reply behind");
  h.ack(had + 1);
  await asks(h.rig, closeFrame(h.from, h.to, h.slot, h.session), clientPort(1));
  await openAll(h.rig, small.sessions);
}
export const full = { replies: 8 };
/** Cycles from a short reply to the next one, as the page says. */
export const replyInterval = 4;
export const replyLatency = 15;
