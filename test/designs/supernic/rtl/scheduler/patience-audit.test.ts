/** Patience that is over stays over, and is each candidate's own. */
import { describe, expect, test } from "vitest";
import { mostSlots } from "../../../../../designs/supernic/wire/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type BesideBench, besideDut, besideSizes } from "./support/beside-model.ts";
import { dags, rigOf } from "./support/few-packets.ts";
import { writeTable } from "./support/scheduler-tables.ts";

type Ports = ReturnType<typeof besideDut>["ports"];
const { regions } = besideSizes.random;
const limits = async (b: BesideBench, slot: number, limit: number): Promise<void> => {
  for (let r = 0; r < regions; r++) await writeTable(b, "slot", r * mostSlots + slot, { limit });
};
/** From the credit that comes to the start. */
const soon = 12;

/** A candidate without any credit, for ever longer: the first credit that comes starts it short. */
async function staysOver(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  for (let wait = 60; wait < 200; wait += 11) {
    await limits(b, 0, 0);
    await limits(b, 1, 0);
    rig.send(0, dags.good);
    await b.cycles(wait);
    expect(rig.started).toEqual([]);
    await limits(b, 0, 4);
    await b.cycles(soon);
    expect(
      rig.started.map(s => s.run),
      `after ${wait} cycles`,
    ).toEqual([1]);
    await rig.comesBack();
    await limits(b, 1, 4);
    await b.cycles(soon);
    await rig.comesBack();
    expect(rig.ended()).toEqual([[0, 0]]);
    rig.empty();
  }
}
/** One that has waited for long starts whole; the one behind it has all its patience yet. */
async function ownPatience(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  for (let phase = 0; phase < 16; phase += 3) {
    await limits(b, 0, 0);
    rig.send(0, dags.good);
    rig.send(1, dags.good);
    await b.cycles(100 + phase);
    expect(rig.started).toEqual([]);
    await limits(b, 1, 1);
    await limits(b, 0, 4);
    await b.cycles(soon);
    expect(rig.started.map(s => [s.ctx, s.run])).toEqual([[0, 3]]);
    // Its patience has 32 cycles at least, from the start of the one in front of it.
    await b.cycles(14);
    expect(rig.started).toHaveLength(1);
    await b.cycles(60);
    expect(rig.started.map(s => [s.ctx, s.run])).toEqual([
      [0, 3],
      [1, 1],
    ]);
    await limits(b, 1, 4);
    await rig.comesBack();
    await rig.comesBack();
    await b.cycles(soon);
    await rig.comesBack();
    expect(rig.ended()).toEqual([
      [0, 0],
      [1, 0],
    ]);
    rig.empty();
  }
}
/** Cycles from a question to its answer: chosen, its stage, its chain, its flow. */
const question = 4;
/** Who waits for a marked flow asks 8 cycles behind each answer: so long it waits at most when the flow is empty. */
async function asksAgain(b: BesideBench): Promise<void> {
  const rig = await rigOf(b),
    waits: number[] = [];
  for (let phase = 0; phase < 14; phase++) {
    rig.send(0, dags.good);
    await b.cycles(20);
    const [first] = rig.started.splice(0);
    if (!first) throw new Error("nobody has started");
    await writeTable(b, "mark", 2, { now: 1 });
    // No question waits for the sweep behind the mark.
    await b.cycles(8 * 260);
    rig.send(1, dags.good);
    await b.cycles(40 + phase);
    expect(rig.started).toEqual([]);
    b.io.give[first.region]!.value = first.run;
    await b.cycles(1);
    b.io.give[first.region]!.value = 0;
    rig.back.send({ ctx: 0, branch: 0, region: first.region, dropped: 0, refund: 0 });
    const from = b.cycle;
    await b.until(() => rig.started.length === 1);
    waits.push(b.cycle - from);
    await rig.comesBack();
    expect(rig.ended()).toHaveLength(2);
    rig.empty();
  }
  expect(new Set(waits).size).toBe(8 + question);
}
/** A reset takes all credits: nobody starts before software has given some, however long it waits. */
async function noCredits(b: BesideBench): Promise<void> {
  const rig = await rigOf(b);
  b.sim.reset(1);
  await writeTable(b, "chain", 2, { regions: 0b0110, group: 2 });
  await b.cycles(2_200);
  rig.send(0, dags.good);
  await b.cycles(200);
  expect(rig.started).toEqual([]);
  await limits(b, 1, 4);
  await limits(b, 0, 4);
  await b.cycles(soon);
  expect(rig.started.map(s => s.run)).toEqual([3]);
  await rig.comesBack();
  expect(rig.ended()).toEqual([[0, 0]]);
  rig.empty();
}

const runs = { staysOver, ownPatience, asksAgain, noCredits };
describe("a candidate's patience", () => {
  bench("is over for as long as it waits", besideDut("random"), { seed: 1 }, staysOver);
  bench("is its own", besideDut("random"), { seed: 2 }, ownPatience);
  bench("for a marked flow: it asks 8 cycles behind each answer", besideDut("random"), { seed: 3 }, asksAgain);
  bench("for credits: a reset has taken all", besideDut("random"), { seed: 4 }, noCredits);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", besideDut("random")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["it begins anew when it has long been over", / & \((\w+)_age != 2'd3\)/, ""],
      ["the next one has what the one before had left", / \| \(\w+_waits_joined\[\d+\] & changes_0\)/, ""],
      ["who waits asks a cycle too early", /rests <= 3'd7/, "rests <= 3'd6"],
      ["credits outlive a reset", /if \(rst\) (limit_\d+ <= \d'd0;)/, "if (1'b0) $1"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(besideDut("random"), from, to)));
    });
  });
});
