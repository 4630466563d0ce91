import { describe, expect, test } from "vitest";
import {
  AxisBeat,
  BufferWrite,
  FrameBuffer,
  ReadBeat,
  Release,
  SlotWords,
  WordWrite,
} from "../../../../../designs/shared/frame/index.ts";
import { NetTx } from "../../../../../designs/clio/rtl/network/net-tx.ts";
import { ContextWrite, ReplyContexts } from "../../../../../designs/clio/rtl/network/reply-contexts.ts";
import {
  NetConfig,
  Reply,
  type ReplyContext,
  replyForm,
  replyWord,
  waitBits,
} from "../../../../../designs/clio/rtl/records/records.ts";
import {
  accessBody,
  clioHeader,
  frameOffsets,
  opcode,
  replyFrame,
  status,
  telling,
} from "../../../../../designs/clio/wire/index.ts";
import {
  arpPacket,
  arpReplyFrame,
  concat,
  decode,
  echoReplyFrame,
  encode,
  encodeInto,
  ethernetHeader,
  icmpHeader,
  ipv4Header,
  udpHeader,
} from "../../../../../designs/shared/wire/index.ts";
import { connect, input, instance, module, output, sink, source, uint } from "../../../../../hdl-dsl/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  type Frame,
  type InputOf,
  never,
  type Pause,
  poke,
  type Random,
  runBench,
  type Sent,
  type SentFrame,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";

import { findsFault, plant } from "../../../../support/plant.ts";
import {
  configOf,
  fixChecksum,
  ipOffset,
  mtuFrame,
  own,
  randomArp,
  randomPing,
  randomRequest,
  toBig,
} from "./net-frames.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const slots = 64;
/** net_tx with the two memories that it reads, so that their latencies are the real ones. */
const Sender = module(
  "Sender",
  (p: { beatBytes: number; slots: number; frameBytes: number }) => ({
    config: input(NetConfig),
    reply: sink(Reply(p)),
    data: sink(ReadBeat(p.beatBytes)),
    raw: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    release: output(Release(p)),
    bufferWrite: input(BufferWrite(p)),
    contextWrite: input(ContextWrite(p)),
    wordWrite: input(WordWrite({ slots: p.slots, width: 64 })),
    waitNs: input(uint(waitBits)),
  }),
  (io, p) => {
    const tx = instance(NetTx(p)),
      buffer = instance(FrameBuffer(p)),
      contexts = instance(ReplyContexts({ slots: p.slots }));
    const words = instance(SlotWords({ slots: p.slots, width: 64 }));
    words.write.set(io.wordWrite);
    words.slot.set(tx.wordSlot);
    tx.word.set(words.value);
    tx.waitNs.set(io.waitNs);
    tx.config.set(io.config);
    connect(io.reply, tx.reply);
    connect(io.data, tx.data);
    connect(io.raw, tx.raw);
    connect(tx.tx, io.tx);
    io.release.set(tx.release);
    buffer.write.set(io.bufferWrite);
    contexts.write.set(io.contextWrite);
    contexts.read.set(tx.contextRead);
    tx.context.set(contexts.value);
    connect(tx.echoJob, buffer.echoJob);
    connect(buffer.echoData, tx.echoData);
    // The other two readers have nothing to do here.
    for (const job of [buffer.writeJob, buffer.slowJob]) {
      job.valid.set(0);
      job.payload.set({ slot: 0, first: 0, beats: 0 });
    }
    for (const out of [buffer.writeData, buffer.slowData]) out.ready.set(0);
  },
);
const dut = (beatBytes: number) => Sender({ beatBytes, slots, frameBytes: mtuFrame });
type Ports = ReturnType<typeof dut>["ports"];
type Context = InputOf<typeof ReplyContext>;

/** The context that net_rx keeps of a request frame. */
function contextOf(frame: Uint8Array, kind: Context["kind"]): Context {
  const ethernet = decode(ethernetHeader, frame),
    ip = decode(ipv4Header, frame, ipOffset);
  const bytes = (from: number, n: number): bigint => toBig(concat(frame, new Uint8Array(100)).slice(from, from + n));
  const udp = decode(udpHeader, frame, frameOffsets.transport),
    arp = kind === "arp" ? decode(arpPacket, frame, ipOffset) : undefined;
  return {
    kind,
    mac: ethernet.src,
    ip: arp ? arp.senderIp : ip.src,
    clientPort: udp.srcPort,
    nodePort: udp.dstPort,
    header: arp ? arp.senderMac : bytes(frameOffsets.clio, 16),
    body: bytes(frameOffsets.body, 12),
    published: udp.dstPort === own.nativePort ? 0 : 1,
    ipLength: ip.totalLength,
    icmpChecksum: decode(icmpHeader, frame, frameOffsets.transport).checksum,
    ipHeader: bytes(ipOffset, 12),
  };
}

/** A reply with that time to wait in it. */
function saying(reply: Uint8Array, wait: number): Uint8Array {
  const said = reply.slice();
  encodeInto(clioHeader, { retryOf: wait }, said, frameOffsets.clio);
  return said;
}

/** A request as stored, its reply, the required frame, and the data that the read engine gives. */
interface Job {
  readonly frame: Uint8Array;
  readonly kind: Context["kind"];
  readonly form: number;
  readonly opcode: number;
  readonly status: number;
  readonly expected: Uint8Array;
  readonly data: Uint8Array | undefined;
  readonly bad: boolean;
  readonly memory: boolean;
  /** Use of the word kept for the slot, and the word. */
  readonly word: number;
  readonly found: bigint;
  /** The reply says the node's time to wait, where `expected` has 0. */
  readonly waits: boolean;
}
/** The node's time to wait in a cycle: all bits change, and no value comes again. */
const waitAt = (cycle: number): number => Math.imul(cycle, 0x9e37_79b1) >>> 0;
const base = { data: undefined, bad: false, memory: false, waits: false, word: replyWord.none as number, found: 0n };

function clioJob(random: Random, form: number, size: number, word: number = replyWord.none): Job {
  const request = randomRequest(
      random,
      form === replyForm.echo ? size : 12 + random.between(0, 4),
      // Who is told to wait is mostly one who can be.
      word === replyWord.wait && random.chance(0.8) ? own.nativePort : undefined,
    ),
    headers = (f: Uint8Array) => ({
      ethernet: decode(ethernetHeader, f),
      ipv4: decode(ipv4Header, f, ipOffset),
      udp: decode(udpHeader, f, frameOffsets.transport),
      clio: decode(clioHeader, f, frameOffsets.clio),
      native: decode(udpHeader, f, frameOffsets.transport).dstPort === own.nativePort,
    });
  const code = random.between(0, 255);
  const made = (state: number, body: Uint8Array, given = code): Uint8Array => {
    if (random.chance(0.2)) {
      // A client whose address takes the reply's checksum to one of its edges, where carries come in.
      const source = (low: number): void => {
        encodeInto(
          ipv4Header,
          { src: ((decode(ipv4Header, request, ipOffset).src & 0xffff0000) + low) >>> 0 },
          request,
          ipOffset,
        );
      };
      source(0);
      const zero = decode(ipv4Header, replyFrame(own, headers(request), given, state, body), ipOffset).checksum;
      source((zero + 65535 - random.pick([0, 1, 2, 3, 65533, 65534])) % 65535);
      fixChecksum(request);
    }
    const asked = headers(request);
    return replyFrame(
      own,
      word === replyWord.wait && asked.native ? { ...asked, clio: telling(asked.clio, 0) } : asked,
      given,
      state,
      body,
    );
  };
  if (form === replyForm.echo) {
    // The request may end before its frame does.
    const { size: came } = decode(clioHeader, request, frameOffsets.clio),
      told = random.chance(0.3) ? random.between(clioHeader.bytes, came) : came;
    encodeInto(clioHeader, { size: told }, request, frameOffsets.clio);
    const body = request.slice(frameOffsets.body, frameOffsets.clio + told);
    return { ...base, frame: request, kind: "clio", form, opcode: code, status: 0, expected: made(0, body) };
  }
  const { va } = decode(accessBody, request, frameOffsets.body),
    ok = form === replyForm.data || random.chance();
  const state =
    form === replyForm.bare
      ? random.pick([status.NACK, status.BUSY, status.MALFORMED])
      : ok
        ? status.OK
        : random.pick([status.INVALID, status.WRITE_PERM, status.MIGRATING]);
  const behind = word === replyWord.behind,
    found = random.bits(64);
  const length = form === replyForm.data ? size : behind ? 8 : random.word();
  encodeInto(accessBody, { length }, request, frameOffsets.body);
  const data = form === replyForm.data ? random.bytes(size) : undefined;
  const body =
    form === replyForm.bare
      ? new Uint8Array()
      : concat(
          encode(accessBody, { va: word === replyWord.address ? found : va, length: ok || behind ? length : 0 }),
          behind ? littleEndian(found) : (data ?? new Uint8Array()),
        );
  return {
    ...base,
    frame: request,
    kind: "clio",
    form,
    opcode: code,
    status: behind ? 0 : state,
    expected: made(
      behind ? 0 : state,
      body,
      form === replyForm.bare ? decode(clioHeader, request, frameOffsets.clio).opcode : code,
    ),
    data,
    bad: random.chance(0.1),
    memory: data !== undefined,
    waits: word === replyWord.wait && headers(request).native,
    word,
    found,
  };
}
const littleEndian = (v: bigint): Uint8Array =>
  Uint8Array.from({ length: 8 }, (_, i) => Number((v >> BigInt(8 * i)) & 0xffn));
const anyWord = (random: Random): number => random.pick([replyWord.none, replyWord.behind, replyWord.address]);
function pingJob(random: Random, size: number): Job {
  const frame = randomPing(random, size);
  encodeInto(
    ipv4Header,
    { tos: random.between(0, 255), identification: random.between(0, 65535), ttl: random.between(1, 255) },
    frame,
    ipOffset,
  );
  fixChecksum(frame);
  encodeInto(
    icmpHeader,
    { checksum: random.pick([0, 0xf7ff, 0xf800, 0xffff, 0x0800, random.between(0, 65535)]) },
    frame,
    frameOffsets.transport,
  );
  // Padding of the frame on the wire is not the request's and must not come back.
  const { totalLength } = decode(ipv4Header, frame, ipOffset),
    end = ethernetHeader.bytes + totalLength;
  const padded = end < frame.length ? concat(frame.slice(0, end), random.bytes(frame.length - end)) : frame;
  return {
    ...base,
    frame: padded,
    kind: "icmp",
    form: replyForm.echo,
    opcode: random.between(0, 255),
    status: 0,
    expected: echoReplyFrame(own, padded, totalLength),
  };
}
function arpJob(random: Random): Job {
  const frame = randomArp(random);
  return {
    ...base,
    frame,
    kind: "arp",
    form: replyForm.echo,
    opcode: 0,
    status: 0,
    expected: arpReplyFrame(own, decode(ethernetHeader, frame), decode(arpPacket, frame, ipOffset)),
  };
}
function anyJob(random: Random): Job {
  const small = random.chance(0.9),
    size = (most: number): number => (small ? random.between(0, 140) : random.between(0, most));
  switch (random.between(0, 9)) {
    case 0:
      return arpJob(random);
    case 1:
      return pingJob(random, size(mtuFrame - 42));
    case 2:
    case 3:
      return clioJob(random, replyForm.echo, size(mtuFrame - 58));
    case 4:
      return clioJob(random, replyForm.bare, 0, random.pick([replyWord.none, replyWord.wait, replyWord.wait]));
    case 5:
    case 6:
      return clioJob(random, replyForm.short, 0, anyWord(random));
    default:
      return clioJob(
        random,
        replyForm.data,
        Math.max(1, size(mtuFrame - 70)),
        random.pick([replyWord.none, replyWord.address]),
      );
  }
}

interface Options {
  readonly reply?: Pause;
  readonly data?: Pause;
  readonly raw?: Pause;
  readonly tx?: Pause;
}
type SentReply = Sent<InputOf<ReturnType<typeof Reply>>>;

/**
 * Stores the requests, triggers the replies, and holds the frames sent against them: replies in their order, raw
 * frames in theirs.
 */
class Surroundings {
  readonly raw: AxisSource;
  readonly tx: AxisSink;
  readonly got: { readonly frame: Frame; readonly raw: boolean }[] = [];
  readonly #b: Bench<Ports>;
  readonly #replies: StreamSource<Ports["reply"]["shape"]>;
  readonly #data: StreamSource<Ports["data"]["shape"]>;
  readonly #beatBytes: number;
  readonly #jobs: Job[] = [];
  readonly #asked: SentReply[] = [];
  readonly #raws: Uint8Array[] = [];
  readonly #slots: number[] = [];
  readonly released: { readonly slot: number; readonly cycle: number }[] = [];
  #answered = 0;
  #passed = 0;
  #next = 0;

  constructor(b: Bench<Ports>, o: Options = {}) {
    this.#b = b;
    poke(b.io.config, configOf(own));
    this.raw = new AxisSource(b.sim, b.io.raw, { pause: o.raw ?? never });
    this.tx = new AxisSink(b.sim, b.io.tx, { pause: o.tx ?? never });
    this.#replies = new StreamSource(b.sim, b.io.reply, { pause: o.reply ?? never });
    this.#data = new StreamSource(b.sim, b.io.data, { pause: o.data ?? never });
    this.#beatBytes = this.raw.beatBytes;
    b.onEdge({
      sample: c => this.#sample(c),
      drive: c => {
        b.io.waitNs.value = waitAt(c);
      },
    });
  }

  /** Writes a request's frame and context into the memories: one cycle for each beat. */
  async store(job: Job): Promise<number> {
    const io = this.#b.io,
      n = this.#beatBytes,
      slot = this.#next;
    if (this.#slots.length - this.#answered >= slots) throw new Error("more replies than slots");
    this.#next = (this.#next + 1) % slots;
    poke(io.contextWrite, { en: 1, slot, value: contextOf(job.frame, job.kind) });
    poke(io.wordWrite, { en: 1, slot, value: job.found });
    for (let k = 0; k * n < job.frame.length; k++) {
      poke(io.bufferWrite, { en: 1, slot, beat: k, data: toBig(job.frame.slice(k * n, (k + 1) * n)) });
      await this.#b.risingEdge();
      io.contextWrite.en.value = 0;
      io.wordWrite.en.value = 0;
    }
    io.bufferWrite.en.value = 0;
    return slot;
  }
  reply(job: Job, slot: number): SentReply {
    this.#jobs.push(job);
    this.#slots.push(slot);
    const n = this.#beatBytes;
    if (job.data) {
      // The lanes in front of byte 70 and behind the end hold anything.
      const lead = 70 % n,
        length = lead + job.data.length,
        beats = Math.ceil(length / n),
        all = this.#b.random.bytes(beats * n);
      all.set(job.data, lead);
      for (let k = 0; k < beats; k++)
        this.#data.send({
          data: toBig(all.slice(k * n, (k + 1) * n)),
          last: k === beats - 1 ? 1 : 0,
          bad: k === beats - 1 && job.bad ? 1 : 0,
        });
    }
    const asked = this.#replies.send({ slot, form: job.form, word: job.word, opcode: job.opcode, status: job.status });
    this.#asked.push(asked);
    return asked;
  }
  passOn(frame: Uint8Array): SentFrame {
    this.#raws.push(frame);
    return this.raw.send(frame);
  }
  get waiting(): number {
    return this.#jobs.length - this.#answered;
  }
  async finish(): Promise<void> {
    await this.#b.until(() => this.#answered === this.#jobs.length && this.#passed === this.#raws.length);
    await this.#b.cycles(8);
    expect([this.got.length, this.released.map(r => r.slot)]).toEqual([
      this.#jobs.length + this.#raws.length,
      this.#slots,
    ]);
  }

  /** The frame, with the node's time to wait of some cycle after the reply was asked for and before it was sent. */
  #expected(job: Job, { bytes, start }: Frame): Uint8Array {
    if (!job.waits) return job.expected;
    const said = decode(clioHeader, bytes, frameOffsets.clio).retryOf,
      asked = this.#asked[this.#answered]?.cycle as number;
    for (let cycle = asked; cycle < start; cycle++) if (waitAt(cycle) === said) return saying(job.expected, said);
    throw new Error(`reply ${this.#answered}: ${said} ns is no time to wait of the cycles ${asked} to ${start}`);
  }

  #sample(cycle: number): void {
    const { release } = this.#b.io;
    if (release.valid.value === 1) this.released.push({ slot: Number(release.slot.value), cycle });
    for (let f = this.tx.take(); f; f = this.tx.take()) {
      const raw = this.#raws[this.#passed],
        job = this.#jobs[this.#answered],
        same = (x: Uint8Array | undefined): boolean => x !== undefined && Buffer.compare(x, f.bytes) === 0;
      if (same(raw)) {
        this.#passed++;
        this.got.push({ frame: f, raw: true });
        continue;
      }
      if (job === undefined) throw new Error(`cycle ${cycle}: a frame that nobody asked for`);
      const what = `reply ${this.#answered} (kind ${job.kind}, form ${job.form}, ${job.expected.length} bytes)`;
      expect(Buffer.from(f.bytes).toString("hex"), what).toBe(Buffer.from(this.#expected(job, f)).toString("hex"));
      expect(f.user, what).toBe(job.memory && job.bad ? 1 : 0);
      this.#answered++;
      this.got.push({ frame: f, raw: false });
    }
  }
}

async function randomTraffic(b: Bench<Ports>, count: number, o: Options, raws = true): Promise<Surroundings> {
  const s = new Surroundings(b, o);
  for (let i = 0; i < count; i++) {
    const job = anyJob(b.random);
    await b.until(() => s.waiting < slots - 1);
    s.reply(job, await s.store(job));
    if (raws && b.random.chance(0.2)) s.passOn(b.random.bytes(b.random.between(60, 300)));
  }
  await s.finish();
  return s;
}
/** All jobs stored first, then triggered back to back. */
async function burst(
  b: Bench<Ports>,
  jobs: readonly Job[],
): Promise<{ readonly s: Surroundings; readonly asked: readonly SentReply[] }> {
  const s = new Surroundings(b);
  const at: number[] = [];
  for (const j of jobs) at.push(await s.store(j));
  const asked = jobs.map((j, i) => s.reply(j, at[i] as number));
  await s.finish();
  return { s, asked };
}
const seedOf = (b: Bench<Ports>): number => b.random.word();

describe("NetTx", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    describe(`${beatBytes * 8} bits`, () => {
      bench("random replies and raw frames, pauses everywhere", dut(beatBytes), { seed: beatBytes }, async b => {
        const s = await randomTraffic(b, 1500, {
          reply: bernoulli(0.2, seedOf(b)),
          data: bursts({ go: 9, pause: 9 }, seedOf(b)),
          raw: bernoulli(0.3, seedOf(b)),
          tx: bursts({ go: 12, pause: 6 }, seedOf(b)),
        });
        expect(s.got.some(g => g.raw)).toBe(true);
      });
      for (const from of [0, 60, 120]) {
        bench(
          `every length of every form from ${from} on, without a bubble`,
          dut(beatBytes),
          { seed: beatBytes },
          async b => {
            const jobs = Array.from({ length: 60 }, (_, i) =>
              i % 4 === 0
                ? clioJob(b.random, replyForm.data, from + i + 1)
                : i % 4 === 1
                  ? clioJob(b.random, replyForm.echo, from + i)
                  : i % 4 === 2
                    ? pingJob(b.random, from + i)
                    : b.random.chance()
                      ? clioJob(b.random, b.random.pick([replyForm.bare, replyForm.short]), 0, anyWord(b.random))
                      : arpJob(b.random),
            );
            const { s } = await burst(b, jobs);
            s.got.forEach((g, i) => {
              expect(g.frame.end - g.frame.start + 1, `frame ${i}`).toBe(Math.ceil(g.frame.bytes.length / beatBytes));
              if (i > 0)
                expect(g.frame.start, `frame ${i} begins right behind the one before`).toBe(
                  (s.got[i - 1]?.frame.end as number) + 1,
                );
            });
          },
        );
      }
      bench("the shortest echoes, back to back", dut(beatBytes), { seed: 8 }, async b => {
        const { s } = await burst(
          b,
          Array.from({ length: 60 }, (_, i) =>
            i % 3 === 0 ? pingJob(b.random, i % 22) : clioJob(b.random, replyForm.echo, 1 + (i % 6)),
          ),
        );
        s.got.forEach((g, i) => {
          if (i > 0) expect(g.frame.start, `frame ${i}`).toBe((s.got[i - 1]?.frame.end as number) + 1);
        });
      });
      bench("latency of each form, and the release", dut(beatBytes), { seed: 9 }, async b => {
        const jobs = [
          clioJob(b.random, replyForm.bare, 0),
          clioJob(b.random, replyForm.short, 0),
          arpJob(b.random),
          clioJob(b.random, replyForm.data, 100),
          pingJob(b.random, 100),
          clioJob(b.random, replyForm.echo, 100),
          clioJob(b.random, replyForm.short, 0, replyWord.behind),
          clioJob(b.random, replyForm.bare, 0, replyWord.wait),
        ];
        const s = new Surroundings(b);
        for (const [i, job] of jobs.entries()) {
          const slot = await s.store(job),
            asked = s.reply(job, slot);
          await s.finish();
          const sent = s.got[i]?.frame as Frame;
          expect(sent.start - (asked.cycle as number), `form ${job.form} of kind ${job.kind}`).toBe(6);
          expect(sent.end - sent.start + 1, "beats without a bubble").toBe(Math.ceil(sent.bytes.length / beatBytes));
          expect(s.released.at(-1)).toEqual({ slot, cycle: sent.end });
        }
      });
      bench("raw frames pass at once, and take turns with replies", dut(beatBytes), { seed: 4 }, async b => {
        const s = new Surroundings(b);
        const alone = s.passOn(b.random.bytes(130));
        await s.finish();
        expect([s.got[0]?.frame.start, s.got[0]?.frame.end]).toEqual([alone.start, alone.end]);
        const jobs = Array.from({ length: 20 }, () => clioJob(b.random, replyForm.short, 0)),
          at: number[] = [];
        for (const j of jobs) at.push(await s.store(j));
        jobs.forEach((j, i) => s.reply(j, at[i] as number));
        for (let i = 0; i < 20; i++) s.passOn(b.random.bytes(100));
        await s.finish();
        const turns = s.got.slice(1).map(g => g.raw),
          both = turns.slice(turns.indexOf(false), turns.lastIndexOf(true));
        both.forEach((raw, i) => {
          if (i > 0) expect(raw, `frame ${i}`).toBe(!both[i - 1]);
        });
        expect(both.length).toBeGreaterThan(30);
        s.got.slice(2).forEach((g, i) => expect(g.frame.start).toBe((s.got[i + 1]?.frame.end as number) + 1));
      });
      bench("a reset in the middle of frames leaves nothing behind", dut(beatBytes), { seed: 6 }, async b => {
        const jobs = [
          clioJob(b.random, replyForm.short, 0),
          clioJob(b.random, replyForm.echo, 300),
          pingJob(b.random, 200),
        ];
        poke(b.io.config, configOf(own));
        b.io.tx.ready.value = 1;
        for (const [slot, j] of jobs.entries()) {
          poke(b.io.contextWrite, { en: 1, slot, value: contextOf(j.frame, j.kind) });
          await b.risingEdge();
          b.io.contextWrite.en.value = 0;
          poke(b.io.reply.payload, { slot, form: j.form, word: 0, opcode: opcode.PINGPONG, status: 0 });
          b.io.reply.valid.value = 1;
          await b.risingEdge();
          b.io.reply.valid.value = 0;
        }
        await b.cycles(3);
        b.sim.reset();
        await randomTraffic(b, 60, {});
      });
    });
  }

  testOfResets(dut(16), { most: 1000 }, b =>
    randomTraffic(b, 150, {
      reply: bernoulli(0.2, 1),
      data: bernoulli(0.3, 2),
      raw: bernoulli(0.3, 3),
      tx: bernoulli(0.3, 4),
    }),
  );

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 2 }, async b => {
        await randomTraffic(b, 400, { tx: bernoulli(0.3, 3), data: bernoulli(0.3, 4) });
      });
    test("and nothing without one", async () => {
      await run("no fault", dut(16));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["flags of a published client come back", /& ~known_context_published/, ""],
      ["the last beat kept whole", /last_keep <= \{/, "last_keep <= 16'hffff | {"],
      ["padding is not zero", /built_content <= [^;]*;/, "built_content <= 6'd63;"],
      ["the carry of the checksum forgotten", /folded = /, "folded = 17'h0ffff & "],
      ["the slot released is the next one's", /released_slot <= slot;/, "released_slot <= built_slot;"],
      ["an error of the memory forgotten", /& data_held_bad/, "& 1'b0"],
      ["the length of a failed access", /known_reply_status == status_ok/, "1'b1"],
      ["a bare reply with another opcode", /known_kind_bare \? \S+ : /, ""],
      [
        "the word of a reply left out",
        /known_kind_with_word \? known_word : 64'd0|known_kind_with_word \? known_word : 64'h0/,
        "64'd0",
      ],
      ["an address kept although a pointer led elsewhere", /known_kind_at_word \? known_word : /, ""],
      ["the word of another slot", /word_slot = asked_slot;/, "word_slot = 6'd0;"],
      ["the time to wait is not said", /known_kind_waits \? wait_ns : /, ""],
      ["the time to wait is said without its mark", / \| known_kind_waits(?=, known_reply_status)/, ""],
      ["a published client is told the time to wait", /(?<=asked_word == 2'd3\)) & ~context_published/, ""],
      ["the low half of the time to wait is said", /(?<=known_kind_waits \? )wait_ns/, "{16'd0, wait_ns[15:0]}"],
      ["the time to wait of another moment is said", /(?<=known_kind_waits \? )wait_ns/, "32'd4000"],
      ["a reply with a word says the time to wait", /(?<=known_kind_waits <= )\(asked_word == 2'd3\)/, "(|asked_word)"],
      [
        "who comes behind one that is told to wait is told so too",
        /(?<=known_kind_waits <= )(?=\(asked_word)/,
        "known_kind_waits | ",
      ],
      [
        "frames of the slow path cut in two",
        /sent_or_raw_locked <= [^;]*;|tx_locked <= [^;]*;|arbitrated_locked <= [^;]*;/,
        "arbitrated_locked <= 1'b0;",
      ],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(dut(16), from, to)));
      });
    }
  });
});
