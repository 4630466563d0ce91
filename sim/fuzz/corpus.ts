/** Source of a random choice. */
interface Choice {
  below(below: number): number;
}

/**
 * The inputs of a fuzzer that have each shown something new; the next mutations start from them. A third of the choices
 * are seeds, which are whole; a third are among the newest tenth, which have been mutated least.
 */
export class Corpus<T> {
  readonly #items: T[];
  readonly #seeds: number;
  /** @param seeds what there is at the start, at least one */
  constructor(seeds: readonly T[]) {
    this.#items = [...seeds];
    this.#seeds = seeds.length;
  }
  get size(): number {
    return this.#items.length;
  }
  add(item: T): void {
    this.#items.push(item);
  }
  pick(r: Choice): T {
    const n = this.#items.length,
      from = [0, 0, Math.max(0, n - Math.ceil(n / 10))],
      to = [this.#seeds, n, n],
      kind = r.below(3);
    const first = from[kind] ?? 0,
      end = to[kind] ?? n;
    return this.#items[first + r.below(end - first)] as T;
  }
}
