/** Figure 5.20 without its reprogramming: two users at four tasks, beside exact fractions. */
import { describe, expect, it } from "vitest";
import { figureOf, judged } from "../../../../designs/shared/evaluation/index.ts";
import { figure520 } from "../../../../designs/supernic/evaluation/figures/index.ts";

describe("figure 5.20, quickly", () => {
  it("each user has its exact share; a planted one is refused", async () => {
    const figure = await figureOf(figure520, { seed: 1, quick: true });
    expect(figure.verdicts.filter(v => !v.holds)).toEqual([]);
    // What the design page says of these loads.
    const exact = (user: string, at: string, task: string): number =>
      Number(
        figure.plots
          .flatMap(p => p.series)
          .find(s => s.name === `${user} user, exact, ${at}`)
          ?.points.find(p => p.x === task)?.y,
      );
    const both = (at: string, task: string): number[] => ["first", "second"].map(u => exact(u, at, task));
    expect(both("4 units", "NT2")).toEqual([8, 2]);
    for (const [task, shares] of [
      ["NT2", [20 / 3, 10 / 3]],
      ["NT4", [5 / 3, 20 / 3]],
    ] as const)
      shares.forEach((share, i) => expect(both("8 units", task)[i]).toBeCloseTo(share, 9));
    expect(both("8 units, two instances of NT2", "NT2")).toEqual([8, 4]);
    expect(both("8 units, two instances of NT2", "NT4")).toEqual([2, 8]);
    // An even division is not fair here.
    const even = figure.plots.map(p => ({
      ...p,
      series: p.series.map(s => (s.name.includes("exact") ? s : { ...s, points: s.points.map(q => ({ ...q, y: 5 })) })),
    }));
    const ofShares = judged({ ...figure, plots: even }).verdicts.filter(v => v.claim.kind === "above");
    expect(ofShares.length).toBe(6);
    expect(ofShares.every(v => !v.holds)).toBe(true);
  });
});
