/** Members that another thread simulates, as the common time sees them. */
import type { SimulatedTime } from "../../../../sim/index.ts";

/** A frame at a member's jack, and when: ns since all members began. */
export interface Passage {
  /** The member's place among all. */
  readonly member: number;
  readonly port: number;
  readonly ns: number;
  readonly frame: Uint8Array;
}
/** A frame that comes to a member. */
export interface Arrival extends Passage {
  readonly damaged: boolean;
}
/** What a window of time has brought. */
export interface Window {
  /** In the order of their times. */
  readonly sent: readonly Passage[];
  /** Members that have started, with the cycle. */
  readonly started: readonly { readonly member: number; readonly cycle: number }[];
}

/** A thread with some of the members. */
export interface Elsewhere {
  /** Their places among all, in order. */
  readonly members: readonly number[];
  /** Resolves when all of them stand at the beginning of the common time. @throws what one of them throws first */
  join(): Promise<void>;
  /**
   * Simulates to the beginning of a cycle; frames that came by then are told before.
   * @throws what one of them throws
   */
  advance(cycle: number): Promise<Window>;
  /** Puts what a member sent on its line. */
  replay(passage: Passage): void;
  /** Ends the members and the thread, whatever they do. */
  end(): Promise<void>;
}

/**
 * The times of such members: nothing is simulated here, so each stands where the frame is that is looked at. All that
 * is due at a member in a window is known before the window begins, for no line is shorter than a window is long.
 */
export class SetTimes {
  readonly #ns = new Map<number, number>();
  readonly #period: number;

  /** @param period ns of a cycle */
  constructor(period: number) {
    this.#period = period;
  }
  add(member: number): void {
    this.#ns.set(member, 0);
  }
  /** ns; undefined of members that are here */
  of(member: number): number | undefined {
    return this.#ns.get(member);
  }
  set(member: number, ns: number): void {
    this.#ns.set(member, ns);
  }
  /** Does what is due at a member until a cycle, at the beginning of cycles, as its own bench would. */
  advance(member: number, time: SimulatedTime, cycle: number): void {
    const end = cycle * this.#period;
    while (time.next <= end) {
      this.set(member, Math.ceil(time.next / this.#period) * this.#period);
      time.advance();
    }
  }
}
