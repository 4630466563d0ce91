/** Class queues at frames of 9,018 bytes: the last that fits, and one that lacks a byte; the loop port too. */
import { describe, expect } from "vitest";
import { bench } from "../../../../bench.ts";
import { dut, RxRig, sizes } from "./support/rx-rig.ts";

const beatBytes = 64,
  longest = 9018,
  longestBeats = Math.ceil(longest / beatBytes),
  switched = 4;

/** Switched frames of so many beats in all, and of some bytes more. Nobody takes them. */
function fill(rig: RxRig, beats: number, moreBytes: number): number {
  let frames = 0;
  for (let left = beats; left > 0; frames++) {
    // The last one is short, so that it may have a byte more.
    const part = left > longestBeats ? Math.min(longestBeats, left - 1) : left;
    left -= part;
    rig.send(rig.plain(Math.min(longest, part * beatBytes) + (left === 0 ? moreBytes : 0)));
  }
  return frames;
}
const come = async (rig: RxRig): Promise<void> => {
  await rig.b.until(() => rig.coming === 0);
  await rig.b.cycles(8);
};
const started = async (b: ConstructorParameters<typeof RxRig>[0]): Promise<RxRig> => {
  const rig = new RxRig(b, "jumbo", { peer: false });
  await rig.program();
  rig.takesPerCycle = 0;
  return rig;
};
const end = async (rig: RxRig): Promise<void> => {
  rig.takesPerCycle = 0.7;
  await rig.end();
};

describe("a class queue", () => {
  for (const [what, more] of [
    ["just fits and is kept", 0],
    ["has a beat too few and is dropped, because the frames before it have a byte more", 1],
  ] as const)
    bench(`a frame of 9,018 bytes ${what}`, dut("jumbo"), {}, async b => {
      const rig = await started(b),
        limit = RxRig.limits("jumbo")[switched] ?? 0,
        before = fill(rig, limit - longestBeats, more);
      await come(rig);
      rig.send(rig.plain(longest));
      await come(rig);
      expect([rig.fates.get("queued4"), rig.fates.get("full4") ?? 0]).toEqual([before + 1 - more, more]);
      await end(rig);
    });
});
describe("the loop port's room: no class is at its mark", () => {
  const { pauseAt } = sizes.jumbo;
  bench(
    "a beat below the mark it has room, and what both lanes have promised by then is kept",
    dut("jumbo"),
    {},
    async b => {
      const rig = await started(b),
        before = fill(rig, pauseAt - 1, 0);
      await come(rig);
      expect(b.io.full.num).toBe(0);
      // Each lane's frame that is under way, and one more that it promises before the mark shows.
      const promised = 4;
      for (let i = 0; i < promised; i++) rig.send(rig.plain(longest));
      await come(rig);
      expect(b.io.full.num).toBe(1 << switched);
      expect([rig.fates.get("queued4"), rig.fates.has("full4")]).toEqual([before + promised, false]);
      await end(rig);
      expect(b.io.full.num).toBe(0);
    },
  );
  bench("a byte more, and it has none", dut("jumbo"), {}, async b => {
    const rig = await started(b);
    fill(rig, pauseAt - 1, 1);
    await come(rig);
    expect(b.io.full.num).toBe(1 << switched);
    await end(rig);
  });
});
