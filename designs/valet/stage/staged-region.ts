import { type Entry, meet, ReadView } from "./staged.ts";

/** What a region's stage tells of. */
export interface RegionEvents {
  /** A staged write or operation has left: the node has it, or refused it for `why`. */
  readonly left: (entry: Entry, why: unknown) => void;
}

/**
 * A region with operations under way or staged. What is staged goes to the node in order, several at a time, those of
 * the same bytes one after another. A direct write that is under way meanwhile is not acknowledged yet, so it may be
 * done before or after.
 */
export class StagedRegion {
  /** Who works on it now: it is kept for them. */
  users = 0;
  readonly #staged: Entry[] = [];
  readonly #underWay = new Set<Entry>();
  readonly #reads = new Set<ReadView>();
  readonly #window: number;
  readonly #events: RegionEvents;

  constructor(window: number, events: RegionEvents) {
    this.#window = window;
    this.#events = events;
  }
  get staging(): boolean {
    return this.#staged.length > 0;
  }
  get idle(): boolean {
    return this.users === 0 && !this.staging;
  }

  stage(entry: Entry): void {
    this.#staged.push(entry);
    this.#drain();
  }

  /** What the stage has of these bytes; undefined unless it has all of them. */
  here(va: bigint, bytes: number): Uint8Array | undefined {
    const view = new ReadView(va, bytes);
    for (const entry of this.#staged) view.lay(entry);
    return view.whole ? view.own : undefined;
  }
  /** The node's bytes with the stage's over them: those that left it meanwhile, too. */
  async over(va: bigint, bytes: number, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const view = new ReadView(va, bytes);
    this.#reads.add(view);
    try {
      const found = await read();
      for (const entry of this.#staged) view.lay(entry);
      return view.over(found);
    } finally {
      this.#reads.delete(view);
    }
  }

  #drain(): void {
    for (const [at, entry] of this.#staged.entries()) {
      if (this.#underWay.size >= this.#window) return;
      if (this.#underWay.has(entry)) continue;
      if (this.#staged.slice(0, at).some(other => meet(other, entry))) return;
      this.#underWay.add(entry);
      entry.carryOut().then(
        () => this.#leaves(entry, undefined),
        (why: unknown) => this.#leaves(entry, why),
      );
    }
  }
  #leaves(entry: Entry, why: unknown): void {
    this.#underWay.delete(entry);
    this.#staged.splice(this.#staged.indexOf(entry), 1);
    for (const read of this.#reads) read.lay(entry);
    this.#drain();
    this.#events.left(entry, why);
  }
}
