/** The other end of a serial line, a bit at a time: it knows cycles and levels, and nothing of the design. */
import type { Agent, Bench, InSignal, OutSignal } from "mnemosyne/sim";

/** Sends bytes, a bit in `bitCycles`. */
export class Talker {
  readonly #b: Pick<Bench, "cycles">;
  readonly #line: InSignal<number>;
  constructor(b: Pick<Bench, "cycles">, line: InSignal<number>) {
    this.#b = b;
    this.#line = line;
    line.value = 1;
  }
  async send(byte: number, bitCycles: number, stop = 1): Promise<void> {
    for (const level of [0, ...Array.from({ length: 8 }, (_, i) => (byte >> i) & 1), stop]) {
      this.#line.value = level;
      await this.#b.cycles(bitCycles);
    }
    this.#line.value = 1;
  }
}

/** A byte that came over the line, and the cycle of its start bit. */
export interface Heard {
  readonly byte: number;
  readonly start: number;
}

/** Listens for ever; each bit must stay for all of its cycles. */
export class Listener implements Agent {
  readonly heard: Heard[] = [];
  readonly #line: OutSignal<number>;
  readonly #bitCycles: number;
  #start = -1;
  #bits = 0;
  #level = 1;

  constructor(line: OutSignal<number>, bitCycles: number) {
    this.#line = line;
    this.#bitCycles = bitCycles;
  }
  sample(cycle: number): void {
    const level = this.#line.value;
    if (this.#start < 0 && level === 1) return;
    if (this.#start < 0) this.#start = cycle;
    const at = cycle - this.#start,
      bit = Math.floor(at / this.#bitCycles),
      within = at % this.#bitCycles;
    if (within === 0) {
      this.#level = level;
      this.#bits |= level << bit;
    } else if (level !== this.#level)
      throw new Error(`bit ${bit} of the byte at cycle ${this.#start} ends after ${within} cycles`);
    if (bit < 9 || within < this.#bitCycles - 1) return;
    if (level !== 1) throw new Error(`the byte at cycle ${this.#start} has no stop bit`);
    this.heard.push({ byte: (this.#bits >> 1) & 0xff, start: this.#start });
    this.#start = -1;
    this.#bits = 0;
  }
  save(): undefined {
    return undefined;
  }
  restore(): void {
    throw new Error("a listener cannot go back");
  }
}
