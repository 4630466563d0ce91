import { expect } from "vitest";
import { type DropReason, firstOffloadPid } from "../../../../../../designs/clio/config/index.ts";
import { classify, type FilterSettings, hasKey } from "../../../../../../designs/clio/model/index.ts";
import { dropReasons } from "../../../../../../designs/clio/rtl/network/drops.ts";
import { NetRx } from "../../../../../../designs/clio/rtl/network/net-rx.ts";
import { accessBody, casBody, clioHeader, frameOffsets } from "../../../../../../designs/clio/wire/index.ts";
import { concat, decode, ethernetHeader, icmpHeader, ipv4Header } from "../../../../../../designs/shared/wire/index.ts";
import {
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  never,
  type Pause,
  peek,
  poke,
  Random,
  type SentFrame,
  StreamSink,
  StreamSource,
  type ValueOf,
} from "../../../../../../sim/index.ts";
import {
  anyFrame,
  clientPorts,
  configOf,
  goodRead,
  mtuFrame,
  own,
  randomArp,
  randomPing,
  randomRequest,
  toBig,
} from "../net-frames.ts";

export const netRxSlots = 8;
export const netRxDut = (beatBytes: number) =>
  NetRx({ beatBytes, slots: netRxSlots, frameBytes: mtuFrame, clientPorts });
export type NetRxPorts = ReturnType<typeof netRxDut>["ports"];
type Context = ValueOf<NetRxPorts["contextWrite"]["shape"]>["value"];
type Request = ValueOf<NetRxPorts["request"]["shape"]>;

/** The name of a `drop...` counter without that prefix. */
export const withoutPrefix = (counter: string): string => counter.slice(4, 5).toLowerCase() + counter.slice(5);
/** What is known of a record's fields: names as they are, numbers of any size. */
type Fields<R> = { readonly [K in keyof R]?: R[K] extends string ? R[K] : number | bigint };
/** Outcome of a frame by the rules. */
type Expected =
  | { readonly drop: string }
  | {
      readonly request: Fields<Request>;
      readonly context: Fields<Context>;
      /** Of a frame that has room for them. */
      readonly operands?: bigint;
    };
function expectedOf(frame: Uint8Array, bad: boolean, settings: FilterSettings): Expected {
  const v = classify(frame, settings);
  const reason = (r: DropReason): Expected => ({ drop: withoutPrefix(r) });
  if (v.kind === "drop" && (v.reason === "dropLong" || !bad)) return reason(v.reason);
  if ((v.kind !== "request" || v.request.reply) && bad) return reason("dropFcs");
  const ethernet = decode(ethernetHeader, frame);
  const common = { frame: frame.length, corrupt: bad ? 1 : 0 };
  if (v.kind === "arp") {
    return {
      request: { ...common, kind: "arp" },
      context: { kind: "arp", mac: ethernet.src, ip: v.arp.senderIp, header: v.arp.senderMac },
    };
  }
  const ip = decode(ipv4Header, frame, frameOffsets.network),
    ipHeader = toBig(frame.slice(frameOffsets.network, frameOffsets.network + 12));
  if (v.kind === "icmp") {
    return {
      request: { ...common, kind: "icmp" },
      context: {
        kind: "icmp",
        mac: ethernet.src,
        ip: ip.src,
        ipLength: ip.totalLength,
        icmpChecksum: decode(icmpHeader, frame, frameOffsets.transport).checksum,
        ipHeader,
      },
    };
  }
  if (v.kind !== "request") throw new Error("unreachable");
  const { clio, udp, came, native } = v.request,
    malformed = clio.size < clioHeader.bytes || clio.size > came,
    whole = frame.length >= frameOffsets.body + accessBody.bytes;
  const body = whole ? decode(accessBody, frame, frameOffsets.body) : undefined;
  return {
    request: {
      ...common,
      kind: "clio",
      opcode: clio.opcode,
      pid: clio.pid,
      malformed: malformed ? 1 : 0,
      reply: v.request.reply ? 1 : 0,
      foreign: settings.inside !== true && clio.pid >= firstOffloadPid ? 1 : 0,
      ...body,
      ...(malformed ? {} : { body: clio.size - clioHeader.bytes }),
      tracked: native ? clio.flagTracked : 0,
      retry: clio.flagRetry,
      client: (BigInt(ip.src) << 16n) | BigInt(udp.srcPort),
      operation: clio.flagRetry === 1 ? clio.retryOf : clio.requestId,
    },
    context: {
      kind: "clio",
      mac: ethernet.src,
      ip: ip.src,
      clientPort: udp.srcPort,
      nodePort: udp.dstPort,
      published: native ? 0 : 1,
      header: toBig(frame.slice(frameOffsets.clio, frameOffsets.body)),
      ...(whole ? { body: toBig(frame.slice(frameOffsets.body, frameOffsets.body + accessBody.bytes)) } : {}),
    },
    ...(frame.length >= frameOffsets.body + casBody.bytes
      ? { operands: toBig(frame.slice(frameOffsets.body + accessBody.bytes, frameOffsets.body + casBody.bytes)) }
      : {}),
  };
}

interface Options {
  readonly rx?: Pause;
  readonly slot?: Pause;
  readonly request?: Pause;
  readonly settings?: FilterSettings;
  /** Cycles until a slot comes back. */
  readonly hold?: () => number;
  /** Keys of processes at this moment. */
  readonly keys?: ReadonlyMap<number, bigint>;
}
interface Event {
  readonly cycle: number;
  readonly slot: number;
  readonly drop?: string;
  readonly request?: Request;
}

/**
 * The surroundings of net_rx: a MAC, a pool of slots, a frame buffer and a context memory. Every frame sent is judged
 * against the rules, in order.
 */
export class Surroundings {
  readonly mac: AxisSource;
  readonly events: Event[] = [];
  received = 0;
  readonly #b: Bench<NetRxPorts>;
  readonly #free: StreamSource<NetRxPorts["slot"]["shape"]>;
  readonly #requests: StreamSink<NetRxPorts["request"]["shape"]>;
  readonly #buffer = new Map<number, Map<number, bigint>>();
  readonly #contexts = new Map<number, Context>();
  readonly #operands = new Map<number, bigint>();
  readonly #sent: { readonly frame: SentFrame; readonly expected: Expected; readonly bad: boolean }[] = [];
  readonly #settings: FilterSettings;
  readonly #hold: () => number;
  readonly #keys: ReadonlyMap<number, bigint> | undefined;
  /** Keys that counted for the frame in a slot: those when it left the header register. */
  readonly #keysThen = new Map<number, ReadonlyMap<number, bigint>>();
  readonly #back: { readonly slot: number; readonly due: number }[] = [];
  #inUse = new Set<number>();
  #checked = 0;

  constructor(b: Bench<NetRxPorts>, o: Options = {}) {
    this.#b = b;
    this.#settings = o.settings ?? own;
    this.#hold = o.hold ?? (() => 0);
    this.#keys = o.keys;
    poke(b.io.config, configOf(this.#settings));
    this.mac = new AxisSource(b.sim, b.io.rx, { pause: o.rx ?? never });
    this.#free = new StreamSource(b.sim, b.io.slot, { pause: o.slot ?? never });
    this.#requests = new StreamSink(b.sim, b.io.request, { pause: o.request ?? never });
    for (let i = 0; i < netRxSlots; i++) this.#free.send((i * 5 + 3) % netRxSlots);
    b.onEdge({ sample: c => this.#sample(c) });
  }

  send(bytes: Uint8Array, bad = false): SentFrame {
    const frame = this.mac.send(bytes, { user: bad ? 1 : 0, userAtEnd: true });
    this.#sent.push({ frame, expected: expectedOf(bytes, bad, this.#settings), bad });
    return frame;
  }
  /** Until every frame sent has come to its end, and a little longer: nothing else may come. */
  async finish(): Promise<void> {
    await this.#b.until(() => this.#checked === this.#sent.length);
    await this.#b.cycles(8);
    expect(this.events.length).toBe(this.#sent.length);
    expect(this.received).toBe(this.#sent.length);
    expect([...this.#inUse]).toEqual([]);
  }

  #sample(cycle: number): void {
    const io = this.#b.io;
    while (this.#back[0] !== undefined && this.#back[0].due <= cycle)
      this.#free.send((this.#back.shift() as { slot: number }).slot);
    if (io.slot.valid.value === 1 && io.slot.ready.value === 1) {
      const slot = Number(io.slot.payload.value);
      this.#inUse.add(slot);
      this.#buffer.set(slot, new Map());
      this.#contexts.delete(slot);
      this.#operands.delete(slot);
    }
    const w = io.bufferWrite;
    if (w.en.value === 1) {
      const slot = Number(w.slot.value),
        beat = Number(w.beat.value),
        beats = this.#buffer.get(slot);
      if (!this.#inUse.has(slot) || beats === undefined)
        throw new Error(`slot ${slot} is written at cycle ${cycle} and is nobody's`);
      if (beats.has(beat)) throw new Error(`beat ${beat} of slot ${slot} is written twice at cycle ${cycle}`);
      beats.set(beat, w.data.big);
    }
    if (io.contextWrite.en.value === 1) {
      this.#contexts.set(Number(io.contextWrite.slot.value), peek(io.contextWrite.value));
      if (this.#keys) this.#keysThen.set(Number(io.contextWrite.slot.value), new Map(this.#keys));
    }
    if (io.operandsWrite.en.value === 1)
      this.#operands.set(Number(io.operandsWrite.slot.value), io.operandsWrite.value.big);
    if (io.received.value === 1) this.received++;
    for (let seen = this.#requests.take(); seen; seen = this.#requests.take())
      this.#end({ cycle: seen.cycle, slot: Number(seen.value.slot), request: seen.value });
    const drops = dropReasons.filter(r => io.drops[r].value === 1);
    if (drops.length > 1) throw new Error(`several reasons at cycle ${cycle}: ${drops.join(", ")}`);
    const released = io.release.valid.value === 1;
    if ((drops.length === 1) !== released)
      throw new Error(`a drop without a release, or the reverse, at cycle ${cycle}`);
    if (drops[0] !== undefined) this.#end({ cycle, slot: Number(io.release.slot.value), drop: drops[0] });
  }

  #end(e: Event): void {
    const n = this.#checked++,
      sent = this.#sent[n];
    this.events.push(e);
    if (sent === undefined) throw new Error(`cycle ${e.cycle}: something for a frame that was never sent`);
    const what = `frame ${n} of ${sent.frame.bytes.length} bytes`,
      { expected } = sent;
    if (!this.#inUse.delete(e.slot)) throw new Error(`${what}: slot ${e.slot} is not in use`);
    if ("drop" in expected) expect(e.drop ?? "a request", what).toBe(expected.drop);
    else {
      expect(e.drop ?? "a request", what).toBe("a request");
      const request = this.#withoutKey(e.slot, sent.frame.bytes)
        ? { ...expected.request, foreign: 1 }
        : expected.request;
      expect(pick(e.request as Request, request), what).toEqual(request);
      const context = this.#contexts.get(e.slot);
      if (context === undefined) throw new Error(`${what}: no context of slot ${e.slot} was written`);
      // Of an ARP frame only the sender's MAC is kept in the header's place.
      const kept =
        expected.context.kind === "arp" ? { ...context, header: BigInt.asUintN(48, context.header) } : context;
      expect(pick(kept, expected.context), what).toEqual(pick(expected.context, expected.context));
      if (expected.operands !== undefined)
        expect(this.#operands.get(e.slot), `${what}: operands`).toBe(expected.operands);
      this.#stored(e.slot, sent.frame.bytes, what);
    }
    this.#back.push({ slot: e.slot, due: e.cycle + this.#hold() });
  }

  /** Whether the frame in a slot is a request for a process that had a key, and does not have it. */
  #withoutKey(slot: number, frame: Uint8Array): boolean {
    const v = classify(frame, this.#settings);
    if (v.kind !== "request" || this.#settings.inside === true) return false;
    return !hasKey(this.#keysThen.get(slot)?.get(v.request.clio.pid), v.request, frame);
  }

  #stored(slot: number, bytes: Uint8Array, what: string): void {
    const size = this.mac.beatBytes,
      beats = this.#buffer.get(slot) ?? new Map<number, bigint>();
    expect(beats.size, `${what}: beats stored`).toBe(Math.ceil(bytes.length / size));
    for (let k = 0; k * size < bytes.length; k++) {
      const part = bytes.subarray(k * size, (k + 1) * size),
        mask = (1n << BigInt(8 * part.length)) - 1n;
      if (((beats.get(k) ?? -1n) & mask) !== toBig(part)) expect.fail(`${what}: beat ${k} is stored wrongly`);
    }
  }
}

/** The fields of `from` that `like` has, 48-bit and wider ones as bigint where it has them so. */
function pick(
  from: Readonly<Record<string, unknown>>,
  like: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(like).map(([k, v]) => [
      k,
      typeof v === "bigint" ? BigInt(from[k] as number) : typeof v === "string" ? from[k] : Number(from[k]),
    ]),
  );
}

export async function randomTraffic(b: Bench<NetRxPorts>, frames: number, o: Options): Promise<Surroundings> {
  const s = new Surroundings(b, o);
  for (let i = 0; i < frames; i++) s.send(anyFrame(b.random), b.random.chance(0.12));
  await s.finish();
  return s;
}
const seedOf = (b: Bench<NetRxPorts>): number => b.random.word();

/** A bench, its seed, and its name. */
export interface NetRxBench {
  readonly name: string;
  readonly seed: number;
  readonly run: (b: Bench<NetRxPorts>) => Promise<void>;
}

/** The benches of a width: of the RTL, and of what synthesis makes of it. */
export const netRxBenches = (beatBytes: number): readonly NetRxBench[] => [
  {
    name: "random frames, pauses everywhere, slots that run out",
    seed: beatBytes,
    run: async b => {
      const hold = new Random(seedOf(b));
      const s = await randomTraffic(b, 2500, {
        rx: bursts({ go: 30, pause: 5 }, seedOf(b)),
        slot: bernoulli(0.2, seedOf(b)),
        request: bursts({ go: 12, pause: 12 }, seedOf(b)),
        hold: () => hold.between(0, 60),
      });
      // Every reason was met, and every kind of request: the run is no empty one.
      expect([...new Set(s.events.flatMap(e => e.drop ?? []))].sort()).toEqual([...dropReasons].sort());
      const kinds = new Set(
        s.events.flatMap(e => (e.request ? [`${e.request.kind} ${e.request.malformed} ${e.request.corrupt}`] : [])),
      );
      for (const k of ["clio 0 0", "clio 1 0", "clio 0 1"]) expect(kinds).toContain(k);
      expect(s.events.some(e => e.request?.kind === "arp") && s.events.some(e => e.request?.kind === "icmp")).toBe(
        true,
      );
    },
  },
  {
    name: "a frame cut after each of 1 to 140 bytes, and a good one right behind it",
    seed: 1,
    run: async b => {
      const s = new Surroundings(b);
      for (const whole of [
        randomRequest(b.random, 200, own.nativePort),
        randomPing(b.random, 200),
        concat(randomArp(b.random), b.random.bytes(100)),
      ]) {
        for (let n = 1; n <= 140; n++)
          for (const bad of [false, true]) {
            s.send(whole.slice(0, n), bad);
            s.send(goodRead(b.random));
          }
      }
      await s.finish();
      s.events.forEach((e, i) => {
        if (i % 2 === 1) expect(e.request, `the frame behind number ${i - 1}`).toBeDefined();
      });
    },
  },
  {
    name: "requests of every length around a beat, none lost, no bubble, 3 cycles after the last beat",
    seed: 1,
    run: async b => {
      const s = new Surroundings(b);
      const sent = Array.from({ length: 300 }, (_, i) => s.send(randomRequest(b.random, i % 150)));
      await s.finish();
      sent.forEach((f, i) => {
        expect((s.events[i] as Event).cycle, `frame ${i}`).toBe((f.end as number) + 3);
        expect((f.end as number) - (f.start as number) + 1).toBe(Math.ceil(f.bytes.length / beatBytes));
        if (i > 0) expect(f.start).toBe(((sent[i - 1] as SentFrame).end as number) + 1);
      });
    },
  },
  {
    name: "frames to be dropped, one beat each, one per cycle; the pulse 3 cycles after the beat",
    seed: 1,
    run: async b => {
      const s = new Surroundings(b);
      const sent = Array.from({ length: 200 }, () => s.send(b.random.bytes(b.random.between(1, beatBytes))));
      await s.finish();
      sent.forEach((f, i) => {
        expect([f.start, (s.events[i] as Event).cycle]).toEqual([
          ((sent[0] as SentFrame).start as number) + i,
          (f.end as number) + 3,
        ]);
      });
    },
  },
  {
    name: "frames far longer than a slot are taken to their end and the next one is served",
    seed: 1,
    run: async b => {
      const s = new Surroundings(b);
      for (const n of [mtuFrame, mtuFrame + 1, 2047, 2048, 2049, 4096, 5000, 9018, 40000]) {
        s.send(concat(goodRead(b.random), b.random.bytes(n - 70)), b.random.chance());
        s.send(goodRead(b.random));
      }
      await s.finish();
      // Those longer than the largest frame are dropped for that whatever their FCS; each is followed by one
      // that is served.
      expect(s.events.slice(1).map(e => e.drop ?? "served")).toEqual([
        "served",
        ...Array.from({ length: 8 }, () => ["long", "served"]).flat(),
      ]);
    },
  },
  {
    name: "a reset in the middle of a frame leaves nothing behind",
    seed: 3,
    run: async b => {
      const frame = randomRequest(b.random, 500);
      poke(b.io.config, configOf(own));
      b.io.slot.valid.value = 1;
      for (let k = 0; k < 5; k++) {
        poke(b.io.rx.payload, {
          data: toBig(frame.slice(k * beatBytes, (k + 1) * beatBytes)),
          keep: (1n << BigInt(beatBytes)) - 1n,
          last: k === 2 ? 1 : 0,
          user: 0,
        });
        b.io.rx.valid.value = 1;
        await b.risingEdge();
      }
      b.io.rx.valid.value = 0;
      b.io.slot.valid.value = 0;
      b.sim.reset();
      await randomTraffic(b, 100, {});
    },
  },
];
