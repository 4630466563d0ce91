/** Conditions that are never true at the same time: which of them is asked first makes no difference. */
import type { Expr } from "./ir.ts";

/** What must hold for a flag: the terms of its and. */
function termsOf(e: Expr): readonly Expr[] {
  return e.kind === "binary" && e.op === "and" && e.width === 1 ? [...termsOf(e.a), ...termsOf(e.b)] : [e];
}

/** The same value: a signal's, some bits of it, or one expression that is used twice. */
function isSame(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (a.width !== b.width) return false;
  if (a.kind === "read" && b.kind === "read") return a.signal === b.signal;
  return a.kind === "slice" && b.kind === "slice" && a.lo === b.lo && isSame(a.a, b.a);
}

const isNegation = (a: Expr, b: Expr): boolean =>
  a.kind === "unary" && a.op === "not" && a.width === 1 && isSame(a.a, b);

/** `x == 3` and `x == 4`. */
function differ(a: Expr, b: Expr): boolean {
  if (a.kind !== "binary" || b.kind !== "binary" || a.op !== "eq" || b.op !== "eq") return false;
  return isSame(a.a, b.a) && a.b.kind === "const" && b.b.kind === "const" && a.b.value !== b.b.value;
}

/** Whether two flags are seen to exclude each other; false where that takes more than a look. */
export function exclude(a: Expr, b: Expr): boolean {
  const others = termsOf(b);
  return termsOf(a).some(x => others.some(y => differ(x, y) || isNegation(x, y) || isNegation(y, x)));
}
