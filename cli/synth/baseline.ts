import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { areaFiguresSchema } from "../../designs/shared/evaluation/index.ts";
import { figuresOf } from "./figures.ts";
import type { Result } from "./report.ts";
import type { Target } from "./target.ts";

const baselineFile = z.strictObject({ tool: z.string(), units: z.record(z.string(), areaFiguresSchema) });
export type Baseline = z.output<typeof baselineFile>;

/** Figures that may not grow. */
const watched = ["lut", "ff", "bram", "uram", "dsp", "levels"] as const;

/**
 * A figure may grow by this part of its value. Levels may grow by one at least: that much changes when the same circuit
 * is only written differently.
 */
const allowed = 0.05,
  levelsAllowed = 1;
const limit = (figure: (typeof watched)[number], before: number): number =>
  figure === "levels" ? Math.max(before + levelsAllowed, before * (1 + allowed)) : before * (1 + allowed);

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
    return watched
      .filter(m => now[m] > limit(m, before[m]))
      .map(
        m =>
          `${r.unit.name}: ${m} was ${before[m]}, is ${now[m]}${before[m] === 0 ? "" : ` (+${(100 * (now[m] / before[m] - 1)).toFixed(1)} %)`}`,
      );
  });
}
