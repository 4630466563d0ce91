/** Many conditions that need one thing: without it none of them is looked at. */
import type { Register } from "../circuit/netlist.ts";
import { arg, type Node } from "../circuit/node.ts";

/** Conditions that need the same thing, from which on that is asked first. */
const GUARDED = 4;

/** A register, and what it takes. */
export interface Next {
  readonly register: Register;
  readonly node: Node;
}

/**
 * Conditions of registers that hold otherwise, by what each of at least `GUARDED` of them needs.
 * @param isLoad whether the function fetches a value in place of computing it
 */
export function guardsOf(
  groups: ReadonlyMap<Node, readonly Next[]>,
  isLoad: (n: Node) => boolean,
): ReadonlyMap<Node, readonly Node[]> {
  const needing = new Map<Node, Node[]>();
  for (const [cond, group] of groups) {
    if (!group.every(x => arg(x.node, 2).source === x.register.source)) continue;
    for (const need of needsOf(cond, isLoad)) {
      const list = needing.get(need);
      if (list === undefined) needing.set(need, [cond]);
      else list.push(cond);
    }
  }
  const taken = new Set<Node>(),
    guards = new Map<Node, readonly Node[]>();
  for (const [need, conditions] of [...needing].sort((a, b) => b[1].length - a[1].length)) {
    const free = conditions.filter(c => !taken.has(c));
    if (free.length < GUARDED) continue;
    guards.set(need, free);
    for (const c of free) taken.add(c);
  }
  return guards;
}

/**
 * What must be 1, or a vector that must not be 0, for a condition to hold. Nothing below a value that is fetched: the
 * function is no reader of it, so that it may be of the next cycle already, or never stored.
 */
function needsOf(cond: Node, isLoad: (n: Node) => boolean): readonly Node[] {
  if (isLoad(cond)) return [];
  if (cond.op === "and") return cond.args.flatMap(a => (a.op === "not" ? [] : [a, ...needsOf(a, isLoad)]));
  const of = cond.op === "slice" ? arg(cond, 0) : undefined;
  return of === undefined || of.width > 64 ? [] : [of];
}
