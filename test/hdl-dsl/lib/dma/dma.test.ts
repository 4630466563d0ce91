import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { AxiDma, dmaStatus, type Shape } from "../../../../hdl-dsl/index.ts";
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
  blockOf,
  BYTES,
  copied,
  counts,
  HALF,
  type Io,
  none,
  place,
  plain,
  quiet,
  same,
  type Signals,
  slow,
  statusOf,
  TABLE,
  world,
} from "./dma-world.ts";

const dut = (beatBytes = BYTES): Dut => AxiDma({ addressBits: 20, idBits: 2, beatBytes, outstanding: 8 });

/** Chains of blocks; some descriptors are refused. */
async function copies(b: Bench, bytes: number, options: AxiRamOptions, chains = 3): Promise<void> {
  const { memory, ram, engine } = world(b, options),
    r = b.random;
  let descriptors = 0,
    refused = 0,
    interrupts = 0;
  for (let c = 0; c < chains; c++) {
    const blocks = Array.from({ length: 7 }, (_, i) => blockOf(r, bytes, i));
    // Nothing to do is done as well.
    if (c === 1) blocks[2] = { ...blocks[2]!, rows: 0 };
    if (c === 1) blocks[4] = { ...blocks[4]!, row: 0 };
    const broken = c === 2 ? 3 : -1;
    if (broken >= 0) blocks[broken] = { ...blocks[broken]!, sourceStride: blocks[broken]!.sourceStride + 1 };
    const chain = place(ram, r, blocks);
    await engine.run(chain.places[0]!);
    blocks.forEach((d, i) => {
      const runs = broken < 0 || i <= broken;
      if (runs && i !== broken) copied(memory, d);
      if (runs) descriptors++;
      if (runs && (d.interrupt || i === blocks.length - 1 || i === broken)) interrupts++;
      const expected = !runs ? 0x5a : i === broken ? dmaStatus.done | dmaStatus.refused : dmaStatus.done;
      expect([i, statusOf(ram, chain.places[i]!)]).toEqual([i, expected]);
    });
    if (broken >= 0) refused++;
    same(ram, memory);
    quiet(b, ram);
  }
  expect(counts(b)).toEqual({ ...none, descriptors, refused });
  expect(engine.seen).toEqual({ interrupt: interrupts, failed: refused, chainEnds: chains });
}
/** Errors of the memory: at a descriptor, at data that are read, at data that are written. */
async function errors(b: Bench): Promise<void> {
  const { memory, ram, engine } = world(b);
  ram.failAt({ from: 0x600, to: 0x610, response: "SLVERR" });
  ram.failAt({ from: HALF + 0x3000, to: HALF + 0x3010, response: "DECERR" });
  ram.failAt({ from: TABLE + 0x1000, to: TABLE + 0x1008 });
  // Two blocks: the first fails, so the second is not begun.
  const bad = async (first: Block, status: number): Promise<void> => {
    const chain = place(ram, b.random, [first, plain({ destination: HALF + 0x6000 })]);
    await engine.run(chain.places[0]!);
    expect(statusOf(ram, chain.places[0]!)).toBe(status);
    expect(statusOf(ram, chain.places[1]!)).toBe(0x5a);
    quiet(b, ram);
  };
  await bad(plain(), dmaStatus.done | dmaStatus.readError);
  // What was read whole is written, and the burst with the error is not.
  memory.set(memory.slice(0x400, 0x600), HALF);
  const after = ram.read(HALF, 0x800);
  expect(after.slice(0, 0x200)).toEqual(memory.slice(HALF, HALF + 0x200));
  expect(after.slice(0x200, 0x300)).toEqual(memory.slice(HALF + 0x200, HALF + 0x300));
  await bad(plain({ source: 0x1000, destination: HALF + 0x2e00 }), dmaStatus.done | dmaStatus.writeError);
  expect(counts(b)).toEqual({ ...none, descriptors: 2, readErrors: 1, writeErrors: 1 });
  await engine.run(TABLE + 0x1000);
  expect(counts(b)).toEqual({ ...none, descriptors: 2, descriptorErrors: 1, readErrors: 1, writeErrors: 1 });
  expect(engine.seen).toEqual({ interrupt: 3, failed: 3, chainEnds: 3 });
  // None of it is left: the next chain is whole.
  const chain = place(ram, b.random, [plain({ source: 0x2000, destination: HALF + 0x5000 })]);
  await engine.run(chain.places[0]!);
  expect(statusOf(ram, chain.places[0]!)).toBe(dmaStatus.done);
  expect(ram.read(HALF + 0x5000, 0x800)).toEqual(memory.slice(0x2000, 0x2800));
  quiet(b, ram);
}

/** Stopped in the middle: the descriptor at hand is done, the next one is not begun. */
async function stops(b: Bench): Promise<void> {
  const { memory, ram, engine } = world(b),
    stop = (b.io as Io)["stop"] as { value: number };
  const chain = place(ram, b.random, [plain(), plain({ destination: HALF + 0x4000 })]);
  const runs = engine.run(chain.places[0]!);
  await b.cycles(40);
  stop.value = 1;
  await runs;
  copied(memory, chain.blocks[0]!);
  same(ram, memory);
  expect(chain.places.map(p => statusOf(ram, p))).toEqual([dmaStatus.done, 0x5a]);
  const start = (b.io as Io)["start"] as StreamIo<Shape, "in">;
  expect(start.ready.value).toBe(0);
  stop.value = 0;
  await b.cycles(2);
  quiet(b, ram);
  await engine.run(chain.places[1]!);
  copied(memory, chain.blocks[1]!);
  same(ram, memory);
}

/** Latency and rate: beats of 16 one after the other; and no more under way than there is room. */
async function times(b: Bench): Promise<void> {
  const { ram, engine } = world(b, { latency: 9 });
  const chain = place(ram, b.random, [plain({ row: 0x1000, source: 0x1000, destination: HALF + 0x1000 })]);
  const io = b.io as unknown as Readonly<Record<string, StreamIo<Shape, "in">>>,
    at: number[] = [];
  let now = 0,
    asked = -1,
    started = -1;
  b.onEdge({
    sample: () => {
      now++;
      if (io["start"]!.valid.value === 1 && io["start"]!.ready.value === 1) started = now;
      if (asked < 0 && io["mAr"]!.valid.value === 1) asked = now;
      if (io["mW"]!.valid.value === 1 && io["mW"]!.ready.value === 1) at.push(now);
    },
    drive: () => undefined,
  });
  await engine.run(chain.places[0]!);
  expect(asked - started).toBe(2);
  const beats = 0x1000 / BYTES;
  expect(at.length).toBe(beats + 1);
  // A cycle between bursts of 16 beats, in which the next one is taken up.
  const took = at[beats - 1]! - at[0]! + 1;
  expect(took).toBe(beats + beats / 16 - 1);
}

/** Reset in the middle of a copy, with the memory; then a whole one. */
async function cutOff(b: Bench): Promise<void> {
  for (const after of [14, 33, 61]) {
    const io = b.io as unknown as Readonly<Record<string, StreamIo<Shape, "in">>>;
    // A memory of our own that takes all and answers with anything.
    for (const name of ["mAr", "mAw", "mW"])
      (io[name]!.ready as { value: number }).value = name === "mAw" && after > 50 ? 0 : 1;
    io["start"]!.valid.value = 1;
    io["mR"]!.valid.value = 1;
    io["mB"]!.valid.value = after % 2;
    const r = io["mR"]!.payload as unknown as Signals;
    (r["data"] as unknown as { value: bigint }).value = 0x0000_0008_0000_0800_0000_0000_0000_4000n;
    for (let i = 0; i < after; i++) {
      r["last"]!.value = i % 4 === 3 ? 1 : 0;
      r["resp"]!.value = i > 20 ? 2 : 0;
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

describe("AxiDma", () => {
  for (const bytes of [8, 16, 64])
    bench(`${bytes} bytes a beat`, dut(bytes), { limitCycles: 100_000, seed: bytes }, b => copies(b, bytes, {}));
  bench("a slow memory", dut(), { limitCycles: 100_000 }, b => copies(b, BYTES, slow));
  for (const [what, ram] of Object.entries(legalMemories))
    bench(`memory: ${what}`, dut(), { limitCycles: 100_000, seed: 7 }, b => copies(b, BYTES, ram));
  bench("errors of the memory", dut(), {}, errors);
  bench("stopped", dut(), {}, stops);
  bench("latency and interval", dut(), {}, times);
  bench("reset beside traffic", dut(), {}, cutOff);
});
test("widths that are not made are refused", () => {
  expect(() => AxiDma({ addressBits: 20, idBits: 1, beatBytes: 4 })).toThrow(
    "AxiDma: beatBytes is 4; choose 8, 16, 32 or 64",
  );
  expect(() => AxiDma({ addressBits: 12, idBits: 1, beatBytes: 8 })).toThrow(
    "AxiDma: addresses have 12 bits; choose 13 to 64",
  );
});

type Run = (b: Bench) => Promise<void>;
const runs = {
  copies: b => copies(b, BYTES, slow),
  full: b => copies(b, BYTES, { pause: { w: bernoulli(0.85, 6) } }, 1),
  errors,
  stops,
  times,
  cutOff,
} satisfies Readonly<Record<string, Run>>;
test.each([
  ["copies", "a burst crosses 4 KB at its destination", /cut_room <= [^;]*;/, "cut_room <= 5'd16;"],
  ["copies", "a row's last burst is as long as the others", /wire row_is_short = [^;]*;/, "wire row_is_short = 1'b0;"],
  [
    "copies",
    "rows follow one another without a stride",
    /row_source <= row_source \+ [^;]*;/,
    "row_source <= row_source;",
  ],
  ["copies", "a descriptor without rows is begun", "& (|held[255:224])", ""],
  ["copies", "what is not aligned is moved", /wire held_when = [^;]*;/, "wire held_when = 1'b0;"],
  [
    "copies",
    "the chain goes on behind a refusal",
    /wire bad = [^;]*;/,
    "wire bad = wrong | failed_read | failed_write;",
  ],
  ["copies", "a status before the last answer", /open == 8'd0/, "open <= 8'd1"],
  ["full", "room is given back twice", "{6'd0, room_comes}", "{5'd0, room_comes, 1'b0}"],
  ["copies", "room never comes back", "{6'd0, room_comes}", "7'd0"],
  ["copies", "an interrupt that nobody asked for", "held[384]", "1'b1"],
  ["errors", "a burst with an error is written", /drops <= here_pop_payload_bad;/, "drops <= 1'b0;"],
  ["errors", "the error of a burst's first beats is forgotten", /burst_spoilt <= [^;]*;/, "burst_spoilt <= 1'b0;"],
  [
    "errors",
    "an error spoils the next burst",
    /burst_spoilt <= [^;]*;/,
    "burst_spoilt <= burst_spoilt | beat_is_wrong;",
  ],
  ["errors", "an error is in the next chain, too", "failed_read <= 1'b0;", ""],
  ["errors", "a write's error is not told", /if \(wrong\) failed_write <= 1'b1;/, ""],
  ["errors", "a descriptor with an error is carried out", "if (|m_r_payload_resp) failed_descriptor <= 1'b1;", ""],
  ["errors", "a dropped burst stays open", /wire burst_dropped = [^;]*;/, "wire burst_dropped = 1'b0;"],
  ["stops", "it goes on although it is stopped", /wire chain_ends = [^;]*;/, "wire chain_ends = bad | ~(|held[19:6]);"],
  ["times", "only one burst is under way", /open < 8'd8/, "open < 8'd1"],
  ["cutOff", "reset leaves bursts open", "open <= 8'd0;", ""],
  ["cutOff", "reset leaves an address to write", "address_waits <= 1'b0; beats_wait", "beats_wait"],
] as const)("planted fault, %s: %s", (run, _what, from, to) =>
  findsFault(
    runBench(run, plant(dut(), from, to), { wave: false, hangCycles: 1500, limitCycles: 30_000, seed: 3 }, runs[run]),
    /./,
  ),
);
