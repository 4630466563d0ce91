/** A reset of one cycle, in every cycle of a frame that grows by a beat. */
import { describe, test } from "vitest";
import { type Bench, type Dut, never, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { DeparseRig, dut, type Ports, snic } from "./support/deparse-rig.ts";

type B = Bench<Ports>;

/** What a register does without its reset in one cycle shows; in a second one it may be gone. */
async function shortReset(b: B): Promise<void> {
  const rig = new DeparseRig(b, { from: never, to: never, late: never });
  for (let after = 1; after < 24; after++) {
    // A shim makes the last beat spill over.
    for (let i = 0; i < 8; i++) rig.send(rig.plain(124 + (i % 4), { snic: snic(b.random) }));
    await b.cycles(after);
    rig.reset(1);
    for (let i = 0; i < 3; i++) rig.send(rig.random());
    await rig.end();
  }
}

describe("Deparser", () => {
  bench("a reset of one cycle leaves nothing behind", dut(), { seed: 1 }, shortReset);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 500, limitCycles: 60_000, seed: 4 }, shortReset);
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["what spills over outlives a reset", "if (rst) spills <= 1'b0;", "if (1'b0) spills <= 1'b0;"],
      ["a frame half given outlives a reset", /is_first_beat <= 1'b1;/, "is_first_beat <= is_first_beat;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
