/** Frames that a task makes: whole ones leave, in their order; of others nothing does. */
import { describe, expect, it } from "vitest";
import { makeEnd } from "../../../../../designs/supernic/rtl/region/make-end.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { frameMaker, frames, type MakerPorts } from "./support/make-frames.ts";

const dut = frameMaker("MakeEndBench", makeEnd);
const run = (device: Dut<MakerPorts>) =>
  runBench("make end", device, { seed: 2, wave: false, limitCycles: 60_000, hangCycles: 3_000 }, b => frames(b, 300));

describe("frames that a task makes", () => {
  it("leave whole or not at all", async () => {
    const seen = await run(dut);
    expect(seen.left).toBeGreaterThan(150);
    for (const n of [seen.bad, seen.long, seen.cut, seen.held, seen.full]) expect(n).toBeGreaterThan(5);
  });
  describe("a planted fault is found", () => {
    it("a beat of a task that is off counts", () => findsFault(run(plant(dut, "task_valid & ~off", "task_valid"))));
    it("it is empty while a frame waits", () => findsFault(run(plant(dut, /make_begun \| \(\|[^)]*\)/, "make_begun"))));
    it("a frame is not cut when its task is on again before there is room for that", () =>
      findsFault(run(plant(dut, "off | make_to_cut", "off"))));
  });
});
