/** Sizes and signs of expressions (IEEE 1364-2005, 5.4 and 5.5), and the values that they give. */
import { ir } from "../../../hdl-dsl/index.ts";
import type { Names } from "./names.ts";
import type { Expression, Range } from "./syntax.ts";
import { unreadable } from "./unreadable.ts";

const { binary, cast, concat, constant, extend, memRead, mux, pick, read, shift, slice, unary } = ir.make;
type Expr = ir.Expr;

interface Size {
  readonly width: number;
  readonly signed: boolean;
}
const BIT: Size = { width: 1, signed: false };
/** Numbers without a size. */
const INTEGER = 32;

const COMPARES: Readonly<Record<string, "eq" | "ne" | "lt" | "le" | "gt" | "ge">> = {
  "==": "eq",
  "===": "eq",
  "!=": "ne",
  "!==": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
};
const SUMS: Readonly<Record<string, "add" | "sub" | "and" | "or" | "xor">> = {
  "+": "add",
  "-": "sub",
  "&": "and",
  "|": "or",
  "^": "xor",
};
const REDUCES: Readonly<Record<string, readonly ["reduceAnd" | "reduceOr" | "reduceXor", boolean]>> = {
  "&": ["reduceAnd", false],
  "|": ["reduceOr", false],
  "^": ["reduceXor", false],
  "~&": ["reduceAnd", true],
  "~|": ["reduceOr", true],
  "~^": ["reduceXor", true],
  "^~": ["reduceXor", true],
};
const SHIFTS: ReadonlySet<string> = new Set(["<<", "<<<", ">>", ">>>"]);

const unsigned = (e: Expr): Expr => (e.signed ? cast(e) : e);
const not = (e: Expr): Expr => unary("not", e);
const truth = (e: Expr): Expr => unary("reduceOr", unsigned(e));

/** `e` at a width and sign that its context gives: the sign is coerced before the value is extended. */
function fit(e: Expr, width: number, signed: boolean): Expr {
  const x = e.signed === signed ? e : cast(e);
  return x.width === width ? x : extend(x, width);
}

/** A value cut or extended to a target. */
export function resized(e: Expr, width: number): Expr {
  return e.width > width ? slice(e, 0, width) : extend(e, width);
}

/** Whether a value is the same at its own width and wider: nothing in it carries or inverts. */
const isLeaf = (e: Expression): boolean =>
  ["number", "name", "concat", "repeat", "sign", "bit", "range", "part"].includes(e.kind);

export class Expressions {
  readonly #names: Names;
  readonly #sizes = new Map<Expression, Size>();
  constructor(names: Names) {
    this.#names = names;
  }

  /** The value as an assignment to `width` bits takes it. */
  assigned(e: Expression, width: number): Expr {
    const own = this.#size(e);
    return unsigned(resized(this.#at(e, Math.max(width, own.width), own.signed), width));
  }
  /** The value at its own size. */
  value(e: Expression): Expr {
    const own = this.#size(e);
    return this.#at(e, own.width, own.signed);
  }
  condition(e: Expression): Expr {
    return truth(this.value(e));
  }
  /** A number known now. */
  number(e: Expression): number {
    const v = this.value(e);
    if (v.kind !== "const") throw unreadable(e.at, "an expression where a constant is needed");
    return Number(v.signed ? BigInt.asIntN(v.width, v.value) : v.value);
  }
  /** Width and lowest bit of `[high:low]`. */
  range(r: Range): { readonly width: number; readonly lsb: number } {
    if (r === undefined) return { width: 1, lsb: 0 };
    const high = this.number(r.high),
      low = this.number(r.low);
    if (high < low) throw unreadable(r.high.at, `the range [${high}:${low}], whose bits run upwards`);
    return { width: high - low + 1, lsb: low };
  }
  /** Whether two comparisons are of one sign, at one width. */
  equal(a: Expression, b: Expression): Expr {
    return this.#compare("eq", a, b);
  }
  /** A loop's variable changes: what was known of sizes stays, for its size does not. */

  #size(e: Expression): Size {
    let s = this.#sizes.get(e);
    if (s === undefined) this.#sizes.set(e, (s = this.#sizeOf(e)));
    return s;
  }
  #sizeOf(e: Expression): Size {
    switch (e.kind) {
      case "number":
        return { width: e.width ?? INTEGER, signed: e.signed };
      case "name": {
        const n = this.#names.get(e.name, e.at);
        if (n.kind === "memory") throw unreadable(e.at, `the memory ${e.name} used as a value`);
        return n.kind === "constant" ? n.value : n.signal;
      }
      case "sign":
        return { width: this.#size(e.a).width, signed: e.signed };
      case "unary":
        return e.op === "!" || REDUCES[e.op] !== undefined ? BIT : this.#size(e.a);
      case "binary": {
        if (COMPARES[e.op] !== undefined || e.op === "&&" || e.op === "||") return BIT;
        return SHIFTS.has(e.op) || e.op === "**" ? this.#size(e.a) : this.#common(e.a, e.b);
      }
      case "ternary":
        return this.#common(e.a, e.b);
      case "concat":
        return { width: e.parts.reduce((n, p) => n + this.#size(p).width, 0), signed: false };
      case "repeat":
        return { width: this.number(e.count) * this.#size(e.a).width, signed: false };
      case "bit": {
        const m = this.#memory(e.of);
        return m === undefined ? BIT : { width: m.memory.width, signed: false };
      }
      case "range":
        return { width: this.number(e.high) - this.number(e.low) + 1, signed: false };
      case "part":
        return { width: this.number(e.width), signed: false };
      case "string":
        throw unreadable(e.at, "a string used as a value");
    }
  }
  #common(a: Expression, b: Expression): Size {
    const x = this.#size(a),
      y = this.#size(b);
    return { width: Math.max(x.width, y.width), signed: x.signed && y.signed };
  }
  #memory(e: Expression): { readonly memory: ir.Memory; readonly first: number } | undefined {
    if (e.kind !== "name") return undefined;
    const n = this.#names.get(e.name, e.at);
    return n.kind === "memory" ? n : undefined;
  }

  /** The value at a width (its own or more) and sign that come from outside. */
  #at(e: Expression, width: number, signed: boolean): Expr {
    switch (e.kind) {
      case "number":
        return fit(constant(e.value, e.width ?? INTEGER, e.signed), width, signed);
      case "name": {
        const n = this.#names.get(e.name, e.at);
        if (n.kind === "memory") throw unreadable(e.at, `the memory ${e.name} used as a value`);
        return fit(n.kind === "constant" ? n.value : read(n.signal), width, signed);
      }
      case "sign": {
        const v = this.value(e.a);
        return fit(v.signed === e.signed ? v : cast(v), width, signed);
      }
      case "unary":
        return this.#unary(e, width, signed);
      case "binary":
        return this.#binary(e, width, signed);
      case "ternary":
        return mux(this.condition(e.cond), this.#at(e.a, width, signed), this.#at(e.b, width, signed));
      case "concat":
        return fit(concat(e.parts.map(p => unsigned(this.value(p)))), width, signed);
      case "repeat": {
        const one = unsigned(this.value(e.a));
        return fit(concat(Array.from({ length: this.number(e.count) }, () => one)), width, signed);
      }
      case "bit":
      case "range":
      case "part":
        return fit(this.#select(e), width, signed);
      case "string":
        throw unreadable(e.at, "a string used as a value");
    }
  }
  #unary(e: Expression & { readonly kind: "unary" }, width: number, signed: boolean): Expr {
    const reduces = REDUCES[e.op];
    if (e.op === "!") return fit(not(this.condition(e.a)), width, signed);
    if (reduces !== undefined) {
      const r = unary(reduces[0], unsigned(this.value(e.a)));
      return fit(reduces[1] ? not(r) : r, width, signed);
    }
    const a = this.#at(e.a, width, signed);
    return e.op === "~" ? unary("not", a) : e.op === "-" ? binary("sub", constant(0n, width, signed), a) : a;
  }

  #binary(e: Expression & { readonly kind: "binary" }, width: number, signed: boolean): Expr {
    const { op, a, b } = e,
      compares = COMPARES[op],
      sums = SUMS[op];
    if (compares !== undefined) return fit(this.#compare(compares, a, b), width, signed);
    if (op === "&&") return fit(binary("and", this.condition(a), this.condition(b)), width, signed);
    if (op === "||") return fit(binary("or", this.condition(a), this.condition(b)), width, signed);
    if (SHIFTS.has(op)) return this.#shift(e, width, signed);
    if (sums !== undefined) return binary(sums, this.#at(a, width, signed), this.#at(b, width, signed));
    if (op === "~^" || op === "^~") return not(binary("xor", this.#at(a, width, signed), this.#at(b, width, signed)));
    if (op === "*") return this.#product(a, b, width, signed);
    throw unreadable(e.at, `the operator ${op}`);
  }
  #compare(op: "eq" | "ne" | "lt" | "le" | "gt" | "ge", a: Expression, b: Expression): Expr {
    const { width, signed } = this.#common(a, b);
    return binary(op, this.#at(a, width, signed), this.#at(b, width, signed));
  }
  #shift(e: Expression & { readonly kind: "binary" }, width: number, signed: boolean): Expr {
    const a = this.#at(e.a, width, signed),
      by = unsigned(this.value(e.b));
    if (e.op === "<<" || e.op === "<<<") return shift("left", a, by);
    if (e.op === ">>>" || !a.signed) return shift("right", a, by);
    return cast(shift("right", cast(a), by));
  }
  /** Of operands that are the same at any width, the product is computed at their own. */
  #product(a: Expression, b: Expression, width: number, signed: boolean): Expr {
    const own = (e: Expression): Expr => (isLeaf(e) ? fit(this.value(e), this.#size(e).width, signed) : wide(e));
    const wide = (e: Expression): Expr => this.#at(e, width, signed);
    const p = binary("mul", own(a), own(b));
    if (p.width <= width) return extend(p, width);
    const cut = slice(p, 0, width);
    return signed ? cast(cut) : cut;
  }

  #select(e: Expression & { readonly kind: "bit" | "range" | "part" }): Expr {
    const m = e.kind === "bit" ? this.#memory(e.of) : undefined;
    if (m !== undefined && e.kind === "bit") return memRead(m.memory, this.address(e.index, m));
    const of = unsigned(this.#selectable(e.of)),
      lsb = this.#lsb(e.of);
    if (e.kind === "range") return this.#slice(e, of, this.number(e.low) - lsb, this.#size(e).width);
    const width = this.#size(e).width,
      index = unsigned(this.value(e.kind === "bit" ? e.index : e.base));
    if (e.kind === "part" && e.down) throw unreadable(e.at, 'a part select with "-:"');
    if (index.kind === "const") return this.#slice(e, of, Number(index.value) - lsb, width);
    return element(of, lsb === 0 ? index : binary("sub", index, constant(BigInt(lsb), index.width)), width);
  }
  #slice(e: Expression, of: Expr, lo: number, width: number): Expr {
    if (lo < 0 || lo + width > of.width)
      throw unreadable(e.at, `the bits ${lo + width - 1} to ${lo} of a value of ${of.width} bits`);
    return slice(of, lo, width);
  }
  #selectable(e: Expression): Expr {
    if (e.kind === "name" || e.kind === "bit") return this.value(e);
    throw unreadable(e.at, "a select of a select");
  }
  #lsb(e: Expression): number {
    const n = e.kind === "name" ? this.#names.get(e.name, e.at) : undefined;
    return n?.kind === "signal" ? n.lsb : 0;
  }
  /** A word's number, counted from 0. */
  address(e: Expression, m: { readonly first: number }): Expr {
    const a = unsigned(this.value(e));
    return m.first === 0 ? a : binary("sub", a, constant(BigInt(m.first), a.width));
  }
}

/** `of[base +: width]`; a power of two of elements side by side is an indexed choice. */
function element(of: Expr, base: Expr, width: number): Expr {
  const zeros = Math.log2(width),
    parts = base.kind === "concat" ? base.parts : [base],
    last = parts.at(-1);
  let index: Expr | undefined = zeros === 0 ? base : undefined;
  if (zeros > 0 && base.kind === "concat" && last?.kind === "const" && last.width === zeros && last.value === 0n)
    index = concat(parts.slice(0, -1));
  if (index !== undefined && index.width < 20 && of.width === width << index.width) return pick(of, index, width);
  return slice(shift("right", of, base), 0, width);
}
