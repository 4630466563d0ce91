/** The gate of frames that a partition makes: whole ones leave, in their order, whenever the partition goes. */
import { describe, expect, it } from "vitest";
import { MakeGate } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { connect, instance } from "../../../../../hdl-dsl/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { frameMaker, frames, type MakerPorts } from "../region/support/make-frames.ts";

const dut = frameMaker("MakeGateBench", ({ taskMake, make }, off) => {
  const gate = instance("gate", MakeGate());
  connect(taskMake, gate.taskMake);
  connect(gate.make, make);
  gate.off.set(off);
  return { held: taskMake.valid.andNot(gate.taskMake.ready).andNot(off), empty: make.valid.not() };
});
const run = (device: Dut<MakerPorts>) =>
  runBench("make gate", device, { seed: 2, wave: false, limitCycles: 60_000, hangCycles: 3_000 }, b => frames(b, 300));

describe("frames that a partition makes", () => {
  it("leave whole or not at all", async () => {
    const seen = await run(dut);
    expect(seen.left).toBeGreaterThan(150);
    for (const n of [seen.bad, seen.long, seen.cut, seen.held]) expect(n).toBeGreaterThan(5);
  });
  describe("a planted fault is found", () => {
    it("a frame is not cut when its partition is on again before there is room for that", () =>
      findsFault(run(plant(dut, "off | make_to_cut", "off"))));
    it("a beat of a partition that is off counts", () =>
      findsFault(run(plant(dut, "task_make_valid & ~off", "task_make_valid"))));
  });
});
