/**
 * Seeded pseudo-random numbers (sfc32): the same seed gives the same run on every machine and backend.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;
  readonly seed: number;

  /** @param seed 32-bit whole number. */
  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#a = 0x9e3779b9 ^ this.seed;
    this.#b = 0x243f6a88;
    this.#c = Math.imul(this.seed, 0x85ebca6b) ^ 0xb7e15162;
    for (let i = 0; i < 12; i++) this.u32();
  }

  /** 0 to 2^32 - 1. */
  u32(): number {
    const t = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** At least 0, less than 1. */
  float(): number {
    return this.u32() / 0x1_0000_0000;
  }

  /** `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.float() * (high - low + 1));
  }

  /** True with probability `p`. */
  bool(p = 0.5): boolean {
    return this.float() < p;
  }

  /** `width` random bits. */
  bits(width: number): bigint {
    let v = 0n;
    for (let i = 0; i < width; i += 32) v |= BigInt(this.u32()) << BigInt(i);
    return BigInt.asUintN(width, v);
  }

  /** `n` random bytes. */
  bytes(n: number): Uint8Array {
    const out = new Uint8Array(n);
    for (let i = 0; i < n; i++) out[i] = this.u32();
    return out;
  }

  /** One of the items (at least one). */
  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** An independent generator named `label`: its numbers do not depend on how many others were drawn. */
  fork(label: string): Random {
    let h = this.seed ^ 0x811c9dc5;
    for (let i = 0; i < label.length; i++) h = Math.imul(h ^ label.charCodeAt(i), 0x01000193);
    return new Random(h ^ (h >>> 15));
  }
}

/** The seed of a run: `MNEMO_SEED` of the environment when set, else `fallback`. */
export function seedFromEnvironment(fallback: number): number {
  const text = process.env["MNEMO_SEED"];
  if (text === undefined || text === "") return fallback >>> 0;
  const n = Number(text);
  if (!Number.isInteger(n) || n < 0 || n > 0xffff_ffff) {
    throw new RangeError(
      `MNEMO_SEED must be a whole number from 0 to 4294967295, got "${text}"; unset it or give such a number`,
    );
  }
  return n;
}
