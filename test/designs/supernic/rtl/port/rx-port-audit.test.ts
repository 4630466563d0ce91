/** Both lanes take frames all the time: each has its turn. */
import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports, RxRig } from "./support/rx-rig.ts";

/** Of two that ask, never one twice: neither waits for more than one frame of the other. */
async function byTurns(b: B): Promise<void> {
  const rig = new RxRig(b, "full");
  await rig.program();
  rig.takesPerCycle = 0;
  // Users 0 to 3 are of as many classes; 8 is software.
  for (let i = 0; i < 90; i++) rig.send(rig.data(200 + i, [0, 1, 8][i % 3] ?? 0));
  await rig.rx.drained();
  await b.until(() => rig.coming === 0);
  const passed = [0, 0],
    turns = [0, 0];
  b.onEdge({
    sample: () => {
      const ports = [b.io.takeMerge, b.io.takeSwitch] as const;
      ports.forEach((port, lane) => {
        const other = ports[1 - lane],
          goes = port.valid.num === 1 && port.ready.num === 1;
        if (!goes) return;
        turns[lane]!++;
        passed[lane] = 0;
        if (other?.valid.num === 1) passed[1 - lane]!++;
        if (passed[1 - lane]! > 1) throw new Error(`lane ${1 - lane} asks, and ${passed[1 - lane]} go past it`);
      });
    },
  });
  // Each asks again in the very next cycle.
  rig.queues.forEach((frames, c) => {
    for (const _ of frames) rig.takes[c < 4 ? 0 : 1].send(c);
  });
  await b.until(() => rig.inside === 0);
  await rig.end();
  expect(Math.min(...turns)).toBeGreaterThan(20);
}

describe("RxPort", () => {
  bench("lanes that both ask are served by turns", dut("full"), { seed: 1 }, byTurns);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 2_000, limitCycles: 60_000, seed: 4 }, byTurns);
    test("and nothing without one", () => look("no fault", dut("full")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "the merge goes first",
        /take_switch_valid & ~\(take_merge_valid & last_second\)/,
        "take_switch_valid & ~take_merge_valid",
      ],
      ["the switch lane goes first", /take_switch_valid & ~\(take_merge_valid & last_second\)/, "take_switch_valid"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("full"), from, to)), /go past it/);
    });
  });
});
