/** Replies that are in the task, at most: those that came and have not left. So it is known when there was no room. */
import { gbnFrameBytes, gbnWaiting } from "../../../wire/index.ts";

const beatBytes = 64,
  mostBeats = gbnFrameBytes / beatBytes + 1;

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
}
export class Inside {
  /** The present step. */
  step = 0;
  readonly #all = new Set<Waiting>();
  /** The last step at which requests may have been refused because of them. */
  #crowded = 0;

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
