import type { Axis, Definition, Result, Series } from "../../../shared/evaluation/index.ts";
import { loadsOf, runScheme, type RunSeen } from "../epochs/index.ts";
import { epochNotes, memcached, openEx } from "./parts/epochs.ts";

/** What victims and the number of regions do to one device. */
export const figure513: Definition = {
  number: "5.13",
  title: "Victims, and regions that there are not",
  paper: [
    [
      "5.7.2",
      "The more descheduled tasks stay as victims, the faster; without them OpEx rises, too, as more is reprogrammed.",
    ],
    ["5.7.2", "With fewer regions than a load needs, it is slower and takes less OpEx."],
  ],
  given: [memcached, openEx],
  notes: [
    ...epochNotes,
    "Low correlation, the loads and chains of figure 5.12. Regions: as many as the highest load needs, at most 8, or fewer of them.",
    "The paper has OpEx rise without victims. Here it does not: a region that is reprogrammed costs what one in use costs, and a chain that comes later has been in use for less.",
    "A region that is given up keeps its chain with the probability of the axis; else its area goes to somebody else, and the chain comes back by reprogramming.",
  ],
  measure: async ({ seed, quick }) => {
    const loads = loadsOf(seed, "low", quick ? 8 : 40),
      given = quick ? [0, 100] : [0, 25, 50, 75, 100],
      over = quick ? [0, 50] : [0, 12.5, 25, 37.5, 50];
    const withVictims: RunSeen[] = [],
      withRegions: RunSeen[] = [];
    for (const p of given) withVictims.push(await runScheme(seed, loads, { kind: "sNIC", keeps: 1 - p / 100 }));
    for (const p of over) withRegions.push(await runScheme(seed, loads, { kind: "sNIC", overCommitted: p / 100 }));
    const line = (
      name: string,
      xs: readonly number[],
      runs: readonly RunSeen[],
      of: (r: RunSeen) => number,
    ): Series => ({
      name,
      standing: "calibrated",
      points: xs.map((x, i) => ({ x, y: of(runs[i] as RunSeen) })),
    });
    const victims: Axis = {
        label: "regions given up whose chain is lost",
        unit: "%",
        scale: "linear",
        ticks: [0, 50, 100],
      },
      missing: Axis = { label: "regions missing", unit: "%", scale: "linear", ticks: [0, 25, 50] },
      whole = withRegions[0]?.regionEpochs ?? Number.NaN;
    const slowdown = { label: "slowdown", unit: "times", scale: "linear" } as const;
    return {
      plots: [
        {
          title: "Performance without victims",
          kind: "lines",
          x: victims,
          y: slowdown,
          series: [line("slowdown by lost victims", given, withVictims, r => r.slowdown)],
        },
        {
          title: "OpEx without victims",
          kind: "lines",
          x: victims,
          y: { label: "OpEx", unit: "10³ region-epochs", scale: "linear" },
          series: [line("OpEx by lost victims", given, withVictims, r => r.regionEpochs / 1000)],
        },
        {
          title: "Chains that come back",
          kind: "lines",
          x: victims,
          y: { label: "number of chains", scale: "linear" },
          series: [
            line("reprogrammings by lost victims", given, withVictims, r => r.reprogrammed),
            line("used again by lost victims", given, withVictims, r => r.reused),
          ],
        },
        {
          title: "Performance with fewer regions",
          kind: "lines",
          x: missing,
          y: slowdown,
          series: [line("slowdown by missing regions", over, withRegions, r => r.slowdown)],
        },
        {
          title: "OpEx saved with fewer regions",
          kind: "lines",
          x: missing,
          y: { label: "saved", unit: "%", scale: "linear" },
          series: [line("saved by missing regions", over, withRegions, r => 100 * (1 - r.regionEpochs / whole))],
        },
      ],
      claims: claimsOf(withVictims, withRegions),
    };
  },
};
/** What must hold, whatever the loads: each by the runs with all victims, and with all regions. */
const claimsOf = (withVictims: readonly RunSeen[], withRegions: readonly RunSeen[]): Result["claims"] => [
  ["slower with fewer victims", { kind: "rising", series: "slowdown by lost victims", slack: 0.003 }],
  [
    "without victims it is slower than with all",
    {
      kind: "within",
      series: "slowdown by lost victims",
      from: 100,
      to: 100,
      ...beyond(withVictims[0]?.slowdown),
    },
  ],
  ["OpEx hardly knows of victims", { kind: "flat", series: "OpEx by lost victims", within: 0.05 }],
  ["more is reprogrammed with fewer victims", { kind: "rising", series: "reprogrammings by lost victims", slack: 0 }],
  [
    "all victims kept: some chain comes back without a reprogramming",
    { kind: "within", series: "used again by lost victims", from: 0, to: 0, least: 1, most: 1000 },
  ],
  [
    "all victims lost: none does",
    { kind: "within", series: "used again by lost victims", from: 100, to: 100, least: 0, most: 0 },
  ],
  [
    "without victims one more at least",
    {
      kind: "within",
      series: "reprogrammings by lost victims",
      from: 100,
      to: 100,
      least: 1 + (withVictims[0]?.reprogrammed ?? Number.NaN),
      most: 1000,
    },
  ],
  ["slower with fewer regions", { kind: "rising", series: "slowdown by missing regions", slack: 0.003 }],
  [
    "with half of the regions it is slower than with all",
    {
      kind: "within",
      series: "slowdown by missing regions",
      from: 50,
      to: 50,
      ...beyond(withRegions[0]?.slowdown),
    },
  ],
  [
    "with half of the regions it takes less OpEx",
    { kind: "within", series: "saved by missing regions", from: 50, to: 50, least: 0.5, most: 100 },
  ],
];
/** More than this by a thousandth at least. */
const beyond = (n = Number.NaN) => ({ least: n + 0.001, most: 100 });
