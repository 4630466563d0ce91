/**
 * Choices as data: a list of numbers that a generator draws from in order. Shrinking the list shrinks what is
 * generated; where it ends, zeros follow.
 */
import { maskOf } from "../../../hdl-dsl/ir/expr.ts";
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
  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
  /** 0 is no. */
  chance(p: number): boolean {
    return this.#next() >= (1 - p) * CHOICE;
  }
  /** 0 is 0; edge values are frequent. */
  bits(width: number): bigint {
    const kind = this.below(6);
    if (kind === 0) return 0n;
    if (kind === 1) return maskOf(width);
    if (kind === 2) return 1n << BigInt(width - 1);
    let v = 0n;
    for (let i = 0; i < width; i += 16) v = (v << 16n) | BigInt(this.#next());
    return v & maskOf(width);
  }
}
