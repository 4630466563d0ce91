/** The other end of an SPI bus, cycle by cycle, from the definition of the four modes. */

/** `cpol`: the clock's idle level; `cpha`: data are sampled at the second edge of a bit. */
export interface Mode {
  readonly cpol: 0 | 1;
  readonly cpha: 0 | 1;
}
export const modes: readonly Mode[] = [0, 1, 2, 3].map(m => ({ cpol: (m >> 1) as 0 | 1, cpha: (m & 1) as 0 | 1 }));

/** A slave that sees the lines every cycle. It shows its bits at the change edges, and gathers words at the samples. */
export class SlaveModel {
  readonly #mode: Mode;
  readonly #width: number;
  readonly #next: () => number;
  /** Words that came while it was selected, a list for each selection. */
  readonly selections: number[][] = [];
  #sck: number;
  #selected = false;
  #sending = 0;
  #bits = 0;
  #into = 0;
  constructor(mode: Mode, width: number, next: () => number) {
    this.#mode = mode;
    this.#width = width;
    this.#next = next;
    this.#sck = mode.cpol;
  }
  get #bit(): number {
    return Math.floor(this.#sending / 2 ** (this.#width - 1)) % 2;
  }
  /** @returns the level of `miso` from now on */
  cycle(csN: number, sck: number, mosi: number): number {
    if (csN === 1) {
      if (this.#selected && this.#bits !== 0) throw new Error(`the chip select cut a word off at bit ${this.#bits}`);
      this.#selected = false;
      this.#sck = sck;
      return 0;
    }
    if (!this.#selected) {
      if (sck !== this.#mode.cpol) throw new Error("selected while the clock is not idle");
      this.#selected = true;
      this.selections.push([]);
      this.#bits = 0;
      if (this.#mode.cpha === 0) this.#sending = this.#next();
    }
    if (sck !== this.#sck) {
      const leading = sck !== this.#mode.cpol;
      if (leading === (this.#mode.cpha === 0)) {
        this.#into = (this.#into * 2 + mosi) % 2 ** this.#width;
        this.#bits++;
        if (this.#bits === this.#width) {
          (this.selections.at(-1) as number[]).push(this.#into);
          this.#bits = 0;
        }
      } else if (this.#bits === 0) this.#sending = this.#next();
      else this.#sending = (this.#sending * 2) % 2 ** this.#width;
    }
    this.#sck = sck;
    return this.#bit;
  }
}
