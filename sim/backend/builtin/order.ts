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
  const rest = new Set(plan.clocked.filter(p => p.checks.length === 0)),
    waits = new Waits(plan, rest);
  const out: Partition[] = [];
  while (rest.size > 0) {
    let best: Partition | undefined,
      least = Infinity;
    for (const p of rest) {
      if ((waits.needed.get(p) ?? 0) > 0) continue;
      const cost = waits.cost.get(p) ?? 0;
      if (cost < least) {
        best = p;
        least = cost;
        if (cost === 0) break;
      }
    }
    if (best === undefined) throw new Error("a memory's writer and its readers wait for each other");
    rest.delete(best);
    waits.leave(best);
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

/** What partitions wait for while others have no place yet. */
class Waits {
  /** What would have to be written twice if the partition were next. */
  readonly cost = new Map<Partition, number>();
  /** Readers of memories that have to stand before the partition. */
  readonly needed = new Map<Partition, number>();
  readonly #read = new Map<Partition, { readonly writer: Partition; readonly parts: number; readers: number }[]>();
  readonly #before = new Map<Partition, Partition[]>();

  constructor(plan: Plan, rest: ReadonlySet<Partition>) {
    for (const p of rest) {
      for (const r of p.registers) {
        const readers = others(p, plan.readers.get(r.source), rest);
        if (readers.length === 0) continue;
        const written = { writer: p, parts: partsOf(r.source), readers: readers.length };
        add(this.cost, p, written.parts);
        for (const q of readers) listed(this.#read, q, written);
      }
      for (const q of new Set(p.writes.flatMap(w => others(p, plan.readers.get(w.store), rest)))) {
        add(this.needed, p, 1);
        listed(this.#before, q, p);
      }
    }
  }

  /** A partition has its place. */
  leave(p: Partition): void {
    for (const w of this.#read.get(p) ?? []) if (--w.readers === 0) add(this.cost, w.writer, -w.parts);
    for (const q of this.#before.get(p) ?? []) add(this.needed, q, -1);
  }
}

function others(p: Partition, readers: Iterable<Partition> | undefined, rest: ReadonlySet<Partition>): Partition[] {
  return [...(readers ?? [])].filter(q => q !== p && rest.has(q));
}
const add = (to: Map<Partition, number>, p: Partition, n: number): void => void to.set(p, (to.get(p) ?? 0) + n);
function listed<T>(lists: Map<Partition, T[]>, p: Partition, x: T): void {
  const list = lists.get(p);
  if (list === undefined) lists.set(p, [x]);
  else list.push(x);
}
