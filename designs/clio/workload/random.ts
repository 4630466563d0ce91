/** A seeded generator of numbers (mulberry32): the same seed gives the same run on every machine. */
export class Random {
  private state: number;
  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** 0 <= x < 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let x = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    x ^= x + Math.imul(x ^ (x >>> 7), 61 | x);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.fraction() * below);
  }
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError("pick: the list is empty");
    return chosen;
  }
  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
