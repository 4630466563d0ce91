/** Replies that are in the task, at most: those that came and have not left. So it is known when there was no room. */
import { gbnFrameBytes, gbnWaiting } from "../../../wire/index.ts";

const beatBytes = 64,
  mostBeats = gbnFrameBytes / beatBytes + 1;

/** Answers that wait are fewer than this: half of those for which there is room, for those of timers are not seen. */
const mostAnswers = 6;
/** Cycles that a packet takes to the task, at most. */
const onItsWay = 2000;
export interface Waiting {
  readonly reply: Uint8Array;
  /** Step and cycle at which it came. */
  readonly step: number;
  readonly at: number;
  readonly beats: number;
  /** It is of no session: nobody will see it leave. */
  isStray: boolean;
  /** There may have been no room for it. */
  mayBeLost: boolean;
  /** What its session had heard when it came: NACKs, and ACKs of something new. */
  readonly nacks: number;
  readonly moves: number;
}
export class Inside {
  /** The present step. */
  step = 0;
  readonly #all = new Set<Waiting>();
  /** The last step at which requests may have been refused because of them. */
  #crowded = -1;
  /** Cycles of packets that ask for an answer, and have none yet; those in which there were many. */
  #asking: number[] = [];
  readonly #busy: number[] = [];

  add(w: Waiting): void {
    this.#all.add(w);
    this.#look();
  }
  gone(w: Waiting): void {
    this.#look();
    this.#all.delete(w);
    // One that is nobody's leaves when its turn comes.
    for (const stray of this.#all) if (stray.isStray && stray.step < w.step) this.#all.delete(stray);
  }
  /** Requests may have been refused at some time since this step. */
  crowdedSince(step: number): boolean {
    return this.#crowded >= step;
  }
  asks(at: number): void {
    // One that has none for so long was not answered.
    this.#asking = [...this.#asking.filter(a => a + onItsWay > at), at];
    if (this.#asking.length >= mostAnswers) this.#busy.push(at);
  }
  answered(): void {
    this.#asking.shift();
  }
  /** There may have been no room for the answer to a packet that came in this cycle. */
  busyAt(at: number): boolean {
    return this.#busy.some(b => b >= at && b <= at + onItsWay);
  }
  #look(): void {
    const beats = [...this.#all].reduce((n, w) => n + w.beats, 0),
      { size } = this.#all;
    if (size >= gbnWaiting.replies / 2 || beats >= gbnWaiting.beats / 2) this.#crowded = this.step;
    if (size > gbnWaiting.replies || beats > gbnWaiting.beats - mostBeats)
      for (const w of this.#all) w.mayBeLost = true;
  }
}
/** Beats that a reply takes: its header has one of its own. */
export const beatsOf = (payloadBytes: number): number => Math.floor((payloadBytes + 2 * beatBytes - 1) / beatBytes);
