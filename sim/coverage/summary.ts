/** Coverage in figures: how much of each sort was reached, by file. */
import type { PointKind } from "../backend/coverage/point.ts";
import type { Reached } from "./merge.ts";

/** Sorts of coverage, as reports show them. */
export const SORTS = ["lines", "states", "toggles", "covers"] as const;
/** A sort of coverage. */
export type Sort = (typeof SORTS)[number];

const SORT_OF: Readonly<Record<PointKind, Sort>> = {
  line: "lines",
  state: "states",
  rise: "toggles",
  fall: "toggles",
  high: "toggles",
  low: "toggles",
  cover: "covers",
};
/** The sort that a point counts for. */
export const sortOf = (r: Pick<Reached, "kind">): Sort => SORT_OF[r.kind];

/** How many points of how many. */
export interface Part {
  reached: number;
  all: number;
}
/** What was reached of each sort. */
export type Figures = Readonly<Record<Sort, Part>>;

const bits = (v: bigint): number => v.toString(2).replaceAll("0", "").length;

/** What was reached of each sort; toggles are counted in bits. */
export function figuresOf(points: readonly Reached[]): Figures {
  const f: Figures = {
    lines: { reached: 0, all: 0 },
    states: { reached: 0, all: 0 },
    toggles: { reached: 0, all: 0 },
    covers: { reached: 0, all: 0 },
  };
  for (const p of points) {
    const part = f[sortOf(p)];
    part.all += bits(p.bits);
    part.reached += bits(p.seen & p.bits);
  }
  return f;
}

/** Whether any bit of a point was not reached. */
export const missed = (p: Reached): boolean => (p.bits & ~p.seen) !== 0n;

/** The points of each file. */
export function byFile(points: readonly Reached[]): ReadonlyMap<string, readonly Reached[]> {
  const files = new Map<string, Reached[]>();
  for (const p of points) {
    const list = files.get(p.file);
    if (list === undefined) files.set(p.file, [p]);
    else list.push(p);
  }
  return files;
}

/** `95.0 %`, or nothing where there is nothing to reach. */
export const percent = (p: Part): string => (p.all === 0 ? "" : `${((100 * p.reached) / p.all).toFixed(1)} %`);

/** What of a point was not reached, as a clause: `never rises in bits 7 to 5`. */
export function missing(p: Reached): string {
  switch (p.kind) {
    case "line":
      return "not run";
    case "state":
      return `never in ${p.what}`;
    case "cover":
      return `never: ${p.what}`;
    case "high":
    case "low":
      return `${p.what} is never ${p.kind === "high" ? 1 : 0}`;
    case "rise":
    case "fall":
      return `${p.what} never ${p.kind}s${p.width === 1 ? "" : ` in bits ${ranges(p)}`}`;
  }
}

function ranges(p: Reached): string {
  const out: string[] = [],
    isMissing = (n: number): boolean => ((p.bits & ~p.seen) >> BigInt(n)) % 2n === 1n;
  for (let hi = p.width - 1; hi >= 0; hi--) {
    if (!isMissing(hi)) continue;
    let lo = hi;
    while (lo > 0 && isMissing(lo - 1)) lo--;
    out.push(lo === hi ? String(hi) : `${hi}:${lo}`);
    hi = lo;
  }
  return out.join(", ");
}
