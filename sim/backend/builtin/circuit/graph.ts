/** Makes nodes: equal ones once, simplified as they are made. */
import { apply, arg, isOnes, isZero, maskOf, type Node, type Op, type Source, type Store } from "./node.ts";
import { Cases } from "./cases.ts";
import { KnownNodes, type Made } from "./known.ts";
import { mergedEqualities, sortedParts } from "./conjunction.ts";
import { rewritten, runs } from "./vectors.ts";

const isConstant = (n: Node): boolean => n.op === "const";
const placeOf = (n: Node): number => (n.op === "slice" ? arg(n, 0).id : n.id);

export class Graph {
  readonly nodes: Node[] = [];
  /** Instance that nodes are attributed to while it is expanded. */
  scope = 0;
  readonly #known = new KnownNodes(this.nodes);
  readonly #constants = new Map<number, Map<bigint, Node>>();
  readonly #sources = new Map<number, Node>();
  readonly #cases = new Cases(this);

  #node(made: Made, value: bigint, source: Source | undefined): Node {
    const { op, width, lo, args, store } = made;
    const n: Node = { id: this.nodes.length, op, width, args, value, lo, source, store, scope: this.scope };
    this.nodes.push(n);
    return n;
  }
  #make(made: Made): Node {
    const known = this.#known.find(made);
    if (known !== undefined) return known;
    const n = this.#node(made, 0n, undefined);
    this.#known.add(n);
    return n;
  }

  constant(value: bigint, width: number): Node {
    const bits = value & maskOf(width);
    let ofWidth = this.#constants.get(width);
    if (ofWidth === undefined) this.#constants.set(width, (ofWidth = new Map<bigint, Node>()));
    let n = ofWidth.get(bits);
    if (n === undefined) {
      n = this.#node({ op: "const", width, lo: 0, args: [], store: undefined }, bits, undefined);
      ofWidth.set(bits, n);
    }
    return n;
  }
  source(source: Source): Node {
    let n = this.#sources.get(source.id);
    if (n === undefined) {
      n = this.#node({ op: "source", width: source.width, lo: 0, args: [], store: undefined }, 0n, source);
      this.#sources.set(source.id, n);
    }
    return n;
  }
  memRead(store: Store, address: Node): Node {
    return this.#make({ op: "memRead", width: store.width, lo: 0, args: [address], store });
  }

  /** An operator over operands of any kind: the value when all are constants, else a node. */
  #op(op: Op, width: number, args: readonly Node[], lo = 0): Node {
    if (args.every(isConstant))
      return this.constant(
        apply(
          op,
          width,
          lo,
          args,
          args.map(a => a.value),
        ),
        width,
      );
    return this.#make({ op, width, lo, args, store: undefined });
  }

  not(a: Node): Node {
    return a.op === "not" ? arg(a, 0) : this.#op("not", a.width, [a]);
  }
  neg(a: Node): Node {
    return a.width === 1 ? a : this.#op("neg", a.width, [a]);
  }
  redAnd(a: Node): Node {
    if (a.width === 1) return a;
    if (a.op === "const") return this.constant(isOnes(a) ? 1n : 0n, 1);
    return this.eq(a, this.constant(maskOf(a.width), a.width));
  }
  redOr(a: Node): Node {
    return a.width === 1 ? a : this.not(this.eq(a, this.constant(0n, a.width)));
  }
  redXor(a: Node): Node {
    if (a.width === 1) return a;
    return this.#op("redXor", 1, [a.op === "concat" ? this.concat(sortedParts(this, a)) : a]);
  }

  and(a: Node, b: Node): Node {
    if (a === b || isOnes(b) || isZero(a)) return a;
    if (isOnes(a) || isZero(b)) return b;
    if (this.#opposite(a, b)) return this.constant(0n, a.width);
    return this.#commutative("and", a, b);
  }
  or(a: Node, b: Node): Node {
    if (a === b || isZero(b) || isOnes(a)) return a;
    if (isZero(a) || isOnes(b)) return b;
    if (this.#opposite(a, b)) return this.constant(maskOf(a.width), a.width);
    return this.#cases.join(a, b) ?? this.#commutative("or", a, b);
  }
  /** Nothing is looked for but equal nodes. */
  plainOr(a: Node, b: Node): Node {
    return this.#commutative("or", a, b);
  }
  xor(a: Node, b: Node): Node {
    if (a === b) return this.constant(0n, a.width);
    if (isZero(b)) return a;
    if (isZero(a)) return b;
    if (isOnes(b)) return this.not(a);
    if (isOnes(a)) return this.not(b);
    return this.#commutative("xor", a, b);
  }
  #opposite(a: Node, b: Node): boolean {
    return (a.op === "not" && arg(a, 0) === b) || (b.op === "not" && arg(b, 0) === a);
  }
  #commutative(op: Op, a: Node, b: Node): Node {
    // By the vector they are parts of: bits of two vectors stand in the same order, whichever was made first.
    const x = placeOf(a),
      y = placeOf(b);
    return x < y || (x === y && a.id <= b.id) ? this.#op(op, a.width, [a, b]) : this.#op(op, a.width, [b, a]);
  }
  add(a: Node, b: Node): Node {
    if (isZero(a)) return b;
    if (isZero(b)) return a;
    return a.width === 1 ? this.xor(a, b) : this.#commutative("add", a, b);
  }
  sub(a: Node, b: Node): Node {
    if (a === b) return this.constant(0n, a.width);
    if (isZero(b)) return a;
    return a.width === 1 ? this.xor(a, b) : this.#op("sub", a.width, [a, b]);
  }
  /** Operands and result have one width. */
  mul(a: Node, b: Node): Node {
    if (isZero(a) || isZero(b)) return this.constant(0n, a.width);
    const one = (n: Node): boolean => n.op === "const" && n.value === 1n;
    return one(a) ? b : one(b) ? a : this.#commutative("mul", a, b);
  }

  eq(a: Node, b: Node): Node {
    if (a === b) return this.constant(1n, 1);
    if (a.op === "const" && b.op !== "const") return this.eq(b, a);
    if (b.op === "const" && a.op !== "const") {
      if (a.width === 1) return b.value === 1n ? a : this.not(a);
      if (a.op === "not") return this.eq(arg(a, 0), this.not(b));
      if (a.op === "concat") return this.#eqParts(a, b);
      if (a.op === "sext" && arg(a, 0).width === 1) {
        if (isZero(b)) return this.not(arg(a, 0));
        return isOnes(b) ? arg(a, 0) : this.constant(0n, 1);
      }
    }
    if (a.width === 1) return this.not(this.xor(a, b));
    return a.id <= b.id || b.op === "const" ? this.#op("eq", 1, [a, b]) : this.#op("eq", 1, [b, a]);
  }
  /** Constant parts decide at once, or say nothing; what is left is compared as one. */
  #eqParts(a: Node, b: Node): Node {
    const all = isOnes(b) ? mergedEqualities(this, a.args) : undefined;
    if (all !== undefined) return all;
    let at = 0;
    const rest: Node[] = [];
    let value = 0n,
      width = 0;
    for (const p of a.args) {
      const want = (b.value >> BigInt(at)) & maskOf(p.width);
      if (p.op === "const") {
        if (p.value !== want) return this.constant(0n, 1);
      } else {
        rest.push(p);
        value |= want << BigInt(width);
        width += p.width;
      }
      at += p.width;
    }
    if (rest.length === a.args.length) return this.#op("eq", 1, [a, b]);
    return this.eq(this.concat(rest), this.constant(value, width));
  }
  ult(a: Node, b: Node): Node {
    if (a === b || isZero(b) || isOnes(a)) return this.constant(0n, 1);
    if (a.width === 1) return this.and(this.not(a), b);
    if (b.op === "const" && b.value === 1n) return this.eq(a, this.constant(0n, a.width));
    return this.#op("ult", 1, [a, b]);
  }
  slt(a: Node, b: Node): Node {
    return a === b ? this.constant(0n, 1) : this.#op("slt", 1, [a, b]);
  }

  shl(a: Node, by: Node): Node {
    if (by.op !== "const") return isZero(a) ? a : this.#op("shl", a.width, [a, by]);
    if (by.value >= BigInt(a.width)) return this.constant(0n, a.width);
    const n = Number(by.value);
    return n === 0 ? a : this.concat([this.constant(0n, n), this.slice(a, 0, a.width - n)]);
  }
  shr(a: Node, by: Node): Node {
    if (by.op !== "const") return isZero(a) ? a : this.#op("shr", a.width, [a, by]);
    if (by.value >= BigInt(a.width)) return this.constant(0n, a.width);
    const n = Number(by.value);
    return this.zext(this.slice(a, n, a.width - n), a.width);
  }
  sar(a: Node, by: Node): Node {
    if (by.op !== "const") return a.width === 1 || isZero(a) ? a : this.#op("sar", a.width, [a, by]);
    const n = by.value >= BigInt(a.width) ? a.width - 1 : Number(by.value);
    return this.sext(this.slice(a, n, a.width - n), a.width);
  }

  /** A mux that nothing is made of: its sides are computed only when they are chosen. */
  lazy(c: Node, a: Node, b: Node): Node {
    return c.op === "const" ? this.mux(c, a, b) : this.#op("mux", a.width, [c, a, b]);
  }
  mux(c: Node, a: Node, b: Node): Node {
    if (a === b) return a;
    if (c.op === "const") return c.value !== 0n ? a : b;
    if (c.op === "not") return this.mux(arg(c, 0), b, a);
    if (a.width === 1) {
      if (a.op === "const") return a.value === 1n ? this.or(c, b) : this.and(this.not(c), b);
      if (b.op === "const") return b.value === 1n ? this.or(this.not(c), a) : this.and(c, a);
      if (a === c) return this.or(c, b);
      if (b === c) return this.and(c, a);
    }
    if (a.op === "mux" && arg(a, 0) === c) return this.mux(c, arg(a, 1), b);
    if (b.op === "mux" && arg(b, 0) === c) return this.mux(c, a, arg(b, 2));
    return this.#op("mux", a.width, [c, a, b]);
  }

  /** Operands from the lowest bits up. */
  concat(list: readonly Node[]): Node {
    const flat: Node[] = [];
    // Runs of one bit first: its last copy would become a slice with a bit that follows it.
    for (const p of runs(this, list)) {
      const last = flat.at(-1),
        both = last === undefined ? undefined : this.#oneOf(last, p);
      if (both === undefined) flat.push(p);
      else flat[flat.length - 1] = both;
    }
    const only = flat[0];
    if (flat.length === 1 && only !== undefined) return only;
    const width = flat.reduce((n, p) => n + p.width, 0);
    return rewritten(this, flat) ?? this.#op("concat", width, flat);
  }
  /** Two parts as one: constants, or neighbouring slices of one value. */
  #oneOf(low: Node, high: Node): Node | undefined {
    if (low.op !== high.op) return undefined;
    if (low.op === "const") return this.constant(low.value | (high.value << BigInt(low.width)), low.width + high.width);
    if (low.op !== "slice" || arg(low, 0) !== arg(high, 0) || high.lo !== low.lo + low.width) return undefined;
    return this.slice(arg(low, 0), low.lo, low.width + high.width);
  }
  zext(a: Node, width: number): Node {
    return width === a.width ? a : this.concat([a, this.constant(0n, width - a.width)]);
  }
  sext(a: Node, width: number): Node {
    if (width === a.width) return a;
    if (a.op === "sext") return this.sext(arg(a, 0), width);
    const top = a.op === "concat" ? a.args.at(-1) : undefined;
    if (top !== undefined && isZero(top)) return this.zext(a, width);
    return this.#op("sext", width, [a]);
  }
  slice(a: Node, lo: number, width: number): Node {
    if (lo === 0 && width === a.width) return a;
    switch (a.op) {
      case "slice":
        return this.slice(arg(a, 0), a.lo + lo, width);
      case "concat": {
        const picked: Node[] = [];
        let at = 0;
        for (const p of a.args) {
          const from = Math.max(lo, at),
            to = Math.min(lo + width, at + p.width);
          if (from < to) picked.push(this.slice(p, from - at, to - from));
          at += p.width;
          if (at >= lo + width) break;
        }
        return this.concat(picked);
      }
      case "sext": {
        const inner = arg(a, 0);
        if (lo + width <= inner.width) return this.slice(inner, lo, width);
        if (lo >= inner.width - 1) return this.sext(this.slice(inner, inner.width - 1, 1), width);
        return this.sext(this.slice(inner, lo, inner.width - lo), width);
      }
      case "add":
        return this.#carry(a, lo, width) ?? this.#op("slice", width, [a], lo);
      default:
        return this.#op("slice", width, [a], lo);
    }
  }
  /** The carry out of x + 1: all bits of x are 1. */
  #carry(sum: Node, lo: number, width: number): Node | undefined {
    if (width !== 1 || lo !== sum.width - 1) return undefined;
    const [a, b] = sum.args;
    const [x, one] = a?.op === "const" ? [b, a] : [a, b];
    if (x?.op !== "concat" || one?.op !== "const" || one.value !== 1n) return undefined;
    const high = x.args.at(-1) as Node;
    return isZero(high) && high.width === 1 ? this.redAnd(this.slice(x, 0, lo)) : undefined;
  }

  /** Element `index` of `a`, of which there are 2^index.width of `width` bits. */
  pick(a: Node, index: Node, width: number): Node {
    if (index.op === "const") return this.slice(a, Number(index.value) * width, width);
    const count = a.width / width;
    if (a.op === "concat" && count <= 256) {
      const elements = Array.from({ length: count }, (_, i) => this.slice(a, i * width, width));
      if (elements.every(e => e === elements[0])) return elements[0] as Node;
      if (a.width > 64 && elements.every(e => e.op === "source" || e.op === "const"))
        return this.select(index, elements);
    }
    if (a.width > 64) return this.#op("pick", width, [a, index]);
    const by = width === 1 ? index : this.mul(this.zext(index, 14), this.constant(BigInt(width), 14));
    return this.slice(this.shr(a, by), 0, width);
  }
  select(index: Node, elements: readonly Node[]): Node {
    if (index.op === "const") return elements[Number(index.value)] as Node;
    return this.#op("select", (elements[0] as Node).width, [index, ...elements]);
  }
}
