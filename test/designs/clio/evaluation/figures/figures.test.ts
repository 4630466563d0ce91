/**
 * Every figure of the paper, measured quickly on the cycle-accurate node: its claims of shape hold, and each of
 * them can fail.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { besides, figureHook } from "../../../../../designs/clio/evaluation/index.ts";
import { clioFigures } from "../../../../../designs/clio/evaluation/figures/index.ts";
import {
  type Claim,
  type Figure,
  figureOf,
  figureSchema,
  judged,
  type Report,
  reportSchema,
  type Series,
} from "../../../../../designs/shared/evaluation/index.ts";
import { shortNames } from "../../../../../cli/figures/report/names.ts";
import { htmlOf } from "../../../../../cli/figures/report/html.ts";
import { escape } from "../../../../../cli/figures/report/format.ts";
import { mnemo } from "../../../../support/command-line.ts";
import { faultsOf } from "../../../../cli/figures/page-faults.ts";

const numbers = clioFigures.map(d => d.number),
  options = { seed: 1, quick: true },
  figures = new Map<string, Figure>();
const reportOf = (shown: readonly Figure[]): Report => ({
  seed: options.seed,
  extent: "quick",
  figures: [...shown],
  besides: [...besides],
});
const figure = (number: string): Figure => figures.get(number) as Figure;
const ownNumbers = clioFigures.filter(d => d.measure !== undefined).map(d => d.number);

/** A node with offloads takes its compiler a while; how long decides nothing. */
beforeAll(async () => {
  for (const d of clioFigures) figures.set(d.number, await figureOf(d, options));
});

it("the figures 4.4 to 4.21, each once and in order", () =>
  expect(numbers).toEqual(Array.from({ length: 18 }, (_, i) => `4.${i + 4}`)));

/** The figure with other points in one of its series. */
const withSeries = (f: Figure, name: string, change: (s: Series) => Series["points"]): Figure => ({
  ...f,
  plots: f.plots.map(p => ({ ...p, series: p.series.map(s => (s.name === name ? { ...s, points: change(s) } : s)) })),
});
/** Points for which a claim does not hold. */
function spoilt(f: Figure, c: Claim): Figure {
  const lift =
    (by: (p: Series["points"][number], i: number, all: Series["points"]) => number) =>
    (s: Series): Series["points"] =>
      s.points.map((p, i) => ({ ...p, y: by(p, i, s.points) }));
  switch (c.kind) {
    case "flat":
      return withSeries(
        f,
        c.series,
        lift((p, i) => p.y * (i === 0 ? 1 + 1.5 * c.within : 1)),
      );
    case "above":
      return withSeries(
        f,
        c.series,
        lift((p, i) => (i === 0 ? p.y + c.most - c.least + 1 : p.y)),
      );
    case "within":
      return withSeries(
        f,
        c.series,
        lift((p, i, all) => (i === all.findIndex(q => Number(q.x) >= c.from) ? c.most + 1 : p.y)),
      );
    case "rising":
      return withSeries(
        f,
        c.series,
        lift((p, i, all) => (i === all.length - 1 ? (all[i - 1]?.y ?? 0) * (1 - c.slack) * 0.99 : p.y)),
      );
    case "share":
      return c.series.reduce(
        (g, name) =>
          withSeries(
            g,
            name,
            lift(p => p.y / 100),
          ),
        f,
      );
    case "tail":
      return withSeries(f, c.series, s =>
        s.points.map(p => (p.y >= c.high ? { ...p, x: Number(p.x) * c.most * 2 } : p)),
      );
  }
}

describe.each(ownNumbers)("figure %s", number => {
  it("shows what the paper says of its shape", () => {
    expect(figure(number).verdicts.length).toBeGreaterThan(0);
    expect(figure(number).verdicts.filter(v => !v.holds)).toEqual([]);
  });
  it("planted faults: each of its claims is refused for points that do not show it, and the page says so", () => {
    for (const [i, v] of figure(number).verdicts.entries()) {
      const wrong = judged(spoilt(figure(number), v.claim));
      expect([v.says, wrong.verdicts[i]?.holds]).toEqual([v.says, false]);
      expect(htmlOf(reportOf([wrong]))).toContain(`<li class="fails"><b>does not hold</b>`);
    }
  });
  it("judged again by the figure alone, it is the same", () => expect(judged(figure(number))).toEqual(figure(number)));
});

it("a claim that names a series that is not there is an error, not a success", () => {
  const f = figure("4.13"),
    verdicts = f.verdicts.map(v => ({ ...v, claim: { kind: "flat", series: "no such", within: 1 } as const }));
  expect(() => judged({ ...f, verdicts })).toThrow('names the series "no such"');
});
it("a figure that is not modelled has no numbers, and says why", () => {
  const absent = [...figures.values()].filter(f => f.standing === "not modelled");
  expect(absent.map(f => f.number)).toEqual(["4.21"]);
  expect(figureSchema.safeParse({ ...figure("4.21"), notes: [] }).success).toBe(false);
  expect(figureSchema.safeParse({ ...figure("4.21"), standing: "predicted" }).success).toBe(false);
});
it("what rests on a latency that was put in is calibrated, and names it", () => {
  for (const f of figures.values()) {
    const calibrated = f.plots.some(p => p.series.some(s => s.standing === "calibrated"));
    expect([f.number, f.standing === "calibrated"]).toEqual([f.number, calibrated]);
    if (calibrated) expect(f.given.length).toBeGreaterThan(0);
  }
});
it.each(["4.5", "4.7", "4.13", "4.15"])("figure %s is the same with the same seed", async number => {
  const definition = clioFigures.find(d => d.number === number);
  expect(definition && (await figureOf(definition, options))).toEqual(figure(number));
});
it("4.6 and 4.5 agree on hits and misses", () => {
  const y = (number: string, name: string, x: number | string): number | undefined =>
    figure(number)
      .plots[0]?.series.find(s => s.name === name)
      ?.points.find(p => p.x === x)?.y;
  for (const state of ["TLB hit", "TLB miss"])
    for (const access of ["read", "write"]) expect(y("4.6", state, access)).toBe(y("4.5", `${access}, ${state}`, 1));
});

describe("the page", () => {
  const report = (): Report => reportOf([...figures.values()]);
  it("needs nothing from elsewhere, and has every figure and number series", () => {
    const html = htmlOf(report());
    expect(html).not.toMatch(/<script|<link|src=|https?:|url\(|@import|NaN|undefined|Infinity/);
    for (const f of figures.values()) {
      expect(html).toContain(`id="f${f.number}"`);
      for (const name of f.plots.flatMap(shortNames)) expect(html).toContain(`${name}</th>`);
    }
    for (const b of besides) expect(html).toContain(escape(b.what));
  });
  it("an axis of whole numbers has no ticks between them", () => {
    const html = htmlOf(reportOf([figure("4.15")]));
    expect([...html.matchAll(/<text class="x"[^>]*>([^<]*)</g)].map(([, label]) => label)).toEqual(["1", "2"]);
  });
  it("escapes what it is given", () => {
    expect(htmlOf(reportOf([{ ...figure("4.21"), title: `<b>&"` }]))).toContain("&lt;b&gt;&amp;&quot;");
  });
  it("is whole: each figure has its axes with units, ticks, key, numbers and the paper's words, and its texts lie inside and apart, on a page and on a phone", () => {
    expect(faultsOf(htmlOf(report()), report())).toEqual([]);
  });
});

describe("mnemo figures", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "mnemo-figures-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  it("writes the page and the data of the figures asked for", async () => {
    const { code, out } = await mnemo(["figures", "clio", "--quick", "--only", "4.13, 4.21", "--out", folder]);
    expect([
      code,
      out
        .split("\n")
        .filter(l => /^4\./.test(l))
        .map(l => l.slice(0, 4)),
    ]).toEqual([0, ["4.13", "4.21"]]);
    const data = reportSchema.parse(JSON.parse(readFileSync(join(folder, "clio-figures.json"), "utf8")));
    expect(data.figures).toEqual([figure("4.13"), figure("4.21")]);
    expect(readFileSync(join(folder, "clio-figures.html"), "utf8")).toBe(htmlOf(data, figureHook));
  });
  it("asks for few operations or for all of them, not both", async () => {
    const { code, err } = await mnemo(["figures", "clio", "--quick", "--full", "--out", folder]);
    expect([code, err]).toEqual([2, expect.stringContaining("--quick and --full are both given")]);
  });
  it("names a figure that there is not", async () => {
    const { code, err } = await mnemo(["figures", "clio", "--only", "4.3"]);
    expect([code, err]).toEqual([2, expect.stringContaining('--only names figure "4.3", which is not among 4.4, 4.5')]);
  });
});
