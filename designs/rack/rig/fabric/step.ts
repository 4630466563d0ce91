import type { Bench } from "../../../../sim/index.ts";
import { Signal } from "./signal.ts";

interface Place {
  joined: boolean;
  over: boolean;
  /** Resolves the wait of a member that is as far ahead as it may be. */
  wake: (() => void) | undefined;
}

/**
 * Keeps members in step: none begins a cycle that is more than `lookahead` behind the slowest one's. A member runs as
 * far as it may in one go, and then lets the others go on, so that a change from one to another is rare. Where others
 * are simulated by another thread, all run to one cycle (`until`), and wait there.
 */
export class Step {
  lookahead = 1;
  readonly #places: readonly Place[];
  readonly #cycle: (member: number) => number;
  readonly #complete = new Signal();
  /** Nobody takes a cycle. */
  #held = false;
  /** Nobody takes this cycle. */
  #limit = Infinity;
  #atLimit = new Signal();

  /** @param cycle of a member, since it joined */
  constructor(members: number, cycle: (member: number) => number) {
    this.#places = Array.from({ length: members }, () => ({ joined: false, over: false, wake: undefined }));
    this.#cycle = cycle;
  }

  /** Resolves when all have joined. */
  get joined(): Promise<void> {
    return this.#complete.told;
  }
  /** Joins, from the bench's main function. Resolves when all have joined; until then no member takes a cycle. */
  join(member: number, bench: Bench): Promise<void> {
    const place = this.#places[member];
    if (place === undefined) throw new RangeError(`there is no member ${member}`);
    place.joined = true;
    bench.scheduler.gate = () => {
      if (this.#mayStep(member)) return undefined;
      const held = new Promise<void>(resolve => {
        place.wake = resolve;
      });
      this.#wake();
      this.#tellLimit();
      return held;
    };
    if (this.#places.every(p => p.joined)) {
      this.#complete.tell();
      this.#wake();
    }
    return this.#complete.told;
  }
  /** Another thread simulates this one. */
  leaveOut(member: number): void {
    Object.assign(this.#places[member] ?? {}, { joined: true, over: true });
    if (this.#places.every(p => p.joined)) this.#complete.tell();
  }
  /** Nobody takes cycles any more. */
  get isOver(): boolean {
    return this.#places.every(p => p.over);
  }
  /** One of them never comes: nobody waits for another any more. */
  abandon(): void {
    for (const p of this.#places) Object.assign(p, { joined: true, over: true });
    this.#complete.tell();
    this.#wake();
  }
  /** No member takes a cycle until this settles. */
  hold(until: Promise<void>): void {
    this.#held = true;
    void until.then(() => this.#release());
  }
  /** Nobody takes a cycle until `until` says which is the last. */
  stop(): void {
    this.#limit = 0;
  }
  /** Lets all run to the beginning of this cycle. Resolves when they stand there; those that are over do not count. */
  until(cycle: number): Promise<void> {
    this.#limit = cycle;
    this.#atLimit = new Signal();
    const { told } = this.#atLimit;
    this.#wake();
    this.#tellLimit();
    return told;
  }
  #tellLimit(): void {
    const isThere = this.#places.every((p, i) => p.over || (p.wake !== undefined && this.#cycle(i) >= this.#limit));
    if (isThere) this.#atLimit.tell();
  }
  #release(): void {
    this.#held = false;
    this.#wake();
  }
  /** The bench ends: the others go on without it. */
  leave(member: number, bench: Bench): void {
    bench.scheduler.gate = undefined;
    const place = this.#places[member];
    if (place !== undefined) place.over = true;
    this.#release();
    this.#tellLimit();
  }

  #mayStep(member: number): boolean {
    if (this.#held || this.#cycle(member) >= this.#limit) return false;
    const limit = this.#cycle(member) - this.lookahead;
    return this.#places.every((p, i) => p.joined && (i === member || p.over || this.#cycle(i) > limit));
  }
  #wake(): void {
    for (const [i, p] of this.#places.entries()) {
      const { wake } = p;
      if (wake === undefined || !this.#mayStep(i)) continue;
      p.wake = undefined;
      wake();
    }
  }
}
