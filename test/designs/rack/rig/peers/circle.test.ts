/**
 * Two sNICs send each other more than they can process, both at once. With a class of its own for what returns all of
 * it ends; with one class for both it stands still (docs/supernic/peers.md, "Why no circle closes").
 */
import { describe, expect, it } from "vitest";
import { inTwo, type TwoRun } from "./two.ts";

const /** More than both sNICs have contexts and class queues for. */
  frames = 200,
  bytes = 400;
/** Merged: redirects have the class of results. */
const merged = { sizes: { redirectClass: 3 } } as const;
const total = ({ came }: TwoRun): number => came.flat().length;
/** Until nothing has come for 20 us. @returns how many came */
async function stands(run: TwoRun): Promise<number> {
  for (let before = -1; before !== total(run);) {
    before = total(run);
    await run.rack.clockwork.pause(20_000);
  }
  return total(run);
}

describe("redirects and returns both ways, more than is processed", () => {
  it("a class each: all that was taken in returns, in order, once, and nothing is left inside", () =>
    inTwo({ seed: 1 }, async run => {
      run.flood(frames, bytes);
      const came = await stands(run),
        { devices, problems } = await run.rack.finish();
      expect(problems).toEqual([]);
      // What the first queue had no room for was dropped there, and nowhere else.
      const full = [...devices.values()].map(c => c.ports[0]?.["inFull4"] ?? 0),
        elsewhere = [...devices.values()].map(c => c.ports[2]?.["inFull3"] ?? c.ports[2]?.["inFull4"] ?? 0);
      expect([came + full[0]! + full[1]!, elsewhere]).toEqual([2 * frames, [0, 0]]);
      expect(came).toBeGreaterThan(frames / 2);
      for (const numbers of run.came) expect(new Set(numbers).size).toBe(numbers.length);
      for (const numbers of run.came)
        for (let flow = 0; flow < 7; flow++) {
          const of = numbers.filter(n => n % 7 === flow);
          expect(of).toEqual([...of].sort((a, b) => a - b));
        }
    }));
  it("one class for both: the same stands still for ever", () =>
    inTwo({ seed: 1, build: merged }, async run => {
      run.flood(frames, bytes);
      const came = await stands(run);
      await run.rack.clockwork.pause(60_000);
      expect(total(run)).toBe(came);
      const inside = await Promise.all(run.rack.devices.map(d => d.device.inside()));
      // All contexts of both are taken.
      expect(inside.map(i => i.core)).toEqual([32, 32]);
    }));
  it("one class for both, and little to do: the fault shows only when both are full", () =>
    inTwo({ seed: 1, build: merged }, async run => {
      run.flood(20, bytes);
      expect(await stands(run)).toBe(40);
      expect((await run.rack.finish()).problems).toEqual([]);
    }));
});
