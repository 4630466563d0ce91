/** A disjunction of values, each masked by another value of one index: an element that the index chooses. */
import type { Graph } from "./graph.ts";
import { arg, type Node } from "./node.ts";

/** Fewer cases than this are masked and put together; more are a jump. */
const LEAST = 8;
/** Bits of an index: every value of it is an element. */
const MOST_BITS = 7;
/** Neighbouring bits of a vector that mask a value each, as of a one-hot choice: without any there is nothing. */
const NEIGHBOURS = 16;

interface Chosen {
  readonly index: Node;
  readonly values: ReadonlyMap<number, Node>;
}

/** Values masked by the bits from `lo` up to `hi` of a vector, one each. */
interface Masked {
  readonly by: Node;
  readonly lo: number;
  readonly hi: number;
}

export class Cases {
  readonly #graph: Graph;
  readonly #of = new Map<Node, Chosen>();
  readonly #masked = new Map<Node, Masked>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** What `a` or `b` is when both choose by one thing; else undefined. */
  join(a: Node, b: Node): Node | undefined {
    return this.#joinCases(a, b) ?? this.#joinMasked(a, b);
  }

  #joinMasked(a: Node, b: Node): Node | undefined {
    const x = this.#maskedOf(a),
      y = this.#maskedOf(b);
    if (x === undefined || y?.by !== x.by || (x.hi !== y.lo && y.hi !== x.lo)) return undefined;
    const all: Masked = { by: x.by, lo: Math.min(x.lo, y.lo), hi: Math.max(x.hi, y.hi) },
      g = this.#graph;
    const both = g.plainOr(a, b);
    if (all.hi - all.lo < NEIGHBOURS) {
      this.#masked.set(both, all);
      return both;
    }
    return g.lazy(g.redOr(g.slice(all.by, all.lo, all.hi - all.lo)), both, g.constant(0n, a.width));
  }
  #maskedOf(n: Node): Masked | undefined {
    const known = this.#masked.get(n);
    if (known !== undefined || n.op !== "and") return known;
    for (const m of n.args) {
      const bit = m.op === "sext" ? arg(m, 0) : m;
      if (bit.op === "slice" && bit.width === 1) return { by: arg(bit, 0), lo: bit.lo, hi: bit.lo + 1 };
    }
    return undefined;
  }

  /** Both choose by one index, and no value of it chooses from both. */
  #joinCases(a: Node, b: Node): Node | undefined {
    const x = this.#chosen(a),
      y = this.#chosen(b);
    if (x === undefined || y?.index !== x.index) return undefined;
    for (const k of y.values.keys()) if (x.values.has(k)) return undefined;
    const all: Chosen = { index: x.index, values: new Map([...x.values, ...y.values]) },
      g = this.#graph;
    const none = g.constant(0n, a.width);
    const n =
      all.values.size < LEAST
        ? g.plainOr(a, b)
        : g.select(
            all.index,
            Array.from({ length: 2 ** all.index.width }, (_, k) => all.values.get(k) ?? none),
          );
    this.#of.set(n, all);
    return n;
  }

  #chosen(n: Node): Chosen | undefined {
    const known = this.#of.get(n);
    if (known !== undefined || n.op !== "and") return known;
    const [a, b] = [arg(n, 0), arg(n, 1)];
    const one = caseOf(b, a) ?? caseOf(a, b);
    if (one !== undefined) this.#of.set(n, one);
    return one;
  }
}

function caseOf(mask: Node, value: Node): Chosen | undefined {
  const e = mask.op === "sext" ? arg(mask, 0) : mask;
  if (e.op !== "eq" || arg(e, 1).op !== "const" || arg(e, 0).width > MOST_BITS) return undefined;
  return { index: arg(e, 0), values: new Map([[Number(arg(e, 1).value), value]]) };
}
