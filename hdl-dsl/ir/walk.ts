/** Walks over expressions and statements without recursion on expressions: depth is bounded by memory, not by the call stack. */
import { operandsOf, type Expr } from "./expr.ts";
import type { Stmt } from "./circuit.ts";

/**
 * Calls `visit` once per distinct node below `root` (itself included), operands first. `done` says which nodes were visited before;
 * `visit` must add the node to it.
 */
export function postOrder(root: Expr, done: { has(e: Expr): boolean }, visit: (e: Expr) => void): void {
  if (done.has(root)) return;
  const stack: { readonly e: Expr; readonly operands: readonly Expr[]; next: number }[] = [{ e: root, operands: operandsOf(root), next: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const operand = top.operands[top.next++];
    if (operand === undefined) {
      stack.pop();
      if (!done.has(top.e)) visit(top.e);
    } else if (!done.has(operand)) stack.push({ e: operand, operands: operandsOf(operand), next: 0 });
  }
}

/** Every statement, nested ones included, in program order. */
export function* allStatements(body: readonly Stmt[]): Generator<Stmt> {
  const stack: { readonly body: readonly Stmt[]; at: number }[] = [{ body, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const s = top.body[top.at++];
    if (s === undefined) { stack.pop(); continue; }
    yield s;
    const inner = s.kind === "if" ? [s.then, s.otherwise] : s.kind === "switch" ? [...s.cases.map((c) => c.body), s.otherwise ?? []] : [];
    for (const b of inner.reverse()) if (b.length > 0) stack.push({ body: b, at: 0 });
  }
}

/** The expressions that a statement itself evaluates (not those of nested statements). */
export function expressionsOf(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case "assign": return [s.value];
    case "if": return [s.cond];
    case "switch": return [s.on, ...s.cases.flatMap((c) => c.labels)];
    case "memWrite": return s.mask === undefined ? [s.address, s.data] : [s.address, s.data, s.mask];
    case "property": return [s.cond];
  }
}
