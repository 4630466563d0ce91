/** How large a design is, for figures about the language itself. */
import type { Circuit } from "./circuit.ts";
import { circuitsOf } from "./hierarchy.ts";
import type { Expr } from "./expr.ts";
import { allStatements, expressionsOf, postOrder } from "./walk.ts";

/** Distinct expression nodes and statements of a circuit and of all below it, each circuit counted once. */
export function countNodes(top: Circuit): number {
  let statements = 0;
  const expressions = new Set<Expr>();
  const count = (e: Expr | undefined): void => {
    if (e !== undefined)
      postOrder(e, expressions, x => {
        expressions.add(x);
      });
  };
  for (const c of circuitsOf(top)) {
    for (const s of allStatements(c.body)) {
      statements++;
      for (const e of expressionsOf(s)) count(e);
    }
    for (const m of c.memories)
      for (const r of m.readPorts) {
        count(r.address);
        count(r.enable);
      }
  }
  return statements + expressions.size;
}
