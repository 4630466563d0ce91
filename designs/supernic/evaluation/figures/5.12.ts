import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { allocations, type Correlation, loadsOf, runScheme, type RunSeen, schemes } from "../epochs/index.ts";
import { epochNotes, memcached, openEx } from "./parts/epochs.ts";

const correlations = ["low", "high"] as const satisfies readonly Correlation[],
  categories = { low: "low correlation", high: "high correlation" } as const;

/** Four endpoints behind one device, scaled by load or not. */
export const figure512: Definition = {
  number: "5.12",
  title: "Scaling by load: performance and OpEx",
  paper: [
    [
      "5.7.2",
      "sNIC is on the Pareto frontier between an allocation for the highest load, which is fastest and dearest, and one for the mean, which is slowest and cheapest. One that scales at once is slightly faster.",
    ],
    ["5.7.2", "With low correlation sNIC is faster and spends more than with high correlation."],
    [
      "5.7.1",
      "Four endpoints behind one sNIC take 56 % less OpEx than with a SmartNIC each for its own peak, and are 4 % slower.",
    ],
  ],
  given: [memcached, openEx],
  notes: [
    ...epochNotes,
    "Two chains: everybody's packets go through one, those of two endpoints through the other, too. An instance does 16 Gbit/s. Allocations are whole instances; the mean is rounded to the nearest.",
    "The paper has as-instant slightly dearer than sNIC. Here it is cheaper: it pays for no reprogramming, and gives instances back at once, while sNIC waits for a MONITOR_PERIOD.",
  ],
  measure: async ({ seed, quick }) => {
    const slots = quick ? 8 : 40,
      runs = new Map<string, RunSeen>(),
      alone = new Map<Correlation, number>();
    for (const c of correlations) {
      const loads = loadsOf(seed, c, slots);
      alone.set(c, allocations(loads).alone * loads.epochs);
      for (const kind of schemes) runs.set(`${kind} ${c}`, await runScheme(seed, loads, { kind }));
    }
    const run = (kind: string, c: Correlation): RunSeen => runs.get(`${kind} ${c}`) as RunSeen;
    const bars = (name: string, of: (c: Correlation) => number): Series => ({
      name,
      standing: "calibrated",
      points: correlations.map(c => ({ x: categories[c], y: of(c) })),
    });
    const saved = (kind: string, c: Correlation): number =>
      100 * (1 - run(kind, c).regionEpochs / run("static-max", c).regionEpochs);
    const x = { label: "spikes", scale: "category" } as const;
    return {
      plots: [
        {
          title: "Performance",
          kind: "bars",
          x,
          y: { label: "slowdown", unit: "times", scale: "linear" },
          series: schemes.map(k => bars(`${k}, slowdown`, c => run(k, c).slowdown)),
        },
        {
          title: "OpEx saved against static-max",
          kind: "bars",
          x,
          y: { label: "saved", unit: "%", scale: "linear" },
          series: schemes.map(k => bars(`${k}, saved`, c => saved(k, c))),
        },
        {
          title: "OpEx saved against a SmartNIC for each endpoint",
          kind: "bars",
          x,
          y: { label: "saved", unit: "%", scale: "linear" },
          references: [{ at: 56, says: "the paper: 56 %" }],
          series: [
            bars("sNIC, saved for four", c => 100 * (1 - run("sNIC", c).regionEpochs / (alone.get(c) ?? Number.NaN))),
          ],
        },
      ],
      claims: [
        [
          "sNIC is slower than static-max, and by less than a tenth",
          { kind: "above", series: "sNIC, slowdown", base: "static-max, slowdown", least: 0.002, most: 0.1 },
        ],
        [
          "sNIC is faster than static-avg",
          { kind: "above", series: "static-avg, slowdown", base: "sNIC, slowdown", least: 0.005, most: 10 },
        ],
        [
          "as-instant is as fast as static-max",
          { kind: "above", series: "as-instant, slowdown", base: "static-max, slowdown", least: -0.002, most: 0.002 },
        ],
        [
          "sNIC is cheaper than static-max by a third at least",
          { kind: "above", series: "sNIC, saved", base: "static-max, saved", least: 33, most: 100 },
        ],
        [
          "static-avg is dearer than sNIC by 6 points at most: whole instances",
          { kind: "above", series: "static-avg, saved", base: "sNIC, saved", least: -6, most: 100 },
        ],
        ["sNIC is faster with low correlation", { kind: "rising", series: "sNIC, slowdown", slack: 0 }],
        [
          "sNIC spends more, of static-max's, with low correlation",
          { kind: "rising", series: "sNIC, saved", slack: 0 },
        ],
        [
          "sNIC saves a third of what SmartNICs for each endpoint's peak cost at least",
          { kind: "above", series: "sNIC, saved for four", base: "static-max, saved", least: 33, most: 100 },
        ],
      ],
    };
  },
};
