import { describe, expect, it } from "vitest";
import { readable } from "../../../cli/figures/report/format.ts";
import { between, linear, log2 } from "../../../cli/figures/report/scale.ts";
import { Zipf } from "../../../designs/clio/evaluation/index.ts";
import { Random } from "../../../hdl-dsl/index.ts";

describe("axes", () => {
  it("linear: round ticks, ends moved out to them", () => {
    const { ticks, place } = linear(0, 488, 0, 100);
    expect(ticks.map(t => t.label)).toEqual(["0", "100", "200", "300", "400", "500"]);
    expect([place(0), place(250), place(500)]).toEqual([0, 50, 100]);
    expect(linear(0, 1, 100, 0).ticks.map(t => t.label)).toEqual(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  });
  it("linear: all values the same, or none but zero", () => {
    for (const v of [0, 7, 1e-3])
      for (const { at } of linear(v, v, 0, 100).ticks) expect(Number.isFinite(at)).toBe(true);
  });
  it("powers of two: from 1 to 2^20 a few of them; 65,535 lies at the end of 2^16", () => {
    expect(
      log2(1, 2 ** 20, 0, 100, 8)
        .ticks.filter(t => t.label !== "")
        .map(t => t.label),
    ).toEqual(["1", "16", "256", "4K", "64K", "1M"]);
    expect(log2(1, 2 ** 20, 0, 100, 8).ticks.map(t => Math.round(t.at))).toEqual(
      Array.from({ length: 21 }, (_, i) => 5 * i),
    );
    expect(log2(1, 65_535, 0, 100).place(65_536)).toBeCloseTo(100);
  });
  it("between ticks of its own, logarithmic or not", () => {
    expect(between([1, 10, 100], true, 0, 100).ticks.map(t => [Math.round(t.at), t.label])).toEqual([
      [0, "1"],
      [50, "10"],
      [100, "100"],
    ]);
    expect(between([0, 25, 100], false, 0, 200).ticks.map(t => t.at)).toEqual([0, 50, 200]);
  });
});
it("numbers are readable", () =>
  expect([0, 1048576, 9.284, 0.2066, 484.5, 250, -9].map(readable)).toEqual([
    "0",
    "1 048 576",
    "9.28",
    "0.207",
    "484.5",
    "250",
    "-9",
  ]));

it("Zipf: the frequencies are those of 1 / rank^0.99", () => {
  const n = 50,
    draws = 200_000,
    zipf = new Zipf(n, 0.99, new Random(3)),
    count = new Array<number>(n).fill(0);
  for (let i = 0; i < draws; i++) {
    const k = zipf.next();
    count[k] = (count[k] ?? 0) + 1;
  }
  const sum = Array.from({ length: n }, (_, i) => (i + 1) ** -0.99).reduce((a, b) => a + b);
  for (const i of [0, 1, 9, 49]) expect((count[i] ?? 0) / draws).toBeCloseTo((i + 1) ** -0.99 / sum, 2);
});
