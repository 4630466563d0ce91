import { SimulatedTime, SimulationError } from "../../../../sim/index.ts";

/** The time of a line: what is sent in one member's time is due in another's. */
export class Crossing extends SimulatedTime {
  readonly #from: SimulatedTime;
  readonly #to: SimulatedTime;
  constructor(from: SimulatedTime, to: SimulatedTime) {
    super(() => from.now());
    this.#from = from;
    this.#to = to;
  }
  /** @throws SimulationError for what is due in the receiver's past: the line is shorter than the lookahead */
  override after(ns: number, action: () => void): { cancel(): void } {
    const left = this.#from.now() + ns - this.#to.now();
    if (left < 0)
      throw new SimulationError(`a frame is due ${-left} ns ago at its receiver; give its line more latency`);
    return this.#to.after(left, action);
  }
}
