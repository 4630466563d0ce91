/** Bounds of a slot that are counted exactly, from both sides. */
import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports, SlotRig } from "./support/slot-rig.ts";

/** Registers behind the last progress: what moved, whether patience is over, and that the task is stuck. */
const late = 2;

/** A task that takes a packet and never answers is stuck after so many cycles, and in the very next one. */
async function exactPatience(b: B): Promise<void> {
  const rig = new SlotRig(b),
    { state } = b.io;
  for (const patience of [1, 2, 3, 16, 17, 60]) {
    rig.control({ patience });
    Object.assign(rig, { takes: 1, answers: 0 });
    rig.send(true);
    await b.until(() => state.inside.num === 1 && state.off.value === 0);
    const from = b.cycle;
    await b.until(() => state.stuck.value === 1);
    expect(b.cycle - from, `patience ${patience}`).toBe(patience + late);
    rig.control({ isolate: true, patience });
    await b.until(() => state.stuck.value === 0 && rig.pending === 0);
    rig.control({ patience });
    await b.until(() => state.off.value === 0);
  }
}

describe("Slot", () => {
  bench("a task is stuck in the cycle in which its patience ends", dut(), { seed: 1 }, exactPatience);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 500, limitCycles: 30_000, seed: 5 }, exactPatience);
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["patience one cycle too long", "(idle + 16'd1) >= control_patience", "(idle + 16'd1) > control_patience"],
      ["patience one cycle too short", "(idle + 16'd1) >= control_patience", "(idle + 16'd2) >= control_patience"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
