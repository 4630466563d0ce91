/** Which keys a cache of values holds (paper §5.6.1: key-value cache on the sNIC). */
export const cachePolicies = ["FIFO", "LRU"] as const;
export type CachePolicy = (typeof cachePolicies)[number];

/** Who has been in longest leaves first; with LRU, who has been unused for longest. */
export class CacheModel {
  readonly #policy: CachePolicy;
  readonly #values: number;
  /** Keys, next one to leave first: a Set keeps the order in which they came. */
  readonly #keys = new Set<number>();

  /** @param values room, 1 or more */
  constructor(policy: CachePolicy, values: number) {
    if (!Number.isInteger(values) || values < 1)
      throw new RangeError(`CacheModel: values = ${values}: must be 1 or more`);
    this.#policy = policy;
    this.#values = values;
  }
  get size(): number {
    return this.#keys.size;
  }
  /** A get: what it brings is kept. @returns whether it was there */
  get(key: number): boolean {
    return this.#touch(key);
  }
  /** A set goes on to the memory node; its value is kept when it is answered. */
  set(key: number): void {
    this.#touch(key);
  }
  #touch(key: number): boolean {
    const hit = this.#keys.has(key);
    if (hit && this.#policy === "FIFO") return true;
    if (hit) this.#keys.delete(key);
    else if (this.#keys.size === this.#values)
      for (const first of this.#keys) {
        this.#keys.delete(first);
        break;
      }
    this.#keys.add(key);
    return hit;
  }
}
