/** The activity table: stamps at line rate, the region written longest ago, stamps that wrap. */
import { describe, expect, test } from "vitest";
import { activityOp, type ActivityParameters, ActivityTable } from "../../../../../designs/clio/rtl/activity/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type ActivityBench, play, run, type World } from "./activity-rig.ts";

const tiny: ActivityParameters = { regions: 16, stampBits: 8, tickBits: 2 },
  small: ActivityParameters = { regions: 64, stampBits: 9, tickBits: 3 },
  whole: ActivityParameters = { regions: 4096, stampBits: 32, tickBits: 10 };
/** Cycles of 16 us at 250 MHz. */
const bound = 4000;

const worlds: Readonly<Record<string, World>> = {
  "few writes: ages reach their most": { cycles: 8000, stamps: 0.004, commands: 0.05, stalls: 0.3 },
  "writes now and then": { cycles: 5000, stamps: 0.1, hot: 0.5, commands: 0.2, stalls: 0.3 },
  "a write in nearly every cycle": { cycles: 5000, stamps: 0.9, commands: 0.3, stalls: 0 },
  "commands back to back": { cycles: 5000, stamps: 0.3, hot: 0.7, commands: 1, stalls: 0 },
  "a few regions hot, the others idle": { cycles: 4000, stamps: 0.5, hot: 1, turns: 0.001, commands: 0.1, stalls: 0.3 },
  "results that wait": { cycles: 8000, stamps: 0.1, commands: 0.5, stalls: 0.98 },
  "resets at any time": { cycles: 6000, stamps: 0.2, commands: 0.5, stalls: 0.3, resets: 0.01 },
};

describe.each([tiny, small])("$regions regions, stamps of $stampBits bits", p => {
  test.each(Object.entries(worlds))("%s: every result in its cycle", async (name, world) => {
    const seen = await run(ActivityTable(p), b => play(b, p, world));
    expect(seen.scans).toBeGreaterThan(50);
    if (name.startsWith("few")) expect(seen.saturated).toBeGreaterThan(5);
    if (world.stamps > 0.5) expect(seen.touched).toBeGreaterThan(3);
    if (world.stamps > 0.5) expect(seen.second).toBeGreaterThan(seen.touched);
  });
});

/** A command, and what comes of it. @returns cycles until it is taken, and until its result is there */
async function order(b: ActivityBench, op: number, region = 0): Promise<{ taken: number; told: number }> {
  const { io } = b,
    from = b.cycle;
  io.command.valid.value = 1;
  io.command.payload.op.value = op;
  io.command.payload.region.value = region;
  do await b.risingEdge();
  while (io.command.ready.value === 0);
  const taken = b.cycle;
  io.command.valid.value = 0;
  if (op === activityOp.scan) {
    do await b.risingEdge();
    while (io.result.valid.value === 0);
  }
  return { taken: taken - from, told: b.cycle - from };
}

test("4,096 regions: the least active is found in 16 us and less, a write of the first choice included", async () => {
  const p = whole;
  const seen = await run(ActivityTable(p), async b => {
    const { io } = b;
    io.result.ready.value = 1;
    io.stamp.en.value = 0;
    for (const region of [0, 17, 2048, 4095]) await order(b, activityOp.enroll, region);
    const stamp = async (region: number): Promise<void> => {
      io.stamp.en.value = 1;
      io.stamp.region.value = region;
      await b.risingEdge();
      io.stamp.en.value = 0;
    };
    await b.cycles(5000);
    for (const region of [0, 17, 2048]) await stamp(region);
    await b.cycles(3000);
    for (const region of [17, 2048]) await stamp(region);
    const quiet = await order(b, activityOp.scan),
      first = [Number(io.result.payload.region.value), Number(io.result.payload.age.value)];
    // Now the first choice is written while the scan runs.
    io.command.valid.value = 1;
    io.command.payload.op.value = activityOp.scan;
    const from = b.cycle;
    do await b.risingEdge();
    while (io.command.ready.value === 0);
    io.command.valid.value = 0;
    await b.cycles(1028);
    await stamp(4095);
    do await b.risingEdge();
    while (io.result.valid.value === 0);
    return {
      quiet,
      first,
      beside: b.cycle - from,
      region: Number(io.result.payload.region.value),
      touched: io.result.payload.touched.value,
    };
  });
  console.log(
    `4,096 regions: a scan takes ${seen.quiet.told} cycles (${(seen.quiet.told * 4) / 1000} us), ${seen.beside} when its choice is written meanwhile`,
  );
  // 8,000 cycles and a few.
  expect(seen.first[0]).toBe(4095);
  expect([7, 8]).toContain(seen.first[1]);
  expect([seen.region, seen.touched]).toEqual([0, 0]);
  // A pass of upkeep before it would add as much again.
  expect(seen.beside + seen.quiet.told).toBeLessThanOrEqual(bound);
});

/** A write of one region in every cycle, so that another one of its lane cannot be moved. */
async function starve(b: ActivityBench): Promise<void> {
  const { io } = b,
    half = 2 ** (tiny.stampBits - 1 + tiny.tickBits);
  io.result.ready.value = 1;
  io.stamp.en.value = 0;
  await order(b, activityOp.enroll, 4);
  await order(b, activityOp.enroll, 8);
  await b.cycles(3);
  io.stamp.en.value = 1;
  io.stamp.region.value = 8;
  const enrolledAt = b.cycle;
  const isOverdue = (): boolean => io.overdue.value !== 0;
  let waits = 0;
  while (!isOverdue() && b.cycle < enrolledAt + half) {
    waits = Math.max(waits, (await order(b, activityOp.scan)).told);
    if (!isOverdue()) expect(Number(io.result.payload.region.value)).toBe(4);
  }
  expect(io.overdue.value).toBe(1);
  expect(b.cycle - enrolledAt).toBeGreaterThan(half / 2);
  expect(waits).toBeLessThanOrEqual(2 * (tiny.regions / 4 + 9));
  b.sim.reset(1);
  await b.risingEdge();
  expect(io.overdue.value).toBe(0);
}
test("stamps that leave upkeep no cycle: scans go on, and it is told before an age is wrong", () =>
  run(ActivityTable(tiny), starve));

describe("a planted fault is found", () => {
  const finds = async (design: Parameters<typeof run>[0]): Promise<void> => {
    await run(design, starve);
    for (const world of Object.values(worlds)) await run(design, b => play(b, tiny, { ...world, cycles: 3000 }));
  };
  const faults: readonly (readonly [what: string, from: string | RegExp, to: string])[] = [
    ["a write in the cycle of its read is missed", "touched_1_0 <= stamp_en & (stamp_region == {row, 2'd0});", ""],
    ["a write one cycle later is missed", "touched_1_1 | (stamp_en & (stamp_region == {row_1, 2'd1}))", "touched_1_1"],
    ["a write two cycles later is missed", "touched_2_2 | (stamp_en & (stamp_region == {row_2, 2'd2}))", "touched_2_2"],
    [
      "a write beside the first comparison is missed",
      "candidate_1_touched | (stamp_en & (stamp_region == candidate_1_region))",
      "1'b0",
    ],
    [
      "a write beside the second is missed",
      "pair_2_touched | (stamp_en & (stamp_region == pair_2_region))",
      "pair_2_touched",
    ],
    [
      "a write beside the third is missed",
      "of_row_touched | (stamp_en & (stamp_region == of_row_region))",
      "of_row_touched",
    ],
    [
      "a write of the choice so far is missed",
      "best_touched | (stamp_en & (stamp_region == best_region))",
      "best_touched",
    ],
    ["a spoilt scan is not tried again", "spoilt = scanning & ~again & best_live & best_now_touched", "spoilt = 1'b0"],
    ["a spoilt scan is tried for ever", "scanning & ~again & best_live", "scanning & best_live"],
    ["old stamps are not moved", "wire moves_0 = at_2 &", "wire moves_0 = 1'b0 & at_2 &"],
    ["a stamp is moved over a write of its region", / & ~fresh_1;/, ";"],
    ["a move goes before a write", "[stamped_2 ? stamp", "[stamped_2 & ~moves_2 ? stamp"],
    ["a stamp that was left counts as moved", "if (skips) skipped <= 1'b1;", ""],
    ["upkeep comes with scans only", "wire tends = rests & due &", "wire tends = 1'b0 & due &"],
    ["upkeep comes too seldom", "(&now[3:0])", "(&now[6:0])"],
    ["upkeep lets no command through", "(~due | yields)", "~due"],
    ["what is newer than the pass counts as oldest", "| since_2_0[7];", ";"],
    ["ages do not stop at their most", "since_2_3[6] ? 7'd64 : ", ""],
    ["an enrolled region keeps an old stamp", "wire enrolls_3 = enrolls &", "wire enrolls_3 = 1'b0 & enrolls &"],
    ["a withdrawn region stays", "~clearing & command_payload_op[0]", "~clearing"],
    ["of two alike, the later one", "row_now_age > best_age", "row_now_age >= best_age"],
    ["upkeep changes a result that waits", "if (ends & scanning) begin told_found", "if (ending) begin told_found"],
    ["a scan begins while a result waits", "~holds & ", ""],
    ["a reset leaves regions enrolled", "if (rst) clearing <= 1'b1;", "if (1'b0) clearing <= 1'b1;"],
    ["a reset leaves a result", "scanning <= 1'b0; holds <= 1'b0;", "scanning <= 1'b0;"],
    ["a reset leaves a row half cleared", "if (rst) row <= 2'd0;", "if (1'b0) row <= 2'd0;"],
    ["what is overdue is not told", "is_overdue <= 1'b1", "is_overdue <= 1'b0"],
  ];
  test("and nothing without one", () => finds(ActivityTable(tiny)));
  test.each(faults)("%s", (_what, from, to) => findsFault(finds(plant(ActivityTable(tiny), from, to))));
});
