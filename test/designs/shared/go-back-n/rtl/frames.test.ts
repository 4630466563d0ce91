import { describe, expect, test } from "vitest";
import {
  GbnFrames,
  gbnFramesKept,
  type GbnFramesParameters,
} from "../../../../../designs/shared/go-back-n/rtl/frames.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
} from "../../../../../sim/index.ts";
import { afterValid } from "../../../../support/after-valid.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets: readonly GbnFramesParameters[] = [
  { beatBytes: 8, frameBytes: 128, headerBytes: 20, waits: true },
  { beatBytes: 32, frameBytes: 600, headerBytes: 64, waits: false },
];
type Ports = ReturnType<typeof GbnFrames>["ports"];
const bigOf = (bytes: Uint8Array): bigint => [...bytes].reverse().reduce((v, x) => (v << 8n) | BigInt(x), 0n);

/** Frames of all lengths, bad ones and too long ones among them; those that are kept come out whole and in order. */
async function run(b: Bench<Ports>, p: GbnFramesParameters, count: number, pause: (n: number) => Pause): Promise<void> {
  const rx = new AxisSource(b.sim, b.io.rx, { pause: pause(1) }),
    out = new AxisSink(b.sim, b.io.beats, { pause: pause(2) });
  const toCome = Array.from({ length: count }, (_, i) => ({
    bytes: b.random.bytes(
      i < 2 ? p.frameBytes + i : b.random.between(1, p.frameBytes + (b.random.chance(0.1) ? 40 : 0)),
    ),
    bad: i > 1 && b.random.chance(0.1),
    discard: i > 1 && b.random.chance(0.2),
  }));
  const frames: (typeof toCome)[number][] = [];
  const kept: Uint8Array[] = [];
  let ended = 0,
    refused = 0;
  b.io.hold.value = 0;
  b.onEdge({
    sample: () => {
      if (b.io.ends.value !== 1) return;
      const f = frames[ended] as (typeof frames)[number],
        long = f.bytes.length > p.frameBytes,
        header = f.bytes.slice(0, p.headerBytes),
        mask = (1n << BigInt(8 * header.length)) - 1n;
      ended++;
      expect([b.io.end.long.value, b.io.end.bad.value], `end of frame ${ended - 1}`).toEqual([+long, +f.bad]);
      expect(b.io.end.header.big & mask, `header of frame ${ended - 1}`).toBe(bigOf(header));
      if (!long) expect(b.io.end.lastByte.num, `last byte of frame ${ended - 1}`).toBe(f.bytes.length - 1);
      if (b.io.end.stored.value !== 1) refused++;
      else if (!long && !f.bad && !f.discard) kept.push(f.bytes);
    },
    drive: () => {
      b.io.discard.value = +(frames[ended]?.discard ?? false);
    },
  });
  /** Largest frames that find room while none leaves. */
  const room = async (): Promise<number> => {
    out.pause = () => true;
    const before = kept.length;
    for (let i = 0; i < 12; i++) {
      frames.push({ bytes: b.random.bytes(p.frameBytes), bad: false, discard: false });
      rx.send((frames.at(-1) as (typeof frames)[number]).bytes);
    }
    await b.cycles(24 * Math.ceil(p.frameBytes / p.beatBytes));
    const found = kept.length - before;
    out.pause = pause(2);
    await b.until(() => ended === frames.length);
    return found;
  };
  const roomBefore = await room(),
    first = frames.length;
  for (const f of toCome) {
    frames.push(f);
    rx.send(f.bytes, { user: +f.bad, userAtEnd: true });
  }
  const got: { readonly bytes: Uint8Array; readonly start: number }[] = [];
  const collect = (): number => {
    for (let f = out.take(); f !== undefined; f = out.take()) got.push(f);
    return got.length;
  };
  await b.until(() => collect() >= kept.length && ended === first + count);
  await b.cycles(200);
  expect(collect(), "frames kept").toBe(kept.length);
  // What was taken and dropped, in whatever cycle, leaves as much room as there was.
  expect(roomBefore, "frames that find room").toBeGreaterThanOrEqual(3);
  expect(await room(), "frames that find room behind all").toBe(roomBefore);
  await b.until(() => collect() >= kept.length);
  got.forEach((f, i) =>
    expect(Buffer.from(f.bytes).equals(kept[i] as Uint8Array), `the bytes of frame ${i}`).toBe(true),
  );
  if (p.waits) expect(refused, "frames refused though the block waits").toBe(0);
  else if (pause(1) !== never) expect(refused, "frames without room").toBeGreaterThan(0);
}
/** Frames of a beat, more than the store has places for, while none leaves: those that are kept come out, in order. */
async function smallest(b: Bench<Ports>, p: GbnFramesParameters, count = 80): Promise<void> {
  const { io } = b,
    rx = new AxisSource(b.sim, io.rx),
    out = new AxisSink(b.sim, io.beats, { pause: () => true });
  const frames = Array.from({ length: count }, () => b.random.bytes(b.random.between(1, p.beatBytes))),
    kept: Uint8Array[] = [];
  let ended = 0;
  io.hold.value = 0;
  io.discard.value = 0;
  b.onEdge({
    sample: () => {
      if (io.ends.value !== 1) return;
      if (io.end.stored.value === 1) kept.push(frames[ended] as Uint8Array);
      ended++;
    },
  });
  for (const f of frames) rx.send(f);
  await b.cycles(3 * count);
  expect(kept.length, "frames that find room").toBeGreaterThanOrEqual(8);
  expect(kept.length, "frames that find room").toBeLessThanOrEqual(gbnFramesKept);
  out.pause = never;
  await b.until(() => ended === count);
  await b.cycles(4 * count);
  const got: Uint8Array[] = [];
  for (let f = out.take(); f !== undefined; f = out.take()) got.push(f.bytes);
  expect(got.map(bigOf)).toEqual(kept.map(bigOf));
}

describe.each(parameterSets)("GbnFrames, $frameBytes bytes in beats of $beatBytes, waits: $waits", p => {
  const dut = GbnFrames(p),
    slow = (n: number): Pause => bernoulli(n === 1 ? 0.05 : 0.6, n);
  const check = (design: Dut<Ports>, pause: (n: number) => Pause): Promise<unknown> =>
    runBench("frames", design, { wave: false, hangCycles: 2000 }, b => run(b, p, 200, pause));
  test("whole frames in order, the store full and empty", () => check(dut, slow));
  const small = (design: Dut<Ports>): Promise<unknown> =>
    runBench("smallest", design, { wave: false, hangCycles: 2000 }, b => smallest(b, p));
  test("more frames of a beat than there are places", () => small(dut));
  test("a planted fault is found: only beats are counted", () =>
    findsFault(small(plant(dut, /store_packets < \d+'d30/, "1'b1"))));
  testOfResets(dut, { beside: { end: "ends" } }, b => run(b, p, 60, slow));
  test("a taker that is ready only after a valid", () =>
    runBench("frames", dut, { wave: false, hangCycles: 2000 }, b =>
      run(b, p, 60, n => (n === 1 ? never : afterValid(b.io.beats))),
    ));
  test("without back-pressure", () => check(dut, () => never));
  test("two cycles from the last beat to the first one out", () =>
    runBench("frames latency", dut, { wave: false }, async b => {
      const rx = new AxisSource(b.sim, b.io.rx),
        out = new AxisSink(b.sim, b.io.beats);
      let last = 0;
      b.onEdge({
        sample: cycle => {
          if (b.io.rx.valid.value === 1 && b.io.rx.payload.last.value === 1) last = cycle;
        },
      });
      for (const bytes of [1, p.beatBytes, p.frameBytes]) {
        await b.cycles(10);
        rx.send(new Uint8Array(bytes));
        let f = out.take();
        await b.until(() => (f ??= out.take()) !== undefined);
        const cycles = (f?.start as number) - last;
        expect(cycles, `cycles of a frame of ${bytes} bytes`).toBe(2);
      }
    }));
  test("a reset in the middle of a frame leaves nothing behind", () =>
    runBench("frames reset", dut, { wave: false }, async b => {
      b.io.rx.payload.keep.value = (1n << BigInt(p.beatBytes)) - 1n;
      b.io.rx.valid.value = 1;
      await b.cycles(6);
      b.io.rx.valid.value = 0;
      b.sim.reset(1);
      await run(b, p, 30, slow);
    }));
  test.each([
    ["a bad frame is kept", /dropped = discard \| long \| held_user/, "dropped = discard | long"],
    ["a beat that leaves as a frame is dropped is not counted", /(?<=comes_back \? )left(?= - coming)/, "used"],
    ["a frame that is dropped keeps its room", /(?<=comes_back \? left) - coming/, ""],
  ] as const)("a planted fault is found: %s", (_, from, to) => findsFault(check(plant(dut, from, to), slow)));
});
