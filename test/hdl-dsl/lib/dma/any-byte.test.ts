/** The DMA engine between addresses of any bytes. */
import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { AxiDma, dmaStatus, type Random, type Shape } from "../../../../hdl-dsl/index.ts";
import {
  type AxiRamOptions,
  type Bench,
  bernoulli,
  type Dut,
  legalMemories,
  runBench,
  type StreamIo,
} from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  type Block,
  BYTES,
  copied,
  counts,
  HALF,
  none,
  place,
  plain,
  quiet,
  same,
  slow,
  statusOf,
  world,
} from "./dma-world.ts";

const dut = (beatBytes = BYTES): Dut =>
  AxiDma({ addressBits: 20, idBits: 2, beatBytes, outstanding: 8, anyByte: true });
type Streams = Readonly<Record<string, StreamIo<Shape, "in">>>;
interface Address {
  readonly addr: number | bigint;
  readonly len: number;
}

/** Rows of a byte up to pages, at any byte, many near the end of a page. */
function blockOf(r: Random, bytes: number, slot: number): Block {
  const row = r.pick([r.between(1, 4), r.between(1, 2 * bytes), 16 * bytes + r.below(2), r.between(1, 40 * bytes)]),
    rows = row > 16 * bytes ? r.between(1, 3) : r.between(1, 6),
    stride = (): number => row + r.below(3 * bytes),
    near = (): number => (r.chance(0.5) ? 0x1000 - r.between(1, 20 * bytes) : r.below(0x200));
  const [sourceStride, destinationStride] = [stride(), stride()];
  const back = r.chance(0.3);
  return {
    source: near() + (back ? rows * sourceStride : 0),
    destination: HALF + slot * 0x1000 + near() + (back ? (rows - 1) * destinationStride : 0),
    row,
    rows,
    sourceStride: back ? -sourceStride : sourceStride,
    destinationStride: back ? -destinationStride : destinationStride,
    interrupt: r.chance(0.5),
  };
}
/** Every burst by the bus's rules, whatever the memory thinks of it; and how many bytes were written. */
function watchBus(b: Bench, bytes: number) {
  const io = b.io as unknown as Streams,
    seen = { strobed: 0, readBeats: 0, writes: 0 };
  const fires = (name: string): boolean => io[name]!.valid.value === 1 && io[name]!.ready.value === 1;
  const legal = (a: Address, most: number): void => {
    const from = Number(a.addr),
      end = from - (from % bytes) + (a.len + 1) * bytes - 1;
    expect(a.len).toBeLessThan(most);
    expect([from, Math.floor(end / 0x1000)]).toEqual([from, Math.floor(from / 0x1000)]);
  };
  const payload = (name: string): Address => {
    const { addr, len } = io[name]!.payload as unknown as Readonly<Record<string, { value: number }>>;
    return { addr: addr!.value, len: len!.value };
  };
  b.onEdge({
    sample: () => {
      if (fires("mAr")) {
        legal(payload("mAr"), 17);
        seen.readBeats += payload("mAr").len + 1;
      }
      if (fires("mAw")) {
        legal(payload("mAw"), 16);
        seen.writes++;
      }
      if (!fires("mW")) return;
      const strb = BigInt((io["mW"]!.payload as unknown as { strb: { value: number | bigint } }).strb.value);
      for (let v = strb; v > 0n; v >>= 1n) seen.strobed += Number(v & 1n);
    },
    drive: () => undefined,
  });
  return seen;
}

/** Chains of blocks; each byte is written once, and no other one. */
async function copies(b: Bench, bytes: number, options: AxiRamOptions, chains = 4): Promise<void> {
  const { memory, ram, engine } = world(b, options),
    r = b.random,
    bus = watchBus(b, bytes);
  let moved = 0;
  for (let c = 0; c < chains; c++) {
    const blocks = Array.from({ length: 7 }, (_, i) => blockOf(r, bytes, i));
    if (c === 1) blocks[2] = { ...blocks[2]!, rows: 0 };
    if (c === 1) blocks[4] = { ...blocks[4]!, row: 0 };
    const chain = place(ram, r, blocks);
    await engine.run(chain.places[0]!);
    for (const d of blocks) {
      copied(memory, d);
      moved += d.row * d.rows;
    }
    expect(chain.places.map(p => statusOf(ram, p))).toEqual(blocks.map(() => dmaStatus.done));
    same(ram, memory);
    quiet(b, ram);
    expect(bus.strobed).toBe(moved + 8 * 7 * (c + 1));
  }
  expect(counts(b)).toEqual({ ...none, descriptors: 7 * chains });
}

/** Every pair of places in a beat, at lengths about a beat's and two beats': one descriptor for each. */
async function pairs(b: Bench): Promise<void> {
  const { memory, ram, engine } = world(b),
    bytes = 8;
  for (let from = 0; from < bytes; from++)
    for (let to = 0; to < bytes; to++) {
      const rows = [1, 2, bytes - 1, bytes, bytes + 1, 2 * bytes, 2 * bytes + 1, 17 * bytes - 1, 17 * bytes],
        blocks = rows.map((row, i) =>
          plain({ source: 0x400 + from + 0x200 * i, destination: HALF + 0x400 * i + to, row }),
        );
      const chain = place(ram, b.random, blocks);
      await engine.run(chain.places[0]!);
      for (const d of blocks) copied(memory, d);
      same(ram, memory);
    }
  quiet(b, ram);
}

/** Errors: what was read with one is not written, whatever its skew; what follows comes out right. */
async function errors(b: Bench): Promise<void> {
  const { memory, ram, engine } = world(b);
  ram.failAt({ from: 0x600, to: 0x610, response: "SLVERR" });
  ram.failAt({ from: HALF + 0x6000, to: HALF + 0x6010, response: "DECERR" });
  let readErrors = 0,
    descriptors = 0;
  for (const [from, to] of [
    [0x3f9, 2],
    [0x3f2, 9],
    [0x5ff, 0],
    [0x3f5, 5],
    [0x60f, 12],
  ] as const) {
    const row = 0x600,
      block = plain({ source: from, destination: HALF + to, row });
    const chain = place(ram, b.random, [block, plain({ destination: HALF + 0x4000 })]);
    await engine.run(chain.places[0]!);
    expect(chain.places.map(p => statusOf(ram, p))).toEqual([dmaStatus.done | dmaStatus.readError, 0x5a]);
    readErrors++;
    // What follows in the memory was there before, or is the copy: nothing of the burst with the error.
    const after = ram.read(HALF, 0x1000);
    const edge = 0x600 - from + to;
    after.forEach((v, i) => {
      const i0 = i - to,
        copy = i0 >= 0 && i0 < row ? memory[from + i0]! : memory[HALF + i]!;
      if (v !== memory[HALF + i]!) expect([i, v]).toEqual([i, copy]);
      // The beat with the error and what is about it in its burst stay as they were.
      if (i >= edge && i < edge + 16) expect([i, v]).toEqual([i, memory[HALF + i]]);
    });
    memory.set(after, HALF);
    // A good one behind it.
    const good = plain({ source: 0x2003 + to, destination: HALF + 0x2000 + from, row: 333 }),
      next = place(ram, b.random, [good]);
    await engine.run(next.places[0]!);
    copied(memory, good);
    same(ram, memory);
    descriptors += 2;
    quiet(b, ram);
  }
  expect(counts(b)).toEqual({ ...none, descriptors, readErrors });
  const block = plain({ source: 0x2001, destination: HALF + 0x5ff7, row: 100 });
  await engine.run(place(ram, b.random, [block]).places[0]!);
  expect(counts(b)).toEqual({ ...none, descriptors: descriptors + 1, readErrors, writeErrors: 1 });
  quiet(b, ram);
}

/** A beat a cycle for 16 of 17, at every pair of places; and the least number of bursts. */
async function times(b: Bench): Promise<void> {
  const { ram, engine } = world(b, { latency: 9 }),
    io = b.io as unknown as Streams,
    bus = watchBus(b, BYTES);
  let at: number[] = [],
    now = 0;
  b.onEdge({
    sample: () => {
      now++;
      if (io["mW"]!.valid.value === 1 && io["mW"]!.ready.value === 1) at.push(now);
    },
    drive: () => undefined,
  });
  for (const from of [0, 1, 8, 15])
    for (const to of [0, 1, 7, 15]) {
      at = [];
      const { writes, readBeats } = bus,
        row = 0xe00,
        chain = place(ram, b.random, [plain({ row, source: 0x1000 + from, destination: HALF + 0x1000 + to })]);
      await engine.run(chain.places[0]!);
      const beats = Math.ceil((row + to) / BYTES),
        bursts = Math.ceil(beats / 16);
      expect(at.length).toBe(beats + 1);
      expect(bus.writes - writes).toBe(bursts + 1);
      // Of the source only what is needed is read: a beat between two bursts twice. And the descriptor.
      expect(bus.readBeats - readBeats).toBeLessThanOrEqual(Math.ceil((row + from) / BYTES) + bursts - 1 + 4);
      // Between bursts a cycle, in which the next one is taken up.
      expect([from, to, at[beats - 1]! - at[0]! + 1]).toEqual([from, to, beats + bursts - 1]);
    }
}

/** Rows of one burst: a read in so many cycles. */
async function shortRows(b: Bench, interval: number): Promise<void> {
  const { ram, engine } = world(b),
    io = b.io as unknown as Streams,
    at: number[] = [];
  let now = 0;
  b.onEdge({
    sample: () => {
      now++;
      if (io["mAr"]!.valid.value === 1 && io["mAr"]!.ready.value === 1) at.push(now);
    },
    drive: () => undefined,
  });
  const strides = { sourceStride: 64, destinationStride: 64 };
  await engine.run(place(ram, b.random, [plain({ row: 16, rows: 12, ...strides })]).places[0]!);
  expect(at.slice(2).map((t, i) => t - at[i + 1]!)).toEqual(Array.from({ length: 11 }, () => interval));
}

/** Reset in the middle, with the memory: a chain after it is whole, and nothing is left of the one before. */
async function cutOff(b: Bench): Promise<void> {
  const io = b.io as unknown as Streams,
    payload = io["mR"]!.payload as unknown as Readonly<Record<string, { value: number | bigint }>>;
  for (const after of [16, 30, 31, 45, 64]) {
    for (const name of ["mAr", "mAw", "mW"])
      (io[name]!.ready as { value: number }).value = name === "mW" && after % 2 === 0 ? 0 : 1;
    io["start"]!.valid.value = 1;
    io["mR"]!.valid.value = 1;
    // Source, destination, and bytes of a descriptor that is made of such beats.
    payload["data"]!.value = 0x0000_0008_0000_0803_0000_0000_0000_4007n;
    for (let i = 0; i < after; i++) {
      payload["last"]!.value = i % 4 === 3 ? 1 : 0;
      await b.cycles(1);
    }
    for (const name of ["start", "mR", "mB"]) io[name]!.valid.value = 0;
    b.sim.reset(1);
    b.sim.settle();
    for (const name of ["mAr", "mAw", "mW"]) expect([name, io[name]!.valid.value]).toEqual([name, 0]);
    expect(counts(b)).toEqual(none);
  }
  await copies(b, BYTES, {}, 1);
}

const limits = { limitCycles: 200_000 } as const;
describe("AxiDma, any byte", () => {
  for (const bytes of [8, 16, 32, 64])
    bench(`${bytes} bytes a beat`, dut(bytes), { ...limits, seed: bytes }, b => copies(b, bytes, {}));
  bench("a slow memory", dut(), limits, b => copies(b, BYTES, slow));
  for (const [what, ram] of Object.entries(legalMemories))
    bench(`memory: ${what}`, dut(), { ...limits, seed: 7 }, b => copies(b, BYTES, ram, 1));
  bench("every pair of places", dut(8), limits, pairs);
  bench("errors of the memory", dut(), limits, errors);
  bench("interval", dut(), limits, times);
  bench("reset beside traffic", dut(), limits, cutOff);
  bench("short rows", dut(), limits, b => shortRows(b, 4));
  bench("short rows of whole beats", AxiDma({ addressBits: 20, idBits: 2, beatBytes: BYTES }), limits, b =>
    shortRows(b, 3),
  );
});

type Run = (b: Bench) => Promise<void>;
const runs = {
  copies: b => copies(b, BYTES, slow),
  full: b => copies(b, BYTES, { pause: { w: bernoulli(0.85, 6) } }, 1),
  errors,
  times,
  cutOff,
} satisfies Readonly<Record<string, Run>>;
test.each([
  ["copies", "a read crosses 4 KB", /\|\(~now_source\[11:8\]\) \? 5'd17/, "1'b1 ? 5'd17"],
  ["copies", "a write crosses 4 KB", /\|\(~now_destination\[11:8\]\) \? 5'd16/, "1'b1 ? 5'd16"],
  ["copies", "a write of 17 beats", /(\|\(~now_destination\[11:8\]\) \? )5'd16/, "$15'd17"],
  ["times", "bursts are cut at the source as well", /(\|\(~now_source\[11:8\]\) \? )5'd17/, "$15'd16"],
  [
    "copies",
    "a beat too many is read where the end is at a beat",
    /now_source\[3:0\]\} \+ cut_bytes \+ 9'd15/,
    "now_source[3:0]} + cut_bytes + 9'd16",
  ],
  [
    "copies",
    "the last byte is left out",
    /cut_place_end <= [^;]*;/,
    "cut_place_end <= now_destination[3:0] + cut_bytes[3:0] - 4'd2;",
  ],
  ["copies", "bytes in front are written", /first_beat <= 1'b1;/g, "first_beat <= 1'b0;"],
  [
    "copies",
    "equal places prime, too",
    /cut_place_primes <= [^;]*;/,
    "cut_place_primes <= now_source[3:0] >= now_destination[3:0];",
  ],
  ["copies", "nothing primes", /write_is_free\) \? places_pop_payload_primes/, "write_is_free) ? 1'b0"],
  ["errors", "a burst with an error is written", /drops <= here_pop_payload_bad;/, "drops <= 1'b0;"],
  ["errors", "a beat of a burst with an error is left", /(beats_left <= )(here_pop_payload_len);/, "$1$2 - 8'd1;"],
  ["copies", "a beat more is read at the end", /beat_is_read_and & \(\|unread\)/, "beat_is_read_and"],
  ["copies", "the beat before is forgotten while W waits", /if \(beat_is_read\) kept_beat/, "if (1'b1) kept_beat"],
  [
    "copies",
    "a status begins at the last burst's first byte",
    /else if \(phase == dma_phase_report\) first_beat <= 1'b1;/,
    "",
  ],
  [
    "copies",
    "a status ends at the last burst's last byte",
    /else if \(phase == dma_phase_report\) end_lane <= 4'd15;/,
    "",
  ],
  [
    "full",
    "room for the primed beat does not come back",
    /wire room_comes = [^;]*;/,
    "wire room_comes = beat_is_read_and & (|unread);",
  ],
  ["full", "room for 16 of 17 beats is kept", /room >= \{2'd0, cut_place_reads\}/, "room >= 7'd1"],
  ["copies", "no skew counts as one", /wire straight = [^;]*;/, "wire straight = 1'b0;"],
  ["cutOff", "reset leaves places", /(d8 places \([^;]*?\.rst \()rst/, "$11'b0"],
] as const)("planted fault, %s: %s", (run, _what, from, to) =>
  findsFault(
    runBench(run, plant(dut(), from, to), { wave: false, hangCycles: 1500, limitCycles: 60_000, seed: 3 }, runs[run]),
    /./,
  ),
);
