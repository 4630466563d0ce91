import { describe, expect, it } from "vitest";
import { mulberry32, Random, sfc32 } from "../../hdl-dsl/index.ts";

const draw = <T>(n: number, f: () => T): T[] => Array.from({ length: n }, f);

describe("Random", () => {
  it("gives the same series for a seed, on every machine", () => {
    const words = (source: typeof sfc32): number[] => {
      const r = new Random(7, source);
      return draw(3, () => r.word());
    };
    expect({ sfc32: words(sfc32), mulberry32: words(mulberry32) }).toMatchInlineSnapshot(`
      {
        "mulberry32": [
          50271532,
          266108690,
          4195786334,
        ],
        "sfc32": [
          1224049606,
          1432331241,
          94248316,
        ],
      }
    `);
    expect(draw(3, sfc32(7))).toEqual(words(sfc32));
    expect(new Random(2 ** 32 + 7).word()).toBe(new Random(7).word());
  });

  it.each([
    ["sfc32", sfc32],
    ["mulberry32", mulberry32],
  ] as const)("%s: every value of a range comes, and none outside it", (_name, source) => {
    const r = new Random(1, source);
    expect([...new Set(draw(400, () => r.below(5)))].sort()).toEqual([0, 1, 2, 3, 4]);
    expect([...new Set(draw(400, () => r.between(-2, 1)))].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1]);
    expect([...new Set(draw(400, () => r.pick(["a", "b", "c"])))].sort()).toEqual(["a", "b", "c"]);
    expect(new Set(r.bytes(10_000)).size).toBe(256);
    expect(new Set(draw(400, () => r.bits(3))).size).toBe(8);
    expect(draw(200, () => r.bits(65)).reduce((a, b) => a | b)).toBe(2n ** 65n - 1n);
    const quarter = draw(10_000, () => r.chance(0.25)).filter(Boolean).length / 10_000;
    expect(quarter).toBeCloseTo(0.25, 1);
    expect([r.chance(0), r.chance(1)]).toEqual([false, true]);
  });

  it("shuffles: the same items, every order, and the list stays as it was", () => {
    const r = new Random(3),
      list = [1, 2, 3];
    const orders = new Set(draw(300, () => r.shuffle(list).join("")));
    expect([...orders].sort()).toEqual(["123", "132", "213", "231", "312", "321"]);
    expect(list).toEqual([1, 2, 3]);
  });

  it("has nothing to pick from an empty list", () => {
    expect(() => new Random(1).pick([])).toThrow(new RangeError("pick: the list is empty"));
  });

  it("forks by name: what one drew is nothing to the other", () => {
    const a = new Random(5),
      b = new Random(5);
    b.bytes(100);
    const words = (r: Random): number[] => draw(4, () => r.word());
    const first = words(a.fork("x"));
    expect(words(b.fork("x"))).toEqual(first);
    expect(words(a.fork("y"))).not.toEqual(first);
    expect(words(new Random(5, mulberry32).fork("x"))).not.toEqual(first);
  });
});
