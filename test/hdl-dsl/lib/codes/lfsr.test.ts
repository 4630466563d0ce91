/** The shift register by itself: its steps beside pauses and resets, for one step a cycle and for several. */
import { describe, expect, test } from "vitest";
import { Lfsr, lfsrStep } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

type Ports = ReturnType<typeof Lfsr>["ports"];
const steps = async (b: Bench<Ports>, width: number, each: number): Promise<void> => {
  let state = 1n;
  for (let i = 0; i < 300; i++) {
    if (b.random.chance(0.02)) {
      b.sim.reset(1);
      state = 1n;
    }
    const en = b.random.chance(0.7);
    b.io.en.value = en ? 1 : 0;
    await b.risingEdge();
    expect(BigInt(b.io.value.value), `cycle ${i}`).toBe(state);
    for (let n = 0; en && n < each; n++) state = lfsrStep(width, state);
  }
};
const run = (dut: Dut<Ports>, width: number, each: number): Promise<void> =>
  runBench("lfsr", dut, { seed: 1, wave: false }, b => steps(b, width, each));

describe("Lfsr by itself", () => {
  test.each([
    [3, 1],
    [9, 1],
    [16, 5],
    [32, 40],
  ])("%d bits, %d steps a cycle", (width, each) => run(Lfsr({ width, steps: each }), width, each));
  test("planted fault: a reset leaves the state", () =>
    findsFault(run(plant(Lfsr({ width: 9 }), /state <= 9'd1;/, "state <= state;"), 9, 1)));
});
