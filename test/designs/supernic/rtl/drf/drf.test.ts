import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { clockPeriod } from "../../../../../designs/supernic/config/index.ts";
import {
  edgeProblem,
  greedyProblem,
  longestProblem,
  randomProblem,
  tiedProblem,
  wildProblem,
} from "../../drf/support/problems.ts";
import { DrfRig, dut, type Ports, roundCycles, type Size } from "./support/drf-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: bernoulli(0.2, b.random.word()),
  to: bursts({ go: 3, pause: 20 }, b.random.word()),
});
/** Random questions of all kinds, one after the other. */
async function questions(b: B, size: Size, count: number, paused = true): Promise<DrfRig> {
  const rig = new DrfRig(b, size, paused ? pauses(b) : {});
  for (let i = 0; i < count; i++)
    await rig.solve(i % 2 === 1 ? wildProblem(b.random, rig.p) : randomProblem(b.random, rig.p));
  for (const special of [longestProblem, greedyProblem]) await rig.solve(special(rig.p));
  return rig;
}
/** Two things at the same level: two full resources, a need on a full resource; and all of a resource for one. */
async function ties(b: B, size: Size, count: number): Promise<DrfRig> {
  const rig = new DrfRig(b, size);
  for (let i = 0; i < count; i++) await rig.solve((i % 2 === 1 ? tiedProblem : edgeProblem)(b.random, rig.p));
  return rig;
}
/** Users that need the same are one round. */
async function sameNeeds(b: B): Promise<void> {
  const rig = new DrfRig(b, "small"),
    problem = longestProblem(rig.p),
    runs = [problem, { ...problem, users: problem.users.map(() => problem.users[1]) } as typeof problem];
  for (const run of runs) await rig.solve(run);
  expect(new Set(besideRounds(rig)).size, "cycles beside the rounds are always as many").toBe(1);
}
/** Epochs end while earlier ones are under way: their beats wait, and nothing of them is mixed. */
async function backToBack(b: B, size: Size, count: number, paused = true): Promise<DrfRig> {
  const rig = new DrfRig(b, size, paused ? pauses(b) : {});
  for (let i = 0; i < 3; i++) {
    const { capacities } = randomProblem(b.random, rig.p);
    await rig.capacities(capacities);
    for (let k = 0; k < count; k++) rig.ask({ ...randomProblem(b.random, rig.p), capacities });
    await rig.end();
  }
  return rig;
}
/** Resets in the middle of runs, at all places; the capacities stay. */
async function resets(b: B): Promise<void> {
  const rig = new DrfRig(b, "small", pauses(b)),
    { capacities } = randomProblem(b.random, rig.p);
  await rig.capacities(capacities);
  for (let i = 0; i < 40; i++) {
    rig.ask({ ...randomProblem(b.random, rig.p), capacities });
    rig.ask({ ...randomProblem(b.random, rig.p), capacities });
    await b.cycles(b.random.between(2, 500));
    rig.reset();
    rig.ask({ ...randomProblem(b.random, rig.p), capacities });
    await rig.end();
  }
}
/** What software writes while a run rises counts for the next one. */
async function capacitiesBeside(b: B): Promise<void> {
  const rig = new DrfRig(b, "small"),
    problem = longestProblem(rig.p),
    next = { ...problem, capacities: problem.capacities.map((c, j) => Math.floor(c / (j + 2))) };
  await rig.capacities(problem.capacities);
  rig.ask(problem);
  await rig.vectors.drained();
  // The inverses are read behind the beats, within as many cycles as there are resources, and a few.
  await b.cycles(rig.p.resources + 10);
  await rig.capacities(next.capacities);
  rig.ask(next);
  await rig.end();
  expect(rig.done[0]?.rates).not.toEqual(rig.done[1]?.rates);
}
/** Cycles from the last beat to the first rate that are no rounds. */
const besideRounds = (rig: DrfRig): number[] =>
  rig.done.map(run => DrfRig.latency(run).first - roundCycles(run.answer, rig.p));

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["a share is rounded down", /share_raised = [^;]*;/, "share_raised = {1'b0, product[39:14]};"],
  ["a use is rounded down", /by_level_raised = [^;]*;/, "by_level_raised = {1'b0, product[40:21]};"],
  ["a share that has no room wraps", /share_over = [^;]*;/, "share_over = 1'b0;"],
  ["a full resource stops nobody", "stops = on_full_3 | ", "stops = "],
  ["floors of the last user are forgotten", "if (beat_valid) sums", "if (beat_valid & (beat_user != 2'd3)) sums"],
  ["sums of the last run stay", "(beat_user == 2'd0) ? 26'd0 :", ""],
  ["an inverse is rounded down", /quotient_up_1 <= [^;]*;/, "quotient_up_1 <= divider_answer_quotient;"],
  ["an absent resource is a full one", /capacity_absent = [^;]*;/, "capacity_absent = 1'b0;"],
  ["a stopped user stays in the load", "turn_valid ? kept :", "turn_valid & turn_adds ? kept :"],
  ["a user that uses a little is not stopped", "load_valid & (|load_use)", "load_valid & (load_use > 20'd4096)"],
  ["more goes than users take", "rises ? goes :", "rises ? goes + 37'd4096 :"],
  ["less goes than users take", "rises ? goes :", "rises ? goes >> 1 :"],
  ["what goes of the last group is forgotten", /rises_now = [^;]*;/, "rises_now = decides;"],
  ["what goes of a user goes of each that stops", "else if (last_turn) updating <= 1'b0;", ""],
  ["a gap is not whole", "gap_value = {one_over, one_digits}", "gap_value = {1'b0, one_digits}"],
  ["digits count of a resource with room for all", "two_over ? 20'd0 :", ""],
  ["users of an earlier run stay on a resource", "users_0 <= 4'd0;", ""],
  ["a resource is left out of the step", /gaps_0_b_0_less = [^;]*;/, "gaps_0_b_0_less = 1'b0;"],
  ["of two that are full one stops nobody", /gaps_0_a_0_second = [^;]*;/, "gaps_0_a_0_second = gaps_0_a_0_less;"],
  ["the last user's need is not looked at", "need_at == 3'd7) need_looks", "need_at == 3'd2) need_looks"],
  [
    "a need is missed where a resource is full",
    /least_1_0_first = [^;]*;/,
    "least_1_0_first = least_1_0 < gap_0_0_value;",
  ],
  ["demands count in the second rising", "second ? 4'd0 : active", "active"],
  ["who has its demand does not rise on", /to_second = [^;]*;/, "to_second = 1'b0;"],
  ["the level of the last run stays", /(active <= rises;[^]*?)level <= 22'd0;/, "$1"],
  ["who has no weight rises", /may_rise = [^;]*;/, "may_rise = ~top_stopped;"],
  ["a stop of an earlier group is forgotten", "lane_stops_1 | (before_stopped & ", "lane_stops_1 | (1'b0 & "],
  ["the largest share is of the last group", "(largest_0_0_1 > before_share)", "1'b1"],
  ["a demand is rounded down", /need_level_raised = [^;]*;/, "need_level_raised = {1'b0, need_scaled_1[49:28]};"],
  ["the floor is not taken from the demand", /demand_less = [^;]*;/, "demand_less = {1'b0, vectors_payload_demand};"],
  ["the floor is not in the rate", /(rate_base_1 <= [^;]*) \+ 25'd64;/, "$1;"],
  ["beats come in during a run", /vectors_ready = [^;]*;/, "vectors_ready = 1'b1;"],
  ["pitches of the last run stay", /if \(last_beat\) pitches_there/, "if (1'b0) pitches_there"],
];
const ofCycles: typeof faults = [
  ["of two with the same need one waits for the next round", "counts_0 & (need == least_0)", "1'b0"],
];
const ofResets: typeof faults = [
  ["beats outlive a reset", "beat_group <= 1'b0; beat_user <= 2'd0;", "beat_group <= 1'b0;"],
  ["rates outlive a reset", "if (rst) rates_written <= 3'd0;", "if (1'b0) rates_written <= 3'd0;"],
];

describe("Drf", () => {
  testOfResets(dut("small"), {}, b => backToBack(b, "small", 3));
  bench("small: the software's rates, bit for bit", dut("small"), { seed: 2, hangCycles: 3_000 }, async b => {
    await questions(b, "small", 80);
  });
  bench(
    "a bit of a gap a cycle, and four groups: the same rates",
    dut("slow"),
    { seed: 3, hangCycles: 3_000 },
    async b => {
      await questions(b, "slow", 60);
    },
  );
  bench("full: the software's rates, bit for bit", dut("full"), { seed: 4, hangCycles: 3_000 }, async b => {
    await questions(b, "full", 40);
  });
  for (const size of ["small", "slow", "full"] as const)
    bench(`${size}: two things at the same level`, dut(size), { seed: 5, hangCycles: 3_000 }, async b => {
      await ties(b, size, 30);
    });
  bench("users that need the same stop together", dut("small"), { seed: 5, hangCycles: 3_000 }, sameNeeds);
  for (const paused of [true, false])
    bench(
      `an epoch ends while another is under way, ${paused ? "with" : "without"} pauses`,
      dut("small"),
      { seed: 5, hangCycles: 3_000 },
      async b => {
        await backToBack(b, "small", 8, paused);
      },
    );
  bench("a reset in the middle leaves nothing behind, and the capacities", dut("small"), { seed: 6 }, resets);
  bench("capacities that change beside a run", dut("small"), { seed: 7, hangCycles: 3_000 }, capacitiesBeside);
  for (const size of ["small", "slow", "full"] as const)
    bench(`${size}: as many cycles as its rounds say`, dut(size), { seed: 8, hangCycles: 3_000 }, async b => {
      const rig = await questions(b, size, 10, false);
      expect(new Set(besideRounds(rig)).size, "cycles beside the rounds are always as many").toBe(1);
      for (const run of rig.done) expect(DrfRig.latency(run).last - DrfRig.latency(run).first).toBe(rig.p.users - 1);
    });
  bench("the longest run: 3 us, and its parts", dut("full"), { seed: 9, hangCycles: 3_000 }, async b => {
    const rig = new DrfRig(b, "full"),
      run = await rig.solve(longestProblem(rig.p)),
      { first, last } = DrfRig.latency(run);
    const { answer } = run,
      rounds = answer.first.stops.length + answer.second.stops.length - 2;
    expect(rounds, "every user stops alone, twice").toBe(2 * rig.p.users);
    expect({ first, last, rounds: roundCycles(answer, rig.p) }).toEqual({ first: 683, last: 698, rounds: 546 });
    expect(last * clockPeriod, "nanoseconds").toBeLessThan(3_000);
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => questions(b, "small", 60),
      b => backToBack(b, "small", 6),
      b => ties(b, "small", 60),
    ];
    const look = async (name: string, design: Dut<Ports>, all = runs): Promise<void> => {
      for (const [i, run] of all.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 3_000, limitCycles: 120_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
    for (const [name, from, to] of ofCycles)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to), [sameNeeds]));
      });
    for (const [name, from, to] of ofResets)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to), [resets]));
      });
  });
});
