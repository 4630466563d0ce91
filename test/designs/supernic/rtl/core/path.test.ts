/** Descriptors, Dispatch, Regions and Return, as the device has them, between the stores and a scheduler. */
import { describe, expect, test } from "vitest";
import { regions } from "../../../../../designs/supernic/rtl/core/index.ts";
import { dummy } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { elaborate } from "../../../../../hdl-dsl/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { type B, dut, PathRig } from "./support/path-rig.ts";

const paused = (b: B, p = 0.3) => ({ from: () => () => b.random.chance(p), to: () => () => b.random.chance(p) });

/** Random traffic, and each region in turn with its way out shut. */
async function life(rig: PathRig, cycles: number): Promise<void> {
  for (const region of [0, 1, 2, 3]) {
    await rig.traffic(cycles);
    await rig.shut(region);
  }
  await rig.end();
}
async function resets(b: B): Promise<void> {
  const rig = new PathRig(b, paused(b));
  for (let round = 0; round < 6; round++) {
    await rig.traffic(b.random.between(40, 300));
    await rig.reset();
  }
  await rig.traffic(300);
  await rig.end();
}
/** Everything is tried with a fault: life under pauses, shut ways, and resets. */
async function look(what: string, design: Dut<typeof dut.ports>): Promise<void> {
  await runBench(what, design, { seed: 5 }, async b => {
    const rig = new PathRig(b, paused(b));
    await rig.traffic(300);
    await rig.reset();
    for (const region of [0, 1, 2, 3]) {
      await rig.traffic(b.random.between(200, 300));
      await rig.shut(region, "stays");
      await rig.reset();
    }
    await life(rig, 500);
  });
}
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["regions that do not accept are sent to", /may_go_(\d) = accepts\[\d\] &/, "may_go_$1 = 1'b1 &"],
  ["a region says too late that it accepts no more", "past_level <= 5'd4", "past_level <= 5'd14"],
  ["the tail of another region", "{5{comes_for_2}} & tail_2", "{5{comes_for_2}} & tail_1"],
  ["a queue is never empty again", /waiting_0 > 6'd1/, "waiting_0 > 6'd0"],
  ["a queue tells too late that it is full", "waiting_0 < 6'd16", "waiting_0 < 6'd28"],
  ["the run is that of the next", ": asked_run;", ": sent_run;"],
  ["what is told is of the next", ": told_user;", ": ~told_user;"],
  ["what is queued outlives a reset", "waiting_0 <= 6'd0;", "waiting_0 <= waiting_0;"],
  ["what a task said first is forgotten", "has_prepend ? before_front_bytes", "1'b0 ? before_front_bytes"],
  [
    "what was said of the packet before counts",
    "undone[forgets] <= said[forgets]",
    "undone[forgets] <= undone[forgets]",
  ],
  ["a reply of an earlier branch is forgotten", /said_front_reply \| \([^)]*\)/, "said_front_reply"],
  ["what tasks wrote is not given back", "open & writes & ~written", "1'b0"],
  [
    "what was said of others outlives a reset",
    "undone[forgets] <= said[forgets]",
    "undone[forgets] <= said[forgets] & ~clearing_q",
  ],
  ["who goes to nobody keeps its credits", /(\}\} &) sent_to_nobody_3_pop_payload_run/, "$1 4'd0"],
  ["nobody accepts too many", "sent_to_nobody_3_level <= 5'd8", "sent_to_nobody_3_level <= 5'd15"],
  [
    "the branch is lost on the way",
    /entering_1_payload_ctx = \{enter_payload_branch, /,
    "entering_1_payload_ctx = {2'd0, ",
  ],
];

describe("Dispatch, regions and Return", () => {
  testOfResets(dut, { beside: { dst: "", packet: "", front: "" } }, b => life(new PathRig(b), 600));
  bench("packets in regions side by side: all that was said and written is there", dut, { seed: 1 }, async b => {
    const rig = new PathRig(b, paused(b));
    await life(rig, 1000);
    const { seen } = rig;
    expect(Math.min(seen.back, seen.dropped, seen.replies, seen.fronts, seen.late)).toBeGreaterThan(20);
  });
  bench("a reset beside traffic leaves nothing inside", dut, { seed: 2 }, resets);

  bench("latency: a cycle into a region, its own, and nothing back", dut, { seed: 3 }, async b => {
    const rig = new PathRig(b);
    await b.until(() => b.io.clearing.value === 0);
    rig.send();
    await b.until(() => rig.idle.length === 1);
    const [packet] = rig.idle;
    if (packet) rig.start(packet, 2, [1]);
    await b.until(() => rig.times.length === 1);
    // The chain: 1 cycle for the slot that is skipped, 2 for the dummy, 1 behind. A start comes a cycle late.
    expect(rig.times).toEqual([1 + 1 + (1 + 2 + 1)]);
    await rig.end();
  });
  bench("rate: a packet a cycle through the regions", dut, { seed: 4 }, async b => {
    const rig = new PathRig(b);
    await b.until(() => b.io.clearing.value === 0);
    for (let i = 0; i < 32; i++) rig.send();
    await b.until(() => rig.idle.length === 32);
    const from = rig.backCycles.length;
    for (const [i, packet] of rig.idle.entries()) rig.start(packet, i % 2 ? 2 : 0, []);
    await b.until(() => rig.backCycles.length === from + 32);
    const cycles = rig.backCycles.slice(from);
    expect((cycles[31] ?? 0) - (cycles[0] ?? 0)).toBeLessThan(45);
    await rig.end();
  });
  describe("a planted fault is found", () => {
    test("and nothing without one", async () => look("no fault", dut));
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut, from, to)));
      });
  });
  test("what cannot be is refused in one sentence", () => {
    const p = { contexts: 32, regions: 2, slots: 2, branches: 2, credits: 8 };
    expect(() => elaborate(regions([])(p))).toThrow("there are 0 chains for 2 regions; give 1 to 2");
    expect(() => elaborate(regions([[dummy, dummy, dummy]])(p))).toThrow("chain 0 has 3 tasks; a region has 2 slots");
  });
});
