import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { areaFiguresSchema } from "../../designs/shared/evaluation/index.ts";
import { figuresOf } from "./figures.ts";
import { fanOutBound, type Result } from "./report.ts";
import type { Target } from "./target.ts";

const baselineFile = z.strictObject({ tool: z.string(), units: z.record(z.string(), areaFiguresSchema) });
export type Baseline = z.output<typeof baselineFile>;

/** Names in sentences, where they differ. */
const named: Readonly<Partial<Record<string, string>>> = { fanOut: "fan-out" };

/** Figures that may not grow. */
const watched = ["lut", "ff", "bram", "uram", "dsp", "levels", "carries", "depth", "fanOut"] as const;

/**
 * A figure may grow by this part of its value. Levels, carries and depth may grow by one at least: that much changes
 * when the same circuit is only written differently.
 */
const allowed = 0.05,
  levelsAllowed = 1;
const limit = (figure: (typeof watched)[number], before: number): number => {
  const grown = before * (1 + allowed);
  switch (figure) {
    case "levels":
    case "carries":
    case "depth":
      return Math.max(before + levelsAllowed, grown);
    // Up to the bound no register needs a copy.
    case "fanOut":
      return Math.max(fanOutBound, grown);
    default:
      return grown;
  }
};

/** @param folder the design's, from the project's folder */
export const baselinePath = (root: string, folder: string, target: Target): string =>
  join(root, folder, `${target.name}.json`);

/** @throws UsageError when the file is not there or is no baseline */
export function readBaseline(path: string): Baseline {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} is missing: write it with mnemo synth --write-baseline`);
  }
  try {
    return baselineFile.parse(JSON.parse(text));
  } catch {
    throw new UsageError(`${path} is no baseline: write it again with mnemo synth --write-baseline`);
  }
}

/** Takes the results into the baseline; units that were not synthesized now keep what they had. */
export function writeBaseline(
  path: string,
  results: readonly Result[],
  tool: string,
  before: Baseline | undefined,
): void {
  const units = { ...before?.units, ...Object.fromEntries(results.map(r => [r.unit.name, figuresOf(r)])) };
  const sorted = Object.fromEntries(Object.entries(units).sort(([a], [b]) => (a < b ? -1 : 1)));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `{\n  "tool": ${JSON.stringify(tool)},\n  "units": {\n${Object.entries(sorted)
      .map(([name, m]) => `    ${JSON.stringify(name)}: ${JSON.stringify(m)}`)
      .join(",\n")}\n  }\n}\n`,
  );
}

/**
 * Figures that have grown by more than 5 % since the baseline, a sentence each.
 * @returns nothing when all is as good as it was, or better
 */
export function regressions(results: readonly Result[], baseline: Baseline): readonly string[] {
  return results.flatMap(r => {
    const before = baseline.units[r.unit.name],
      now = figuresOf(r);
    if (before === undefined) return [`${r.unit.name} has no baseline`];
    return watched.flatMap(m => {
      const was = before[m],
        is = now[m];
      if (was === undefined || is === undefined || is <= limit(m, was)) return [];
      const growth = was === 0 ? "" : ` (+${(100 * (is / was - 1)).toFixed(1)} %)`;
      return [`${r.unit.name}: ${named[m] ?? m} was ${was}, is ${is}${growth}`];
    });
  });
}

/**
 * Splits results by whether the baseline says of which text its figures are. Those that it does not say it of judge
 * nothing by themselves: what has changed since they were measured is not known.
 */
export function byKnownText(
  results: readonly Result[],
  baseline: Baseline,
): { readonly known: readonly Result[]; readonly unknown: readonly Result[] } {
  const isKnown = (r: Result): boolean => baseline.units[r.unit.name]?.of !== undefined;
  return { known: results.filter(isKnown), unknown: results.filter(r => !isKnown(r)) };
}

/**
 * Rows of a baseline that a check of everything does not measure. They would stand as they are for ever.
 * @param measured names of all units @param left units that a run may leave out
 */
export const unmeasured = (
  baseline: Baseline,
  measured: readonly string[],
  left: readonly string[],
): readonly string[] => Object.keys(baseline.units).filter(name => !measured.includes(name) && !left.includes(name));

/** A baseline without some rows. */
export const without = (baseline: Baseline | undefined, names: readonly string[]): Baseline | undefined =>
  baseline && {
    ...baseline,
    units: Object.fromEntries(Object.entries(baseline.units).filter(([name]) => !names.includes(name))),
  };
