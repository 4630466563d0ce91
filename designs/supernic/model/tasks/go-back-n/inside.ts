/** Replies that are in the task, at most: those that came and have not left. So it is known when there was no room. */
import { gbnFrameBytes, gbnWaiting } from "../../../wire/index.ts";

const beatBytes = 64,
  mostBeats = gbnFrameBytes / beatBytes + 1;

/** Answers that wait are fewer than this: half of those for which there is room, for those of timers are not seen. */
const mostAnswers = 6;
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
  /** Packets that ask for an answer, and have none yet; the last step at which there were many. */
  #asking = 0;
  #busy = -1;

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
  asks(): void {
    this.#asking++;
    if (this.#asking >= mostAnswers) this.#busy = this.step;
  }
  answered(): void {
    this.#asking = Math.max(0, this.#asking - 1);
  }
  /** There may have been no room for an answer at some time since this step. */
  busySince(step: number): boolean {
    return this.#busy >= step;
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
