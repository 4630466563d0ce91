import { gbnFramesKept, namedEvery } from "../../../../../designs/shared/go-back-n/rtl/index.ts";
import { describe, expect, test } from "vitest";
import { isForNode } from "../../../../../designs/clio/model/index.ts";
import {
  gbnFirst,
  gbnFrame,
  gbnHeader,
  gbnTypes,
  gbnWindow,
  managementSlot,
  withoutGbn,
} from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { GbnReceiverModel } from "../../../../../designs/shared/go-back-n/software/index.ts";
import { GbnRx } from "../../../../../designs/clio/rtl/transport/gbn-rx.ts";
import type { GbnRxParameters } from "../../../../../designs/clio/rtl/transport/gbn-rx/ports.ts";
import { isReply } from "../../../../../designs/clio/software/index.ts";
import { clioHeader, clioMessage, frameOffsets, opcode, sharedCodes } from "../../../../../designs/clio/wire/index.ts";
import {
  concat,
  decode,
  type Endpoint,
  ethernetHeader,
  ipv4Header,
  udpHeader,
} from "../../../../../designs/shared/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  type SentFrame,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  changes,
  clientPorts,
  configOf,
  own,
  randomArp,
  randomClient,
  randomPing,
  toBig,
} from "../network/net-frames.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameters = (beatBytes: number, o: Partial<GbnRxParameters> = {}): GbnRxParameters => ({
  beatBytes,
  frameBytes: 1536,
  clientPorts,
  sessions: 1024,
  sequenceBits: 32,
  window: gbnWindow,
  ackEvery: 100,
  ackCycles: 1024 * 65536,
  first: gbnFirst,
  managed: 64,
  ...o,
});
type Ports = ReturnType<typeof GbnRx>["ports"];
const outcomes = [
  "accepted",
  "duplicates",
  "ahead",
  "strangers",
  "refused",
  "malformed",
  "corrupt",
  "management",
  "passed",
  "acksHeard",
] as const;
type Outcome = (typeof outcomes)[number];
const outcomeOf = {
  accepted: "accepted",
  duplicate: "duplicates",
  ahead: "ahead",
  stranger: "strangers",
  refused: "refused",
} as const;
/** MACs in place of the sender's (docs: types.ts). */
const tagOf = (low: number, ticket: number): bigint =>
  0x0247_0000_0000n | (BigInt(ticket & 0xffff) << 16n) | BigInt(low);
const endpoint = { mac: own.mac, ip: own.ip };
/** Senders that no packet has: the node itself, a group, none and many. */
const noSenders = (c: { readonly mac: bigint }) => [
  { mac: own.mac },
  { mac: c.mac | (1n << 40n) },
  { ip: own.ip },
  { ip: 0xe000_0001 },
];

interface Options {
  readonly rx?: Pause;
  readonly tx?: Pause;
  readonly answers?: Pause;
  readonly acks?: Pause;
}
/**
 * The shim between a MAC and a node. Its events for each frame, in order, are held against the model, and so is all
 * that comes out.
 */
class Rig {
  readonly mac: AxisSource;
  readonly node: AxisSink;
  readonly answers: AxisSink;
  readonly acks: StreamSink<Ports["acks"]["shape"]>;
  readonly named: StreamSink<Ports["named"]["shape"]>;
  readonly control: StreamSource<Ports["control"]["shape"]>;
  readonly names: {
    readonly turn: { readonly session: number; readonly life: number; readonly ticket: number };
    readonly silent: number;
  }[] = [];
  readonly counts: Record<Outcome, number> = Object.fromEntries(outcomes.map(n => [n, 0])) as Record<Outcome, number>;
  readonly sessions = new Map<number, GbnReceiverModel>();
  readonly peers = new Map<number, Uint8Array>();
  readonly passed: { readonly frame: Uint8Array; readonly sent: SentFrame }[] = [];
  readonly answered: { readonly session: number; readonly nack: boolean; readonly sequence: number }[] = [];
  readonly heard: { readonly session: number; readonly sequence: number; readonly nack: number }[] = [];
  readonly #b: Bench<Ports>;
  readonly #p: GbnRxParameters;
  readonly #sent: { readonly sent: SentFrame; readonly bad: boolean }[] = [];
  #managed = 0;
  /** Outputs that take nothing. */
  readonly #shut = { tx: false, answers: false, acks: false };
  /** Timer ACKs are the receiver's bench's; here the timer is slow. */
  constructor(b: Bench<Ports>, p: GbnRxParameters, o: Options = {}) {
    this.#b = b;
    this.#p = p;
    poke(b.io.config, configOf(own));
    this.mac = new AxisSource(b.sim, b.io.rx, { pause: o.rx ?? never });
    const pause = (to: "tx" | "answers" | "acks"): Pause => {
      const was = o[to] ?? never;
      return () => this.#shut[to] || was();
    };
    this.node = new AxisSink(b.sim, b.io.tx, { pause: pause("tx") });
    this.answers = new AxisSink(b.sim, b.io.answers, { pause: pause("answers") });
    this.acks = new StreamSink(b.sim, b.io.acks, { pause: pause("acks") });
    this.named = new StreamSink(b.sim, b.io.named, { pause: pause("acks") });
    this.control = new StreamSource(b.sim, b.io.control);
    b.onEdge({ sample: () => this.#sample() });
  }
  session(n: number): GbnReceiverModel {
    let m = this.sessions.get(n);
    if (m === undefined)
      this.sessions.set(n, (m = new GbnReceiverModel({ ackEvery: this.#p.ackEvery, first: this.#p.first })));
    return m;
  }
  send(frame: Uint8Array, bad = false): SentFrame {
    const sent = this.mac.send(frame, { user: bad ? 1 : 0, userAtEnd: true });
    this.#sent.push({ sent, bad });
    return sent;
  }
  /** Once all that was sent is judged: a session is opened or closed. */
  async open(session: number, open: boolean): Promise<void> {
    await this.#b.until(() => this.#sent.length === 0);
    this.control.send({ session, open: open ? 1 : 0 });
    this.session(session).start(open);
    await this.#b.until(() => this.control.pending === 0);
    await this.#b.cycles(4);
  }
  async finish(): Promise<void> {
    await this.#b.until(
      () =>
        this.#sent.length === 0 &&
        this.passed.length === 0 &&
        this.answered.length === 0 &&
        this.heard.length === 0 &&
        this.names.length === 0,
    );
    await this.#b.cycles(20);
    expect([
      this.node.frames.length,
      this.answers.frames.length,
      this.acks.received.length,
      this.named.received.length,
    ]).toEqual([0, 0, 0, 0]);
  }
  /**
   * All room is there again: for frames by number and by beats, for answers, for names and for ACKs. One after another
   * comes while nobody takes them; then all of them are taken.
   */
  async allBack(): Promise<void> {
    await this.finish();
    const { frameBytes, sessions } = this.#p,
      session = sessions - 1,
      c: Client = { mac: 5n, ip: 9, port: 7, slot: 3, session, nodePort: own.nativePort },
      empty = clioMessage({}, new Uint8Array(0)),
      silent = clioMessage({ opcode: opcode.WRITE_NOREPLY }, new Uint8Array(0)),
      arp = (bytes: number) => concat(randomArp(this.#b.random).slice(0, 42), new Uint8Array(bytes - 42));
    await this.open(session, true);
    const first = this.session(session).expected;
    this.send(packet(c, first, empty));
    await this.finish();
    const supplies: readonly (readonly [string, "tx" | "answers" | "acks", Outcome, number, (i: number) => void])[] = [
      ["frames kept", "tx", "passed", roomForFrames(this.#p), () => this.send(arp(60))],
      ["largest frames kept", "tx", "passed", roomForLargest(this.#p), () => this.send(arp(frameBytes))],
      ["answers kept", "answers", "duplicates", roomForAnswers(this.#p), () => this.send(packet(c, first, empty))],
      ["names kept", "acks", "accepted", 12, i => this.send(packet(c, first + 1 + i, silent))],
    ];
    for (const [what, to, outcome, count, send] of supplies) {
      const before = this.counts[outcome];
      this.#shut[to] = true;
      for (let i = 0; i < count + 4; i++) {
        send(i);
        await this.#b.until(() => this.#sent.length === 0);
        await this.#b.cycles(30);
      }
      await allBack(this.#b, { what, count, had: () => this.counts[outcome] - before });
      this.#shut[to] = false;
      await this.finish();
    }
    this.#shut.acks = true;
    for (let i = 0; i < 16; i++) this.send(packet(c, i, new Uint8Array(), gbnTypes.ack));
    await this.#b.until(() => this.#sent.length === 0);
    this.#shut.acks = false;
    await this.finish();
  }
  #sample(): void {
    const e = this.#b.io.events,
      seen = outcomes.filter(n => e[n].value === 1);
    if (seen.length > 1) expect.fail(`several outcomes in one cycle: ${seen.join(", ")}`);
    const answers = e.acks.value + e.nacks.value,
      before = this.answered.length;
    if (seen[0] !== undefined) this.#judge(seen[0]);
    expect(answers, `answers to ${seen[0] ?? "nothing"}`).toBe(this.answered.length - before);
    for (let f = this.node.take(); f !== undefined; f = this.node.take()) {
      const want = this.passed.shift();
      if (want === undefined) throw new Error("a frame that nobody sent");
      if (!Buffer.from(f.bytes).equals(want.frame)) expect(hex(f.bytes)).toBe(hex(want.frame));
    }
    for (let f = this.answers.take(); f !== undefined; f = this.answers.take()) {
      const want = this.answered.shift();
      if (want === undefined) throw new Error("an answer that nobody asked for");
      const to = this.peers.get(want.session) as Uint8Array,
        was = decode(gbnHeader, to, frameOffsets.clio),
        udp = decode(udpHeader, to, frameOffsets.transport);
      const frame = gbnFrame(
        { ...endpoint, port: udp.dstPort },
        {
          mac: decode(ethernetHeader, to).src,
          ip: decode(ipv4Header, to, frameOffsets.network).src,
          port: udp.srcPort,
        },
        {
          type: want.nack ? gbnTypes.nack : gbnTypes.ack,
          sequence: want.sequence,
          srcSlot: want.session,
          dstSlot: was.srcSlot,
        },
      );
      expect(hex(f.bytes)).toBe(hex(frame));
    }
    for (let a = this.acks.take(); a !== undefined; a = this.acks.take()) expect(a.value).toEqual(this.heard.shift());
    for (let s = this.named.take(); s !== undefined; s = this.named.take()) expect(s.value).toEqual(this.names.shift());
  }
  #judge(outcome: Outcome): void {
    const next = this.#sent.shift();
    if (next === undefined) throw new Error(`${outcome}, and nothing was sent`);
    this.counts[outcome]++;
    const { sent, bad } = next,
      frame = sent.bytes,
      what = `${frame.length} bytes: ${hex(frame.slice(0, 60))}`;
    if (frame.length > this.#p.frameBytes) {
      expect(outcome, what).toBe("refused");
      return;
    }
    if (bad) {
      expect(["corrupt", "refused"], what).toContain(outcome);
      return;
    }
    if (!isForNode(frame, own)) {
      // One that would be an ACK for us is not passed on.
      if (outcome === "passed") this.passed.push({ frame, sent });
      else if (outcome !== "refused") {
        expect(outcome, what).toBe("malformed");
        expect([1, 2]).toContain(frame[frameOffsets.clio]);
      }
      return;
    }
    const bytes = decode(udpHeader, frame, frameOffsets.transport).length,
      h = bytes < 16 ? undefined : decode(gbnHeader, frame, frameOffsets.clio);
    if (outcome === "refused") return;
    const management = h !== undefined && (h.srcSlot === managementSlot || h.dstSlot === managementSlot),
      data = h?.type === gbnTypes.data;
    const good =
      h !== undefined &&
      (data ? bytes >= 32 : !management && (h.type === gbnTypes.ack || h.type === gbnTypes.nack)) &&
      (management || h.dstSlot < this.#p.sessions);
    if (!good) {
      expect(outcome, what).toBe("malformed");
      return;
    }
    if (management) {
      expect(outcome, what).toBe("management");
      this.passed.push({ frame: withoutGbn(frame, tagOf(0x8000 | this.#managed, 0)), sent });
      this.#managed = (this.#managed + 1) % this.#p.managed;
      return;
    }
    const ip = decode(ipv4Header, frame, frameOffsets.network),
      udp = decode(udpHeader, frame, frameOffsets.transport);
    const { verdict, answer } = this.session(h.dstSlot).receive(h.sequence, `${ip.src} ${udp.srcPort} ${h.srcSlot}`, {
      control: !data,
    });
    expect(outcome, `${what}, session ${h.dstSlot}`).toBe(
      data ? outcomeOf[verdict] : verdict === "accepted" ? "acksHeard" : "strangers",
    );
    if (verdict === "accepted" && data) {
      this.peers.set(h.dstSlot, frame);
      const clio = decode(clioHeader, frame, frameOffsets.clio + gbnHeader.bytes);
      const silent = clio.opcode === opcode.WRITE_NOREPLY || isReply({ udp, clio }, own),
        ticket = h.sequence % 2 ** 16,
        { life } = this.session(h.dstSlot);
      if (silent || ticket % namedEvery === 0)
        this.names.push({ turn: { session: h.dstSlot, life, ticket }, silent: silent ? 1 : 0 });
      this.passed.push({ frame: withoutGbn(frame, tagOf((life << 10) | h.dstSlot, h.sequence)), sent });
    }
    if (verdict === "accepted" && !data)
      this.heard.push({ session: h.dstSlot, sequence: h.sequence, nack: h.type === gbnTypes.nack ? 1 : 0 });
    if (answer !== undefined) this.answered.push({ session: h.dstSlot, ...answer });
  }
}
/** Beats that have left the frames kept, and stand in the registers of the way out. */
const beatsOnTheWay = 3;
/** Frames of 60 bytes for which there is room: two more may be coming when the store is found full. */
const roomForFrames = ({ beatBytes }: GbnRxParameters): number =>
  gbnFramesKept - 2 + Math.floor(beatsOnTheWay / Math.ceil(60 / beatBytes));
/** Largest frames: one is taken while another one and four beats would fit. */
function roomForLargest({ beatBytes, frameBytes }: GbnRxParameters): number {
  const most = Math.ceil(frameBytes / beatBytes),
    depth = 2 ** Math.ceil(Math.log2(3 * most + 20));
  return 1 + Math.floor((depth - most - 4 + beatsOnTheWay) / most);
}
/** Answers: 12 in the queue, two in the writer, and those that are whole in two beats behind it. */
const roomForAnswers = ({ beatBytes }: GbnRxParameters): number => 14 + Math.floor(2 / Math.ceil(60 / beatBytes));
const hex = (b: Uint8Array): string => Buffer.from(b).toString("hex");

interface Client extends Endpoint {
  readonly slot: number;
  readonly session: number;
  readonly port: number;
  readonly nodePort: number;
}
/** A packet of a client: its frame. */
const packet = (c: Client, sequence: number, payload: Uint8Array, type: number = gbnTypes.data): Uint8Array =>
  gbnFrame(
    c,
    { ...endpoint, port: c.nodePort },
    { type, sequence: sequence >>> 0, srcSlot: c.slot, dstSlot: c.session },
    payload,
  );

/** Random clients over a bad channel, other frames and broken ones between theirs. */
async function traffic(
  b: Bench<Ports>,
  p: GbnRxParameters,
  frames: number,
  o: Options & { readonly sessions?: number; readonly burst?: number } = {},
): Promise<Rig> {
  const rig = new Rig(b, p, o),
    r = b.random,
    n = Math.min(o.sessions ?? 1023, p.sessions - 1);
  const clients = Array.from({ length: n }, (_, i): Client => ({
    ...randomClient(r),
    // Ports on which nodes answer, the first and the last of them, and those beside.
    ...(r.chance(0.3) && {
      port: r.pick([own.nativePort, ...[-1, 0, clientPorts - 1, clientPorts].map(k => own.clientPort + k)]),
    }),
    slot: r.between(1, 1023),
    session: i + 1,
    nodePort: r.pick([own.nativePort, own.clientPort + i]),
  }));
  for (let i = 0; i < frames;) {
    const next = new Map<number, number>();
    for (const end = i + r.between(1, o.burst ?? 24); i < end; i++) {
      const c = clients[r.chance(0.5) ? i % n : r.between(0, n - 1)] as Client,
        at = next.get(c.session) ?? rig.session(c.session).expected;
      if (Number.isNaN(at)) continue;
      const body = clioMessage(
        {
          opcode: r.chance(0.1) ? opcode.WRITE_NOREPLY : r.chance(0.2) ? r.pick(sharedCodes) : r.between(0, 255),
          status: r.chance(0.1) ? r.between(0, 15) : 0,
          requestId: r.word(),
        },
        r.bytes(r.chance(0.1) ? r.between(0, p.frameBytes - 66) : r.between(0, 90)),
      );
      const kind = r.between(0, 19);
      if (kind < 11) {
        const step = r.chance(0.8) ? 0 : r.pick([1, 2, -1, -3, 100]);
        if (step === 0) next.set(c.session, at + 1);
        rig.send(packet(c, at + step, body));
      } else if (kind < 14)
        rig.send(packet(c, at + r.between(-3, 3), new Uint8Array(), r.pick([gbnTypes.ack, gbnTypes.nack])));
      else if (kind < 15) rig.send(packet({ ...c, ...r.pick([{ slot: 0 }, { session: 0 }]) }, r.word(), body));
      else if (kind < 16)
        rig.send(
          packet(
            {
              ...c,
              ...r.pick([
                { slot: (c.slot % 1023) + 1 },
                { port: c.port ^ 1 },
                { ip: (c.ip ^ 4) >>> 0 },
                ...noSenders(c),
              ]),
            },
            at,
            body,
          ),
        );
      else if (kind < 17) {
        const elsewhere = r.pick([{ mac: own.mac ^ 4n }, { ip: own.ip ^ 1 }, { port: 9 }, {}]);
        rig.send(
          r.chance(0.3)
            ? r.pick([randomArp, randomPing])(r)
            : gbnFrame(
                c,
                { ...endpoint, port: c.nodePort, ...elsewhere },
                { type: r.between(1, 3), sequence: at >>> 0, srcSlot: c.slot, dstSlot: c.session },
                body,
              ),
        );
        if (Object.keys(elsewhere).length === 0) next.set(c.session, NaN);
      } else if (kind < 18) {
        rig.send(packet(c, at, body), true);
      } else {
        // Wrong in one way or more, or cut short.
        const f = packet(
          c,
          at + 5000,
          r.chance(0.2) ? r.bytes(r.between(0, 17)) : body,
          r.chance(0.3) ? r.between(0, 255) : r.between(1, 3),
        );
        while (r.chance(0.6)) r.pick(changes)(f, r);
        rig.send(
          r.chance(0.3)
            ? f.slice(0, r.between(1, f.length))
            : r.chance(0.1)
              ? concat(f, r.bytes(r.between(1, 2000)))
              : f,
        );
      }
    }
    await b.until(() => rig.mac.pending === 0);
    await b.cycles(20);
    if (r.chance(0.3)) await rig.open(r.pick(clients).session, r.chance(0.9));
  }
  await rig.allBack();
  return rig;
}

/**
 * Frames of one beat, one behind the other, while nobody takes answers or names: those for which there is no room are
 * refused, and none of the others is forgotten. Then there is room again.
 */
async function nobodyTakes(b: Bench<Ports>, p: GbnRxParameters): Promise<void> {
  let open = true;
  const shut: Pause = () => !open,
    rig = new Rig(b, p, { answers: shut, acks: shut });
  const c: Client = { mac: 5n, ip: 9, port: 7, slot: 3, session: 4, nodePort: own.nativePort },
    silent = clioMessage({ opcode: opcode.WRITE_NOREPLY }, new Uint8Array(0)),
    plain = clioMessage({}, new Uint8Array(0));
  await b.cycles(p.sessions + 80);
  const begin = rig.session(c.session).expected;
  rig.send(packet(c, begin, plain));
  await rig.finish();
  for (let round = 0; round < 3; round++) {
    // Each of these asks for an answer, and each of those for a name.
    for (const [what, send] of [
      ["duplicates", () => rig.send(packet(c, begin, plain))],
      ["accepted", (i: number) => rig.send(packet(c, rig.session(c.session).expected + i, silent))],
    ] as const) {
      open = false;
      const before = { ...rig.counts };
      for (let i = 0; i < 40; i++) send(i);
      await b.until(() => rig.mac.pending === 0);
      await b.cycles(40);
      expect(rig.counts[what] - before[what], `${what} that found room`).toBeGreaterThanOrEqual(12);
      expect(rig.counts.refused - before.refused, `${what} refused`).toBeGreaterThan(0);
      open = true;
      await rig.finish();
    }
  }
  await rig.allBack();
}

/** Packets of some sessions in every cycle, and orders about others: what is told of the peers is what has happened. */
async function peersBeside(b: Bench<Ports>, p: GbnRxParameters): Promise<void> {
  const rig = new Rig(b, p),
    told = new Map<number, string>(),
    wanted = new Map<number, string>(),
    // A port of builds that check peers.
    { peerWrite } = b.io as unknown as {
      readonly peerWrite: Readonly<Record<"en" | "session" | "known" | "ip" | "port", { readonly num: number }>>;
    };
  b.onEdge({
    sample: () => {
      if (peerWrite.en.num === 0) return;
      const { session, known, ip, port } = peerWrite;
      told.set(session.num, known.num === 1 ? `${ip.num}:${port.num}` : "nobody");
    },
  });
  await b.cycles(p.sessions + 80);
  const clients = Array.from({ length: 8 }, (_, i): Client => ({
    ...randomClient(b.random),
    slot: 1 + i,
    session: 1 + i,
    nodePort: own.nativePort,
  }));
  for (let round = 0; round < 20; round++) {
    for (const c of clients) {
      rig.send(packet(c, rig.session(c.session).expected, clioMessage({}, new Uint8Array(0))));
      wanted.set(c.session, `${c.ip}:${c.port}`);
    }
    while (rig.mac.pending > 0) {
      if (b.random.chance(0.4)) {
        const session = b.random.between(20, 40);
        rig.control.send({ session, open: b.random.between(0, 1) });
        wanted.set(session, "nobody");
      }
      await b.risingEdge();
    }
    await rig.finish();
    expect(
      [...told].sort(([x], [y]) => x - y),
      "the peers that were told of",
    ).toEqual([...wanted].sort(([x], [y]) => x - y));
  }
  await rig.allBack();
}

describe("GbnRx", () => {
  // Few models: one at the full width, one small one; the others are for long runs, and the whole node's tests have
  // the smallest width.
  const long = process.env["MNEMO_LONG"] !== undefined,
    small = parameters(16, { sessions: 64, first: 0xffff_fff8 }),
    wide = parameters(64, { sessions: 64, checksPeers: true });
  for (const beatBytes of long ? [8, 16, 32, 64] : [16]) {
    const p = { ...small, beatBytes };
    bench(
      `${beatBytes * 8} bits: a bad channel, broken frames, pauses everywhere, numbers that wrap`,
      GbnRx(p),
      { seed: beatBytes },
      async b => {
        const rig = await traffic(b, p, 600, {
          rx: bursts({ go: 30, pause: 5 }, 1),
          tx: bernoulli(0.4, 2),
          answers: bernoulli(0.3, 3),
          acks: bernoulli(0.3, 4),
          sessions: 40,
        });
        for (const o of outcomes) if (o !== "refused") expect(rig.counts[o], o).toBeGreaterThan(0);
      },
    );
  }
  bench("hundreds of sessions", GbnRx(parameters(64)), { seed: 5 }, async b => {
    const rig = await traffic(b, parameters(64), 2500);
    expect(rig.sessions.size).toBeGreaterThan(900);
  });
  bench(
    "no bubble: packets of one session back to back, one beat per cycle in and out, latency as stated",
    GbnRx(parameters(64)),
    {},
    async b => {
      const p = parameters(64),
        rig = new Rig(b, p),
        c: Client = { mac: 5n, ip: 9, port: 7, slot: 3, session: 4, nodePort: own.nativePort };
      await b.cycles(1100);
      const sent = Array.from({ length: 60 }, (_, i) =>
        rig.send(packet(c, 1 + i, clioMessage({}, b.random.bytes(20 + i * 17)))),
      );
      const starts: number[] = [];
      b.onEdge({
        sample: cycle => {
          if (b.io.tx.valid.value === 1 && b.io.tx.payload.last.value === 1) starts.push(cycle);
        },
      });
      let firstOut = 0;
      b.onEdge({
        sample: cycle => {
          if (firstOut === 0 && b.io.tx.valid.value === 1) firstOut = cycle;
        },
      });
      await rig.finish();
      sent.forEach((f, i) => {
        if (i > 0) expect(f.start, `frame ${i}`).toBe(((sent[i - 1] as SentFrame).end as number) + 1);
      });
      expect(firstOut - ((sent[0] as SentFrame).end as number)).toBe(10);
      // Out at the rate of the input, from then on.
      expect((starts.at(-1) as number) - ((sent.at(-1) as SentFrame).end as number)).toBeLessThanOrEqual(60);
      const from = { acks: 0, answers: 0 };
      b.onEdge({
        sample: cycle => {
          for (const n of ["acks", "answers"] as const) if (from[n] === 0 && b.io[n].valid.value === 1) from[n] = cycle;
        },
      });
      // ACKs: one beat each, one per cycle, all heard.
      const acks = Array.from({ length: 60 }, (_, i) => rig.send(packet(c, i, new Uint8Array(), gbnTypes.ack)));
      await rig.finish();
      acks.forEach((f, i) => {
        if (i > 0) expect(f.start).toBe(((acks[i - 1] as SentFrame).start as number) + 1);
      });
      expect(rig.counts.acksHeard).toBe(60);
      expect(from.acks - ((acks[0] as SentFrame).end as number)).toBe(8);
      const ahead = rig.send(packet(c, 500, clioMessage({}, new Uint8Array(20))));
      await rig.finish();
      expect(from.answers - (ahead.end as number)).toBe(11);
      await rig.allBack();
    },
  );
  bench(
    "a node that takes nothing: ACKs come through, requests are dropped before the session sees them",
    GbnRx(parameters(64)),
    {},
    async b => {
      let open = false;
      const p = parameters(64),
        rig = new Rig(b, p, { tx: () => !open });
      const c: Client = { mac: 5n, ip: 9, port: 7, slot: 3, session: 4, nodePort: own.nativePort };
      for (let i = 0; i < 80; i++) rig.send(packet(c, 1 + i, clioMessage({}, new Uint8Array(40))));
      for (let i = 0; i < 30; i++) rig.send(packet(c, i, new Uint8Array(), gbnTypes.ack));
      await b.until(() => rig.counts.acksHeard === 30);
      expect(rig.counts.refused).toBeGreaterThan(0);
      const stood = rig.session(4).expected;
      open = true;
      await rig.finish();
      rig.send(packet(c, stood, clioMessage({}, new Uint8Array(40))));
      await rig.finish();
      expect(rig.session(4).expected).toBe(stood + 1);
      await rig.allBack();
    },
  );
  bench("answers and names that nobody takes: whatever is not refused is answered and named", GbnRx(wide), {}, b =>
    nobodyTakes(b, wide),
  );
  bench("sessions are opened and closed beside packets of others: who is at each one's end", GbnRx(wide), {}, b =>
    peersBeside(b, wide),
  );
  bench(
    "crowded: DATA of sessions is as if lost, ACKs and management come through",
    GbnRx(parameters(64)),
    {},
    async b => {
      const rig = new Rig(b, parameters(64)),
        c: Client = { mac: 5n, ip: 9, port: 7, slot: 3, session: 4, nodePort: own.nativePort };
      await b.cycles(1100);
      rig.send(packet(c, 1, clioMessage({}, new Uint8Array(40))));
      await rig.finish();
      b.io.crowded.value = 1;
      await b.cycles(2);
      for (let i = 0; i < 5; i++) rig.send(packet(c, 2 + i, clioMessage({}, new Uint8Array(40))));
      rig.send(packet(c, 0, new Uint8Array(), gbnTypes.ack));
      rig.send(packet({ ...c, session: 0 }, 9, clioMessage({}, new Uint8Array(40))));
      await rig.finish();
      b.io.crowded.value = 0;
      await b.cycles(2);
      expect([rig.counts.refused, rig.counts.acksHeard, rig.counts.management]).toEqual([5, 1, 1]);
      rig.send(packet(c, 2, clioMessage({}, new Uint8Array(40))));
      await rig.finish();
      expect(rig.session(4).expected).toBe(3);
      await rig.allBack();
    },
  );
  testOfResets(GbnRx(small), { most: 1500 }, b =>
    traffic(b, small, 300, { rx: bernoulli(0.2, 1), tx: bernoulli(0.4, 2), answers: bernoulli(0.3, 3), sessions: 8 }),
  );
  bench("a reset in the middle of a frame leaves nothing behind", GbnRx(small), { seed: 2 }, async b => {
    await b.cycles(1100);
    b.io.rx.valid.value = 1;
    poke(b.io.rx.payload, { data: toBig(b.random.bytes(16)), keep: 0xffffn, last: 0, user: 0 });
    await b.cycles(6);
    b.io.rx.valid.value = 0;
    b.sim.reset();
    await traffic(b, small, 200, { sessions: 5 });
  });

  describe("a planted fault is found", () => {
    const p = small;
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 3000, limitCycles: 80_000, seed: 6 }, async b => {
        await traffic(b, p, 700, { sessions: 6, tx: bernoulli(0.3, 3) });
      });
    test("and nothing without one", async () => {
      await run("no fault", GbnRx(p));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the checksum as it was", /entry_checksum <= [^;]*;/, "entry_checksum <= judged_checksum;"],
      ["lengths as they were", /judged_ip_length - 16'd8/, "judged_ip_length"],
      ["the node's own address as a sender", /\(judged_ours_joined == config_ip\)/, "1'b0"],
      [
        "a group as a sender",
        /frames_end_header\[95:88\]\} == config_mac\)\s*\| frames_end_header\[48\]/,
        "frames_end_header[95:88]} == config_mac)",
      ],
      ["a wrong FCS believed", /judged_bad <= [^;]*;/, "judged_bad <= 1'b0;"],
      ["any IP address", /== config_ip/, "!= 32'd0"],
      ["management checked", /kind == 2'd2/, "kind == 2'd3"],
      ["the last bytes forgotten", /beats_payload_keep\[8\]/, "beats_payload_keep[9]"],
    ];
    const ofLives: typeof faults = [
      ["every 4,096th request is not named", /late_silent \| ~\(\|late_packet_sequence\[11:0\]\)/, "late_silent"],
      ["every request is named", /late_silent \| ~\(\|late_packet_sequence\[11:0\]\)/, "1'b1"],
      ["the tag has no life", /\{2'd0, receiver_verdict_life,/, "{2'd0, 4'd0,"],
      ["nor has a name", /payload_turn_life \(receiver_verdict_life\)/, "payload_turn_life (4'd0)"],
    ];
    test.each([
      ["answers without room", /(?<=answer_room <= answers_level < 5'd)12/, "16", nobodyTakes],
      ["names without room", /(?<=names_level >= 5'd)12/, "16", nobodyTakes],
      [
        "a session's peer is forgotten a cycle early",
        /anew_valid <= controlled_valid;\s*anew_session <= controlled_session;/,
        "anew_valid <= control_valid & control_ready; anew_session <= control_payload_session;",
        peersBeside,
      ],
    ] as const)("%s", (name, from, to, seen) =>
      findsFault(runBench(name, plant(GbnRx(wide), from, to), { wave: false, hangCycles: 3000 }, b => seen(b, wide))),
    );
    const leaks: readonly (readonly [string, RegExp, string, RegExp])[] = [
      [
        "beats of a frame that is too long do not come back",
        /(comes_back \? left - )coming/,
        "$1(long ? 10'd0 : coming)",
        /largest frames kept that can be had at the end/,
      ],
    ];
    for (const [name, from, to, why] of leaks)
      test(`${name}: just the check at the end finds it`, () => findsFault(run(name, plant(GbnRx(p), from, to)), why));
    for (const [name, from, to] of [...(long ? faults : faults.slice(0, 5)), ...ofLives])
      test(name, async () => {
        await findsFault(run(name, plant(GbnRx(p), from, to)));
      });
  });
});
