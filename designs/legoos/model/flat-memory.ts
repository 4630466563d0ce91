import { status } from "../../clio/wire/index.ts";

/** An access as it was taken. */
export interface Asked {
  readonly asid: number;
  readonly va: bigint;
  readonly write: boolean;
  readonly strb: bigint;
  readonly data: bigint;
}
/** What its answer must be; `data` only of a read that is done. */
export interface Expected {
  readonly status: number;
  readonly data?: bigint;
}

/** The rights of a line: readable, writable at its node, and as software has recorded them at the cache. */
export interface Rights {
  readonly status: number;
  readonly writable: boolean;
}

const block = 64n;

/**
 * What a cache must look like from the front: flat memory of each address space, in the order in which requests are
 * taken. A line that its node refuses is refused to each asker; a write to a line that is not writable changes nothing.
 */
export class FlatMemory {
  readonly #blocks = new Map<string, bigint>();
  readonly #rights: (asid: number, va: bigint) => Rights;

  constructor(rights: (asid: number, va: bigint) => Rights) {
    this.#rights = rights;
  }

  take(a: Asked): Expected {
    const rights = this.#rights(a.asid, a.va);
    if (rights.status !== status.OK) return { status: rights.status };
    const key = `${a.asid} ${a.va / block}`,
      before = this.#blocks.get(key) ?? 0n;
    if (!a.write) return { status: status.OK, data: before };
    if (!rights.writable) return { status: status.WRITE_PERM };
    this.#blocks.set(key, merged(before, a.data, a.strb));
    return { status: status.OK };
  }
  /** Blocks that have been written, to be held against the nodes once all is flushed. */
  get blocks(): ReadonlyMap<string, bigint> {
    return this.#blocks;
  }
}

/** The bytes of `data` that `strb` marks over `before`. */
export function merged(before: bigint, data: bigint, strb: bigint): bigint {
  let mask = 0n;
  for (let i = 0n; i < block; i++) if ((strb >> i) & 1n) mask |= 0xffn << (8n * i);
  return (before & ~mask) | (data & mask);
}
