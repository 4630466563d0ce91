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
  /** Beside each place: the hash of the node that stands there. */
  #hashes = new Int32Array(1 << 14);
  #count = 0;
  /** Of what was looked for last. */
  #hash = 0;

  /** @param nodes by their numbers */
  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  /** The node that is made of the same; else undefined, and the next one added is it. */
  find(made: Made): Node | undefined {
    const hash = hashOf(made),
      last = this.#places.length - 1;
    this.#hash = hash;
    for (let at = hash & last; ; at = (at + 1) & last) {
      const id = this.#places[at] as number;
      if (id === 0) return undefined;
      const n = this.#nodes[id - 1] as Node;
      if (this.#hashes[at] === hash && same(made, n)) return n;
    }
  }
  /** @param n what was looked for last, and not found */
  add(n: Node): void {
    if (2 * ++this.#count > this.#places.length) this.#grow();
    this.#put(n.id + 1, this.#hash);
  }

  #put(id: number, hash: number): void {
    const last = this.#places.length - 1;
    let at = hash & last;
    while (this.#places[at] !== 0) at = (at + 1) & last;
    this.#places[at] = id;
    this.#hashes[at] = hash;
  }
  #grow(): void {
    const places = this.#places,
      hashes = this.#hashes;
    this.#places = new Int32Array(4 * places.length);
    this.#hashes = new Int32Array(4 * places.length);
    for (let at = 0; at < places.length; at++) {
      const id = places[at] as number;
      if (id !== 0) this.#put(id, hashes[at] as number);
    }
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
