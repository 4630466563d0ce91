/**
 * Expressions to Verilog. Each node becomes text where it is used, except where Verilog, a reader or the size forbids
 * it. A value that is used twice, sliced or too long becomes a wire named after its consumer.
 */
import type { Memory, Signal } from "../ir/circuit.ts";
import { applyOperator } from "../ir/evaluate.ts";
import { type BinaryOp, type Const, type Expr, isLeaf, maskOf, operandAt } from "../ir/expr.ts";
import { hintFor } from "../ir/hints.ts";
import { postOrder } from "../ir/walk.ts";
import { printExpr } from "./print.ts";
import type { VBinaryOp, VDeclare, VExpr, VName, VUnaryOp } from "./ast.ts";
import type { NameTable } from "./names.ts";
import {
  bare,
  binary,
  concat,
  index,
  name,
  number,
  part,
  repeat,
  sliceExpr,
  system,
  ternary,
  toSigned,
  toUnsigned,
  unary,
} from "./nodes.ts";

/** Leaves in one operand beyond which it becomes a wire of its own. */
const OPERAND_COST = 12;
/** Leaves of a shared expression beyond which it becomes a wire. */
const SHARED_COST = 2;
/** Arms of one chain of `? :`. */
const CHAIN = 48;

const BINARY: Readonly<Record<BinaryOp, VBinaryOp>> = {
  add: "+",
  sub: "-",
  mul: "*",
  and: "&",
  or: "|",
  xor: "^",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
};
const OPPOSITE: Readonly<Partial<Record<VBinaryOp, VBinaryOp>>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  "<=": ">",
  ">": "<=",
};
const HINT: Readonly<Record<BinaryOp, string>> = {
  add: "sum",
  sub: "diff",
  mul: "product",
  and: "and",
  or: "or",
  xor: "xor",
  eq: "match",
  ne: "differs",
  lt: "less",
  le: "at_most",
  gt: "more",
  ge: "at_least",
};

/** Name of a helper wire, behind the name of its consumer. */
function hintOf(e: Expr): string {
  switch (e.kind) {
    case "const":
    case "read":
    case "cast":
      return "value";
    case "memRead":
      return "word";
    case "unary":
      return e.op === "not"
        ? "inverse"
        : e.op === "neg"
          ? "negated"
          : e.op === "reduceAnd"
            ? "all"
            : e.op === "reduceOr"
              ? "any"
              : "parity";
    case "binary":
      return HINT[e.op];
    case "shift":
      return "shifted";
    case "mux":
      return "choice";
    case "concat":
      return "joined";
    case "slice":
      return "bits";
    case "pick":
      return "element";
    case "extend":
      return "wide";
  }
}

/** What tells values apart: two of one width that print alike are the same. */
const keyOf = (v: VExpr): string => `${v.width} ${printExpr(v)}`;

/** Characters of a signal's name beyond which no helper wire is named after it. */
const LONGEST = 24;
/** Signals of an expression that a helper wire may be named after. */
const MOST = 4;

/**
 * Names that a helper wire may have, the best first: after what takes it, else after what it is made of. Long names
 * lead to no further ones: those of a chain would grow.
 */
function candidates(consumer: string, v: VExpr, hint: string): string[] {
  const of = signalsIn(v, MOST).filter(n => n !== consumer && n.length <= LONGEST);
  return [
    `${consumer}_${hint}`,
    ...of.map(n => `${n}_${hint}`),
    ...of.map(n => `${consumer}_${hint}_${n}`),
    `${consumer}_${hint}`,
  ];
}

/** The first names in an expression, each once, `most` at most. */
function signalsIn(v: VExpr, most: number): string[] {
  const found = new Set<string>(),
    stack: VExpr[] = [v];
  for (let e = stack.pop(); e !== undefined && found.size < most; e = stack.pop()) {
    switch (e.kind) {
      case "number":
        break;
      case "name":
      case "range":
      case "index":
      case "lane":
      case "part":
        found.add(e.name);
        break;
      case "unary":
      case "repeat":
      case "system":
        stack.push(e.a);
        break;
      case "binary":
        stack.push(e.b, e.a);
        break;
      case "ternary":
        stack.push(e.b, e.a, e.cond);
        break;
      case "concat":
        for (let i = Math.min(e.parts.length, most) - 1; i >= 0; i--) stack.push(e.parts[i] as VExpr);
    }
  }
  return [...found];
}

/** Where names come from and where helper wires go. */
export interface Surroundings {
  readonly names: NameTable;
  /** A signal's name; a number where it never changes. */
  readonly signal: (s: Signal) => VExpr;
  readonly memory: (m: Memory) => string;
  /** Localparam of a labelled constant; undefined when there is none. */
  readonly label: (c: Const, near: Signal | undefined) => VName | undefined;
  readonly declare: (d: VDeclare) => void;
}

export class Expressions {
  readonly #around: Surroundings;
  /** Counted once at least, and more than once; leaves are cheap to repeat and are not counted. */
  readonly #used = new Set<Expr>();
  readonly #shared = new Set<Expr>();
  readonly #read = new Set<Signal>();
  readonly #done = new Map<Expr, VExpr>();
  /** Wires by the text of their value: what is written alike is one wire. */
  readonly #wires = new Map<string, VName>();
  readonly #constants = new Map<Expr, bigint>();
  readonly #chains = new Map<VExpr, number>();
  #consumer = "";

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Announces an expression that will be lowered: sharing is known before anything is printed. */
  count(root: Expr): void {
    if (!this.#firstUse(root)) return;
    const stack: Expr[] = [root];
    for (let e = stack.pop(); e !== undefined; e = stack.pop()) {
      for (let n = 0, o = operandAt(e, n); o !== undefined; o = operandAt(e, ++n)) if (this.#firstUse(o)) stack.push(o);
    }
  }

  /** Whether an expression reads the signal itself; known once all are counted. */
  isRead(s: Signal): boolean {
    return this.#read.has(s);
  }

  #firstUse(e: Expr): boolean {
    if (e.kind === "read") this.#read.add(e.signal);
    if (isLeaf(e)) return false;
    const before = this.#used.size;
    this.#used.add(e);
    if (this.#used.size !== before) return true;
    this.#shared.add(e);
    return false;
  }

  /**
   * Verilog for `root` where it is the whole right side of an assignment. Nothing beside it can change how its operands
   * are extended, so `$signed(...)` around it has no effect. Elsewhere (`case`, comparisons) it does: `lower`.
   */
  lowerAssigned(root: Expr, consumer: string, near?: Signal): VExpr {
    return bare(this.lower(root, consumer, near));
  }

  /**
   * Verilog for `root` as an operand: its value is the same whatever stands beside it. Helper wires that it needs are
   * declared first, named `<consumer>_<hint>`. `near`: the signal that takes the value.
   */
  lower(root: Expr, consumer: string, near?: Signal): VExpr {
    this.#consumer = consumer;
    if (root.kind === "const") return this.#constant(root, near);
    postOrder(root, this.#done, e => {
      const v = this.#node(e);
      if (v.kind === "number") this.#constants.set(e, v.value);
      const shared = v.cost > SHARED_COST && e !== root && this.#shared.has(e);
      this.#done.set(e, shared || (e !== root && this.#isNamed(e, v)) ? this.#wire(v, e) : v);
    });
    return this.#done.get(root) as VExpr;
  }

  /** Whether the source names a value that has no name in the text yet, and the name is free: in a loop, the first. */
  #isNamed(e: Expr, v: VExpr): boolean {
    if (v.kind === "name" || v.kind === "number") return false;
    const given = hintFor(e);
    return given?.always === true && (!this.#around.names.has(given.name) || this.#wires.has(keyOf(bare(v))));
  }

  /** As `lower`, for a value that may be used again: a shared one becomes the wire `<consumer>` + `_<hint>`. */
  lowerShared(root: Expr, consumer: string, hint: string): VExpr {
    const v = this.lower(root, consumer);
    if (v.cost <= SHARED_COST || !this.#shared.has(root)) return v;
    const wire = this.#wire(v, root, hint);
    this.#done.set(root, wire);
    return wire;
  }

  /** From now on `e` is read from this signal, which carries its value. */
  alias(e: Expr, as: VName): void {
    const v = this.#done.get(e);
    if (v === undefined || v.cost <= 1) return;
    this.#done.set(e, as);
    const key = keyOf(bare(v));
    if (v.cost > SHARED_COST && !this.#wires.has(key)) this.#wires.set(key, as);
  }

  /** The constant that an expression that was lowered folded to. */
  constantOf(e: Expr): bigint | undefined {
    return e.kind === "const" ? e.value : this.#constants.get(e);
  }

  #wire(v: VExpr, e: Expr, what = hintOf(e)): VName {
    const key = keyOf(bare(v)),
      known = this.#wires.get(key);
    if (known?.signed === v.signed) return known;
    const given = hintFor(e);
    const text = this.#around.names.helper([
      ...(given === undefined ? [] : [given.name]),
      ...candidates(this.#consumer, v, what),
    ]);
    this.#around.declare({
      kind: "declare",
      what: "wire",
      name: text,
      width: v.width,
      signed: v.signed,
      depth: undefined,
      value: bare(v),
      attributes: [],
      position: given?.position,
    });
    const wire = name(text, v.width, v.signed);
    this.#wires.set(key, wire);
    return wire;
  }

  #constant(c: Const, near: Signal | undefined): VExpr {
    const label = c.label === undefined ? undefined : this.#around.label(c, near);
    return label ?? number(c.value, c.width, c.signed, c.base);
  }

  /** The lowered operand, cut off into a wire when it is too long. */
  #operand(e: Expr): VExpr {
    const v = this.#done.get(e) as VExpr;
    if (v.cost <= OPERAND_COST) return v;
    const wire = this.#wire(v, e);
    this.#done.set(e, wire);
    return wire;
  }

  /** The operand as a vector that can be selected from. */
  #named(e: Expr): VName {
    const v = this.#done.get(e) as VExpr;
    if (v.kind === "name" && !v.parameter) return v;
    const wire = this.#wire(v, e);
    this.#done.set(e, wire);
    return wire;
  }

  #fold(e: Expr, value: bigint): VExpr {
    return number(value, e.width, e.signed);
  }

  #same(a: Expr, b: Expr): boolean {
    if (a === b) return true;
    const known = this.#constants.get(a);
    if (known !== undefined) return known === this.#constants.get(b);
    const x = this.#done.get(a),
      y = this.#done.get(b);
    return x?.kind === "name" && y?.kind === "name" && x.name === y.name;
  }

  /**
   * Results that one operand alone decides, or two that are the same. Linters fold them too, and then object to what
   * is left unread.
   */
  #decided(e: Expr): bigint | undefined {
    if (e.kind === "shift") {
      const a = this.#constants.get(e.a),
        by = this.#constants.get(e.by),
        arithmetic = e.op === "right" && e.a.signed;
      if (a === 0n || (arithmetic && a === maskOf(e.width))) return a;
      return by !== undefined && by >= BigInt(e.width) && !arithmetic ? 0n : undefined;
    }
    if (e.kind !== "binary") return undefined;
    const a = this.#constants.get(e.a),
      b = this.#constants.get(e.b);
    switch (e.op) {
      case "and":
      case "mul":
        return a === 0n || b === 0n ? 0n : undefined;
      case "or":
        return (a !== undefined && a === maskOf(e.width)) || (b !== undefined && b === maskOf(e.width))
          ? maskOf(e.width)
          : undefined;
      case "sub":
      case "xor":
      case "ne":
        return this.#same(e.a, e.b) ? 0n : undefined;
      case "eq":
        return this.#same(e.a, e.b) ? 1n : undefined;
      case "lt":
      case "gt":
        return this.#same(e.a, e.b) ? 0n : this.#knownComparison(e);
      case "le":
      case "ge":
        return this.#same(e.a, e.b) ? 1n : this.#knownComparison(e);
      case "add":
        return undefined;
    }
  }

  /** The operands' values when all of them are constant. */
  #values(e: Expr): bigint[] | undefined {
    const out: bigint[] = [];
    for (let n = 0, o = operandAt(e, n); o !== undefined; o = operandAt(e, ++n)) {
      const v = this.#constants.get(o);
      if (v === undefined) return undefined;
      out.push(v);
    }
    return out;
  }

  #node(e: Expr): VExpr {
    if (e.kind === "const") {
      this.#constants.set(e, e.value);
      return this.#constant(e, undefined);
    }
    if (e.kind === "read") return this.#around.signal(e.signal);
    if (e.kind === "memRead")
      return index(this.#around.memory(e.memory), e.width, toUnsigned(this.#operand(e.address)), true);
    const values = this.#values(e);
    if (values !== undefined) return this.#fold(e, applyOperator(e, values));
    const decided = this.#decided(e);
    if (decided !== undefined) return this.#fold(e, decided);
    switch (e.kind) {
      case "unary":
        return this.#unary(e);
      case "binary":
        return this.#binary(e);
      case "shift": {
        // Icarus 11 writes a program that it cannot read when a memory's word shifts, or when that of a fixed address
        // is shifted.
        const value = this.#operand(e.a),
          a = value.kind === "index" && value.memory && value.index.kind === "number" ? this.#named(e.a) : value,
          lowered = this.#operand(e.by);
        const amount = lowered.kind === "index" && lowered.memory ? this.#named(e.by) : lowered;
        const by: VExpr = amount.kind === "number" ? { ...amount, signed: false, plain: true } : amount;
        if (e.op === "left") return binary("<<", a, by);
        return e.a.signed ? system(binary(">>>", toSigned(a), by), true) : binary(">>", a, by);
      }
      case "mux":
        return this.#mux(e);
      case "concat":
        return concat(e.parts.map(p => this.#operand(p)));
      case "slice":
        return this.#slice(e.a, e.lo, e.width);
      case "pick":
        return this.#pick(e);
      case "extend":
        return this.#extend(e.a, e.width);
      case "cast":
        return this.#done.get(e.a) as VExpr;
    }
  }

  #unary(e: Extract<Expr, { kind: "unary" }>): VExpr {
    const a = this.#operand(e.a);
    const opposite = e.op === "not" && a.kind === "binary" ? OPPOSITE[a.op] : undefined;
    if (opposite !== undefined && a.kind === "binary") return { ...a, op: opposite };
    if (e.op === "not" && a.kind === "unary" && a.op === "~") return a.a;
    const op: VUnaryOp =
      e.op === "not" ? "~" : e.op === "neg" ? "-" : e.op === "reduceAnd" ? "&" : e.op === "reduceOr" ? "|" : "^";
    if (e.a.width === 1 && op !== "~") return toUnsigned(a);
    return unary(op, op === "~" || op === "-" ? a : bare(a));
  }

  #binary(e: Extract<Expr, { kind: "binary" }>): VExpr {
    if (e.op === "mul") {
      const a = this.#extend(e.a, e.width),
        b = this.#extend(e.b, e.width);
      // Said to be signed, the copies of the sign are seen as such: synthesis makes one DSP block of what was five.
      return e.a.signed ? binary("*", toSigned(a), toSigned(b)) : binary("*", a, b);
    }
    const neutral = this.#neutral(e);
    if (neutral !== undefined) return this.#done.get(neutral) as VExpr;
    const op = BINARY[e.op];
    const a = this.#state(e.a, e.b),
      b = this.#state(e.b, e.a);
    if (e.op === "lt" || e.op === "le" || e.op === "gt" || e.op === "ge") {
      return e.a.signed ? binary(op, toSigned(a), toSigned(b)) : binary(op, toUnsigned(a), toUnsigned(b));
    }
    return binary(op, a, b);
  }

  /** The operand that alone is the result: the other one changes nothing. */
  #neutral(e: Extract<Expr, { kind: "binary" }>): Expr | undefined {
    const a = this.#constants.get(e.a),
      b = this.#constants.get(e.b);
    switch (e.op) {
      case "and":
        return (a !== undefined && a === maskOf(e.width)) || this.#same(e.a, e.b)
          ? e.b
          : b !== undefined && b === maskOf(e.width)
            ? e.a
            : undefined;
      case "or":
        return a === 0n || this.#same(e.a, e.b) ? e.b : b === 0n ? e.a : undefined;
      case "add":
      case "xor":
        return a === 0n ? e.b : b === 0n ? e.a : undefined;
      case "sub":
        return b === 0n ? e.a : undefined;
      default:
        return undefined;
    }
  }

  /** The operand; a labelled constant next to an FSM register is one of that register's states. */
  #state(e: Expr, other: Expr): VExpr {
    return e.kind === "const" && e.label !== undefined && other.kind === "read"
      ? this.#constant(e, other.signal)
      : this.#operand(e);
  }

  /** Comparisons with the end of the range are constant; linters object to them. */
  #knownComparison(e: Extract<Expr, { kind: "binary" }>): bigint | undefined {
    const signed = e.a.signed,
      w = BigInt(e.a.width);
    const least = signed ? 1n << (w - 1n) : 0n,
      most = signed ? (1n << (w - 1n)) - 1n : maskOf(e.a.width);
    const a = this.#constants.get(e.a),
      b = this.#constants.get(e.b);
    switch (e.op) {
      case "lt":
        return b === least || a === most ? 0n : undefined;
      case "gt":
        return b === most || a === least ? 0n : undefined;
      case "ge":
        return b === least || a === most ? 1n : undefined;
      case "le":
        return b === most || a === least ? 1n : undefined;
      default:
        return undefined;
    }
  }

  #mux(e: Extract<Expr, { kind: "mux" }>): VExpr {
    if (this.#same(e.a, e.b)) return this.#done.get(e.a) as VExpr;
    const known = this.#constants.get(e.cond);
    if (known !== undefined) return this.#done.get(known !== 0n ? e.a : e.b) as VExpr;
    const cond = bare(this.#operand(e.cond)),
      a = this.#operand(e.a);
    const last = this.#done.get(e.b) as VExpr;
    const length = last.kind === "ternary" ? (this.#chains.get(last) ?? 1) : 0;
    const b = last.kind === "ternary" && length < CHAIN ? last : this.#operand(e.b);
    const v = ternary(cond, a, b);
    this.#chains.set(v, b === last ? length + 1 : 1);
    return v;
  }

  #slice(a: Expr, lo: number, width: number): VExpr {
    const v = this.#done.get(a) as VExpr;
    return sliceExpr(v, lo, width) ?? (sliceExpr(this.#named(a), lo, width) as VExpr);
  }

  #extend(a: Expr, width: number): VExpr {
    const known = this.#constants.get(a);
    const more = width - a.width;
    if (known !== undefined)
      return number(
        a.signed && known >> BigInt(a.width - 1) === 1n ? known | (maskOf(more) << BigInt(a.width)) : known,
        width,
        a.signed,
      );
    const v = this.#operand(a);
    if (!a.signed) return concat([number(0n, more), v]);
    if (a.width === 1) return repeat(width, v);
    const from = v.kind === "name" || v.kind === "range" ? v : this.#named(a);
    return concat([repeat(more, sliceExpr(from, a.width - 1, 1) as VExpr), from]);
  }

  #pick(e: Extract<Expr, { kind: "pick" }>): VExpr {
    const at = this.#constants.get(e.index);
    if (at !== undefined) return this.#slice(e.a, Number(at) * e.width, e.width);
    const from = this.#named(e.a);
    const which = toUnsigned(this.#operand(e.index));
    if (e.width === 1) return index(from.name, 1, which, false);
    const bits = Math.ceil(Math.log2(e.width));
    if (1 << bits === e.width) return part(from.name, e.width, concat([which, number(0n, bits)]));
    return part(
      from.name,
      e.width,
      binary("*", concat([number(0n, bits), which]), number(BigInt(e.width), bits + which.width)),
    );
  }
}
