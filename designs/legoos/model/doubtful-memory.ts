import { status } from "../../clio/wire/index.ts";
import { type Asked, merged } from "./flat-memory.ts";

/** An answer as it came. */
export interface Answered {
  readonly status: number;
  readonly data: bigint;
}

/**
 * What a cache may answer whose line memory or whose nodes fail: what was written, or FAIL. Judged as the answers come,
 * which is in their order for one line. A block has several values once it is in doubt: a write that was answered FAIL
 * is done or not, and a line that was lost is what its node has. A read that is answered says which it is.
 */
export class DoubtfulMemory {
  readonly #blocks = new Map<string, ReadonlySet<bigint>>();
  /** Accesses that were answered FAIL. */
  failures = 0;

  /** @returns what is wrong with an answer */
  judge(a: Asked, { status: code, data }: Answered): string | undefined {
    const key = keyOf(a.asid, a.va),
      possible = this.#blocks.get(key) ?? new Set([0n]);
    if (code !== status.OK && code !== status.FAIL) return `status ${code}, neither done nor failed`;
    if (code === status.FAIL) this.failures += 1;
    if (a.write) {
      const done = [...possible].map(v => merged(v, a.data, a.strb));
      this.#blocks.set(key, new Set(code === status.OK ? done : [...possible, ...done]));
    } else if (code === status.OK) {
      if (!possible.has(data)) return "other bytes than were written";
      this.#blocks.set(key, new Set([data]));
    }
    return undefined;
  }
  /** A block's line was lost: from now on it may be what its node has. */
  lost(asid: number, va: bigint, atNode: bigint): void {
    const key = keyOf(asid, va);
    this.#blocks.set(key, new Set([...(this.#blocks.get(key) ?? [0n]), atNode]));
  }
  /** Blocks that have been written, and what they may hold. */
  get blocks(): ReadonlyMap<string, ReadonlySet<bigint>> {
    return this.#blocks;
  }
}

const keyOf = (asid: number, va: bigint): string => `${asid} ${va / 64n}`;
