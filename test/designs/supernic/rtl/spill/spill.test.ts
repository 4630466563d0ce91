/** Frames of DAGs that wait lie in memory, nobody waits behind them, and they leave first, in their order. */
import { describe, expect } from "vitest";
import { legalMemories } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import {
  atQuota,
  atTheEnd,
  behind,
  changedRecords,
  crowded,
  discards,
  failingReads,
  failingWrites,
  full,
  life,
  metered,
  oneHeader,
  resets,
  speed,
} from "./support/runs.ts";
import { dut } from "./support/spill-rig.ts";

bench("random stops and starts, under back-pressure", dut("small"), { limitCycles: 100_000 }, async b => {
  const rig = await life(b, "small");
  expect(rig.counts.restored).toBe(rig.counts.spilled);
  expect(rig.counts.spilled).toBeGreaterThan(100);
});
bench("at the device's widths, four rings at once", dut("full"), { limitCycles: 100_000 }, async b => {
  const rig = await life(b, "full", {}, 2);
  expect(rig.counts.restored).toBe(rig.counts.spilled);
  expect(rig.counts.spilled).toBeGreaterThan(60);
});
for (const size of ["jumbo", "one"] as const)
  bench(`other sizes: ${size}`, dut(size), { limitCycles: 200_000 }, async b => {
    const rig = await life(b, size, {}, 3);
    expect(rig.counts.restored).toBe(rig.counts.spilled);
    expect(rig.counts.spilled).toBeGreaterThan(20);
  });
describe("memories of every legal order", () => {
  for (const [name, memory] of Object.entries(legalMemories))
    bench(name, dut("small"), { limitCycles: 100_000 }, async b => {
      await life(b, "small", { memory: { ...memory, latency: 60, jitter: 40 } }, 2);
    });
});
bench("rings that are full, and round again", dut("small"), { limitCycles: 100_000 }, async b => {
  const rig = await full(b);
  expect(rig.counts.lost + rig.counts.discarded).toBe(0);
});
bench("reads that fail", dut("small"), { limitCycles: 200_000 }, async b => {
  const rig = await failingReads(b);
  expect(rig.counts.lost + rig.counts.discarded).toBeGreaterThan(3);
  expect(rig.came, "frames that came beside those that failed").toBeGreaterThan(4 * rig.counts.lost);
});
bench("writes that fail", dut("small"), { limitCycles: 200_000 }, async b => {
  const rig = await failingWrites(b);
  expect(rig.counts.discarded).toBeGreaterThan(0);
});
bench("a ring that is emptied", dut("small"), { limitCycles: 100_000 }, async b => void (await discards(b)));
bench("resets beside traffic", dut("small"), { limitCycles: 100_000 }, async b => void (await resets(b)));
bench("the meter holds what comes out, and nobody else", dut("small"), { limitCycles: 100_000 }, async b => {
  const { own, most, other } = await metered(b);
  expect(own, "bytes of a user with few tokens").toBeLessThanOrEqual(most);
  expect(other, "cycles of another user's ring and frames").toBeLessThan(1_500);
});

bench("one class queue, users at their limits, a slow memory", dut("small"), { limitCycles: 400_000 }, async b => {
  const rig = await crowded(b);
  expect(rig.counts.restored).toBe(rig.counts.spilled);
});
bench("a frame on its way into a ring that drains", dut("small"), { limitCycles: 50_000 }, async b => {
  const rig = await atTheEnd(b);
  expect(rig.counts.restored).toBe(rig.counts.spilled);
});
bench("a record whose length cannot be read", dut("small"), { limitCycles: 20_000 }, async b => {
  const { lost, begin } = await oneHeader(b);
  expect(lost).toBe(begin);
});
bench("records with a length that cannot be, or of another DAG", dut("small"), { limitCycles: 30_000 }, async b => {
  const { lost, begin } = await changedRecords(b);
  expect(lost).toEqual(lost.map(() => begin));
});
bench("a ring whose user is at its quota", dut("small"), { limitCycles: 50_000 }, async b => {
  // It is shown for 256 cycles at most, and then not before 512 have gone by.
  expect(await atQuota(b)).toBeLessThan(600);
});
bench("nobody waits behind a DAG that waits", dut("full"), { limitCycles: 50_000 }, async b => {
  expect(await behind(b, true)).toBeLessThan(2_500);
});
bench("without a ring all do", dut("full"), { limitCycles: 50_000 }, async b => {
  expect(await behind(b, false)).toBe(Infinity);
});

for (const bytes of [64, 1500])
  bench(`latency and rate, frames of ${bytes} bytes`, dut("full"), { limitCycles: 50_000 }, async b => {
    const s = await speed(b, bytes, 80);
    console.log(
      `spill, ${bytes} bytes: ${s.in.toFixed(1)} cycles a frame in, ${s.out.toFixed(1)} out, ${s.alone} cycles from drain to the merge, ${s.memory.toFixed(2)} beats of the memory a cycle out`,
    );
    // Half of the memory's beats: a record of so many beats, and a 64th.
    const beats = Math.ceil(bytes / 64) + 1,
      half = 2 * beats * (64 / 63);
    expect(s.in).toBeLessThan(Math.max(half, beats + 8) + 2);
    expect(s.out).toBeLessThan(Math.max(half, beats + 9) + 3);
    expect(s.alone).toBeLessThan(80);
  });
