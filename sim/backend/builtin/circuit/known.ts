/** Nodes by what they are made of: a table of their numbers, since a text for each as its key took longest. */
import type { Node, Op, Store } from "./node.ts";

/** What tells two nodes of one operator apart. */
export interface Made {
  readonly op: Op;
  readonly width: number;
  readonly lo: number;
  readonly args: readonly Node[];
  readonly store: Store | undefined;
}

export class KnownNodes {
  readonly #nodes: readonly Node[];
  /** 1 more than the number of a node, or 0; its place follows from what it is made of. */
  #places = new Int32Array(1 << 14);
  #count = 0;

  /** @param nodes by their numbers */
  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  /** The node that is made of the same; else undefined, and the next one added is it. */
  find(made: Made): Node | undefined {
    const place = this.#placeOf(made);
    return this.#nodes[(this.#places[place] as number) - 1];
  }
  add(n: Node): void {
    if (2 * ++this.#count > this.#places.length) this.#grow();
    this.#places[this.#placeOf(n)] = n.id + 1;
  }

  #placeOf(made: Made): number {
    const last = this.#places.length - 1;
    for (let at = hashOf(made) & last; ; at = (at + 1) & last) {
      const id = this.#places[at] as number;
      if (id === 0 || same(made, this.#nodes[id - 1] as Node)) return at;
    }
  }
  #grow(): void {
    const before = this.#places;
    this.#places = new Int32Array(2 * before.length);
    for (const id of before) if (id !== 0) this.#places[this.#placeOf(this.#nodes[id - 1] as Node)] = id;
  }
}

const mix = (a: number, b: number): number => Math.imul(a ^ b ^ (a >>> 15), 0x9e3779b1);

function hashOf({ op, width, lo, args, store }: Made): number {
  let h = mix(op.charCodeAt(0) ^ (op.charCodeAt(op.length - 1) << 8) ^ (op.length << 16), width);
  h = mix(h, lo);
  for (const a of args) h = mix(h, a.id);
  if (store !== undefined) h = mix(h, store.id);
  return h ^ (h >>> 13);
}

function same(a: Made, b: Node): boolean {
  if (a.op !== b.op || a.width !== b.width || a.lo !== b.lo || a.store !== b.store) return false;
  const { length } = a.args;
  if (length !== b.args.length) return false;
  for (let i = 0; i < length; i++) if (a.args[i] !== b.args[i]) return false;
  return true;
}
