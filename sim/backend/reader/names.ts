/** What the names of a module stand for. */
import type { ir } from "../../../hdl-dsl/index.ts";
import type { Place } from "./unreadable.ts";
import { unreadable } from "./unreadable.ts";

export type Named =
  | { readonly kind: "signal"; readonly signal: ir.Signal; readonly lsb: number }
  | { readonly kind: "memory"; readonly memory: ir.Memory; readonly first: number }
  | { readonly kind: "constant"; readonly value: ir.Expr }
  /** A clock, which nothing drives as a value: the simulator says so where it is needed as one. */
  | { readonly kind: "clock"; readonly signal: ir.Signal; readonly lsb: number };

export class Names {
  readonly #all = new Map<string, Named>();
  readonly #module: string;
  constructor(module: string) {
    this.#module = module;
  }
  set(name: string, what: Named): void {
    this.#all.set(name, what);
  }
  /** For the turn of a loop. */
  delete(name: string): void {
    this.#all.delete(name);
  }
  find(name: string): Named | undefined {
    return this.#all.get(name);
  }
  get(name: string, at: Place): Named {
    const found = this.#all.get(name);
    if (found === undefined) throw unreadable(at, `the name ${name}, which module ${this.#module} does not declare`);
    return found;
  }
}
