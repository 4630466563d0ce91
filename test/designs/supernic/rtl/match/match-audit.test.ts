/** Group addresses that are known, beside those that are not. */
import { describe, expect, test } from "vitest";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, MatchRig, type Ports } from "./support/match-rig.ts";

type B = Bench<Ports>;
const group = 1n << 40n;

/** Every second known MAC is a group's: it goes to its port, and other groups to all. */
async function knownGroups(b: B): Promise<void> {
  const rig = new MatchRig(b);
  for (let i = 0; i < 6; i++) {
    const { settings } = rig;
    await rig.program({
      ...settings,
      rules: settings.rules.map(() => undefined),
      rings: [],
      macs: settings.macs.map((m, at) => m && (at % 2 === 0 ? { ...m, value: m.value | group } : m)),
    });
    for (let n = 0; n < 200; n++) rig.send(rig.frame());
    await rig.end();
  }
  expect(rig.seen.get("ports") ?? 0).toBeGreaterThan(100);
}

describe("Match", () => {
  bench("a group that is known goes to its port", dut(), { seed: 1 }, knownGroups);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, knownGroups);
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["every group goes to all", /\basked_group & ~known\b/, "asked_group"],
      ["no group goes to all", /\basked_group & ~known\b/, "1'b0"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
