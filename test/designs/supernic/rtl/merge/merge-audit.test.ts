/** What a user saves of its tokens: one share, to the byte. */
import { describe, expect, test } from "vitest";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, MergeRig, type Ports } from "./support/merge-rig.ts";

type B = Bench<Ports>;

/** A part of an epoch that would fill more than there is room for fills what there is, and no byte more. */
async function oneShare(b: B): Promise<void> {
  const rig = new MergeRig(b, "small"),
    frame = 64,
    share = 16 * frame * 64;
  rig.stay = 3;
  await rig.setUsers(rig.users.map((u, i) => (i === 0 ? { ...u, limited: 1, bytes: share } : u)));
  const part = async (): Promise<void> => {
    b.io.epoch.value = 1;
    await b.cycles(1);
    b.io.epoch.value = 0;
    await b.cycles(4 * rig.p.users);
  };
  for (let i = 0; i < 70; i++) await part();
  // Less than a part is used, and the next one fills it up.
  for (let i = 0; i < 5; i++) rig.put(i % 2, 0, frame);
  await b.until(() => rig.takes.length === 5);
  await b.cycles(40);
  await part();
  const from = rig.takes.length,
    saved = share / frame;
  for (let i = 0; i < saved + 20; i++) rig.put(i % 2, 0, frame);
  await b.until(() => rig.takes.length === from + saved);
  await b.cycles(100);
  expect(rig.takes.length - from).toBe(saved);
  await rig.setUsers(rig.users.map(u => ({ ...u, limited: 0 })));
  await rig.end();
}

describe("Merge", () => {
  bench("one share is saved, to the byte", dut("small"), { seed: 1 }, oneShare);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 2_000, limitCycles: 60_000, seed: 4 }, oneShare);
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "a part is given whole where less has room",
        /share_fits = [^;]*;/,
        "share_fits = ~share_room[31] & (|share_room);",
      ],
      [
        "a part that has no room whole is not given",
        /had \+ \(share_fits \? ([^:]*) : share_room\)/,
        "had + (share_fits ? $1 : 32'd0)",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
