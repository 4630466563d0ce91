/** Makes Verilog expressions whose width, signedness and cost are right by construction. */
import { maskOf } from "../ir/expr.ts";
import type { VBinaryOp, VExpr, VName, VNumber, VUnaryOp } from "./ast.ts";

export const number = (value: bigint, width: number, signed = false, base?: VNumber["base"]): VExpr => ({
  kind: "number",
  value: value & maskOf(width),
  width,
  signed,
  cost: 1,
  base,
});
export const name = (text: string, width: number, signed = false, parameter = false): VName => ({
  kind: "name",
  name: text,
  width,
  signed,
  parameter,
  cost: 1,
});
export const index = (of: string, width: number, at: VExpr, memory: boolean): VExpr => ({
  kind: "index",
  name: of,
  index: at,
  memory,
  width,
  signed: false,
  cost: 1 + at.cost,
});
export const part = (of: string, width: number, base: VExpr): VExpr => ({
  kind: "part",
  name: of,
  base,
  width,
  signed: false,
  cost: 1 + base.cost,
});
export const ternary = (cond: VExpr, a: VExpr, b: VExpr): VExpr => ({
  kind: "ternary",
  cond,
  a,
  b,
  width: a.width,
  signed: a.signed && b.signed,
  cost: cond.cost + a.cost + b.cost,
});
export const system = (a: VExpr, signed: boolean): VExpr => ({
  kind: "system",
  a,
  width: a.width,
  signed,
  cost: a.cost,
});

/** Bits lo .. lo+width-1 of a named vector. */
export function range(of: VName, lo: number, width: number): VExpr {
  return lo === 0 && width === of.width ? of : { kind: "range", name: of.name, lo, width, signed: false, cost: 1 };
}

export function unary(op: VUnaryOp, a: VExpr): VExpr {
  const reduction = op === "&" || op === "|" || op === "^";
  return { kind: "unary", op, a, width: reduction ? 1 : a.width, signed: !reduction && a.signed, cost: a.cost + 0.5 };
}

export function binary(op: VBinaryOp, a: VExpr, b: VExpr): VExpr {
  switch (op) {
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return { kind: "binary", op, a, b, width: 1, signed: false, cost: a.cost + b.cost };
    case "<<":
    case ">>":
    case ">>>":
      return { kind: "binary", op, a, b, width: a.width, signed: a.signed, cost: a.cost + b.cost };
    default:
      return { kind: "binary", op, a, b, width: a.width, signed: a.signed && b.signed, cost: a.cost + b.cost };
  }
}

/** Whether two expressions are sure to print alike; false when that is not plain to see. */
const alike = (a: VExpr, b: VExpr): boolean =>
  a === b ||
  (a.kind === "name" && b.kind === "name" && a.name === b.name) ||
  (a.kind === "range" && b.kind === "range" && a.name === b.name && a.lo === b.lo && a.width === b.width);

/**
 * Nested concatenations are joined, neighbouring numbers merged, equal neighbours written as a repetition,
 * needless casts dropped.
 */
export function concat(parts: readonly VExpr[]): VExpr {
  const flat: VExpr[] = [];
  for (const p of parts) {
    for (const q of p.kind === "concat" ? p.parts : [p.kind === "number" ? { ...p, signed: false } : bare(p)]) {
      const last = flat.at(-1);
      const unit = last?.kind === "repeat" ? last.a : last;
      if (last?.kind === "number" && q.kind === "number" && last.width + q.width <= 64)
        flat[flat.length - 1] = number((last.value << BigInt(q.width)) | q.value, last.width + q.width);
      else if (unit !== undefined && q.kind !== "number" && alike(unit, q))
        flat[flat.length - 1] = repeat(last?.kind === "repeat" ? last.count + 1 : 2, unit);
      else flat.push(q);
    }
  }
  const only = flat[0];
  if (flat.length === 1 && only !== undefined && !only.signed) return only;
  return {
    kind: "concat",
    parts: flat,
    width: flat.reduce((n, p) => n + p.width, 0),
    signed: false,
    cost: flat.reduce((n, p) => n + p.cost, 0),
  };
}

export const repeat = (count: number, a: VExpr): VExpr =>
  count === 1 ? a : { kind: "repeat", count, a, width: count * a.width, signed: false, cost: a.cost };

/** The same bits as a signed operand. */
export function toSigned(a: VExpr): VExpr {
  if (a.signed) return a;
  if (a.kind === "number") return { ...a, signed: true };
  return system(a.kind === "system" ? a.a : a, true);
}

/** The same bits as an unsigned operand. */
export function toUnsigned(a: VExpr): VExpr {
  if (!a.signed) return a;
  if (a.kind === "number") return { ...a, signed: false };
  // `$signed` around an arithmetic shift must stay: it fixes the signedness inside.
  if (a.kind === "system" && !(a.a.kind === "binary" && a.a.op === ">>>")) return a.a.signed ? system(a.a, false) : a.a;
  return system(a, false);
}

/** Drops a cast that an assignment or a self-determined place makes needless. */
export const bare = (a: VExpr): VExpr => (a.kind === "system" ? a.a : a);

/** How many times a slice may repeat operators instead of asking for a wire. */
const SLICE_COST = 4;

/**
 * Bits lo .. lo+width-1 of `a` without a select on an expression, which Verilog lacks: the slice is pushed to the names
 * inside. Undefined when that is impossible or would be longer than a wire of its own.
 */
export function sliceExpr(a: VExpr, lo: number, width: number): VExpr | undefined {
  if (lo === 0 && width === a.width) return a;
  switch (a.kind) {
    case "number":
      return number(a.value >> BigInt(lo), width);
    case "name":
      return a.parameter ? undefined : range(a, lo, width);
    case "range":
      return { ...a, lo: a.lo + lo, width };
    case "index":
    case "lane":
    case "part":
      return undefined;
    case "system":
      return sliceExpr(a.a, lo, width);
    case "concat": {
      const out: VExpr[] = [];
      let top = a.width;
      for (const p of a.parts) {
        const from = Math.max(lo, top - p.width),
          to = Math.min(lo + width, top);
        top -= p.width;
        if (from >= to) continue;
        const piece = sliceExpr(p, from - top, to - from);
        if (piece === undefined) return undefined;
        out.push(piece);
      }
      return concat(out);
    }
    case "repeat": {
      const unit = a.a.width,
        first = Math.floor(lo / unit);
      if (lo % unit === 0 && width % unit === 0) return repeat(width / unit, a.a);
      return lo + width <= (first + 1) * unit ? sliceExpr(a.a, lo - first * unit, width) : undefined;
    }
    case "unary": {
      if (a.op !== "~" && !(a.op === "-" && lo === 0)) return undefined;
      const inner = sliceExpr(a.a, lo, width);
      if (inner?.kind === "number") return number(a.op === "~" ? ~inner.value : -inner.value, width);
      return inner === undefined ? undefined : unary(a.op, inner);
    }
    case "binary": {
      const bitwise = a.op === "&" || a.op === "|" || a.op === "^";
      const fromZero = lo === 0 && (a.op === "+" || a.op === "-" || a.op === "*");
      if (!(bitwise && a.cost <= SLICE_COST) && !fromZero) return undefined;
      const x = sliceExpr(a.a, lo, width),
        y = sliceExpr(a.b, lo, width);
      return x === undefined || y === undefined ? undefined : folded(a.op, x, y);
    }
    case "ternary": {
      if (a.cost > SLICE_COST) return undefined;
      const x = sliceExpr(a.a, lo, width),
        y = sliceExpr(a.b, lo, width);
      if (x === undefined || y === undefined) return undefined;
      return x.kind === "number" && y.kind === "number" && x.value === y.value ? x : ternary(a.cond, x, y);
    }
  }
}

/** A bitwise or arithmetic operation whose slicing may have left constants. */
function folded(op: VBinaryOp, x: VExpr, y: VExpr): VExpr {
  const a = x.kind === "number" ? x.value : undefined,
    b = y.kind === "number" ? y.value : undefined;
  const ones = maskOf(x.width);
  if ((op === "&" && (a === 0n || b === 0n)) || (op === "*" && (a === 0n || b === 0n))) return number(0n, x.width);
  if (op === "|" && (a === ones || b === ones)) return number(ones, x.width);
  if (a === undefined || b === undefined) return binary(op, x, y);
  switch (op) {
    case "+":
      return number(a + b, x.width);
    case "-":
      return number(a - b, x.width);
    case "*":
      return number(a * b, x.width);
    case "&":
      return number(a & b, x.width);
    case "|":
      return number(a | b, x.width);
    case "^":
      return number(a ^ b, x.width);
    default:
      return binary(op, x, y);
  }
}
