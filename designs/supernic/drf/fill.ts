import { drfFormat as f } from "../config/index.ts";
import { power } from "./rounding.ts";

/** How users rise together: what of each resource goes, and where each of them stops by itself. */
export interface Filling {
  /** By user, then resource: what goes when the level rises by 1. */
  readonly uses: readonly (readonly bigint[])[];
  /** Level at which a user has what it asked for; undefined: nothing stops it but resources. */
  readonly needs: readonly (bigint | undefined)[];
  /** What is left of each resource: it falls. */
  readonly left: bigint[];
}
export interface Filled {
  /** Level at which a user stopped. */
  readonly levels: ReadonlyMap<number, bigint>;
  readonly satisfied: ReadonlySet<number>;
  /** Users that stopped together, one list a round; the first is before anybody rises, and may be empty. */
  readonly stops: readonly (readonly number[])[];
}

/**
 * Raises the level until each of `users` is at its need or on a full resource. A resource is full when the level cannot
 * rise by its smallest part. Users on it stay; what it has left goes to nobody who uses it.
 */
export function fill({ uses, needs, left }: Filling, users: readonly number[]): Filled {
  const active = new Set(users),
    levels = new Map<number, bigint>(),
    satisfied = new Set<number>(),
    stops: number[][] = [];
  const use = (i: number, j: number): bigint => uses[i]?.[j] ?? 0n,
    loadsNow = (): bigint[] => left.map((_, j) => [...active].reduce((n, i) => n + use(i, j), 0n));
  for (let level = 0n; active.size > 0;) {
    const loads = loadsNow(),
      full = left.map((r, j) => r < (loads[j] ?? 0n));
    const stop: number[] = [];
    for (const i of active) {
      const need = needs[i],
        hasAll = need !== undefined && need <= level;
      if (!hasAll && !full.some((is, j) => is && use(i, j) > 0n)) continue;
      stop.push(i);
      levels.set(i, level);
      if (hasAll) satisfied.add(i);
    }
    for (const i of stop) active.delete(i);
    stops.push(stop);
    if (active.size === 0) break;
    const step = stepOf({ needs, left }, loadsNow(), active, level);
    const after = loadsNow();
    for (const [j, load] of after.entries()) left[j] = (left[j] ?? 0n) - step * load;
    level += step;
  }
  return { levels, satisfied, stops };
}

/** How far the level can rise until a resource is full or somebody has what it needs. */
function stepOf(
  { needs, left }: Pick<Filling, "needs" | "left">,
  loads: readonly bigint[],
  active: ReadonlySet<number>,
  level: bigint,
): bigint {
  const steps = loads.flatMap((load, j) => (load > 0n ? [(left[j] ?? 0n) / load] : []));
  for (const i of active) {
    const need = needs[i];
    if (need !== undefined) steps.push(need - level);
  }
  return steps.reduce((a, b) => (b < a ? b : a), power(f.levelBits) - 1n);
}
