import type { Random } from "../../../hdl-dsl/index.ts";

/** Shares of memory that 90 % and 95 % of all accesses hit (LegoOS §3.4.2). */
export const localities = {
  powergraph: { first: 0.0006, second: 0.031 },
  tensorflow: { first: 0.22, second: 0.36 },
  phoenix: { first: 0.051, second: 0.066 },
} as const;
export type LocalityName = keyof typeof localities;

/**
 * Accesses with the locality of an application: 90 % in the first share of the lines, 5 % in the rest of the second
 * share, 5 % in all others; evenly within each. So much is calibrated by the paper; evenness is assumed. Lines of a
 * share are spread over memory, so that they meet in no set more often than others.
 */
export class Locality {
  readonly #lines: number;
  readonly #first: number;
  readonly #second: number;
  readonly #random: Random;
  readonly #step: number;

  constructor(name: LocalityName, lines: number, random: Random) {
    const { first, second } = localities[name];
    this.#lines = lines;
    this.#first = Math.max(1, Math.round(lines * first));
    this.#second = Math.max(this.#first + 1, Math.round(lines * second));
    this.#random = random;
    // Odd: a walk in such steps meets each of a power of two of lines once.
    this.#step = (Math.floor(lines * 0.618) | 1) % lines;
  }

  /** The next line. */
  next(): number {
    const share = this.#random.fraction(),
      [from, to] =
        share < 0.9 ? [0, this.#first] : share < 0.95 ? [this.#first, this.#second] : [this.#second, this.#lines];
    return (this.#random.between(from, Math.max(from, to - 1)) * this.#step) % this.#lines;
  }
}
