/** The queues of the scheduler alone, beside lists, in every cycle. */
import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Pace, type Ports, QueuesRig, type Size } from "./support/queues-rig.ts";

/** Much and little of all; candidates that wait for long; starts of one queue one after the other. */
const paces: readonly Pace[] = [
  { push: 0.5, choose: 0.8, start: 0.9, short: 0.7, busy: 0.1, lacks: 0.2, back: 0.5 },
  { push: 0.9, choose: 0.1, start: 0.3, short: 0.8, busy: 0.3, lacks: 0.6, back: 0.1 },
  { push: 1, choose: 1, start: 1, short: 0.5, busy: 0, lacks: 0, back: 1 },
  { push: 0.2, choose: 0.03, start: 1, short: 0.5, busy: 0.1, lacks: 0.5, back: 0.3 },
];
/** First all queues fill, and all lose their patience. */
const wide: readonly Pace[] = [
  { push: 1, choose: 0.05, start: 0.5, short: 0.4, busy: 0.01, lacks: 0.5, back: 1 },
  { push: 1, choose: 1, start: 0.8, short: 0.4, busy: 0.02, lacks: 0.5, back: 1 },
];
async function life(b: B, size: Size): Promise<QueuesRig> {
  const rig = new QueuesRig(b, size);
  for (const pace of paces) await rig.run(350, pace);
  return rig;
}
/** At the device's width: nearly every queue has had candidates behind each other, and one whose patience is over. */
async function everyQueue(b: B): Promise<void> {
  const rig = new QueuesRig(b, "full");
  for (const pace of wide) await rig.run(300, pace);
  expect(rig.never.length, "queues that had none behind another, or whose patience was never over").toBeLessThan(6);
}
async function resets(b: B, size: Size): Promise<void> {
  const rig = new QueuesRig(b, size);
  for (let i = 0; i < 30; i++) {
    await rig.run(b.random.between(1, 50), paces[i % paces.length]!);
    rig.reset();
  }
}

describe("Queues", () => {
  bench("small: who is first, who may start, who has started", dut("small"), { seed: 2 }, async b => {
    const { met } = await life(b, "small");
    expect(Math.min(...Object.values(met)), JSON.stringify(met)).toBeGreaterThan(10);
  });
  bench("full: the same, in each of its queues", dut("full"), { seed: 6 }, everyQueue);
  bench("one slot: the same", dut("one"), { seed: 3 }, async b => void (await life(b, "one")));
  bench("a reset beside all that happens leaves the queues empty", dut("small"), { seed: 4 }, b => resets(b, "small"));

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "small"), b => resets(b, "small")];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a start that is none changes a queue", /starts_1 = [^;]*;/, "starts_1 = began_slow;"],
      ["one that starts whole stops short", /short_0 = [^;]*;/, "short_0 = starts_0;"],
      ["patience ends a look early", "fast_0_1_age != 2'd3", "fast_0_1_age != 2'd2"],
      ["there is more behind the last one", /fast_1_2_follows = [^;]*;/, "fast_1_2_follows = fast_1_2_may;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
