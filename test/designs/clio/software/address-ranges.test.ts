import { describe, expect, it } from "vitest";
import { AddressRanges } from "../../../../designs/clio/software/memory/address-ranges.ts";
import { join, type Range, roomIn, type VaTree } from "../../../../designs/clio/software/memory/va-tree.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

/** The same, page by page. */
class PlainPages {
  readonly taken: Uint8Array;
  constructor(pages: number) {
    this.taken = new Uint8Array(pages);
  }
  set(start: number, end: number, value: 0 | 1): void {
    this.taken.fill(value, start, end);
  }
  isFree(start: number, end: number): boolean {
    return this.taken.subarray(start, end).every(t => t === 0);
  }
  covers(start: number, end: number): boolean {
    return this.taken.subarray(start, end).every(t => t === 1);
  }
  findFree(from: number, count: number, limit: number): number | undefined {
    for (let p = from; p + count <= limit; p++) if (this.isFree(p, p + count)) return p;
    return undefined;
  }
}

/** @returns the first difference between the tree and the plain pages, if there is one */
function compare(ranges: AddressRanges, seed: number, steps: number): string | undefined {
  const pages = 300,
    plain = new PlainPages(pages),
    random = new Random(seed);
  for (let i = 0; i < steps; i++) {
    const start = random.below(pages),
      end = Math.min(pages, start + 1 + random.below(12));
    if (random.below(5) < 3) {
      if (plain.isFree(start, end)) {
        ranges.add({ start, end, write: i % 2 === 0 });
        plain.set(start, end, 1);
      }
    } else {
      ranges.remove(start, end);
      plain.set(start, end, 0);
    }
    const from = random.below(pages),
      count = 1 + random.below(20),
      limit = from + random.below(pages - from + 1),
      here = `seed ${seed}, step ${i}`;
    if (ranges.findFree(from, count, limit) !== plain.findFree(from, count, limit))
      return `${here}: findFree(${from}, ${count}, ${limit})`;
    if (ranges.isFree(start, end) !== plain.isFree(start, end)) return `${here}: isFree`;
    if (ranges.covers(start, end) !== plain.covers(start, end)) return `${here}: covers`;
    if (ranges.pages !== plain.taken.reduce((n, t) => n + t, 0)) return `${here}: pages`;
    const all = [...ranges];
    if (ranges.count !== all.length || all.some((r, k) => r.end <= r.start || r.start < (all[k - 1]?.end ?? 0)))
      return `${here}: order`;
    if (ranges.height > 1.44 * Math.log2(all.length + 2))
      return `${here}: ${all.length} ranges are ${ranges.height} deep`;
  }
  return undefined;
}

describe("a process's ranges", () => {
  it.each(Array.from({ length: 20 }, (_, i) => i + 1))(
    "are those of plain pages, and stay balanced (seed %i)",
    seed => {
      expect(compare(new AddressRanges(), seed, 400)).toBeUndefined();
    },
  );

  it("planted faults: a cut that loses the rest of a range, room that ends a page too late, are seen", () => {
    class LosesRest extends AddressRanges {
      override remove(start: number, end: number): void {
        for (const r of [...this]) if (r.start < end && r.end > start) super.remove(r.start, r.end);
      }
    }
    class TooLate extends AddressRanges {
      override findFree(from: number, count: number, limit: number): number | undefined {
        return super.findFree(from, count, limit + 1);
      }
    }
    class Unbalanced extends AddressRanges {
      #added: Range[] = [];
      override add(range: Range): void {
        this.#added.push(range);
        super.add(range);
      }
      override get height(): number {
        return this.#added.length;
      }
    }
    for (const faulty of [new LosesRest(), new TooLate(), new Unbalanced()])
      expect(compare(faulty, 1, 2000)).toBeDefined();
  });

  it("permissions stay with their pages when a range is cut", () => {
    const ranges = new AddressRanges();
    ranges.add({ start: 10, end: 20, write: true });
    ranges.add({ start: 20, end: 30, write: false });
    ranges.remove(15, 25);
    expect([...ranges]).toEqual([
      { start: 10, end: 15, write: true },
      { start: 25, end: 30, write: false },
    ]);
  });

  it("room is found in O(log n) of the ranges, full or not", () => {
    const visits: number[] = [];
    for (const n of [2 ** 8, 2 ** 12, 2 ** 16]) {
      const ranges = new AddressRanges();
      // Gaps of one page between all, of two only at the far end.
      for (let i = 0; i < n; i++) ranges.add({ start: 3 * i, end: 3 * i + 2, write: true });
      ranges.remove(3 * n - 5, 3 * n - 3);
      let most = 0;
      for (const [from, count, limit] of [
        [0, 1, Infinity],
        [0, 2, 3 * n],
        [1, 3, 3 * n],
        [3 * (n >> 1) + 1, 2, 3 * n],
        [0, 4, 3 * n],
      ] as const) {
        let visited = 0;
        ranges.findFree(from, count, limit, () => {
          visited++;
        });
        most = Math.max(most, visited);
      }
      visits.push(most);
      expect(most, `${n} ranges`).toBeLessThanOrEqual(4 * Math.log2(n));
    }
    console.log(`nodes visited at most for 256, 4,096 and 65,536 ranges: ${visits.join(", ")}`);
  });

  it("planted fault: a tree whose gaps are not kept finds no room, or looks everywhere", () => {
    const stale = (t: VaTree): VaTree => ({
      ...t,
      gap: 0,
      left: t.left && stale(t.left),
      right: t.right && stale(t.right),
    });
    let tree: VaTree | undefined;
    for (let i = 0; i < 64; i++) tree = join(tree, { start: 4 * i, end: 4 * i + 1, write: true }, undefined);
    expect(roomIn(tree, 0, 256, 3)).toBe(1);
    expect(roomIn(tree && stale(tree), 0, 253, 3)).toBeUndefined();
  });
});
