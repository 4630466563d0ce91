/** Structural identity: two expressions that say the same get the same number, wherever they were made. */
import type { Memory, Signal } from "./circuit.ts";
import { type Expr, operandsOf } from "./expr.ts";
import { postOrder } from "./walk.ts";

export class ExprIds {
  readonly #ids = new Map<Expr, number>();
  readonly #keys = new Map<string, number>();
  readonly #objects = new Map<Signal | Memory, number>();

  /** The number of an expression; linear in the nodes not seen before. */
  of(root: Expr): number {
    postOrder(root, this.#ids, e => {
      const key = this.#key(e);
      let id = this.#keys.get(key);
      if (id === undefined) this.#keys.set(key, (id = this.#keys.size));
      this.#ids.set(e, id);
    });
    return this.#ids.get(root) as number;
  }

  #object(o: Signal | Memory): number {
    let n = this.#objects.get(o);
    if (n === undefined) this.#objects.set(o, (n = this.#objects.size));
    return n;
  }

  #key(e: Expr): string {
    const operands = operandsOf(e)
      .map(o => this.#ids.get(o))
      .join(",");
    const head = `${e.kind}:${e.width}${e.signed ? "s" : ""}(${operands})`;
    switch (e.kind) {
      case "const":
        return `${head}${e.value}${e.label ?? ""}${e.enumeration === undefined ? "" : ` ${e.enumeration.name}`}`;
      case "read":
        return `${head}${this.#object(e.signal)}`;
      case "memRead":
        return `${head}${this.#object(e.memory)}`;
      case "unary":
      case "binary":
      case "shift":
        return `${head}${e.op}`;
      case "slice":
        return `${head}${e.lo}`;
      case "mux":
      case "concat":
      case "pick":
      case "extend":
      case "cast":
        return head;
    }
  }
}
