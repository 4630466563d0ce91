/** `room` of a port at frames of 9,018 bytes: beside a ring as full as it may be two of them fit, and no byte more. */
import { describe, expect } from "vitest";
import { longestBeats } from "../../../../../designs/supernic/rtl/link/records.ts";
import { bench } from "../../../../bench.ts";
import { dut, PortRig } from "./support/port-rig.ts";

const beatBytes = 64,
  /** Beats that have come, and a frame that has begun, before `room` shows them. */
  late = 2;

/** Frames of so many bytes in all, none longer than the longest, and the ring holds all of them: nobody answers. */
async function filled(rig: PortRig, beats: number, moreBytes: number): Promise<number> {
  const longest = longestBeats(rig.p);
  let count = 0;
  for (let left = beats; left > 0; count++) {
    const part = Math.min(left, longest);
    left -= part;
    rig.give(
      part * beatBytes - (part === longest ? longest * beatBytes - rig.p.frameBytes : 0) + (left === 0 ? moreBytes : 0),
    );
  }
  await rig.b.until(() => rig.numbers.length === count);
  await rig.b.cycles(10);
  return count;
}

describe("room for frames of 9,018 bytes with a redirect and a link shim around them", () => {
  bench("they just fit: both lanes begin one, and neither waits for room", dut("jumbo"), {}, async b => {
    const rig = new PortRig(b, "jumbo", { reliable: true }),
      longest = longestBeats(rig.p),
      before = await filled(rig, rig.p.beats - 3 * longest - late, 0);
    expect(b.io.room.num).toBe(1);
    const from = b.cycle;
    for (const lane of [0, 1] as const) rig.give(rig.p.frameBytes, { lane });
    await b.until(() => rig.end.lanes.every(l => l.pending === 0));
    // A beat a cycle from the first to the last of both.
    expect(b.cycle - from).toBeLessThanOrEqual(2 * longest + 4);
    expect(b.io.room.num).toBe(0);
    await b.until(() => rig.numbers.length === before + 2);
    rig.answer(before + 2);
    await rig.done();
    expect(rig.end.counts).toMatchObject({ done: before + 2, long: 0, lost: 0 });
    expect(b.io.room.num).toBe(1);
  });
  bench(
    "a byte more is in the ring: no room, until the first of it has been acknowledged",
    dut("jumbo"),
    {},
    async b => {
      const rig = new PortRig(b, "jumbo", { reliable: true }),
        before = await filled(rig, rig.p.beats - 3 * longestBeats(rig.p) - late, 1);
      expect(b.io.room.num).toBe(0);
      rig.answer(1);
      await b.until(() => b.io.room.num === 1);
      rig.answer(before);
      await rig.done();
      expect(rig.end.counts).toMatchObject({ done: before });
    },
  );
  bench("the longest frame leaves, a byte more is counted as too long", dut("jumbo"), {}, async b => {
    const rig = new PortRig(b, "jumbo", { reliable: false }),
      whole = longestBeats(rig.p) * beatBytes;
    rig.give(rig.p.frameBytes);
    rig.give(whole);
    rig.give(whole + 1);
    rig.give(60);
    await rig.done();
    expect(rig.end.counts).toMatchObject({ done: 3, long: 1 });
  });
});
