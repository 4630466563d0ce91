import { describe, expect, test } from "vitest";
import { region, type RegionPorts } from "../../../../../designs/supernic/rtl/region/index.ts";
import { delay, dummy } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { bernoulli, bursts, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dutOf, places, RegionRig } from "./support/region-rig.ts";
import { adder, chooser, cutter, hole, passing, type Tried } from "./support/test-tasks.ts";

const nothing = passing(dummy);
const slow = (latency: number, interval: number): Tried => passing(delay(latency, interval));
const chains: Readonly<Record<string, readonly Tried[]>> = {
  one: [chooser],
  two: [slow(4, 3), adder(20)],
  // What one task says of the front is carried past the others, whatever else they say.
  cuts: [cutter, nothing, cutter, slow(2, 1)],
  cutsAndGrows: [cutter, chooser, nothing],
  four: [adder(3), chooser, slow(6, 1), adder(3)],
  eight: [nothing, slow(9, 2), adder(0), chooser, adder(40), slow(1, 1), chooser, adder(62)],
};
const paused = (b: B) => ({
  from: bernoulli(0.1, b.random.word()),
  to: bursts({ go: 25, pause: 20 }, b.random.word()),
});

async function life(b: B, tasks: readonly Tried[], cycles: number): Promise<RegionRig> {
  const rig = new RegionRig(b, tasks, paused(b));
  for (let round = 0; round < 3; round++) {
    await rig.traffic(cycles / 4);
    const slot = b.random.below(tasks.length);
    await rig.configure(slot, b.random.between(4, 6), b.random.bits(64));
  }
  rig.leave.pause = never;
  await rig.traffic(cycles / 4);
  await rig.end();
  return rig;
}
async function resets(b: B, tasks: readonly Tried[]): Promise<void> {
  const rig = new RegionRig(b, tasks, paused(b));
  for (let round = 0; round < 12; round++) {
    await rig.configure(0, 5, 9n);
    await rig.traffic(b.random.between(5, 70));
    rig.reset();
  }
  await rig.traffic(80);
  await rig.end();
}
/** One task of the chain swallows all: it is found, its packets are killed with their credits, the others go on. */
const withHole: readonly Tried[] = [adder(3), hole, adder(9)];
async function stuck(b: B): Promise<void> {
  const rig = new RegionRig(b, withHole, paused(b));
  rig.control(1, { patience: 100 });
  rig.dead.add(1);
  await rig.traffic(600);
  expect([0, 1, 2].map(s => rig.state(s).stuck.value)).toEqual([0, 1, 0]);
  expect(rig.seen.killed).toBeGreaterThan(20);
  // Isolated and let go it is stuck anew: still nothing is lost.
  rig.control(1, { isolate: true, patience: 100 });
  await rig.traffic(50);
  rig.control(1, { patience: 100 });
  await rig.traffic(400);
  expect(rig.state(1).stuck.value).toBe(1);
  await rig.end();
}

describe("region", () => {
  for (const [name, tasks] of Object.entries(chains)) {
    bench(`${name}: random runs as the model says, all credits back`, dutOf(tasks), { seed: 2 }, async b => {
      const { seen } = await life(b, tasks, 2400);
      expect(seen.forwarded).toBeGreaterThan(300);
      if (tasks.includes(chooser)) expect(seen.dropped).toBeGreaterThan(30);
    });
    bench(`${name}: a reset beside traffic leaves nothing inside`, dutOf(tasks), { seed: 3 }, b => resets(b, tasks));
  }
  bench("a task that swallows packets holds up nobody else", dutOf(withHole), { seed: 4 }, stuck);

  for (let n = 1; n <= 8; n++) {
    const tasks = Array.from({ length: n }, (_, i) => (i % 3 === 2 ? slow(6, 1) : nothing)),
      all = tasks.map((_, i) => i);
    const cycles = tasks.reduce((sum, t) => sum + t.declared.latency + 1, 1);
    bench(`${n} tasks: ${cycles} cycles, skipped ${n + 1}; a packet a cycle`, dutOf(tasks), {}, async b => {
      const rig = new RegionRig(b, tasks);
      await b.cycles(3);
      rig.send(all);
      await rig.end();
      rig.send([]);
      await rig.end();
      expect(rig.latencies).toEqual([cycles, n + 1]);
      rig.leaveCycles.length = 0;
      for (let i = 0; i < 100; i++) {
        await b.until(() => rig.enter.pending < 2 && rig.canSend(all));
        rig.send(all);
      }
      await rig.end();
      const [first = NaN] = rig.leaveCycles;
      // A longer chain needs more credits than there are.
      const paid = cycles < places ? 99 : 115;
      expect((rig.leaveCycles.at(-1) ?? NaN) - first).toBeLessThanOrEqual(paid);
    });
  }
  test("what cannot be is refused", () => {
    expect(() => region([])).toThrow("1 to 8 tasks, and there are 0");
    expect(() => region(Array.from({ length: 9 }, () => dummy))).toThrow("there are 9");
    expect(() => region([{ ...dummy, declared: { ...dummy.declared, holds: 0 } }])).toThrow("holds = 0");
  });
  test("a packet without a credit is told", async () => {
    const run = runBench("no credit", dutOf([slow(1, 1000)]), { wave: false }, async b => {
      const rig = new RegionRig(b, [slow(1, 1000)]);
      for (let i = 0; i < places + 3; i++) rig.send([0]);
      await b.cycles(60);
    });
    await expect(run).rejects.toThrow("a packet comes with a credit");
  });

  describe("a planted fault is found", () => {
    const tasks = chains["four"] ?? [];
    const look = async (name: string, design: Dut<RegionPorts>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, tasks, 1200), b => resets(b, tasks)];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 500, limitCycles: 30_000, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dutOf(tasks)));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a configuration word goes to all tasks", /config_valid & \(config_slot == 2'd3\)/, "config_valid"],
      ["credits of two slots are mixed", /give = \{slot_3_give, slot_2_give/, "give = {slot_2_give, slot_3_give"],
      ["the register at the end is overwritten", /staged_full \| leave_ready|~staged_full \| leave_ready/, "1'b1"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf(tasks), from, to)));
    });
  });
});
