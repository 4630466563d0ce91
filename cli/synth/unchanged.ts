import { contentKey } from "../cache.ts";
import type { Baseline } from "./baseline.ts";
import { keyOf } from "./synthesize.ts";
import type { Target } from "./target.ts";
import type { Unit } from "./unit.ts";

/** Of the modules that have not changed, one in so many is measured all the same. */
const oneIn = 8;

/**
 * The units that a check has to measure: those of which the baseline has no figures of just this text, and one in eight
 * of the others. Which ones changes with the text of any unit. So a figure that nobody measured is found in time.
 */
export function toMeasure(units: readonly Unit[], baseline: Baseline, target: Target, tool: string): readonly Unit[] {
  const keys = new Map(units.map(u => [u, keyOf(u, target, tool)])),
    tree = contentKey([...keys.values()]);
  const drawn = (u: Unit): boolean => Number.parseInt(contentKey([tree, u.name]).slice(0, 8), 16) % oneIn === 0;
  return units.filter(u => baseline.units[u.name]?.of !== keys.get(u) || drawn(u));
}
