/**
 * The runtime of values: exact width checks at elaboration, errors noted and the build going on with a value of
 * the right width.
 */
import type { Position, Signal } from "../ir/circuit.ts";
import { asSigned, type BinaryOp, type Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import type { Bit, Num, SInt, UInt } from "../types/value.ts";
import { codeNamed } from "../types/enumeration.ts";
import { type Enumeration, sameEnumeration } from "../types/shape.ts";
import type { Product, WidthOfAll } from "../types/sum.ts";
import { context, refuse, report, warn } from "./context.ts";
import { baseHere, userPosition } from "./position.ts";
import { didYouMean } from "./suggest.ts";

/** Every value carries its expression here; user code has no reason to look. */
export const exprKey: unique symbol = Symbol("expr");

const declared = (e: Expr): Position | undefined => (e.kind === "read" ? e.signal.position : undefined);
/** How a message names a value. */
export function describe(e: Expr): string {
  switch (e.kind) {
    case "read":
      return `\`${e.signal.name}\``;
    case "const":
      return `the constant ${e.value.toString()}`;
    case "slice":
      return e.a.kind === "read"
        ? `\`${e.a.signal.name}[${e.width === 1 ? e.lo : `${e.lo + e.width - 1}:${e.lo}`}]\``
        : "the selected bits";
    case "binary":
      return `the result of ${e.op}`;
    case "unary":
      return `the result of ${e.op}`;
    case "memRead":
      return `a word of \`${e.memory.name}\``;
    case "mux":
      return "the result of mux";
    default:
      return "the operand";
  }
}

const sign = (signed: boolean): string => (signed ? "signed" : "unsigned");
const bitRange = (lo: number, width: number): string => (width === 1 ? `bit ${lo}` : `bits ${lo} to ${lo + width - 1}`);
const bitsOf = (n: number): string => (n === 1 ? "1 bit" : `${n} bits`);

const rangeOf = (width: number, signed: boolean): readonly [bigint, bigint] =>
  signed ? [-(1n << BigInt(width - 1)), (1n << BigInt(width - 1)) - 1n] : [0n, (1n << BigInt(width)) - 1n];

/** The answer of a comparison that is the same whatever the hardware holds. */
function constantAnswer(op: BinaryOp, a: Expr, b: Expr): 0 | 1 | undefined {
  if (a.kind === "const" && b.kind === "const") return undefined;
  if (a === b)
    return op === "eq" || op === "le" || op === "ge" ? 1 : op === "ne" || op === "lt" || op === "gt" ? 0 : undefined;
  const [lowest, highest] = rangeOf(a.width, a.signed);
  const is = (e: Expr, v: bigint): boolean =>
    e.kind === "const" && (e.signed ? asSigned(e.value, e.width) : e.value) === v;
  switch (op) {
    case "lt":
      return is(b, lowest) || is(a, highest) ? 0 : undefined;
    case "ge":
      return is(b, lowest) || is(a, highest) ? 1 : undefined;
    case "gt":
      return is(b, highest) || is(a, lowest) ? 0 : undefined;
    case "le":
      return is(b, highest) || is(a, lowest) ? 1 : undefined;
    default:
      return undefined;
  }
}

function warnOfConstant(op: BinaryOp, a: Expr, b: Expr): void {
  const answer = constantAnswer(op, a, b);
  if (answer === undefined) return;
  const [lowest, highest] = rangeOf(a.width, a.signed);
  const why =
    a === b
      ? `${describe(a)} is compared with itself`
      : `${describe(a.kind === "const" ? b : a)} has ${bitsOf(a.width)} ${sign(a.signed)}, ${lowest.toString()} to ${highest.toString()}`;
  warn(
    "HDL201",
    `${op}: the answer is always ${answer}: ${why}`,
    "Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
    declared(a),
  );
}

/** A number as a constant of the wanted width; out of range is an error naming both. */
export function literal(n: Num, width: number, signed: boolean, what: string): Expr {
  if (typeof n === "number" && !Number.isSafeInteger(n)) {
    report(
      "HDL102",
      `${what}: the number ${String(n)} is not a whole number that JavaScript holds exactly`,
      "Write a whole number, as a bigint (123n) when it is beyond 2^53",
    );
    return make.constant(0n, width, signed);
  }
  const v = BigInt(n);
  const [lowest, highest] = rangeOf(width, signed);
  if (v < lowest || v > highest) {
    report(
      "HDL102",
      `${what}: the number ${v.toString()} does not fit ${bitsOf(width)} ${sign(signed)} (${lowest.toString()} to ${highest.toString()})`,
      "Use a number in range, or a wider value",
    );
  }
  return { ...make.constant(v, width, signed), base: signed ? undefined : baseHere(v) };
}

/** A value of an enumeration as a constant; a name that it does not have is reported. */
export function nameConstant(e: Enumeration, name: string, width: number, what: string): Expr {
  const code = codeNamed(e, name);
  if (code === undefined) {
    const names = Object.keys(e.codes);
    report(
      "HDL140",
      `${what}: ${e.name} has no value ${name}`,
      `${didYouMean(name, names)}Its values are ${names.join(", ")}`,
    );
    return make.constant(0n, width);
  }
  return make.constant(BigInt(code), width, false, name, e);
}

/** The expression of what is given for a value of an enumeration: such a value, or a name. */
function namedOperand(v: unknown, width: number, e: Enumeration, what: string): Expr {
  if (typeof v === "string") return nameConstant(e, v, width, what);
  if (v instanceof Value && sameEnumeration(v.enumeration, e)) return v[exprKey];
  const got =
    v instanceof Value
      ? v.enumeration === undefined
        ? `${describe(v[exprKey])} is a number of ${bitsOf(v.width)}`
        : `${describe(v[exprKey])} is one of ${v.enumeration.name}`
      : `got ${typeof v === "number" || typeof v === "bigint" ? `the number ${v}` : v === undefined ? "undefined" : `a JavaScript ${typeof v}`}`;
  report(
    "HDL140",
    `${what}: a value of ${e.name} is expected, ${got}`,
    `Write ${e.name}.${Object.keys(e.codes)[0] ?? ""}, or read bits as one with unpack(${e.name}, bits)`,
    v instanceof Value ? declared(v[exprKey]) : undefined,
  );
  return make.constant(0n, width);
}

/** The expression of an operand, brought to the wanted width whatever was given; a difference is reported. */
export function operand(v: unknown, width: number, signed: boolean, what: string, enumeration?: Enumeration): Expr {
  if (enumeration !== undefined) return namedOperand(v, width, enumeration, what);
  if (v instanceof Value && v.enumeration !== undefined) v.asNumber(what);
  if (typeof v === "number" || typeof v === "bigint") return literal(v, width, signed, what);
  if (typeof v === "boolean") {
    report(
      "HDL103",
      `${what}: got the JavaScript value ${String(v)}`,
      "Write 1 or 0; two values are compared by eq, not by ===",
    );
    return make.constant(v ? 1n : 0n, width, signed);
  }
  if (!(v instanceof Value)) {
    report(
      "HDL103",
      `${what}: got ${v === undefined ? "undefined" : typeof v === "object" ? "a struct or another object" : typeof v}, not a value of ${bitsOf(width)}`,
      "Give a value of the language, or a number",
    );
    return make.constant(0n, width, signed);
  }
  const e = v[exprKey];
  if (e.signed !== signed) {
    report(
      "HDL104",
      `${what}: ${sign(signed)} expected, ${describe(e)} is ${sign(e.signed)}`,
      e.signed ? "Convert it with asUint()" : "Convert it with asSint()",
      declared(e),
    );
    return fit(make.cast(e), width);
  }
  if (e.width !== width) {
    report(
      "HDL101",
      `${what}: expected ${bitsOf(width)}, ${describe(e)} has ${e.width}`,
      width === 1 && what.startsWith("the condition")
        ? "Ask whether it is not zero with any(), or compare it"
        : e.width > width
          ? `Cut it with trunc(${width}) or select bits`
          : `Extend it with ${signed ? "sext" : "zext"}(${width})`,
      declared(e),
    );
    return fit(e, width);
  }
  return e;
}

function fit(e: Expr, width: number): Expr {
  const r = e.width > width ? make.slice(e, 0, width) : make.extend(e, width);
  return r.signed === e.signed ? r : make.cast(r);
}

/**
 * A value where JavaScript wants a number or a text: it has none until the hardware runs. Conditions and `===` never
 * ask: a lint rule finds those.
 */
export function refusePrimitive(what: string, hint: string): never {
  return refuse(
    "HDL124",
    `${what} is used as a JavaScript ${hint === "number" ? "number" : hint === "string" ? "text" : "value"}: it is known only when the hardware runs`,
    hint === "string"
      ? "Leave it out of the text"
      : hint === "number"
        ? "Calculate and compare by methods: a.sub(b), a.lt(b)"
        : "Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  );
}

export class Value {
  readonly [exprKey]: Expr;
  /** Set by the view of an enumeration. */
  enumeration: Enumeration | undefined;
  constructor(e: Expr, enumeration?: Enumeration) {
    this[exprKey] = e;
    this.enumeration = enumeration;
  }
  /** The expression, of a value that counts: an enumeration's value is refused. */
  asNumber(what: string): Expr {
    if (this.enumeration !== undefined)
      report(
        "HDL141",
        `${what}: ${describe(this[exprKey])} is one of ${this.enumeration.name}, not a number`,
        "Compare it by is, eq or match, or take its code with asUint()",
        declared(this[exprKey]),
      );
    return this[exprKey];
  }
  [Symbol.toPrimitive](hint: string): never {
    return refusePrimitive(describe(this[exprKey]), hint);
  }
  get width(): number {
    return this[exprKey].width;
  }
  get signedness(): "signed" | "unsigned" {
    return this[exprKey].signed ? "signed" : "unsigned";
  }

  private two(op: BinaryOp, b: unknown): Value {
    const same = op === "eq" || op === "ne",
      a = same ? this[exprKey] : this.asNumber(op),
      other = operand(b, a.width, a.signed, op, same ? this.enumeration : undefined);
    if (this.enumeration === undefined) warnOfConstant(op, a, other);
    return new Value(make.binary(op, a, other));
  }
  add(b: unknown): Value {
    return this.two("add", b);
  }
  sub(b: unknown): Value {
    return this.two("sub", b);
  }
  addGrow(b: unknown): Value {
    const a = this.asNumber("addGrow"),
      w = a.width + 1;
    return new Value(make.binary("add", make.extend(a, w), make.extend(operand(b, a.width, a.signed, "addGrow"), w)));
  }
  mul(b: unknown): Value {
    const a = this.asNumber("mul");
    return new Value(
      make.binary(
        "mul",
        a,
        b instanceof Value && b[exprKey].signed === a.signed ? b[exprKey] : operand(b, a.width, a.signed, "mul"),
      ),
    );
  }
  and(b: unknown): Value {
    return this.two("and", b);
  }
  andNot(b: unknown): Value {
    const a = this.asNumber("andNot");
    return new Value(make.binary("and", a, make.unary("not", operand(b, a.width, a.signed, "andNot"))));
  }
  or(b: unknown): Value {
    return this.two("or", b);
  }
  xor(b: unknown): Value {
    return this.two("xor", b);
  }
  eq(b: unknown): Value {
    return this.two("eq", b);
  }
  ne(b: unknown): Value {
    return this.two("ne", b);
  }
  lt(b: unknown): Value {
    return this.two("lt", b);
  }
  le(b: unknown): Value {
    return this.two("le", b);
  }
  gt(b: unknown): Value {
    return this.two("gt", b);
  }
  ge(b: unknown): Value {
    return this.two("ge", b);
  }
  not(): Value {
    return new Value(make.unary("not", this.asNumber("not")));
  }
  neg(): Value {
    return new Value(make.unary("neg", this.asNumber("neg")));
  }
  any(): Value {
    return new Value(make.unary("reduceOr", unsigned(this.asNumber("any"))));
  }
  all(): Value {
    return new Value(make.unary("reduceAnd", unsigned(this.asNumber("all"))));
  }
  parity(): Value {
    return new Value(make.unary("reduceXor", unsigned(this.asNumber("parity"))));
  }

  private powerOfTwo(what: string, by: number): number {
    const n = Math.log2(by);
    if (Number.isInteger(n) && n >= 0) return n;
    report(
      "HDL105",
      `${what}: ${by} is not a power of two`,
      "Division by anything else is a circuit of its own: write it as one (a shift-subtract unit or a multiplication by the reciprocal)",
    );
    return 0;
  }
  div(by: number): Value {
    return this.shr(this.powerOfTwo("div", by));
  }
  mod(by: number): Value {
    const n = this.powerOfTwo("mod", by),
      e = this.asNumber("mod");
    if (n >= e.width) return this;
    return new Value(n === 0 ? make.constant(0n, e.width) : make.extend(make.slice(e, 0, n), e.width));
  }

  private shift(op: "left" | "right", by: number | Value): Value {
    const e = this.asNumber("a shift");
    if (by instanceof Value) {
      const amount = by.asNumber("the amount of a shift");
      if (amount.kind !== "const") return new Value(make.shift(op, e, amount));
      return this.shift(op, Number(amount.value));
    }
    if (!Number.isInteger(by) || by < 0) {
      report(
        "HDL106",
        `shift by ${by}: the amount must be a whole number of 0 or more`,
        "Shift the other way for a negative amount",
      );
      return this;
    }
    if (by >= e.width)
      warn(
        "HDL202",
        `shift ${op} by ${by}: ${op === "right" && e.signed ? "only the sign" : "nothing"} is left of ${describe(e)}, which has ${bitsOf(e.width)}`,
        `Shift by less than ${e.width}, or extend the value first`,
        declared(e),
      );
    if (by >= e.width && !(op === "right" && e.signed)) return new Value(make.constant(0n, e.width, e.signed));
    const n = Math.min(by, e.width - 1);
    return new Value(make.shift(op, e, make.constant(BigInt(n), Math.max(1, n.toString(2).length))));
  }
  shl(by: number | Value): Value {
    return this.shift("left", by);
  }
  shr(by: number | Value): Value {
    return this.shift("right", by);
  }

  bits(lo: number, width: number): Value {
    const e = this.asNumber("bits");
    if (!Number.isInteger(lo) || !Number.isInteger(width) || lo < 0 || width < 1 || lo + width > e.width) {
      report(
        "HDL107",
        `${bitRange(lo, width)} of ${describe(e)}, which has ${bitsOf(e.width)}`,
        `Select within 0 to ${e.width - 1}`,
        declared(e),
      );
      return new Value(make.constant(0n, Math.max(1, width)));
    }
    return new Value(make.slice(e, lo, width));
  }
  bit(i: number): Value {
    return this.bits(i, 1);
  }
  trunc(n: number): Value {
    const e = this.asNumber("trunc");
    if (n > e.width) {
      report(
        "HDL108",
        `trunc(${n}): ${describe(e)} has only ${bitsOf(e.width)}`,
        `Extend it with ${e.signed ? "sext" : "zext"}(${n})`,
        declared(e),
      );
      return new Value(fit(e, n));
    }
    return new Value(make.slice(e, 0, n));
  }
  private extended(what: string, n: number): Value {
    const e = this.asNumber(what);
    if (e.signed !== (what === "sext"))
      report(
        "HDL104",
        `${what}(${n}): ${sign(!e.signed)} expected, ${describe(e)} is ${sign(e.signed)}`,
        e.signed
          ? `Extend it by its sign with sext(${n}), or read it as unsigned first with asUint()`
          : `Extend it with zext(${n}), or read it as signed first with asSint()`,
        declared(e),
      );
    if (n < e.width) {
      report(
        "HDL108",
        `${what}(${n}): ${describe(e)} has ${bitsOf(e.width)} already`,
        `Cut it with trunc(${n})`,
        declared(e),
      );
      return new Value(fit(e, n));
    }
    return new Value(make.extend(e, n));
  }
  zext(n: number): Value {
    return this.extended("zext", n);
  }
  sext(n: number): Value {
    return this.extended("sext", n);
  }
  resize(n: number): Value {
    return n >= this.width ? this.extended("resize", n) : this.trunc(n);
  }
  /** Of a number: states its width. Of an enumeration's value: whether it is one of these. */
  is(n: number | string, ...others: readonly string[]): Value {
    const e = this[exprKey];
    if (this.enumeration !== undefined)
      return new Value([n, ...others].map(x => this.two("eq", x)[exprKey]).reduce((a, b) => make.binary("or", a, b)));
    if (typeof n === "string") {
      report("HDL103", `is: got the name ${n}, and ${describe(e)} is a number`, "Compare it by eq with a number");
      return this;
    }
    if (n !== e.width) {
      report(
        "HDL101",
        `is(${n}): ${describe(e)} has ${bitsOf(e.width)}`,
        `State the width that it has, ${e.width}, or change it by trunc, zext or sext`,
        declared(e),
      );
      return new Value(fit(e, n));
    }
    return this;
  }
  asSint(): Value {
    return this[exprKey].signed ? this : new Value(make.cast(this.asNumber("asSint")));
  }
  asUint(): Value {
    return new Value(unsigned(this[exprKey]));
  }
}

const unsigned = (e: Expr): Expr => (e.signed ? make.cast(e) : e);

/** A value that can be driven: the whole of a signal. */
export class Variable extends Value {
  readonly signal: Signal;
  constructor(signal: Signal) {
    super(make.read(signal));
    this.signal = signal;
  }
  set(v: unknown): void {
    const s = this.signal;
    assign(s, 0, operand(v, s.width, s.signed, `\`${s.name}\` is set`, s.enumeration));
  }
  setBits(lo: number, v: unknown): void {
    this.asNumber("setBits");
    const s = this.signal,
      width = v instanceof Value ? v.width : s.width - lo;
    if (lo < 0 || lo + width > s.width) {
      report(
        "HDL107",
        `${bitRange(lo, width)} of \`${s.name}\`, which has ${bitsOf(s.width)}`,
        `Select within 0 to ${s.width - 1}`,
        s.position,
      );
      return;
    }
    assign(s, lo, operand(v, width, false, `\`${s.name}\` is set from bit ${lo}`));
  }
}

/** Drives bits of a signal here; a register only in its own clock domain. */
export function assign(target: Signal, lo: number, value: Expr): void {
  const c = context();
  if (target.kind === "reg" && target.domain !== undefined && target.domain !== c.domain) {
    report(
      "HDL109",
      `register \`${target.name}\` belongs to clock domain \`${target.domain.name}\` and is set in domain \`${c.domain.name}\``,
      "Give each register one clock: set it inside its own domain, and cross with a synchroniser or an asynchronous FIFO",
      target.position,
    );
    return;
  }
  c.block.push({ kind: "assign", target, lo, width: value.width, value, position: userPosition() });
}

export const uintOf = (e: Expr): UInt => new Value(e) as unknown as UInt;
export const sintOf = (e: Expr): SInt => new Value(e) as unknown as SInt;
export const bitOf = (e: Expr): Bit => new Value(e) as unknown as Bit;
/** The expression of a value; anything else than a value is reported. */
export function exprOf(v: unknown, what = "value"): Expr {
  if (v instanceof Value) return v[exprKey];
  report(
    "HDL103",
    `${what}: a value of the language is expected, got ${typeof v}`,
    "Wrap numbers with constant(value, width)",
  );
  return make.constant(0n, 1);
}
/** As `exprOf`, for a value that stands for bits: an enumeration's is refused. */
const countOf = (v: unknown, what: string): Expr => (v instanceof Value ? v.asNumber(what) : exprOf(v, what));
/** The expression of a condition: exactly one bit. */
export const conditionOf = (v: unknown, what: string): Expr => operand(v, 1, false, what);

/** A constant of the given width. */
export function constant<const W extends number>(value: Num, width: W): UInt<W> {
  return uintOf(literal(value, width, false, "constant")) as UInt<W>;
}
/** Concatenation, the first operand in the most significant bits, as in Verilog. */
export function cat<const P extends readonly (UInt | SInt)[]>(...parts: P): UInt<WidthOfAll<P>>;
export function cat(...parts: readonly (UInt | SInt)[]): UInt {
  return uintOf(make.concat(parts.map(p => countOf(p, "cat"))));
}
/** `n` copies side by side. */
export function repeat<W extends number, const N extends number>(v: UInt<W>, n: N): UInt<Product<W, N>>;
export function repeat(v: UInt, n: number): UInt {
  return uintOf(make.concat(Array.from({ length: n }, () => countOf(v, "repeat"))));
}
