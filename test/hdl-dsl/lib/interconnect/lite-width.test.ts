import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { LiteWidthConverter, type Shape } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  type StreamIo,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";

type Io = Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;
type Fields = Readonly<Record<string, number | bigint>>;
const BYTES = 256;
const dut = (fromBytes: 4 | 8): Dut => LiteWidthConverter({ addressBits: 12, fromBytes, outstanding: 3 });
const word = (v: bigint, bytes: number): number | bigint => (bytes === 4 ? Number(v) : v);
/** Addresses of the two halves that fail, and how. */
const errorOf = (at: number): number => (at >= 0x20 && at < 0x24 ? 2 : at >= 0x4c && at < 0x50 ? 3 : 0);

/** Told with each address, and passed on: of both halves of a word the same. */
const protOf = (addr: number): number => (addr >> 3) & 7;
const checkProt = (value: unknown): void => {
  const { addr, prot } = value as Fields;
  expect(Number(prot), `prot of address ${addr}`).toBe(protOf(Number(addr)));
};

/** Memory behind the converter: it answers in order, and notes what was asked of it. */
class LiteMemory {
  readonly bytes = new Uint8Array(BYTES);
  readonly asked: (readonly [kind: string, addr: number, strb?: number])[] = [];
  readonly #end: Readonly<Record<"aw" | "w" | "ar", StreamSink<Shape>>>;
  readonly #b: StreamSource<Shape>;
  readonly #r: StreamSource<Shape>;
  #writes = 0;
  #reads = 0;
  constructor(b: Bench, bytes: number, pause: (n: number) => Pause) {
    const io = b.io as unknown as Io,
      sink = (name: string, n: number) => new StreamSink(b.sim, io[name]!, { pause: pause(n) });
    this.#end = { aw: sink("mAw", 0), w: sink("mW", 1), ar: sink("mAr", 2) };
    this.#b = new StreamSource(b.sim, io["mB"]!, { pause: pause(3) });
    this.#r = new StreamSource(b.sim, io["mR"]!, { pause: pause(4) });
    b.onEdge({ sample: () => this.#serve(bytes), drive: () => undefined });
  }
  #serve(bytes: number): void {
    const { aw, w, ar } = this.#end;
    for (; this.#writes < Math.min(aw.received.length, w.received.length); this.#writes++) {
      checkProt(aw.received[this.#writes]!.value);
      const addr = Number((aw.received[this.#writes]!.value as Fields)["addr"]),
        { data, strb } = w.received[this.#writes]!.value as Fields,
        base = addr - (addr % bytes);
      this.asked.push(["write", addr, Number(strb)]);
      let resp = 0;
      for (let i = 0; i < bytes; i++)
        if (((Number(strb) >> i) & 1) === 1) {
          resp = Math.max(resp, errorOf(base + i));
          this.bytes[base + i] = Number((BigInt(data!) >> BigInt(8 * i)) & 255n);
        }
      this.#b.send({ resp });
    }
    for (; this.#reads < ar.received.length; this.#reads++) {
      checkProt(ar.received[this.#reads]!.value);
      const addr = Number((ar.received[this.#reads]!.value as Fields)["addr"]),
        base = addr - (addr % bytes);
      this.asked.push(["read", addr]);
      const at = Array.from({ length: bytes }, (_, i) => base + i);
      this.#r.send({
        data: word(
          at.reduceRight((v, a) => v * 256n + BigInt(this.bytes[a]!), 0n),
          bytes,
        ),
        resp: Math.max(...at.map(errorOf)),
      });
    }
  }
  get idle(): boolean {
    return this.#b.pending + this.#r.pending === 0;
  }
}

/** What the slave must be asked, for a write of 8 bytes or a read of them to 4. */
const partsOf = (kind: string, addr: number, strb: number): (readonly [string, number, number?])[] => {
  const base = addr - (addr % 8),
    upper = (addr & 4) !== 0;
  if (kind === "read")
    return upper
      ? [["read", addr]]
      : [
          ["read", addr],
          ["read", base + 4],
        ];
  const [low, high] = [strb & 15, strb >> 4],
    parts: (readonly [string, number, number?])[] = [];
  if (low !== 0 || (high === 0 && !upper)) parts.push(["write", addr, low]);
  if (high !== 0 || (low === 0 && upper)) parts.push(["write", upper ? addr : base + 4, high]);
  return parts;
};

/** Writes, then reads of them: what goes back, and what the slave was asked for it. */
async function converts(b: Bench, from: 4 | 8, pause: (n: number) => Pause, count = 60): Promise<void> {
  const io = b.io as unknown as Io,
    r = b.random,
    to = 12 - from,
    memory = new LiteMemory(b, to, n => pause(n + 10)),
    model = new Uint8Array(BYTES);
  const source = (name: string, n: number) => new StreamSource(b.sim, io[name]!, { pause: pause(n) }),
    sink = (name: string, n: number) => new StreamSink(b.sim, io[name]!, { pause: pause(n) });
  const [aw, w, ar] = [source("sAw", 0), source("sW", 1), source("sAr", 2)],
    [bOut, rOut] = [sink("sB", 3), sink("sR", 4)];
  const asked: (readonly [string, number, number?])[] = [],
    answers: number[] = [];
  for (let i = 0; i < count; i++) {
    // A word's first half mostly, as masters have it; for reads of a half the other one, too.
    const base = r.below(BYTES / from) * from,
      addr = from === 8 && r.chance(0.3) ? base + 4 : base,
      strb = r.chance(0.6) ? 2 ** from - 1 : r.below(2 ** from),
      data = r.bits(8 * from);
    const lowest = from === 8 && (addr & 4) !== 0 ? strb & 0xf0 : strb;
    aw.send({ addr, prot: protOf(addr) });
    w.send({ data: word(data, from), strb: lowest });
    const touched = Array.from({ length: from }, (_, k) => k).filter(k => ((lowest >> k) & 1) === 1);
    for (const k of touched) model[base + k] = Number((data >> BigInt(8 * k)) & 255n);
    answers.push(Math.max(0, ...touched.map(k => errorOf(base + k))));
    if (from === 8) asked.push(...partsOf("write", addr, lowest));
    else asked.push(["write", addr, (addr & 4) === 0 ? lowest : lowest << 4]);
  }
  await b.until(() => bOut.received.length === count);
  expect(bOut.received.map(x => (x.value as Fields)["resp"])).toEqual(answers);
  expect(memory.asked).toEqual(asked);
  expect(memory.bytes).toEqual(model);
  // The first one is of a whole word: after a reset it is to have both halves.
  const reads = Array.from({ length: count }, (_, i) => {
    const base = r.below(BYTES / from) * from;
    return from === 8 && i > 0 && r.chance(0.3) ? base + 4 : base;
  });
  for (const addr of reads) ar.send({ addr, prot: protOf(addr) });
  await b.until(() => rOut.received.length === count);
  rOut.received.forEach((x, i) => {
    const { data, resp } = x.value as Fields,
      addr = reads[i]!,
      end = addr - (addr % from) + from,
      // A wider slave's answer is of its whole word.
      span = from === 4 ? [addr - (addr % 8), addr - (addr % 8) + 8] : [addr, end];
    const at = Array.from({ length: span[1]! - span[0]! }, (_, k) => span[0]! + k),
      bytes = Array.from({ length: end - addr }, (_, k) => addr + k);
    expect(resp).toBe(Math.max(...at.map(errorOf)));
    expect(bytes.map(a => Number((BigInt(data!) >> BigInt(8 * (a % from))) & 255n))).toEqual(bytes.map(a => model[a]));
  });
  expect(memory.asked.slice(asked.length)).toEqual(
    reads.flatMap(a => (from === 8 ? partsOf("read", a, 0) : [["read", a] as const])),
  );
  await b.cycles(10);
  expect(memory.idle).toBe(true);
  expect([rOut.received.length, bOut.received.length]).toEqual([count, count]);
}

/** Latency, interval and what may be under way. */
async function times(b: Bench, from: 4 | 8): Promise<void> {
  const io = b.io as unknown as Io,
    source = (name: string) => new StreamSource(b.sim, io[name]!),
    sink = (name: string) => new StreamSink(b.sim, io[name]!);
  const [aw, w, ar, mR, mB] = [source("sAw"), source("sW"), source("sAr"), source("mR"), source("mB")],
    [mAw, mW, mAr, sR, sB] = [sink("mAw"), sink("mW"), sink("mAr"), sink("sR"), sink("sB")];
  const reads = Array.from({ length: 6 }, () => ar.send({ addr: 4, prot: 0 })),
    writes = Array.from({ length: 3 }, () => aw.send({ addr: 4, prot: 0 }));
  await b.cycles(12);
  // Three are under way, and no more. A write waits for its data.
  expect(mAr.received.map(x => x.cycle)).toEqual(reads.slice(0, 3).map(s => s.cycle! + 1));
  expect(mAw.received.length).toBe(0);
  const data = Array.from({ length: 3 }, () => w.send({ data: word(1n, from), strb: from === 4 ? 1 : 16 }));
  await b.cycles(8);
  const later = from === 4 ? 1 : 2;
  expect(mAw.received.map(x => x.cycle)).toEqual(data.map(s => s.cycle! + later));
  expect(mW.received.map(x => x.cycle)).toEqual(data.map(s => s.cycle! + later));
  expect(data.map(s => s.cycle! - data[0]!.cycle!)).toEqual([0, 1, 2]);
  expect(writes.map(s => s.cycle)).toEqual(data.map(s => s.cycle));
  const back = [0, 1, 2].map(() => mR.send({ data: word(0n, 12 - from), resp: 0 })),
    done = [0, 1, 2].map(() => mB.send({ resp: 0 }));
  await b.cycles(8);
  expect(sR.received.map(x => x.cycle)).toEqual(back.map(s => s.cycle! + 1));
  expect(sB.received.map(x => x.cycle)).toEqual(done.map(s => s.cycle! + 1));
  expect(mAr.received.length).toBe(6);
}

/** A read and a write half done, then reset. */
async function cutOff(b: Bench, from: 4 | 8): Promise<void> {
  const io = b.io as unknown as Io;
  for (const name of ["mAw", "mW", "mAr"]) io[name]!.ready.value = 1;
  const none = word(0n, from);
  const both = [
    offer(b, io["sAw"]!, { addr: 0, prot: 0 }),
    offer({ risingEdge: () => b.risingEdge() }, io["sW"]!, { data: none, strb: 2 ** from - 1 }),
  ];
  await Promise.all(both);
  expect(await offer(b, io["sAr"]!, { addr: 0, prot: 0 })).toBe(true);
  await b.cycles(3);
  expect(await offer(b, io["mR"]!, { data: word(1n, 12 - from), resp: 3 })).toBe(true);
  expect(await offer(b, io["mB"]!, { resp: 3 })).toBe(true);
  b.sim.reset(1);
  b.sim.settle();
  for (const name of ["mAw", "mW", "mAr", "sR", "sB"]) expect([name, io[name]!.valid.value]).toEqual([name, 0]);
  // Reads until no more may be under way: from 8 bytes the last one has its first half sent alone.
  io["sAr"]!.valid.value = 1;
  await b.cycles(8);
  io["sAr"]!.valid.value = 0;
  b.sim.reset(1);
  await converts(b, from, () => never, 10);
}

describe.each([4, 8] as const)("LiteWidthConverter from %d bytes", from => {
  bench("nothing pauses", dut(from), {}, b => converts(b, from, () => never));
  bench("all sides pause", dut(from), { seed: 2 }, b => converts(b, from, n => bernoulli(n % 3 === 0 ? 0.7 : 0.3, n)));
  bench("latency, interval, bounds", dut(from), {}, b => times(b, from));
  bench("reset in the middle of accesses", dut(from), {}, b => cutOff(b, from));
});

test("widths that AXI4-Lite has not are refused", () =>
  expect(() => LiteWidthConverter({ addressBits: 12, fromBytes: 16 as 8 })).toThrow(
    "LiteWidthConverter: fromBytes is 16; choose 4 or 8",
  ));

test.each([
  [4, "the wrong half goes back", "asked_pop_payload_upper ? m_r", "~asked_pop_payload_upper ? m_r"],
  [4, "both halves are written", /m_w_payload_strb = \{[^}]*\};/, "m_w_payload_strb = {2{write_held_w_strb}};"],
  [4, "data that wait are offered again", /half_1_done <= [^;]*write_ready[^;]*;/, "half_1_done <= 1'b0;"],
  [4, "the rights of a read are lost", /m_ar_payload_prot = [^;]*;/, "m_ar_payload_prot = 3'd0;"],
  [8, "the rights of a write are lost", /m_aw_payload_prot = [^;]*;/, "m_aw_payload_prot = 3'd0;"],
  [8, "a half without strobes is written", "wire has_lower = |write_held_w_strb[3:0]", "wire has_lower = 1'b1"],
  [8, "the lower half's error is lost", /b_before <= [^;]*b_resp;/, "b_before <= 2'd0;"],
  [8, "a read's first error is lost", /r_resp <= \(r_begins[^;]*;/, "r_resp <= m_r_payload_resp;"],
  [
    8,
    "a read of the upper half reads the lower one too",
    /assign read_upper = [^;]*;/,
    "assign read_upper = read_second;",
  ],
  [8, "a word that waits is written over", /m_r_ready = [^;]*;/, "m_r_ready = asked_pop_valid;"],
  [8, "reset leaves the second half", "if (rst) read_second <= 1'b0;\n    else ", ""],
  [8, "reset leaves an error", "if (rst) b_before <= 2'd0;\n    else ", ""],
] as const)("planted fault, from %d bytes: %s", (from, _what, text, to) => {
  const faulty = plant(dut(from), text, to),
    o = { wave: false, hangCycles: 400, limitCycles: 10_000 } as const;
  return findsFault(
    runBench("converts", faulty, o, b => converts(b, from, n => bernoulli(0.4, n)))
      .then(() => runBench("times", faulty, o, b => times(b, from)))
      .then(() => runBench("cut off", faulty, o, b => cutOff(b, from))),
    /./,
  );
});
