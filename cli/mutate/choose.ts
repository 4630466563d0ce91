/** Which mutants are planted: all, those of some operators, or a sample. */
import { Random } from "../../sim/index.ts";
import type { Described, Report } from "./plan.ts";

export interface Choice {
  readonly limit?: number;
  readonly seed: number;
  readonly onlyOperator?: readonly string[];
}

/** Every mutant once, whatever parameters the module has, by line. */
export function described(reports: readonly Report[]): readonly Described[] {
  const byKey = new Map<string, Described>();
  for (const r of reports)
    if (r.kind === "variant") for (const m of r.mutants) if (!byKey.has(m.key)) byKey.set(m.key, m);
  return [...byKey.values()].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || (a.key < b.key ? -1 : 1),
  );
}

/** A line in a loop makes hundreds of like gates: of one operator at one place so many are planted at most. */
const alike = 3;

/** The first, the last and one between of those that differ in nothing but the number of the gate. */
function spread(all: readonly Described[]): readonly Described[] {
  const byPlace = new Map<string, Described[]>();
  for (const m of all) {
    const place = m.key.replace(/#\d+$/, "");
    byPlace.set(place, [...(byPlace.get(place) ?? []), m]);
  }
  const kept = new Set<Described>();
  for (const list of byPlace.values()) {
    const sorted = [...list].sort((a, b) => Number(a.key.split("#").at(-1)) - Number(b.key.split("#").at(-1)));
    for (let i = 0; i < alike; i++) {
      const m = sorted[Math.round((i * (sorted.length - 1)) / (alike - 1))];
      if (m !== undefined) kept.add(m);
    }
  }
  return all.filter(m => kept.has(m));
}

/** The choice of a seed is the same on every machine. */
export function chosen(all: readonly Described[], c: Choice): readonly Described[] {
  const wanted = spread(all.filter(m => c.onlyOperator?.includes(m.operator) ?? true));
  if (c.limit === undefined || wanted.length <= c.limit) return wanted;
  const random = new Random(c.seed),
    left = [...wanted.keys()],
    taken = new Set<number>();
  while (taken.size < c.limit) {
    const [i = 0] = left.splice(random.below(left.length), 1);
    taken.add(i);
  }
  return wanted.filter((_, i) => taken.has(i));
}
