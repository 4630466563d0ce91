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
  /** What a partition writes, each with its size and the other partitions that read it. */
  const written = new Map<Partition, { readonly parts: number; readonly readers: readonly Partition[] }[]>(),
    needed = new Map<Partition, Set<Partition>>();
  const others = (p: Partition, readers: Iterable<Partition> | undefined): Partition[] =>
    [...(readers ?? [])].filter(q => q !== p && rest.has(q));
  for (const p of rest) {
    written.set(
      p,
      p.registers
        .map(r => ({ parts: partsOf(r.source), readers: others(p, plan.readers.get(r.source)) }))
        .filter(w => w.readers.length > 0),
    );
    needed.set(p, new Set(p.writes.flatMap(w => others(p, plan.readers.get(w.store)))));
  }
  /** What would have to be written twice if the partition were next. */
  const costOf = (p: Partition): number => {
    let cost = 0;
    for (const w of written.get(p) ?? []) if (w.readers.some(q => rest.has(q))) cost += w.parts;
    return cost;
  };
  const out: Partition[] = [];
  while (rest.size > 0) {
    let best: Partition | undefined,
      least = Infinity;
    for (const p of rest) {
      if (some(needed.get(p), q => rest.has(q))) continue;
      const cost = costOf(p);
      if (cost < least) {
        best = p;
        least = cost;
        if (cost === 0) break;
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

/** To compare and to write. */
const partsOf = (s: Source): number => Math.ceil(s.width / 64);

function some<T>(set: ReadonlySet<T> | undefined, test: (x: T) => boolean): boolean {
  if (set !== undefined) for (const x of set) if (test(x)) return true;
  return false;
}
