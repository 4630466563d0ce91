/**
 * Seeded random numbers for simulations, workloads and tests: the same seed gives the same run on every machine and
 * simulator. Nothing of a design is made of them; they stand here because everything may import the language.
 */

/** Gives the next of a series of numbers from 0 to 2^32 - 1. */
export interface RandomSource {
  (): number;
  /** Where it is in its series, to go back to; absent where a source does not tell. */
  readonly state?: { readonly get: () => readonly number[]; readonly set: (s: readonly number[]) => void };
}

/** The source of choice: 128 bits of state, which no seed leads into a short cycle. */
export function sfc32(seed: number): RandomSource {
  let a = 0x9e3779b9 ^ seed,
    b = 0x243f6a88,
    c = Math.imul(seed, 0x85ebca6b) ^ 0xb7e15162,
    d = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return Object.assign(next, {
    state: {
      get: () => [a, b, c, d],
      set: (s: readonly number[]) => {
        [a = 0, b = 0, c = 0, d = 0] = s;
      },
    },
  });
}

/** 32 bits of state only; recorded captures and figures were made with its series, so they keep it. */
export function mulberry32(seed: number): RandomSource {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x ^= x + Math.imul(x ^ (x >>> 7), 61 | x);
    return (x ^ (x >>> 14)) >>> 0;
  };
  return Object.assign(next, {
    state: {
      get: () => [state],
      set: (s: readonly number[]) => {
        [state = 0] = s;
      },
    },
  });
}

/** A generator of seeded random numbers. */
export class Random {
  readonly seed: number;
  readonly #source: (seed: number) => RandomSource;
  readonly #next: RandomSource;

  /** @param seed 32-bit whole number. @param source where its numbers come from. */
  constructor(seed: number, source: (seed: number) => RandomSource = sfc32) {
    this.seed = seed >>> 0;
    this.#source = source;
    this.#next = source(this.seed);
  }

  /** Where it is in its series. @throws Error when its source does not tell. */
  save(): readonly number[] {
    return this.#state().get();
  }
  /** Goes back, or on, to a place in the series of the same source. */
  restore(state: readonly number[]): void {
    this.#state().set(state);
  }
  #state(): NonNullable<RandomSource["state"]> {
    const { state } = this.#next;
    if (state === undefined) throw new Error("these random numbers come from a source without a state; use sfc32");
    return state;
  }

  /** 0 to 2^32 - 1. */
  word(): number {
    return this.#next();
  }

  /** At least 0, less than 1. */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  /** A whole number from 0 to `n` - 1. */
  below(n: number): number {
    return Math.floor(this.fraction() * n);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with probability `p`. */
  chance(p = 0.5): boolean {
    return this.fraction() < p;
  }

  /** One of a list. @throws when the list is empty. */
  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError("pick: the list is empty");
    return list[this.below(list.length)] as T;
  }

  /** The same items in random order. */
  shuffle<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) {
      const k = this.below(i + 1);
      [out[i], out[k]] = [out[k] as T, out[i] as T];
    }
    return out;
  }

  /** `width` random bits. */
  bits(width: number): bigint {
    let v = 0n;
    for (let i = 0; i < width; i += 32) v |= BigInt(this.word()) << BigInt(i);
    return BigInt.asUintN(width, v);
  }

  /** `n` random bytes. */
  bytes(n: number): Uint8Array {
    const bytes = new Uint8Array(n);
    // The upper eight bits are `below(256)`; payloads of whole runs are made here.
    for (let i = 0; i < n; i++) bytes[i] = this.#next() >>> 24;
    return bytes;
  }

  /** An independent generator named `label`: its numbers do not depend on how many others were drawn. */
  fork(label: string): Random {
    let h = this.seed ^ 0x811c9dc5;
    for (let i = 0; i < label.length; i++) h = Math.imul(h ^ label.charCodeAt(i), 0x01000193);
    return new Random(h ^ (h >>> 15), this.#source);
  }
}
