/** Bits of which all must hold, or whose number counts: their order is free, so that neighbours come side by side. */
import type { Graph } from "./graph.ts";
import { arg, type Node } from "./node.ts";

interface Place {
  readonly of: Node;
  readonly lo: number;
}
const place = (n: Node): Place => (n.op === "slice" ? { of: arg(n, 0), lo: n.lo } : { of: n, lo: 0 });

/** A sorted list in which parts of one vector follow one another. */
const byPlace = (a: Place, b: Place): number => a.of.id - b.of.id || a.lo - b.lo;

/**
 * Parts of a concatenation of which only the number of ones matters. Operators on bits of two vectors stand in the
 * vectors' order, so that the concatenation can make one operator on vectors of them. Constants of 0 are left out.
 */
export function sortedParts(g: Graph, a: Node): readonly Node[] {
  const parts = a.args.filter(p => !(p.op === "const" && p.value === 0n));
  if (parts.length === 0) return [g.constant(0n, 1)];
  const key = (p: Node): Place => (p.op === "and" || p.op === "xor" || p.op === "or" ? place(arg(p, 0)) : place(p));
  return [...parts].sort((x, y) => x.op.localeCompare(y.op) || byPlace(key(x), key(y)));
}

interface Equality {
  readonly node: Node;
  readonly a: Place;
  readonly b: Place;
  readonly width: number;
}

/** Equalities of neighbouring parts are one of the whole: all of `parts` are 1. Undefined when nothing is merged. */
export function mergedEqualities(g: Graph, parts: readonly Node[]): Node | undefined {
  const equalities: Equality[] = [],
    rest: Node[] = [];
  for (const p of parts)
    if (p.op === "eq") equalities.push({ node: p, a: place(arg(p, 0)), b: place(arg(p, 1)), width: arg(p, 0).width });
    else rest.push(p);
  equalities.sort((x, y) => x.a.of.id - y.a.of.id || x.b.of.id - y.b.of.id || x.a.lo - y.a.lo);
  const merged: Node[] = [];
  for (let i = 0; i < equalities.length;) {
    const first = equalities[i] as Equality;
    let width = first.width,
      n = 1;
    for (; i + n < equalities.length; n++) {
      const next = equalities[i + n] as Equality;
      if (next.a.of !== first.a.of || next.b.of !== first.b.of) break;
      if (next.a.lo !== first.a.lo + width || next.b.lo !== first.b.lo + width) break;
      width += next.width;
    }
    merged.push(n === 1 ? first.node : g.eq(part(g, first.a, width), part(g, first.b, width)));
    i += n;
  }
  if (merged.length === equalities.length) return undefined;
  const all = rest.length === 0 ? merged : [...merged, g.redAnd(g.concat(rest))];
  return all.reduce((x, y) => g.and(x, y));
}

const part = (g: Graph, p: Place, width: number): Node => g.slice(p.of, p.lo, width);
