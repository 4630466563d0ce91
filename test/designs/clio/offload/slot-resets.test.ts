import { describe, expect, test } from "vitest";
import type { SlotParameters } from "../../../../designs/clio/offload/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { slotFaults } from "./support/slot-faults.ts";
import { slotInReset, type SlotPorts, SlotResets } from "./support/slot-resets.ts";

const p: SlotParameters = { beatBytes: 16, contexts: 4, maxData: 128, outstanding: 4, replyBeats: 32, maxBody: 240 };

async function run(b: Bench<SlotPorts>, resets: number): Promise<SlotResets> {
  const rig = new SlotResets(b, p);
  for (let i = 0; i < resets; i++) await rig.reset();
  await rig.allBack();
  return rig;
}

describe("OffloadSlot: resets at any moment", () => {
  const o = { hangCycles: 0, limitCycles: 200_000 };
  test("each request is answered once, nothing of a life comes to the next, nothing leaks", () =>
    runBench("slot resets", slotInReset(p), { ...o, seed: 1 }, async b => {
      const { seen } = await run(b, 150);
      for (const [what, n] of Object.entries(seen)) expect(n, what).toBeGreaterThan(3);
    }));
  describe("a planted fault is found", () => {
    const finds = (design: Dut<SlotPorts>): Promise<unknown> =>
      runBench("slot resets planted", design, { ...o, wave: false, seed: 2, limitCycles: 120_000 }, b => run(b, 150));
    test("and nothing without one", async () => {
      await finds(slotInReset(p));
    });
    for (const [name, from, to] of slotFaults) test(name, () => findsFault(finds(plant(slotInReset(p), from, to))));
  });
});
