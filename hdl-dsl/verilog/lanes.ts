/**
 * Lanes: statements that do the same for index n, n + 1, n + 2 and so on. Each drives its own part of a word, as loops
 * of the language write them out. They go into the text as the loop that an engineer would have written, and synthesis
 * still sees an enable for each lane.
 */
import type { Assign, Stmt } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";

/**
 * From n = `from` on, `count` times `if (index == n) target[n * width +: width] <= value`; `assigns` are those of
 * the first lane.
 */
export interface Lanes {
  readonly index: Expr;
  readonly from: number;
  readonly count: number;
  readonly assigns: readonly Assign[];
}

/** Fewer read better written out. */
const FEWEST = 4;

const same = (a: Expr, b: Expr): boolean =>
  a === b ||
  (a.kind === "read" && b.kind === "read" && a.signal === b.signal) ||
  (a.kind === "const" && b.kind === "const" && a.value === b.value && a.width === b.width && a.label === b.label);

/** A statement as lane number `number` of some index. */
function laneOf(
  s: Stmt | undefined,
): { readonly index: Expr; readonly number: number; readonly assigns: readonly Assign[] } | undefined {
  if (s?.kind !== "if" || s.otherwise.length > 0 || s.cond.kind !== "binary" || s.cond.op !== "eq") return undefined;
  const { a: index, b: label } = s.cond;
  if (label.kind !== "const" || label.label !== undefined || index.kind === "const" || index.signed || index.width > 31)
    return undefined;
  const assigns = s.then.filter(t => t.kind === "assign");
  return assigns.length === 0 || assigns.length !== s.then.length
    ? undefined
    : { index, number: Number(label.value), assigns };
}

/** The lanes that begin with statement number `at`. */
export function lanesFrom(body: readonly Stmt[], at: number): Lanes | undefined {
  const first = laneOf(body[at]);
  if (first === undefined || first.assigns.some(a => a.lo !== first.number * a.width)) return undefined;
  let count = 1;
  for (let next = laneOf(body[at + count]); next !== undefined; next = laneOf(body[at + count])) {
    const { number, index, assigns } = next;
    if (number !== first.number + count || !same(index, first.index) || assigns.length !== first.assigns.length) break;
    if (
      !assigns.every((a, n) => {
        const b = first.assigns[n];
        return (
          b !== undefined &&
          a.target === b.target &&
          a.width === b.width &&
          a.lo === number * b.width &&
          same(a.value, b.value)
        );
      })
    )
      break;
    count++;
  }
  return count < FEWEST ? undefined : { index: first.index, from: first.number, count, assigns: first.assigns };
}
