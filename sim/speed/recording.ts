import type { Agent, Simulation } from "../simulation.ts";

/** The inputs of a run, cycle by cycle, as lanes of the model's memory. */
export class Recording implements Agent {
  /** First lane of the inputs, and how many there are. */
  readonly first: number;
  readonly width: number;
  #rows: Uint32Array;
  #cycles = 0;
  readonly #words: Uint32Array;
  readonly #most: number;

  /** @param most cycles to record; later ones are left out. */
  constructor(sim: Simulation, most: number) {
    const inputs = [...sim.model.slots.values()].filter(s => s.port.dir === "in");
    this.first = Math.min(...inputs.map(s => s.word));
    this.width = inputs.reduce((n, s) => n + s.words, 0);
    this.#words = sim.model.words;
    this.#rows = new Uint32Array(this.width * 1024);
    this.#most = most;
  }

  get cycles(): number {
    return this.#cycles;
  }
  /** All rows, one after the other. */
  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#cycles * this.width);
  }

  sample(): void {
    if (this.#cycles >= this.#most) return;
    if ((this.#cycles + 1) * this.width > this.#rows.length) {
      const bigger = new Uint32Array(this.#rows.length * 2);
      bigger.set(this.#rows);
      this.#rows = bigger;
    }
    this.#rows.set(this.#words.subarray(this.first, this.first + this.width), this.#cycles * this.width);
    this.#cycles++;
  }
}
