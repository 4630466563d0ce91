/** Bounds of a slot that are counted exactly, from both sides. */
import { describe, expect, test } from "vitest";
import { type Dut, never, runBench } from "../../../../../sim/index.ts";
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
/** What comes for a task that is isolated no more, and not on yet, waits for it: only what came before is dropped. */
async function letGo(b: B): Promise<void> {
  const rig = new SlotRig(b),
    { state } = b.io;
  for (let round = 0; round < 4; round++) {
    Object.assign(rig, { takes: 1, answers: 0 });
    const { killed } = rig.seen;
    for (let i = 0; i < 2; i++) rig.send(true);
    await b.until(() => state.inside.num === 2);
    // The way out is shut, so it cannot come back.
    rig.leave.pause = () => true;
    rig.control({ isolate: true });
    await b.cycles(3 + round);
    rig.control({});
    for (let i = 0; i <= round; i++) rig.send(true);
    await b.cycles(12);
    expect([state.off.value, state.stuck.value]).toEqual([1, 0]);
    rig.leave.pause = never;
    rig.answers = 1;
    await b.until(() => rig.pending === 0);
    expect(rig.seen.killed - killed, `round ${round}`).toBe(2);
  }
  await rig.end();
}
/** Isolated in every cycle about the one in which it gets stuck: from the next cycle on it is not. */
async function isolatedInTime(b: B): Promise<void> {
  const rig = new SlotRig(b),
    { state } = b.io,
    patience = 9;
  for (let offset = -3; offset <= 3; offset++) {
    rig.control({ patience });
    Object.assign(rig, { takes: 1, answers: 0 });
    rig.send(true);
    await b.until(() => state.inside.num === 1 && state.off.value === 0);
    await b.cycles(patience + late + offset);
    rig.control({ patience, isolate: true });
    await b.cycles(1);
    for (let i = 1; i < 5; i++) {
      await b.cycles(1);
      expect([state.stuck.value, state.off.value], `${offset} cycles from it, ${i} behind`).toEqual([0, 1]);
    }
    await b.until(() => rig.pending === 0);
    rig.control({ patience });
    await b.until(() => state.off.value === 0);
  }
}
/** A task leaves out all of a header: of a packet that has a payload it may, of one that has none it may not. */
async function nothingLeft(b: B): Promise<void> {
  const rig = new SlotRig(b);
  rig.shortHeads = true;
  rig.misdeed = "grows";
  Object.assign(rig, { takes: 1, answers: 1 });
  await rig.traffic(400);
  rig.misdeed = undefined;
  await rig.end();
  expect(rig.seen.grown).toBeGreaterThan(20);
}

const runs = { exactPatience, isolatedInTime, nothingLeft, letGo };
describe("Slot", () => {
  bench("a task is stuck in the cycle in which its patience ends", dut(), { seed: 1 }, exactPatience);
  bench("a task that is isolated as it gets stuck is not stuck", dut(), { seed: 2 }, isolatedInTime);
  bench("what comes before a task is on again waits for it", dut(), { seed: 4 }, letGo);
  bench("a packet of which nothing would be left is dropped", dut(), { seed: 3 }, nothingLeft);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 500, limitCycles: 30_000, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["patience one cycle too long", "(idle + 16'd1) >= control_patience", "(idle + 16'd1) > control_patience"],
      ["patience one cycle too short", "(idle + 16'd1) >= control_patience", "(idle + 16'd2) >= control_patience"],
      ["nothing is left of a packet", /(\(answer_payload_drop_front == [\w[\]:]+\)) & ~\(\|[\w[\]:]+\)/, "($1 & 1'b0)"],
      [
        "all of a header is never left out",
        /(\(answer_payload_drop_front == [\w[\]:]+\)) & ~\(\|[\w[\]:]+\)/,
        "($1 & (|answer_payload_drop_front))",
      ],
      ["what comes before a task is on again is dropped", /drains = off & [^;]*;/, "drains = off;"],
      [
        "who is isolated as it gets stuck is stuck",
        /else if \(control_isolate\) stuck <= 1'b0;(\s*)else if \(sticks\) stuck <= 1'b1;/,
        "else if (sticks) stuck <= 1'b1;$1else if (control_isolate) stuck <= 1'b0;",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
