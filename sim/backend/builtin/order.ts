/** The order of what runs at an edge, so that registers can be written in place. */
import type { Partition, Plan } from "./partition.ts";
import type { Source } from "./circuit/node.ts";

export interface Order {
  readonly partitions: readonly Partition[];
  /** Registers that a partition reads after they were written: they are written to a second place first. */
  readonly shadowed: ReadonlySet<Source>;
}

/**
 * Checks first: they only read. Readers of a memory stand before its writer, always. Readers of a register stand before
 * its writer as far as that goes.
 */
export function orderOf(plan: Plan): Order {
  const rest = new Set(plan.clocked.filter(p => p.checks.length === 0));
  /** Writer -> partitions that should come before it, and those that must. */
  const wished = new Map<Partition, Set<Partition>>(),
    needed = new Map<Partition, Set<Partition>>();
  for (const p of rest) {
    const before = new Set<Partition>(),
      must = new Set<Partition>();
    for (const r of p.registers)
      for (const q of plan.readers.get(r.source) ?? []) if (q !== p && rest.has(q)) before.add(q);
    for (const w of p.writes) for (const q of plan.readers.get(w.store) ?? []) if (q !== p && rest.has(q)) must.add(q);
    wished.set(p, before);
    needed.set(p, must);
  }
  const out: Partition[] = [];
  while (rest.size > 0) {
    let best: Partition | undefined,
      fewest = Infinity;
    for (const p of rest) {
      if (some(needed.get(p), q => rest.has(q))) continue;
      let open = 0;
      for (const q of wished.get(p) ?? []) if (rest.has(q)) open++;
      if (open < fewest) {
        best = p;
        fewest = open;
        if (open === 0) break;
      }
    }
    if (best === undefined) throw new Error("a memory's writer and its readers wait for each other");
    rest.delete(best);
    out.push(best);
  }
  const place = new Map(out.map((p, i) => [p, i]));
  const shadowed = new Set<Source>();
  for (const p of out)
    for (const r of p.registers)
      for (const q of plan.readers.get(r.source) ?? [])
        if (q !== p && (place.get(q) ?? -1) > (place.get(p) as number)) shadowed.add(r.source);
  return { partitions: [...plan.clocked.filter(p => p.checks.length > 0), ...out], shadowed };
}

function some<T>(set: ReadonlySet<T> | undefined, test: (x: T) => boolean): boolean {
  if (set !== undefined) for (const x of set) if (test(x)) return true;
  return false;
}
