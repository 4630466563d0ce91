/** Names that the source gives to expressions: a view of a word, a choice. They change nothing but the text. */
import type { Position } from "./circuit.ts";
import type { Expr } from "./expr.ts";

/** `always`: the expression gets a wire of that name wherever it is used, not only where it needs one. */
export interface Hint {
  readonly name: string;
  readonly always: boolean;
  readonly position: Position | undefined;
}

const hints = new WeakMap<Expr, Hint>();

/** Names an expression, unless it has a name or needs none. */
export function hint(e: Expr, h: Hint): void {
  if (e.kind !== "const" && e.kind !== "read" && !hints.has(e)) hints.set(e, h);
}

export const hintFor = (e: Expr): Hint | undefined => hints.get(e);
