/** Several benches in one time. */
import { expect, test } from "vitest";
import { type Bench, Lockstep, runBench } from "../../../sim/index.ts";
import { counter } from "../designs/hand-written.ts";

type B = Bench<typeof counter.ports>;

/** Two benches, one with more to wait for than the other: the most cycles that one was ahead of the other. */
async function skew(joins: boolean): Promise<number> {
  const lockstep = new Lockstep(2),
    benches: B[] = [];
  let most = 0;
  const one = (cycles: number): Promise<void> =>
    runBench("lockstep", counter, { wave: false }, async (b: B) => {
      benches.push(b);
      if (joins) await lockstep.join(b);
      const from = b.cycle;
      b.io.en.value = 1;
      for (let i = 0; i < cycles; i++) {
        await (i % 7 === 0 ? b.until(() => b.io.count.value % 2 === 0) : b.risingEdge());
        if (i % 50 === 0)
          await new Promise(r => {
            setImmediate(r);
          });
        const other = benches.find(o => o !== b);
        if (other && b.cycle - from < 300) most = Math.max(most, Math.abs(b.cycle - other.cycle));
      }
      if (joins) lockstep.leave(b);
    });
  await Promise.all([one(600), one(900)]);
  return most;
}

test("none is more than a cycle ahead of another, and one that ends does not hold the others", async () => {
  expect(await skew(true)).toBeLessThanOrEqual(1);
});
test("without it they drift apart: the test would see it", async () => {
  expect(await skew(false)).toBeGreaterThan(1);
});
