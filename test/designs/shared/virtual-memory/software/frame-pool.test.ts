import { describe, expect, it } from "vitest";
import { FramePool } from "../../../../../designs/shared/virtual-memory/software/index.ts";
import { Random } from "../../../../../sim/index.ts";

const parameterSets = [
  { first: 1, count: 8, pageSize: 4096 },
  { first: 100, count: 37, pageSize: 2 ** 21 },
];
type Shape = (typeof parameterSets)[number];

/** Random takes and gives: no frame is out twice, and each was zeroed since it came back. */
async function run({ first, count, pageSize }: Shape, make: (pool: FramePool) => FramePool = p => p): Promise<void> {
  const random = new Random(3),
    clean = new Set<number>(),
    out = new Set<number>();
  const pool = make(
    new FramePool(first, count, pageSize, (address, length) => {
      expect([address % pageSize, length]).toEqual([0, pageSize]);
      clean.add(address / pageSize);
      return Promise.resolve();
    }),
  );
  let empty = 0;
  for (let i = 0; i < 2000; i++) {
    const kind = random.pick(["take", "take", "release", "ahead"] as const);
    if (kind === "ahead") await pool.zeroAhead(random.between(0, 3));
    else if (kind === "release" && out.size > 0) {
      const ppn = random.pick([...out]);
      out.delete(ppn);
      pool.release(ppn);
    } else {
      const ppn = await pool.take();
      if (ppn === undefined) {
        empty++;
        expect(out.size, "frames out when none is to be had").toBe(count);
      } else {
        expect(clean.delete(ppn), `frame ${ppn} is zeroed`).toBe(true);
        expect(out.has(ppn), `frame ${ppn} is out already`).toBe(false);
        expect(ppn >= first && ppn < first + count, `frame ${ppn} is one of the pool`).toBe(true);
        out.add(ppn);
      }
    }
    expect(pool.free, "frames that can be had").toBe(count - out.size);
  }
  expect(empty, "times that none was left").toBeGreaterThan(0);
  const waiting = pool.released();
  for (const ppn of out) pool.release(ppn);
  await waiting;
  expect(pool.free, "frames at the end").toBe(count);
}
describe.each(parameterSets)("FramePool, $count frames from $first", p => {
  it("gives each frame to one, zeroed", () => run(p));
  it("a planted fault is found: a frame that comes back is not zeroed", async () => {
    await expect(
      run(p, pool => {
        pool.release = ppn => pool["zeroed"].push(ppn);
        return pool;
      }),
    ).rejects.toThrow(/is zeroed/);
  });
});
