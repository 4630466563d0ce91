/**
 * The constructors that the builders use: they assume checked widths and fold what would be noise in the emitted text.
 */
import { asSigned, type BinaryOp, type Const, type Expr, maskOf, type UnaryOp } from "./expr.ts";
import type { Enumeration } from "../types/shape.ts";
import type { Memory, Signal } from "./circuit.ts";

export const constant = (
  value: bigint,
  width: number,
  signed = false,
  label?: string,
  enumeration?: Enumeration,
): Const => ({
  kind: "const",
  width,
  signed,
  value: value & maskOf(width),
  label,
  enumeration,
});
export const read = (signal: Signal): Expr => ({ kind: "read", width: signal.width, signed: signal.signed, signal });
export const memRead = (memory: Memory, address: Expr): Expr => ({
  kind: "memRead",
  width: memory.width,
  signed: false,
  memory,
  address,
});

/** A value of an enumeration: it keeps its name, also where its number would fold away. */
const isNamed = (e: Expr): boolean => e.kind === "const" && e.enumeration !== undefined;
const isZero = (e: Expr): boolean => e.kind === "const" && e.value === 0n;
const isOnes = (e: Expr): boolean => e.kind === "const" && e.value === maskOf(e.width);

export function unary(op: UnaryOp, a: Expr): Expr {
  const reduces = op === "reduceAnd" || op === "reduceOr" || op === "reduceXor";
  if (reduces && a.width === 1) return a;
  if (op === "not" && a.kind === "unary" && a.op === "not") return a.a;
  if (a.kind === "const") {
    if (op === "not") return constant(~a.value, a.width, a.signed);
    if (op === "reduceOr") return constant(a.value === 0n ? 0n : 1n, 1);
    if (op === "reduceAnd") return constant(isOnes(a) ? 1n : 0n, 1);
  }
  return { kind: "unary", op, a, width: reduces ? 1 : a.width, signed: reduces ? false : a.signed };
}

const comparisons: ReadonlySet<BinaryOp> = new Set<BinaryOp>(["eq", "ne", "lt", "le", "gt", "ge"]);

export function binary(op: BinaryOp, a: Expr, b: Expr): Expr {
  if (a.kind === "const" && b.kind === "const") return foldBinary(op, a, b);
  if (op === "and") {
    if (isZero(a) || isOnes(b)) return a;
    if (isZero(b) || isOnes(a)) return b;
  }
  if (op === "or") {
    if (isZero(a) || isOnes(b)) return b;
    if (isZero(b) || isOnes(a)) return a;
  }
  if ((op === "add" || op === "sub" || op === "xor") && isZero(b)) return a;
  if (a.width === 1 && b.kind === "const" && !isNamed(b) && (op === "eq" || op === "ne")) {
    const plain = a.signed ? cast(a) : a;
    return (b.value === 1n) === (op === "eq") ? plain : unary("not", plain);
  }
  if (comparisons.has(op)) return { kind: "binary", op, a, b, width: 1, signed: false };
  return { kind: "binary", op, a, b, width: op === "mul" ? a.width + b.width : a.width, signed: a.signed };
}

function foldBinary(op: BinaryOp, a: Const, b: Const): Const {
  const x = a.signed ? asSigned(a.value, a.width) : a.value,
    y = b.signed ? asSigned(b.value, b.width) : b.value;
  const flag = (v: boolean): Const => constant(v ? 1n : 0n, 1);
  switch (op) {
    case "add":
      return constant(x + y, a.width, a.signed);
    case "sub":
      return constant(x - y, a.width, a.signed);
    case "mul":
      return constant(x * y, a.width + b.width, a.signed);
    case "and":
      return constant(a.value & b.value, a.width, a.signed);
    case "or":
      return constant(a.value | b.value, a.width, a.signed);
    case "xor":
      return constant(a.value ^ b.value, a.width, a.signed);
    case "eq":
      return flag(x === y);
    case "ne":
      return flag(x !== y);
    case "lt":
      return flag(x < y);
    case "le":
      return flag(x <= y);
    case "gt":
      return flag(x > y);
    case "ge":
      return flag(x >= y);
  }
}

export function shift(op: "left" | "right", a: Expr, by: Expr): Expr {
  if (by.kind === "const") {
    if (by.value === 0n) return a;
    if (a.kind === "const") {
      const v = a.signed ? asSigned(a.value, a.width) : a.value;
      return constant(
        op === "left" ? (by.value >= BigInt(a.width) ? 0n : v << by.value) : v >> by.value,
        a.width,
        a.signed,
      );
    }
  }
  return { kind: "shift", op, a, by, width: a.width, signed: a.signed };
}

const sameSlice = (a: Expr | undefined, b: Expr | undefined): boolean =>
  a?.kind === "slice" && b?.kind === "slice" && a.a === b.a && a.lo === b.lo && a.width === b.width;

/** `parts[0]` most significant; neighbouring constants and slices of one value merge. */
export function concat(parts: readonly Expr[]): Expr {
  const merged: Expr[] = [];
  const flat = parts.flatMap(x => (x.kind === "concat" ? x.parts : [x]));
  flat.forEach((p, i) => {
    const last = merged.at(-1);
    // Copies side by side stay apart from their neighbours: they print as a repetition.
    const copies = sameSlice(flat[i - 1], flat[i - 2]) || sameSlice(p, flat[i + 1]);
    if (last?.kind === "const" && p.kind === "const" && !isNamed(last) && !isNamed(p))
      merged[merged.length - 1] = constant((last.value << BigInt(p.width)) | p.value, last.width + p.width);
    else if (!copies && last?.kind === "slice" && p.kind === "slice" && last.a === p.a && last.lo === p.lo + p.width)
      merged[merged.length - 1] = slice(p.a, p.lo, last.width + p.width);
    else merged.push(p);
  });
  if (merged.length === 1) {
    const only = merged[0] as Expr;
    return only.signed ? cast(only) : only;
  }
  return { kind: "concat", parts: merged, width: merged.reduce((n, p) => n + p.width, 0), signed: false };
}

export function slice(a: Expr, lo: number, width: number): Expr {
  if (lo === 0 && width === a.width) return a.signed ? cast(a) : a;
  if (a.kind === "const") return constant(a.value >> BigInt(lo), width);
  if (a.kind === "slice") return slice(a.a, a.lo + lo, width);
  if (a.kind === "cast") return slice(a.a, lo, width);
  if (a.kind === "extend" && lo + width <= a.a.width) return slice(a.a, lo, width);
  if (a.kind === "extend" && !a.a.signed && lo >= a.a.width) return constant(0n, width);
  if (a.kind === "concat") {
    let top = a.width;
    const picked: Expr[] = [];
    for (const p of a.parts) {
      const from = top - p.width,
        l = Math.max(lo, from),
        h = Math.min(lo + width, top);
      if (l < h) picked.push(slice(p, l - from, h - l));
      top = from;
    }
    return concat(picked);
  }
  return { kind: "slice", a, lo, width, signed: false };
}

export function extend(a: Expr, width: number): Expr {
  if (width === a.width) return a;
  if (a.kind === "const") return constant(a.signed ? asSigned(a.value, a.width) : a.value, width, a.signed);
  return { kind: "extend", a, width, signed: a.signed };
}

export function cast(a: Expr): Expr {
  if (a.kind === "cast") return a.a;
  if (a.kind === "const") return constant(a.value, a.width, !a.signed);
  return { kind: "cast", a, width: a.width, signed: !a.signed };
}

/** Element `index` of `a`; `a` holds 2^index.width elements of `width` bits. */
export function pick(a: Expr, index: Expr, width: number): Expr {
  if (index.kind === "const") return slice(a, Number(index.value) * width, width);
  return { kind: "pick", a, index, width, signed: false };
}

const isConst = (e: Expr, value: bigint): boolean => e.kind === "const" && e.value === value;

/** `cond ? a : b`, with the one-bit cases as logic: that is how an engineer writes them. */
export function mux(cond: Expr, a: Expr, b: Expr): Expr {
  if (a === b) return a;
  if (cond.kind === "const") return cond.value !== 0n ? a : b;
  if (a.width === 1 && !a.signed && !isNamed(a) && !isNamed(b)) {
    if (isConst(a, 1n)) return isConst(b, 0n) ? cond : binary("or", cond, b);
    if (isConst(a, 0n)) return isConst(b, 1n) ? unary("not", cond) : binary("and", unary("not", cond), b);
    if (isConst(b, 0n)) return binary("and", cond, a);
    if (isConst(b, 1n)) return binary("or", unary("not", cond), a);
  }
  return { kind: "mux", cond, a, b, width: a.width, signed: a.signed };
}
