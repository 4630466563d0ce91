/** Neighbouring statements that write lanes of one word of a memory. */
import type { Expression, Statement } from "./syntax.ts";

export interface Lane {
  readonly cond: Expression | undefined;
  readonly target: Expression;
  readonly value: Expression;
}

/** The text of an expression's structure: equal ones are the same value. */
export const textOf = (e: Expression): string =>
  JSON.stringify(e, (key, v: unknown) => (key === "at" ? undefined : typeof v === "bigint" ? v.toString() : v));

/** Those from `from` on, two or more; undefined when there are none. */
export function laneRun(body: readonly Statement[], from: number): readonly Lane[] | undefined {
  const run: Lane[] = [];
  let word: string | undefined;
  for (let n = from; n < body.length; n++) {
    const lane = laneOf(body[n] as Statement),
      of = lane === undefined ? undefined : wordOf(lane.target);
    if (lane === undefined || of === undefined) break;
    const text = textOf(of);
    if (text !== (word ??= text)) break;
    run.push(lane);
  }
  return run.length < 2 ? undefined : run;
}

/** `if (mask[n]) store[address][15:8] <= ...;` */
function laneOf(s: Statement): Lane | undefined {
  if (s.kind === "assign") return s.blocking ? undefined : { cond: undefined, target: s.target, value: s.value };
  if (s.kind === "block" && s.body.length === 1) return laneOf(s.body[0] as Statement);
  if (s.kind !== "if" || s.otherwise !== undefined) return undefined;
  const inner = laneOf(s.then);
  return inner === undefined || inner.cond !== undefined ? undefined : { ...inner, cond: s.cond };
}

/** The word that a lane is of: a select of a select. */
function wordOf(target: Expression): Expression | undefined {
  const selects = target.kind === "range" || target.kind === "bit" || target.kind === "part";
  return selects && target.of.kind === "bit" ? target.of : undefined;
}
