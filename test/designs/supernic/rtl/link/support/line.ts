/** A line between two ends: it loses, corrupts, doubles and delays frames, and keeps their order. */

import type { Random } from "../../../../../../sim/index.ts";
import { factsOf, type HardwareEnd, type LineFrame } from "./hardware-end.ts";

export interface LineFaults {
  readonly lose?: number;
  readonly corrupt?: number;
  readonly double?: number;
  /** Cycles on the line, at most. */
  readonly delay?: number;
  /** ACK and NACK are lost so often. */
  readonly loseAnswers?: number;
}
export const quiet: LineFaults = { delay: 20 };
export const noisy: LineFaults = { lose: 0.02, corrupt: 0.02, double: 0.02, delay: 120, loseAnswers: 0.1 };

export class Line {
  faults: LineFaults;
  /** Nothing comes through. */
  cut = false;
  #last = 0;
  constructor(r: Random, from: HardwareEnd, to: HardwareEnd, faults: LineFaults) {
    this.faults = faults;
    from.onFrame = (frame, cycle) => {
      const { lose = 0, corrupt = 0, double = 0, delay = 1, loseAnswers = 0 } = this.faults;
      if (this.cut || r.chance(lose) || (isAnswer(frame) && r.chance(loseAnswers))) return;
      const damaged = r.chance(corrupt) ? { ...frame, bad: true } : frame;
      this.#last = Math.max(this.#last, cycle + 1 + (r.chance(0.1) ? r.between(0, delay) : 0));
      to.comes(damaged, this.#last);
      if (r.chance(double)) to.comes(damaged, this.#last);
    };
  }
}
const isAnswer = (frame: LineFrame): boolean => factsOf(frame)?.kind === "answer";
