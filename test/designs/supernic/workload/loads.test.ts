/** Draws follow their distributions, told from cumulated forms of their own; planted faults do not. */
import { describe, expect, it } from "vitest";
import {
  constantRate,
  correlations,
  draw,
  exponential,
  extremeValue,
  generalPareto,
  keyBytes,
  kvGaps,
  kvRequest,
  KvTrace,
  normal,
  poisson,
  smallValues,
  spikes,
  valueBytes,
} from "../../../../designs/supernic/workload/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";
import { correlation, deviations, type Expected, meanOf } from "./support/sample.ts";

const draws = 40_000;
const sampleOf = (next: (r: Random) => number, seed = 7): number[] => {
  const random = new Random(seed);
  return Array.from({ length: draws }, () => next(random));
};
/** Gamma(1 - 0.078688): for the mean of the keys' distribution. */
const gamma = 1.05232;
const key: Expected = {
  below: x => Math.exp(-((1 + (0.078688 * (x - 30.7984)) / 8.20449) ** (-1 / 0.078688))),
  at: [20, 25, 30, 40, 60, 90],
  mean: 30.7984 + (8.20449 * (gamma - 1)) / 0.078688,
};
const pareto =
  (location: number, scale: number, shape: number): Expected["below"] =>
  x =>
    x < location ? 0 : 1 - (1 + (shape * (x - location)) / scale) ** (-1 / shape);
const gap: Expected = {
  below: pareto(0, 16.0292, 0.154971),
  at: [1, 5, 11, 30, 60, 120],
  mean: 16.0292 / (1 - 0.154971),
};
const small = smallValues.reduce((a, b) => a + b, 0),
  large = pareto(15, 214.476, 0.348238);
const value: Expected = {
  // Sizes are whole: one of x bytes is from x - 0.5 to x + 0.5.
  below: x => (x < 15 ? smallValues.slice(0, x + 1).reduce((a, b) => a + b, 0) : small + (1 - small) * large(x + 0.5)),
  at: [0, 2, 3, 11, 14, 20, 100, 300, 1000, 5000],
};
/** The normal distribution below 0, 1 and so on. */
const normals = new Map([
  [-2, 0.02275],
  [-1, 0.158655],
  [0, 0.5],
  [1, 0.841345],
  [2, 0.97725],
]);
const gaussian: Expected = { below: x => normals.get(x) ?? Number.NaN, at: [...normals.keys()], mean: 0 };
const poissonGap: Expected = { below: x => 1 - Math.exp(-x / 400), at: [40, 100, 277, 800, 1600], mean: 400 };

describe("loads follow their distributions", () => {
  const rows: readonly (readonly [string, (r: Random) => number, Expected])[] = [
    ["keys", r => draw(extremeValue(30.7984, 8.20449, 0.078688), r), key],
    ["gaps, microseconds", r => kvGaps(r)() / 1000, gap],
    ["gaps, four times as dense", r => (4 * kvGaps(r, 4)()) / 1000, gap],
    ["values", valueBytes, value],
    ["normal", normal, gaussian],
    ["Poisson gaps", r => poisson(400, r)(), poissonGap],
  ];
  it.each(rows)("%s", (_, next, expected) => {
    for (const seed of [7, 8]) expect(deviations(sampleOf(next, seed), expected)).toEqual([]);
  });
  const faults: readonly (readonly [string, (r: Random) => number, Expected])[] = [
    ["a shape of the other sign", r => draw(extremeValue(30.7984, 8.20449, -0.078688), r), key],
    ["scale and location exchanged", r => draw(extremeValue(8.20449, 30.7984, 0.078688), r), key],
    ["an exponential gap in place of Pareto's", r => draw(exponential(16.0292 / (1 - 0.154971)), r), gap],
    [
      "Pareto with p in place of 1 - p, from the lower end",
      r => 16 - draw(generalPareto(0, 16.0292, 0.154971), r),
      gap,
    ],
    ["values without the small sizes", r => Math.round(draw(generalPareto(15, 214.476, 0.348238), r)), value],
    ["values cut off at 1 KB", r => Math.min(999, valueBytes(r)), value],
    ["values a byte too large", r => valueBytes(r) + 1, value],
    ["a sum of three uniforms for normal", r => 2 * (r.fraction() + r.fraction() + r.fraction() - 1.5) * 1.0, gaussian],
    ["gaps of a constant rate for Poisson's", () => constantRate(1, 50)(), poissonGap],
    ["gaps of half the mean", r => poisson(200, r)(), poissonGap],
  ];
  it.each(faults)("planted: %s", (_, next, expected) =>
    expect(deviations(sampleOf(next), expected).length).toBeGreaterThan(0),
  );
});

describe("requests", () => {
  it("30 gets to a set, keys of 1 to 250 whole bytes", () => {
    const random = new Random(3),
      all = Array.from({ length: draws }, () => kvRequest(random)),
      sets = all.filter(r => r.kind === "set").length;
    const p = 1 / 31,
      error = Math.sqrt(draws * p * (1 - p));
    expect(Math.abs(sets - draws * p)).toBeLessThan(5 * error);
    // A thirtieth is not a thirty-first: with 31 gets to a set the count would be off.
    expect(Math.abs(sets - draws / 2)).toBeGreaterThan(5 * error);
    const keys = all.map(r => r.keyBytes);
    expect([keys.every(Number.isInteger), Math.min(...keys) >= 1, Math.max(...keys) <= 250]).toEqual([
      true,
      true,
      true,
    ]);
    expect(meanOf(sampleOf(keyBytes))).toBeCloseTo(key.mean ?? 0, 0);
  });
  it("a constant rate is one gap: 1,000 bytes at 8 Gbit/s are 1 us", () => expect(constantRate(8, 1000)()).toBe(1000));
  it("a recording brings its own mean, however it is cut, and goes on when it is over", () => {
    const [whole, cut] = [1, 1].map(() => new KvTrace(500, new Random(2))) as [KvTrace, KvTrace],
      ns = 40_000_000;
    const once = whole.play(ns);
    let parts = 0;
    for (let i = 0; i < 400; i++) parts += cut.play(ns / 400);
    expect(parts).toBe(once);
    expect(Math.abs(once / ns / whole.mean - 1)).toBeLessThan(0.02);
  });
});

describe("spikes", () => {
  const options = { endpoints: 3, slots: 20_000, sigma: 0.8 };
  it.each(Object.entries(correlations))("%s correlation: mean 1, and so much in common", (_, common) => {
    const rows = spikes({ ...options, common }, new Random(5)),
      logs = rows.map(row => row.map(Math.log));
    for (const row of rows) expect(Math.abs(meanOf(row) - 1)).toBeLessThan(0.04);
    for (const row of logs)
      expect(
        deviations(
          row.map(l => (l + 0.32) / 0.8),
          gaussian,
        ),
      ).toEqual([]);
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const)
      expect(Math.abs(correlation(logs[a] ?? [], logs[b] ?? []) - common)).toBeLessThan(0.04);
  });
  it("planted: all endpoints alike, and none like another, are told from both", () => {
    for (const common of [0, 1]) {
      const logs = spikes({ ...options, common }, new Random(5)).map(row => row.map(Math.log)),
        found = correlation(logs[0] ?? [], logs[1] ?? []);
      for (const expected of Object.values(correlations)) expect(Math.abs(found - expected)).toBeGreaterThan(0.04);
    }
  });
});
