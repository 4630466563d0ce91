import { describe, expect, test } from "vitest";
import { FrameGuard } from "../../../../designs/shared/frame/index.ts";
import { type Bench, bernoulli, poke, runBench, StreamSink } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const parameterSets = [{ beatBytes: 8 }, { beatBytes: 64 }];
type Parameters = (typeof parameterSets)[number];
const dut = (p: Parameters) => FrameGuard(p);
type B = Bench<ReturnType<typeof dut>["ports"]>;
interface Beat {
  readonly data: bigint;
  readonly keep: bigint;
  readonly last: boolean;
  readonly user: boolean;
}

/**
 * Frames of 1 to 6 beats, gaps now and then, into a sink that is free with the given probability. Each whole one comes
 * out; the others are cut and marked.
 */
async function guard(
  b: B,
  { beatBytes }: Parameters,
  free: number,
  frames = 400,
): Promise<{ readonly whole: number; readonly cut: number; readonly lost: number }> {
  const sink = new StreamSink(b.sim, b.io.to, { pause: bernoulli(1 - free, 1) });
  const full = (1n << BigInt(beatBytes)) - 1n,
    cutKeep = 1n,
    lastKeep = 15n;
  let lost = 0;
  b.onEdge({
    sample: () => {
      lost += b.io.lost.value;
    },
  });
  const sent: Beat[][] = [];
  for (let n = 0; n < frames; n++) {
    const length = b.random.between(1, 6);
    const frame = Array.from({ length }, (_, i): Beat => ({
      data: BigInt(n * 8 + i),
      keep: i === length - 1 ? lastKeep : full,
      last: i === length - 1,
      user: i === length - 1 && n % 7 === 0,
    }));
    for (const beat of frame) {
      while (b.random.between(0, 3) === 0) {
        b.io.from.valid.value = 0;
        await b.risingEdge();
      }
      poke(b.io.from, { valid: 1, data: beat.data, keep: beat.keep, last: beat.last ? 1 : 0, user: beat.user ? 1 : 0 });
      await b.risingEdge();
    }
    b.io.from.valid.value = 0;
    sent.push(frame);
  }
  await b.cycles(200);
  // Output, frame by frame, in order.
  const out: Beat[][] = [[]];
  for (const { value } of sink.received) {
    out
      .at(-1)
      ?.push({ data: BigInt(value.data), keep: BigInt(value.keep), last: value.last === 1, user: value.user === 1 });
    if (value.last === 1) out.push([]);
  }
  expect(out.pop(), "nothing stays open").toEqual([]);
  let whole = 0,
    cut = 0,
    at = 0;
  for (const frame of out) {
    while (at < sent.length && sent[at]?.[0]?.data !== frame[0]?.data) at++;
    const given = sent[at++];
    if (given === undefined) throw new Error("a frame came out that never went in, or out of order");
    const last = frame.at(-1) as Beat;
    if (frame.length === given.length && last.data === given.at(-1)?.data && last.keep !== cutKeep) {
      expect(frame).toEqual(given);
      whole++;
      continue;
    }
    expect(frame.slice(0, -1)).toEqual(given.slice(0, frame.length - 1));
    expect(last).toEqual({ data: 0n, keep: cutKeep, last: true, user: true });
    cut++;
  }
  expect(lost, "each frame is whole or lost").toBe(frames - whole);
  return { whole, cut, lost };
}

describe.each(parameterSets)("FrameGuard, $beatBytes bytes", p => {
  bench("a sink that is always free gets every frame whole", dut(p), {}, async b => {
    expect(await guard(b, p, 1)).toEqual({ whole: 400, cut: 0, lost: 0 });
  });
  bench("under back-pressure whole frames stay whole, the others are cut, marked and counted", dut(p), {}, async b => {
    const r = await guard(b, p, 0.5);
    expect(r.whole).toBeGreaterThan(20);
    expect(r.cut).toBeGreaterThan(20);
    expect(r.lost).toBeGreaterThan(r.cut);
  });
  testOfResets(dut(p), {}, async b => {
    await guard(b, p, 0.5, 100);
  });
  test("a planted fault is found: the end of a cut frame is forgotten", () =>
    findsFault(
      runBench("fault", plant(dut(p), "if (begun) owed <= 1'b1", "if (begun) owed <= 1'b0"), { wave: false }, b =>
        guard(b, p, 0.5),
      ),
    ));
});
