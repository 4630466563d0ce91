/**
 * Walks over expressions and statements without recursion on expressions: depth is bounded by memory, not by
 * the call stack.
 */
import { type Expr, isLeaf, operandAt } from "./expr.ts";
import type { Stmt } from "./circuit.ts";

/**
 * Calls `visit` once per distinct node below `root` (itself included), operands first. `done` says which nodes were
 * visited before; `visit` must add the node to it.
 */
export function postOrder(root: Expr, done: { has(e: Expr): boolean }, visit: (e: Expr) => void): void {
  if (done.has(root)) return;
  const stack: Expr[] = [root],
    next: number[] = [0];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const n = next[next.length - 1] as number,
      operand = operandAt(top, n);
    if (operand === undefined) {
      stack.pop();
      next.pop();
      if (!done.has(top)) visit(top);
      continue;
    }
    next[next.length - 1] = n + 1;
    if (done.has(operand)) continue;
    if (isLeaf(operand)) visit(operand);
    else {
      stack.push(operand);
      next.push(0);
    }
  }
}

/** Every statement, nested ones included, in program order. */
export function* allStatements(body: readonly Stmt[]): Generator<Stmt> {
  const stack: { readonly body: readonly Stmt[]; at: number }[] = [{ body, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const s = top.body[top.at++];
    if (s === undefined) {
      stack.pop();
      continue;
    }
    yield s;
    if (s.kind === "if") {
      if (s.otherwise.length > 0) stack.push({ body: s.otherwise, at: 0 });
      if (s.then.length > 0) stack.push({ body: s.then, at: 0 });
    } else if (s.kind === "switch") {
      if (s.otherwise !== undefined && s.otherwise.length > 0) stack.push({ body: s.otherwise, at: 0 });
      for (let n = s.cases.length - 1; n >= 0; n--) {
        const inner = s.cases[n]?.body ?? [];
        if (inner.length > 0) stack.push({ body: inner, at: 0 });
      }
    }
  }
}

/** The expressions that a statement itself evaluates (not those of nested statements). */
export function expressionsOf(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case "assign":
      return [s.value];
    case "if":
      return [s.cond];
    case "switch":
      return [s.on, ...s.cases.flatMap(c => c.labels)];
    case "memWrite":
      return s.mask === undefined ? [s.address, s.data] : [s.address, s.data, s.mask];
    case "property":
      return [s.cond];
  }
}
