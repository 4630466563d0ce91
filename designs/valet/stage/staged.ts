/** What waits in the stage for a region, and what a read sees of it. */

/** A write that has been acknowledged here, or an operation that waits for its turn behind some. */
export interface Entry {
  readonly va: bigint;
  readonly bytes: number;
  /** The bytes that reads see; undefined for an operation that is not acknowledged before it is done. */
  readonly data: Uint8Array | undefined;
  /** Carries it out at the node. */
  readonly carryOut: () => Promise<void>;
}

interface Place {
  readonly va: bigint;
  readonly bytes: number;
}
export const meet = (a: Place, b: Place): boolean => a.va < b.va + BigInt(b.bytes) && b.va < a.va + BigInt(a.bytes);

/**
 * A read under way. What leaves the stage during it is kept here: the node may have been read before it got there.
 * Room: the read's own bytes, and a bit for each.
 */
export class ReadView {
  readonly va: bigint;
  readonly bytes: number;
  readonly #data: Uint8Array;
  readonly #has: Uint8Array;

  constructor(va: bigint, bytes: number) {
    this.va = va;
    this.bytes = bytes;
    this.#data = new Uint8Array(bytes);
    this.#has = new Uint8Array(bytes);
  }

  /** Lays a staged write over what is there. */
  lay({ va, data }: Entry): void {
    if (data === undefined) return;
    const from = va > this.va ? va : this.va,
      end = va + BigInt(data.length),
      own = this.va + BigInt(this.bytes),
      length = Number((end < own ? end : own) - from);
    if (length <= 0) return;
    const at = Number(from - this.va),
      offset = Number(from - va);
    this.#data.set(data.subarray(offset, offset + length), at);
    this.#has.fill(1, at, at + length);
  }
  /** Whether the stage has all of it. */
  get whole(): boolean {
    return this.#has.every(b => b === 1);
  }
  /** The node's bytes under the stage's. */
  over(found: Uint8Array): Uint8Array {
    return found.map((b, i) => (this.#has[i] === 1 ? (this.#data[i] as number) : b));
  }
  get own(): Uint8Array {
    return this.#data;
  }
}
