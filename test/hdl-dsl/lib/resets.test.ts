/** What a reset does to the small units of the library while they hold something, and when they go on. */
import { describe, expect, test } from "vitest";
import { AxisRegister, LevelSynchroniser, PulseSynchroniser } from "../../../hdl-dsl/index.ts";
import { type Bench, type Design, designOf, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";

describe("LevelSynchroniser", () => {
  const dut = LevelSynchroniser({ stages: 3 });
  /** The level stays 1: after the reset it is seen as late as a level that rises. */
  const held = async (b: Bench<typeof dut.ports>): Promise<void> => {
    b.io.d.value = 1;
    await b.cycles(6);
    expect(b.io.q.value).toBe(1);
    b.sim.reset(1);
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) {
      await b.cycles(1);
      seen.push(b.io.q.value);
    }
    // An edge samples what stood before it.
    expect(seen).toEqual([0, 0, 0, 1, 1]);
  };
  const run = (of: Design<typeof dut.ports>): Promise<void> => runBench("level", of, { wave: false }, held);
  test("is 0 after a reset, for as long as its latency", () => run(designOf(dut)));
  test.each(["level_1", "level_2", "level_3"])("planted fault: %s is not reset", name =>
    findsFault(run(plant(dut, new RegExp(`${name} <= 1'b0;`), ""))),
  );
});

describe("AxisRegister", () => {
  const dut = AxisRegister({ bytes: 8 });
  /** Two beats are held when the reset comes: neither is given afterwards, and the next one is. */
  const full = async (b: Bench<typeof dut.ports>): Promise<void> => {
    const { from, to } = b.io,
      given: bigint[] = [];
    const cycle = async (): Promise<void> => {
      await b.cycles(1);
      if (to.valid.value === 1 && to.ready.value === 1) given.push(BigInt(to.payload.data.value));
    };
    to.ready.value = 0;
    from.valid.value = 1;
    from.payload.data.value = 7n;
    for (let i = 0; i < 4; i++) await cycle();
    expect(from.ready.value, "two are held").toBe(0);
    from.valid.value = 0;
    b.sim.reset(1);
    await cycle();
    expect([from.ready.value, to.valid.value], "after the reset").toEqual([1, 0]);
    to.ready.value = 1;
    for (let i = 0; i < 4; i++) await cycle();
    from.valid.value = 1;
    from.payload.data.value = 9n;
    await cycle();
    from.valid.value = 0;
    for (let i = 0; i < 4; i++) await cycle();
    expect(given).toEqual([9n]);
  };
  const run = (of: Design<typeof dut.ports>): Promise<void> => runBench("slice", of, { wave: false }, full);
  test("forgets both beats in a reset", () => run(designOf(dut)));
  test("planted fault: the second one stays", () =>
    findsFault(run(plant(dut, "slice_full <= 1'b0; slice_skid_full <= 1'b0;", "slice_full <= 1'b0;"))));
});

describe("PulseSynchroniser", () => {
  const dut = PulseSynchroniser(),
    clocks = { from: { periodNs: 4 }, to: { periodNs: 4 } };
  /** One pulse after another, first straight after a reset: cycles to its arrival, and cycles of `busy`. */
  const bounds = async (b: Bench<typeof dut.ports>): Promise<void> => {
    const { pulse, busy, arrived } = b.io;
    for (let n = 0; n < 4; n++) {
      // Also after an odd number of pulses, when all that tells of them is 1.
      if (n !== 2) b.sim.reset(1);
      pulse.value = 1;
      await b.clock("from").risingEdge();
      expect(busy.value, "busy at a pulse").toBe(0);
      pulse.value = 0;
      const arrivals: number[] = [];
      let busyFor = 0;
      for (let i = 1; i < 12; i++) {
        await b.clock("from").risingEdge();
        busyFor += busy.value;
        if (arrived.value === 1) arrivals.push(i);
      }
      expect({ arrivals, busyFor }).toEqual({ arrivals: [3], busyFor: 4 });
    }
  };
  const run = (of: Design<typeof dut.ports>): Promise<void> => runBench("pulses", of, { clocks, wave: false }, bounds);
  test("arrives in its time, is busy for no longer than word takes, and is free after a reset", () =>
    run(designOf(dut)));
  test.each([
    ["word of a pulse before stays", "back_1 <= 1'b0; back_2 <= 1'b0;", "back_1 <= 1'b0;"],
    ["word is back before a pulse", /back_2 <= 1'b0;/, "back_2 <= 1'b1;"],
    ["word comes back a cycle early", /back_2 <= back_1;/, "back_2 <= there_2;"],
    ["a pulse comes a cycle early", /there_2 <= there_1;/, "there_2 <= toggled;"],
  ])("planted fault: %s", (_what, from, to) => findsFault(run(plant(dut, from, to))));
});
