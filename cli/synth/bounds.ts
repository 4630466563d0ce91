import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { UsageError } from "../../designs/shared/command-line/index.ts";
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

/**
 * What is over its bound, and exceptions that nothing needs any more, a sentence each. A whole put together from mapped
 * blocks is not looked at: its blocks are.
 */
export function outOfBounds(results: readonly Result[], bounds: Bounds): readonly string[] {
  return results.flatMap(r => {
    if (bounds.wholes.includes(r.unit.name)) return [];
    const excepted = bounds.exceptions[r.unit.name];
    const judge = (what: string, is: number, bound: number | undefined, own: number | undefined): string[] => {
      if (bound === undefined) return [];
      if (is > (own ?? bound)) return [`${r.unit.name}: ${what} is ${is}, the bound is ${own ?? bound}`];
      return own !== undefined && is <= bound
        ? [`${r.unit.name}: ${what} is ${is}, so its exception (${own}) is not needed`]
        : [];
    };
    return [
      ...(bounds.carries === false
        ? judge("depth", levelsOf(r), bounds.depth, excepted?.depth)
        : judge("depth with carries", depthOf(r), bounds.depth, excepted?.depth)),
      ...judge("fan-out", fanOutOf(r), bounds.fanOut, excepted?.fanOut),
    ];
  });
}

/** What the bounds are, in words. */
export const boundsText = ({ depth, carries, fanOut }: Bounds): string =>
  [
    `${depth} levels${carries === false ? "" : " with carries"}`,
    ...(fanOut === undefined ? [] : [`${fanOut} inputs on a net`]),
  ].join(", ");
