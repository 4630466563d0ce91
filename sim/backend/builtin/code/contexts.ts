/** Where a value is computed: at the top of the function, or only within the branch that alone needs it. */
import { arg, type Node } from "../circuit/node.ts";
import { costOf } from "./wide.ts";

/** Branches nest at most so deep; beyond it both sides are computed. */
const DEEPEST = 48;
/** Cost of an arm from which on a branch is cheaper than to compute it for nothing. */
const WORTH = 10;

export class Contexts {
  readonly #parent: number[] = [-1];
  readonly #depth: number[] = [0];
  /** Branches that turned out too cheap: their values belong to the context around them. */
  readonly #dissolved: boolean[] = [false];
  readonly #cost: number[] = [0];
  readonly #of = new Map<Node, number>();
  readonly #uses = new Map<Node, number>();
  readonly #arms = new Map<Node, readonly [number, number]>();

  static readonly TOP = 0;

  make(parent: number): number {
    this.#parent.push(parent);
    this.#depth.push((this.#depth[parent] as number) + 1);
    this.#dissolved.push(false);
    this.#cost.push(0);
    return this.#parent.length - 1;
  }

  /** A value is needed in a context. */
  use(n: Node, context: number, times = 1): void {
    const before = this.#of.get(n);
    this.#of.set(n, before === undefined ? context : this.#common(before, context));
    this.#uses.set(n, (this.#uses.get(n) ?? 0) + times);
  }
  #common(a: number, b: number): number {
    let x = a,
      y = b;
    while (x !== y) {
      if ((this.#depth[x] as number) >= (this.#depth[y] as number)) x = this.#parent[x] as number;
      else y = this.#parent[y] as number;
    }
    return x;
  }
  toTop(n: Node): void {
    this.#of.set(n, Contexts.TOP);
  }
  isUsed(n: Node): boolean {
    return this.#of.has(n);
  }
  usesOf(n: Node): number {
    return this.#uses.get(n) ?? 0;
  }

  /** Uses of a node's operands, once all uses of the node are known. */
  operands(n: Node, twice: (n: Node, operand: number) => boolean): void {
    const own = this.#of.get(n);
    if (own === undefined) return;
    this.#cost[own] = (this.#cost[own] as number) + costOf(n);
    if (n.op === "mux" && (this.#depth[own] as number) < DEEPEST) {
      const arms = [this.make(own), this.make(own)] as const;
      this.#arms.set(n, arms);
      this.use(arg(n, 0), own, 2);
      this.use(arg(n, 1), arms[0]);
      this.use(arg(n, 2), arms[1]);
      return;
    }
    n.args.forEach((a, i) => {
      this.use(a, own, twice(n, i) ? 2 : 1);
    });
  }

  /** Decides which branches stay. */
  settle(): void {
    for (let i = this.#parent.length - 1; i > 0; i--) {
      const p = this.#parent[i] as number;
      this.#cost[p] = (this.#cost[p] as number) + (this.#cost[i] as number);
    }
    for (const [n, [a, b]] of this.#arms) {
      if ((this.#cost[a] as number) >= WORTH || (this.#cost[b] as number) >= WORTH) continue;
      this.#dissolved[a] = this.#dissolved[b] = true;
      this.#arms.delete(n);
    }
  }

  /** The context in which a value is computed. */
  homeOf(n: Node): number {
    let at = this.#of.get(n) ?? Contexts.TOP;
    while (this.#dissolved[at] === true) at = this.#parent[at] as number;
    return at;
  }
  /** The two branches of a mux that is a branch. */
  armsOf(n: Node): readonly [number, number] | undefined {
    return this.#arms.get(n);
  }
}
