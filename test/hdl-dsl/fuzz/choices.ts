/**
 * Choices as data: a list of numbers that a generator draws from in order. Shrinking the list shrinks what is
 * generated; where it ends, zeros follow.
 */
import type { Dice } from "../support/random.ts";

/** One more than the largest choice. */
export const CHOICE = 65_536;

export class Choices implements Dice {
  readonly #list: readonly number[];
  #at = 0;
  constructor(list: readonly number[]) {
    this.#list = list;
  }
  #next(): number {
    return this.#list[this.#at++] ?? 0;
  }
  below(n: number): number {
    return this.#next() % n;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
  /** 0 is no. */
  chance(p: number): boolean {
    return this.#next() >= (1 - p) * CHOICE;
  }
}
