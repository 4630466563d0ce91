/**
 * Memory of a machine whose pages lie partly at a node: faults, prefetches and reclaim (Fastswap, sections 4.1 to 4.3).
 */

/** Bytes of a page. */
export const pageBytes = 4096;

/** One queue pair to the node: pages by number. */
export interface QueuePair {
  readonly read: (page: number) => Promise<Uint8Array>;
  readonly write: (page: number, data: Uint8Array) => Promise<void>;
}

export interface FarMemoryOptions {
  /** Faulted pages and pages that are written back, for which somebody waits; and prefetches. */
  readonly critical: QueuePair;
  readonly bulk: QueuePair;
  /** Pages that may be here, and those above that the reclaimer is given time for (the paper's alpha, section 4.3). */
  readonly limit: number;
  readonly alpha: number;
  /** Pages of the aligned window that a fault brings; Linux's is 8. */
  readonly window: number;
}

interface Resident {
  readonly data: Uint8Array;
  isDirty: boolean;
}

const counted = {
  hits: 0,
  faults: 0,
  prefetched: 0,
  waitedForPrefetch: 0,
  evicted: 0,
  written: 0,
  refused: 0,
  direct: 0,
  most: 0,
};

/**
 * The pages that are here. A fault asks for its page on the critical pair and for the rest of its window on the other
 * one, and waits for its page alone. A reclaimer of its own writes pages back, the least recently used first, while
 * there are more than `limit`. At `limit` + `alpha` a fault makes room itself before it reads, and nothing is
 * prefetched: there are never more. Pages on their way, in or out, count. A page that the node refuses to take back
 * stays here; a fault that has to make room for itself fails then.
 */
export class FarMemory {
  readonly #o: FarMemoryOptions;
  /** In the order of their last use. */
  readonly #here = new Map<number, Resident>();
  readonly #coming = new Map<number, Promise<void>>();
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #count = { ...counted };
  #reclaims: Promise<void> | undefined;

  constructor(o: FarMemoryOptions) {
    this.#o = o;
  }

  get statistics(): Readonly<typeof counted> {
    return { ...this.#count };
  }
  /** Pages here and on their way. */
  get occupied(): number {
    return this.#here.size + this.#coming.size + this.#leaving.size;
  }

  /**
   * Uses a page once it is here: `act` sees its bytes, and may write to them when it says so. It is called in one go,
   * for the page may go at any time behind it.
   */
  async use<T>(page: number, kind: "read" | "write", act: (data: Uint8Array) => T): Promise<T> {
    for (;;) {
      const found = this.#here.get(page);
      if (found !== undefined) {
        this.#count.hits++;
        this.#here.delete(page);
        this.#here.set(page, found);
        found.isDirty ||= kind === "write";
        return act(found.data);
      }
      await this.#bring(page);
    }
  }
  /** Ends when nothing is on its way. */
  async settled(): Promise<void> {
    while (this.#coming.size > 0 || this.#leaving.size > 0 || this.#reclaims !== undefined)
      await Promise.allSettled([...this.#coming.values(), ...this.#leaving.values(), this.#reclaims]);
  }

  async #bring(page: number): Promise<void> {
    const leaving = this.#leaving.get(page);
    // Gone or back again: the caller looks.
    if (leaving !== undefined) return leaving.catch(() => undefined);
    const coming = this.#coming.get(page);
    if (coming !== undefined) {
      this.#count.waitedForPrefetch++;
      return coming;
    }
    if (this.occupied >= this.#o.limit + this.#o.alpha) {
      this.#count.direct++;
      // Another fault may take the room that this makes: so it looks again.
      return this.#evictOne();
    }
    this.#count.faults++;
    const arrives = this.#fetch(this.#o.critical, page);
    this.#prefetch(page);
    this.#wakeReclaimer();
    return arrives;
  }

  #fetch(pair: QueuePair, page: number): Promise<void> {
    const arrives = pair.read(page).then(
      data => {
        this.#coming.delete(page);
        this.#here.set(page, { data, isDirty: false });
      },
      (e: unknown) => {
        this.#coming.delete(page);
        throw e;
      },
    );
    this.#coming.set(page, arrives);
    this.#count.most = Math.max(this.#count.most, this.occupied);
    return arrives;
  }

  #prefetch(page: number): void {
    const first = page - (page % this.#o.window);
    for (let p = first; p < first + this.#o.window; p++) {
      if (this.occupied >= this.#o.limit + this.#o.alpha) return;
      if (this.#here.has(p) || this.#coming.has(p) || this.#leaving.has(p)) continue;
      this.#count.prefetched++;
      // Nobody waits for it: a prefetch that fails is none.
      this.#fetch(this.#o.bulk, p).catch(() => undefined);
    }
  }

  #wakeReclaimer(): void {
    // A page that cannot be written back ends this round; the next fault begins another one.
    this.#reclaims ??= this.#reclaim()
      .catch(() => undefined)
      .finally(() => {
        this.#reclaims = undefined;
      });
  }
  async #reclaim(): Promise<void> {
    while (this.occupied > this.#o.limit && (this.#here.size > 0 || this.#coming.size + this.#leaving.size > 0))
      await this.#evictOne();
  }

  /** The least recently used page goes; where all are on their way, one of these arrives first. */
  async #evictOne(): Promise<void> {
    const [oldest] = this.#here;
    if (oldest === undefined) {
      await Promise.race([...this.#coming.values(), ...this.#leaving.values()]);
      return;
    }
    const [page, { data, isDirty }] = oldest;
    this.#here.delete(page);
    this.#count.evicted++;
    if (!isDirty) return;
    this.#count.written++;
    const left = this.#o.critical.write(page, data).then(
      () => {
        this.#leaving.delete(page);
      },
      (e: unknown) => {
        // Its bytes are nowhere else: the page stays, as the one used last, so that another one is tried next.
        this.#leaving.delete(page);
        this.#here.set(page, { data, isDirty: true });
        this.#count.refused++;
        throw e;
      },
    );
    this.#leaving.set(page, left);
    await left;
  }
}
