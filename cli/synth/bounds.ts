import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
import type { Baseline } from "./baseline.ts";
import { depthOf, fanOutOf, levelsOf, type Result } from "./report.ts";

const exception = z.strictObject({
  /** What the unit has at most, in place of the bound. */
  depth: z.number().optional(),
  fanOut: z.number().optional(),
  reason: z.string().min(10),
});
const boundsFile = z.strictObject({
  depth: z.number(),
  /** Whether a path's carry blocks count as levels of it; they do if nothing is said. */
  carries: z.boolean().optional(),
  /** Left out: a net may have any number of inputs. */
  fanOut: z.number().optional(),
  /** Units that are put together from others, which are measured by themselves. */
  wholes: z.array(z.string()),
  exceptions: z.record(z.string(), exception),
});
/** What every unit of a design keeps, and which units do not, each with its reason. */
export type Bounds = z.output<typeof boundsFile>;

/** The bounds beside a baseline; undefined when a design has none. */
export function readBounds(baseline: string): Bounds | undefined {
  const path = join(dirname(baseline), "bounds.json");
  if (!existsSync(path)) return undefined;
  try {
    return boundsFile.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    throw new UsageError(`${path} is no list of bounds: depth, fanOut, and exceptions with a reason each`);
  }
}

/** What bounds look at of a unit: levels of LUTs alone, with carries, and inputs of its widest net. */
export interface Bounded {
  readonly name: string;
  readonly levels: number;
  readonly depth: number;
  readonly fanOut: number;
}
export const boundedOf = (r: Result): Bounded => ({
  ...{ name: r.unit.name, levels: levelsOf(r), depth: depthOf(r), fanOut: fanOutOf(r) },
});
/** Units that were not measured now, as they stand in the baseline: they have to keep the bounds as well. */
export const standing = (names: readonly string[], { units }: Baseline): readonly Bounded[] =>
  names.flatMap(name => {
    const row = units[name];
    return row === undefined
      ? []
      : [{ ...{ name, levels: row.levels, depth: row.depth ?? row.levels }, fanOut: row.fanOut ?? 0 }];
  });

/**
 * What is over its bound, and exceptions that nothing needs any more, a sentence each. A whole put together from mapped
 * blocks is not looked at: its blocks are.
 */
export function outOfBounds(all: readonly Bounded[], bounds: Bounds): readonly string[] {
  return all.flatMap(r => {
    if (bounds.wholes.includes(r.name)) return [];
    const excepted = bounds.exceptions[r.name];
    const judge = (what: string, is: number, bound: number | undefined, own: number | undefined): string[] => {
      if (bound === undefined) return [];
      if (is > (own ?? bound)) return [`${r.name}: ${what} is ${is}, the bound is ${own ?? bound}`];
      return own !== undefined && is <= bound
        ? [`${r.name}: ${what} is ${is}, so its exception (${own}) is not needed`]
        : [];
    };
    return [
      ...(bounds.carries === false
        ? judge("depth", r.levels, bounds.depth, excepted?.depth)
        : judge("depth with carries", r.depth, bounds.depth, excepted?.depth)),
      ...judge("fan-out", r.fanOut, bounds.fanOut, excepted?.fanOut),
    ];
  });
}

/** What the bounds are, in words. */
export const boundsText = ({ depth, carries, fanOut }: Bounds): string =>
  [
    `${depth} levels${carries === false ? "" : " with carries"}`,
    ...(fanOut === undefined ? [] : [`${fanOut} inputs on a net`]),
  ].join(", ");
