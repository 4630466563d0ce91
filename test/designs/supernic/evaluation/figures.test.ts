/** The figures of SuperNIC's paper, on the cycle-accurate device: their shapes, and the page that tells them. */
import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { figureHook, figuresPage, supernicFigures } from "../../../../designs/supernic/evaluation/index.ts";
import { pushedOn } from "../../../../designs/supernic/evaluation/measure/index.ts";
import { type Figure, figureOf, judged, type Report } from "../../../../designs/shared/evaluation/index.ts";
import { htmlOf } from "../../../../cli/figures/report/html.ts";
import { faultsOf } from "../../../cli/figures/page-faults.ts";

const figures = new Map<string, Figure>(),
  page = new URL("../../../../docs/supernic/figures.md", import.meta.url);

describe("the paper's figures, quickly", () => {
  // How long a model takes to compile decides nothing.
  beforeAll(async () => {
    for (const d of supernicFigures) figures.set(d.number, await figureOf(d, { seed: 1, quick: true }));
  });
  const figure = (number: string): Figure => figures.get(number) as Figure;
  const ys = (number: string, series: string): readonly number[] =>
    figure(number)
      .plots.flatMap(p => p.series)
      .find(s => s.name === series)
      ?.points.map(p => p.y) ?? [];

  it("are those of the chapter's evaluation, 5.8 to 5.20, each with its standing", () => {
    expect([...figures.keys()]).toEqual([...Array.from({ length: 13 }, (_, i) => `5.${8 + i}`), "core", "table5.1"]);
    const standing = (s: string): string[] => [...figures.values()].filter(f => f.standing === s).map(f => f.number);
    expect(standing("not modelled")).toEqual([]);
    expect(standing("calibrated")).toEqual(["5.8", "5.10", "5.11", "5.12", "5.13", "5.16", "5.17", "5.18", "5.19"]);
    for (const f of figures.values()) expect(f.paper.length, `what the paper says of ${f.number}`).toBeGreaterThan(0);
  });
  it.each(supernicFigures.map(d => d.number))("%s: its claims hold", number =>
    expect(figure(number).verdicts.filter(v => !v.holds)).toEqual([]),
  );
  it("their page is whole and readable, at the sizes of a page and of a phone", () => {
    const report: Report = {
      seed: 1,
      extent: "quick",
      figures: [...figures.values()],
      besides: [...figureHook.besides],
    };
    expect(faultsOf(htmlOf(report, figureHook), report)).toEqual([]);
  });
  it("5.9: a planted fall is refused", () => {
    const f = figure("5.9"),
      fallen = f.plots.map(p => ({
        ...p,
        series: p.series.map(s => ({ ...s, points: s.points.map((q, i) => ({ ...q, y: 100 - i * 10 })) })),
      }));
    expect(judged({ ...f, plots: fallen }).verdicts.every(v => !v.holds)).toBe(true);
  });
  it("5.14: one chain is fastest, each alone slowest, and each task alone costs the same", () => {
    const [one, two, alone] = ["one chain", "two chains", "each alone"].map(s => ys("5.14", s)) as number[][];
    expect(one?.length).toBe(3);
    one?.forEach((y, i) => expect(y).toBeLessThan(two?.[i] ?? 0));
    // Two halves of two tasks are each alone.
    expect(two?.[0]).toBe(alone?.[0]);
    expect(two?.[2]).toBeLessThan(alone?.[2] ?? 0);
    const task = (alone?.[1] ?? 0) - (alone?.[0] ?? 0);
    expect((alone?.[2] ?? 0) - (alone?.[1] ?? 0)).toBe(4 * task);
  });
  it("5.14: a task that pushes on spares the scheduler's round, and no more than that", () => {
    const [one, alone, push] = ["one chain", "each alone", "each pushes on"].map(s => ys("5.14", s)) as number[][],
      back = Number(
        figure("core")
          .plots.flatMap(p => p.series)
          .find(s => s.name === "here")
          ?.points.find(p => p.x === "back")?.y,
      );
    expect(back).toBeGreaterThan(0);
    [2, 3, 7].forEach((n, i) => {
      expect(push?.[i]).toBe((alone?.[i] ?? 0) - (n - 1) * back);
      expect(push?.[i]).toBeGreaterThan(one?.[i] ?? 0);
    });
  });
  it("5.14: a model that is not as fast as the device is refused", () => {
    const [whole, half, each] = ["one chain", "two chains", "each alone"].map(s => ys("5.14", s)) as [
      number[],
      number[],
      number[],
    ];
    const slower = half.map((y, i) => y + (i === 2 ? 1 : 0));
    expect(() => pushedOn([2, 3, 7], { whole, half: slower, each }, 6, 13)).toThrow(
      /^7 tasks, half: the scheduler's model takes \d+ cycles, and the device \d+$/,
    );
  });
  it("5.14 and 5.15 agree on tasks that are each alone", () =>
    expect(ys("5.15", "each alone")).toEqual(ys("5.14", "each alone")));
});

it("docs/supernic/figures.md is what is measured", async () => {
  const expected = await figuresPage(1, [...figures.values()]);
  if (process.env["MNEMO_UPDATE"] === "1") writeFileSync(page, expected);
  else
    expect(
      readFileSync(page, "utf8"),
      "run MNEMO_UPDATE=1 npx vitest run test/designs/supernic/evaluation/figures.test.ts",
    ).toBe(expected);
});
