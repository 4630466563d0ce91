import { describe, expect, test } from "vitest";
import { bernoulli, bursts, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Misdeed, misdeeds, type Ports, SlotRig } from "./support/slot-rig.ts";

const paused = (b: B) => ({
  from: bernoulli(0.2, b.random.word()),
  to: bursts({ go: 20, pause: 15 }, b.random.word()),
});
/** A task that does all right, slow and fast, with and without pauses. */
async function life(b: B, cycles = 1200): Promise<SlotRig> {
  const rig = new SlotRig(b, paused(b));
  for (const [takes, answers] of [
    [0.7, 0.7],
    [1, 1],
    [0.2, 1],
    [1, 0.2],
  ] as const) {
    Object.assign(rig, { takes, answers });
    await rig.traffic(cycles / 4);
  }
  rig.leave.pause = never;
  Object.assign(rig, { takes: 1, answers: 1 });
  await rig.traffic(200, 1);
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new SlotRig(b, paused(b));
  for (let round = 0; round < 20; round++) {
    await rig.traffic(b.random.between(5, 80));
    rig.reset();
    rig.waitsBefore = rig.waits.length;
  }
  await rig.traffic(100);
  await rig.end();
}
const hangs: readonly Misdeed[] = ["never takes", "never answers", "answers in another order"];
/** A task that begins to misbehave; whether it gets stuck; then it is isolated, let go, and does right again. */
async function misbehaves(b: B, misdeed: Misdeed): Promise<SlotRig> {
  const rig = new SlotRig(b, paused(b)),
    { state } = b.io;
  await rig.traffic(200);
  rig.misdeed = misdeed;
  await rig.traffic(600);
  expect(state.stuck.value, misdeed).toBe(hangs.includes(misdeed) ? 1 : 0);
  expect(state.off.value).toBe(state.stuck.value);
  // Those that skip the slot still come through, in a few cycles.
  rig.leave.pause = never;
  await b.until(() => rig.pending < 40);
  const skipping = rig.send(false),
    from = b.cycle;
  await b.until(() => skipping.sent.cycle !== undefined);
  expect(b.cycle - from).toBeLessThan(90);
  // Isolated beside traffic, and let go.
  rig.control({ isolate: true });
  await rig.traffic(50);
  expect([state.off.value, state.stuck.value]).toEqual([1, 0]);
  rig.misdeed = undefined;
  rig.control({});
  await b.until(() => state.off.value === 0);
  const { killed } = rig.seen;
  await rig.traffic(300);
  await rig.end();
  expect(rig.seen.killed, "none is killed afterwards").toBe(killed);
  return rig;
}
/** Nothing is given to a task that is to be quiet; what waits is given to it afterwards. */
async function quiesces(b: B): Promise<void> {
  const rig = new SlotRig(b, paused(b)),
    { state } = b.io;
  for (let round = 0; round < 8; round++) {
    await rig.traffic(80);
    rig.control({ quiesce: true });
    rig.takes = round % 2 ? 0.05 : 0.7;
    await b.until(() => state.quiet.value === 1);
    await rig.traffic(100);
    expect([state.quiet.value, state.inside.num, state.stuck.value, state.off.value]).toEqual([1, 0, 0, 0]);
    rig.control({});
    rig.takes = 0.7;
  }
  await rig.end();
}
/** Packets that skip come every cycle, then answers: neither waits for ever. */
async function bothMove(b: B): Promise<void> {
  const rig = new SlotRig(b);
  Object.assign(rig, { takes: 1, answers: 1 });
  for (let i = 0; i < 600; i++) {
    if (rig.pending < 50) rig.send(rig.hasCredit && i % 3 === 0);
    await b.cycles(1);
  }
  await rig.end();
  expect(Math.max(...rig.waits)).toBeLessThanOrEqual(8);
  expect(Math.max(...rig.waits)).toBeGreaterThan(0);
  expect(Math.max(...rig.pasts)).toBeLessThanOrEqual(2 + 2 * 8);
}
/** The patience of a task runs from its last progress; who waits for the way out is not stuck. */
async function patience(b: B): Promise<void> {
  const rig = new SlotRig(b),
    { state } = b.io;
  Object.assign(rig, { takes: 1, answers: 0 });
  // A task that answers just in time, again and again.
  for (let round = 0; round < 5; round++) {
    rig.send(true);
    rig.send(true);
    await b.cycles(50);
    rig.answers = 1;
    await b.until(() => rig.pending === 0);
    rig.answers = 0;
  }
  expect(state.stuck.value).toBe(0);
  // One that takes late and then answers late: each is progress.
  rig.takes = 0;
  rig.send(true);
  await b.cycles(45);
  rig.takes = 1;
  await b.cycles(45);
  rig.answers = 1;
  await b.until(() => rig.pending === 0);
  expect(state.stuck.value).toBe(0);
  // The way out is shut for long.
  rig.leave.pause = () => true;
  rig.answers = 1;
  for (let i = 0; i < 4; i++) rig.send(true);
  await b.cycles(300);
  expect(state.stuck.value).toBe(0);
  rig.leave.pause = never;
  await b.until(() => rig.pending === 0);
  // Patience 0 is for ever; a later one counts at once.
  rig.control({ patience: 0 });
  rig.answers = 0;
  const at = rig.send(true);
  await b.cycles(300);
  expect(state.stuck.value).toBe(0);
  rig.control({ patience: 400 });
  await b.until(() => state.stuck.value === 1);
  const waited = b.cycle - (at.sent.cycle ?? NaN);
  expect(waited).toBeGreaterThan(398);
  expect(waited).toBeLessThan(408);
  await b.until(() => rig.pending === 0);
  rig.control({ isolate: true });
  await b.cycles(3);
  rig.control({});
  // One that takes now and then, and never answers: taking is no progress.
  const from = b.cycle;
  for (let i = 0; i < 4; i++) {
    rig.send(true);
    await b.cycles(25);
  }
  expect([state.stuck.value, b.cycle - from]).toEqual([1, 100]);
  rig.control({ isolate: true });
  await b.cycles(9);
  rig.control({});
  await rig.end();
}

describe("Slot", () => {
  bench("a task that does right: every packet once, in order, as it said", dut(), { seed: 2 }, async b => {
    const rig = await life(b, 3000);
    const { took, skipped, dropped } = rig.seen;
    expect(Math.min(took, skipped, dropped)).toBeGreaterThan(30);
  });
  for (const misdeed of misdeeds)
    bench(`a task that ${misdeed} is contained and counted`, dut(), { seed: 3 }, async b => {
      const { seen } = await misbehaves(b, misdeed);
      if (hangs.includes(misdeed)) expect(seen.killed).toBeGreaterThan(3);
      if (misdeed.startsWith("answers")) expect(seen.strays).toBeGreaterThan(0);
      if (misdeed === "grows") expect(seen.grown).toBeGreaterThan(20);
      if (misdeed === "reaches outside") expect(seen.outside).toBeGreaterThan(20);
    });
  bench("a reset beside traffic leaves nothing inside", dut(), { seed: 4 }, resets);
  bench("quiesce: nothing more is given, nothing is lost", dut(), { seed: 5 }, quiesces);
  bench("answers and packets that skip: neither waits for ever", dut(), { seed: 6 }, bothMove);
  bench("patience, to the cycle", dut(), { seed: 7 }, patience);
  bench("past the task: 1 cycle and the register behind, one a cycle", dut(), {}, async b => {
    const rig = new SlotRig(b);
    await b.cycles(3);
    for (let i = 0; i < 100; i++) rig.send(false);
    await rig.end();
    expect(new Set(rig.pasts)).toEqual(new Set([2]));
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [
        b => life(b),
        resets,
        b => misbehaves(b, "never takes"),
        b => misbehaves(b, "never answers"),
        b => misbehaves(b, "answers twice"),
        b => misbehaves(b, "answers what it was not asked"),
        b => misbehaves(b, "grows"),
        b => misbehaves(b, "reaches outside"),
        quiesces,
        bothMove,
        patience,
      ];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 500, limitCycles: 30_000, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "the task sees bytes that it did not declare",
        /packet_payload_header = (\{[^}]*\})/,
        "packet_payload_header = $1 | {8'hff, 504'd0}",
      ],
      ["an answer with any tag counts", "(answer_payload_tag == head_tag)", "1'b1"],
      ["an answer counts with nothing inside", "has_inside & (answer_payload_tag", "(answer_payload_tag"],
      ["the task is given one too many", "inside_ < 3'd4", "inside_ <= 3'd4"],
      ["the task is given one too few", "inside_ < 3'd4", "inside_ < 3'd3"],
      ["an answer that leaves makes no room", "inside_has_room <= 1'b1;\n    end", "end"],
      ["the last answer leaves something", "has_inside <= inside_ > 3'd1", "has_inside <= 1'b1"],
      ["an answer goes first", "answer_waited ? |before_answer : past_valid", "1'b0"],
      ["what goes past is always first", "answer_waited ? |before_answer : past_valid", "past_valid"],
      ["what goes past leaves in an answer's turn", /answer_turn = [^;]*;/, "answer_turn = 1'b0;"],
      ["an answer waits for one too few", /(past_there\)) - \{3'd0, past_leaves\}/, "$1 - {3'd0, past_valid}"],
      ["the way past overflows", "past_level <= 4'd4", "past_level <= 4'd7"],
      ["a dropped packet goes on to the next task", "(drops ? 3'd0 : oldest_run)", "oldest_run"],
      ["quiesce gives packets", "(~control_quiesce | offered)", "1'b1"],
      ["quiet with something inside", /control_quiesce & ~has_inside/, "control_quiesce"],
      ["who waits for the way out is stuck", "counts_idle_or & ~right", "counts_idle_or"],
      ["taking is progress", "(takes & ~has_inside)", "takes"],
      ["taking is never progress", "leaves | (takes & ~has_inside)", "leaves"],
      ["a stuck task comes back by itself", "stays_off = control_isolate | stuck", "stays_off = control_isolate"],
      ["it comes back with packets inside", /\(off & ~\(~has_inside[^;]*;/, "1'b0;"],
      ["patience a cycle too long", "(idle + 16'd1) >= control_patience", "idle > (control_patience + 16'd9)"],
      ["patience 0 is none", "(|control_patience) &", ""],
      ["growth that is not declared", "grown = goes_on & grown_or", "grown = 1'b0"],
      ["killed packets bring no credits back", "~goes_on | grown", "(~goes_on & ~off) | grown"],
      ["what waited outlives a reset", "waiting_queued <= 1'b0;", ""],
      ["packets inside outlive a reset", "inside_ <= 3'd0;", ""],
      ["that there are packets inside outlives a reset", "has_inside <= 1'b0;", ""],
      ["that there is no room inside outlives a reset", "inside_has_room <= 1'b1;", ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
