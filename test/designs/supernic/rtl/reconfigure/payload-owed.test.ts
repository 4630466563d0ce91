/**
 * Beats that a region may owe the store: a task takes payloads and never gives one back. As many as there is room for
 * are owed and no more, others wait, and all go back when the region goes off (docs/supernic/reconfigure.md).
 */
import { describe, expect, it } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dutOf, PayloadSwapRig, type Sizes } from "./support/payload-swap-rig.ts";

const sizes: Sizes = { contexts: 32, cells: 256, branches: 1, credits: 16 },
  o = { limitCycles: 30_000, hangCycles: 4_000 },
  /** As the partition has them. */
  mostOwed = 256,
  longest = 24,
  dut = dutOf(sizes, "hoarding");

/**
 * Payloads of so many beats go to the task; those of the region beside it go on. Then the region goes off, and another
 * chain has the ways. @returns what was owed before that, at most and at rest
 */
async function hoards(b: B, beats: number) {
  const rig = new PayloadSwapRig(b, sizes, { world: "hoarding" });
  let most = 0;
  b.onEdge({ sample: () => (most = Math.max(most, b.io.owed.num)) });
  await b.cycles(sizes.contexts + 4);
  for (let rest = beats; rest > 0; rest -= longest) rig.give(0, Math.min(rest, longest));
  await b.cycles(2 * beats);
  for (let i = 0; i < 4; i++) rig.give(1, longest);
  await b.until(() => rig.pendingOf(1) === 0);
  const owed = b.io.owed.num,
    unread = b.io.reads.num,
    before = most;
  await rig.swap(2, true);
  for (let i = 0; i < 4; i++) rig.give(0, longest);
  await rig.end();
  return { owed, most: before, unread, right: rig.seen.right, killed: rig.seen.killed };
}
/** One beat fewer than may be owed, as many, one more, and many more. */
const around = [-1, 0, 1, longest] as const;
async function look(b: B, more: (typeof around)[number]): Promise<void> {
  const beats = mostOwed + more,
    packets = Math.ceil(beats / longest),
    owed = Math.min(beats, mostOwed);
  const is = await hoards(b, beats);
  // Payloads wait of which a beat has not been read.
  const unread = more <= 0 ? 0 : packets - Math.floor(mostOwed / longest);
  expect(is).toEqual({ owed, most: owed, unread, right: [4, 4], killed: packets });
}

describe("beats that a region owes", () => {
  for (const more of around)
    bench(`${mostOwed + more} beats come for a task that never gives`, dut, { seed: 3, ...o }, b => look(b, more));

  describe("a planted fault is found", () => {
    const lookAll = async (design: Dut<(typeof dut)["ports"]>): Promise<void> => {
      for (const more of around)
        await runBench("owed fault", design, { seed: 4, wave: false, ...o }, b => look(b, more));
    };
    it("and nothing without one", () => lookAll(dut));
    const faults: readonly (readonly [string, RegExp, string])[] = [
      ["one beat too many is owed", /(owed_0_room = owed_0_count < 9'd)256/, "$1257"],
      ["one beat too few is owed", /(owed_0_room = owed_0_count < 9'd)256/, "$1255"],
      ["there is always room", /owed_0_room = [^;]*;/, "owed_0_room = 1'b1;"],
    ];
    it.each(faults)("%s", (_name, from, to) => findsFault(lookAll(plant(dut, from, to))));
  });
});
