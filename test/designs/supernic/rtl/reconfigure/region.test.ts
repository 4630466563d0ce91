import { describe, expect, test } from "vitest";
import type { RegionsPorts } from "../../../../../designs/supernic/rtl/core/index.ts";
import { partition } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { dummy } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { bernoulli, bursts, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, holeVariant, reprogramCycles, SwapRig } from "./support/swap-rig.ts";

const paused = (b: B) => ({
  from: bernoulli(0.1, b.random.word()),
  to: bursts({ go: 25, pause: 10 }, b.random.word()),
});
/** Cycles after a reset until the ledgers are clear: 64 contexts and two branches. */
const clear = 132;

/** Both regions swap and are killed beside traffic for all three; the third one notices nothing. */
async function life(b: B, rounds: number): Promise<SwapRig> {
  const rig = new SwapRig(b, paused(b));
  await b.cycles(clear);
  for (let round = 0; round < rounds; round++) {
    const region = round % 2,
      variant = 1 + ((round >> 1) % 2);
    const kill = round % 3 === 2;
    await rig.traffic(120);
    const swap = b.spawn(() => rig.swap(region, variant, { kill }));
    await rig.traffic(reprogramCycles);
    await swap;
    await rig.traffic(80);
    // Killed, and on again with the same chain: of its former packets none answers.
    const restarted = b.spawn(() => rig.swap(region, variant, { kill: true, stays: true }));
    await rig.traffic(200);
    await restarted;
  }
  rig.leave.pause = never;
  await rig.end();
  return rig;
}
/** A chain that answers nobody, and then nobody's credits are lost. */
async function hangs(b: B): Promise<SwapRig> {
  const rig = new SwapRig(b);
  await b.cycles(clear);
  await rig.swap(1, holeVariant);
  await rig.traffic(200);
  await rig.swap(1, 2, { kill: true });
  await rig.traffic(100);
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new SwapRig(b, paused(b));
  for (let round = 0; round < 8; round++) {
    await b.cycles(clear);
    await rig.traffic(b.random.between(20, 80));
    rig.closed.add(1);
    await b.until(() => rig.pending(1) === 0);
    if (round % 2 === 0) {
      await rig.ask(1, { isolate: 1, load: 1, chain: 2 });
      await rig.traffic(b.random.between(1, reprogramCycles));
    }
    rig.reset();
  }
  await b.cycles(clear);
  await rig.traffic(100);
  await rig.end();
}
/** What is asked at the wrong time does nothing. */
async function refuses(b: B): Promise<void> {
  const rig = new SwapRig(b);
  await b.cycles(clear);
  const refused = (region: number): number => rig.status(region).refused.value;
  // On: it has a chain that runs.
  await rig.ask(0, { load: 1, chain: 2 });
  expect([refused(0), rig.stage(0)]).toEqual([1, "on"]);
  await rig.traffic(60);
  // Cut, and not empty: the way out waits.
  rig.leave.pause = () => true;
  await rig.traffic(60);
  rig.closed.add(0);
  await rig.ask(0, { isolate: 1 });
  expect(rig.pending(0)).toBeGreaterThan(1);
  await rig.ask(0, { isolate: 1, load: 1, chain: 2 });
  expect([refused(0), rig.stage(0)]).toEqual([1, "cut"]);
  rig.leave.pause = never;
  await b.until(() => rig.pending(0) === 0 && rig.status(0).empty.value === 1);
  await rig.release(0, 1);
  // Cut and empty: it is loaded, and nobody else meanwhile.
  await rig.ask(1, { isolate: 1, load: 1, chain: 2 });
  expect([refused(1), rig.stage(1)]).toEqual([0, "loading"]);
  rig.closed.add(0);
  await b.until(() => rig.pending(0) === 0);
  await rig.ask(0, { isolate: 1 });
  await rig.ask(0, { isolate: 1, load: 1, chain: 2 });
  expect([refused(0), rig.stage(0)]).toEqual([1, "cut"]);
  await rig.ask(1, { isolate: 1, load: 1, chain: 1 });
  expect([refused(1), rig.stage(1)]).toEqual([1, "loading"]);
  await b.until(() => rig.stage(1) === "cut");
  await rig.release(1, 2);
  // The chain that was there is there still, and fresh.
  await rig.release(0, 1);
  await rig.traffic(100);
  // No chain, and one that is in no bitstream: they never wake.
  for (const chain of [0, 9]) {
    rig.closed.add(1);
    await b.until(() => rig.pending(1) === 0);
    await rig.ask(1, { isolate: 1 });
    await rig.ask(1, { isolate: 1, load: 1, chain });
    await b.until(() => rig.stage(1) === "cut");
    await expect(rig.release(1, chain)).rejects.toThrow("another chain");
    expect(rig.stage(1)).toBe("cut");
  }
  await rig.swap(1, 1, { kill: true });
  await rig.traffic(100);
  await rig.end();
}

describe("regions that come and go", () => {
  bench("swaps and kills beside traffic: all as the models say", dut, { seed: 2 }, async b => {
    const { seen } = await life(b, 12);
    for (const r of [0, 1, 2]) expect(seen.right[r]).toBeGreaterThan(100);
    expect((seen.killed[0] ?? 0) + (seen.killed[1] ?? 0)).toBeGreaterThan(5);
    expect(seen.killed[2]).toBe(0);
  });
  bench("a swap in order kills nobody, and the others are as fast as before", dut, { seed: 3 }, async b => {
    const rig = new SwapRig(b);
    await b.cycles(clear);
    await rig.swap(1, 2);
    await rig.traffic(300);
    const before = rig.seen.slowest;
    const killed = [...rig.seen.killed];
    rig.seen.slowest = 0;
    for (const variant of [1, 2]) {
      const swap = b.spawn(() => rig.swap(0, variant));
      await rig.traffic(reprogramCycles + 100);
      await swap;
    }
    await rig.end();
    expect(rig.seen.killed).toEqual(killed);
    // Fewer are beside them then, and none of the region that is away.
    expect(rig.seen.slowest).toBeLessThanOrEqual(before);
  });
  bench("a chain that answers nobody: killed, counted, and all credits are back", dut, { seed: 4 }, async b => {
    const { seen } = await hangs(b);
    expect(seen.killed[1]).toBeGreaterThan(3);
    expect(seen.right[1]).toBeGreaterThan(5);
  });
  bench("a reset beside traffic or a load brings the first chains back", dut, { seed: 5 }, resets);
  bench("what is asked at the wrong time is refused, and a wrong chain never wakes", dut, { seed: 6 }, refuses);
  bench("reprogramming takes its time, to the cycle, and waking 16", dut, {}, async b => {
    const rig = new SwapRig(b);
    await b.cycles(clear);
    const times: Record<string, number> = {};
    b.onEdge({ sample: () => void (times[rig.stage(1)] = (times[rig.stage(1)] ?? 0) + 1) });
    await rig.ask(1, { isolate: 1, load: 1, chain: 1 });
    await b.until(() => rig.stage(1) === "cut");
    await rig.release(1, 1);
    expect([times["loading"], times["waking"]]).toEqual([reprogramCycles, 16]);
  });
  test("what cannot be is refused", () => {
    expect(() => partition([])).toThrow("there are 0 variants; give 1 to 63");
    expect(() => partition([[dummy, dummy]])({ contexts: 64, slots: 1, places: 4 }).ports).not.toThrow();
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<RegionsPorts>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, 8), hangs, resets, refuses];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 3000, limitCycles: 40_000, seed: 7 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "the wrong variant is chosen, and names itself rightly",
        "wire has_1 = loaded == 6'd1",
        "wire has_1 = loaded == 6'd2",
      ],
      ["a chain is not asked for its name", "names_1 == holds_1", "holds_1 == holds_1"],
      ["two regions are loaded at once", /(may_load_0 = .*) & ~busy/, "$1"],
      ["a region with packets inside is loaded", "off[0] & empty[0]", "off[0]"],
      ["a load ends at once", "cycles_left <= 9'd299", "cycles_left <= 9'd0"],
      [
        "a region is on before its chain runs",
        /\(stage_1 == region_stage_waking\) & \(&awake_1\)/,
        "(stage_1 == region_stage_waking)",
      ],
      ["a refused load is not told", "refused_1 <= ~may_load_1", "refused_1 <= 1'b0"],
      ["credits of a killed region stay out", /holds_2 & \(off \| inner_give\[2\]\)/, "holds_2 & inner_give[2]"],
      ["a killed region drops nothing", "scans = off & ", "scans = 1'b0 & "],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
