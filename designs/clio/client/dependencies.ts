/** Use of the pages of its process by an operation. `metadata`: it changes what is mapped there. */
export type Effect = "read" | "write" | "metadata";
/** The pages that an operation touches: virtual page numbers, both ends included. */
export interface Footprint {
  readonly pid: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly effect: Effect;
}

/** A tracked operation; `leave` is called once, when it has ended. */
export interface Tracked {
  leave(): void;
}
interface Entry {
  readonly footprint: Footprint | undefined;
  readonly ended: Promise<void>;
}

/**
 * The operations of one thread that have not ended. A new operation waits for those before it that touch one of its
 * pages, unless both read (paper §4.4.5, T2). Two kinds hold back more: a synchronous operation everything behind it, a
 * release everything behind it and itself behind everything. State: the operations of one thread that have not ended,
 * bounded by its `asyncLimit`.
 */
export class DependencyTracker {
  private readonly entries = new Set<Entry>();
  private barrier: Promise<void> | undefined;

  get size(): number {
    return this.entries.size;
  }

  /** Ends of the earlier operations that one with this footprint depends on. */
  conflicts(footprint: Footprint | undefined): readonly Promise<void>[] {
    if (footprint === undefined) return [];
    return [...this.entries]
      .filter(e => e.footprint !== undefined && conflict(e.footprint, footprint))
      .map(e => e.ended);
  }
  /** Ends of all earlier operations. */
  all(): readonly Promise<void>[] {
    return [...this.entries].map(e => e.ended);
  }
  /** End of the last synchronous operation or release, while it has not come. */
  get held(): Promise<void> | undefined {
    return this.barrier;
  }

  /**
   * Tracks an operation until it leaves. It leaves before its caller is resumed, so that the caller's next operation
   * does not wait for it.
   * @param barrier whether all behind it wait for it
   */
  enter(footprint: Footprint | undefined, barrier: boolean): Tracked {
    let end: () => void = () => undefined;
    const entry: Entry = {
      footprint,
      ended: new Promise(resolve => {
        end = resolve;
      }),
    };
    this.entries.add(entry);
    if (barrier) this.barrier = entry.ended;
    return {
      leave: () => {
        this.entries.delete(entry);
        if (this.barrier === entry.ended) this.barrier = undefined;
        end();
      },
    };
  }
}

function conflict(a: Footprint, b: Footprint): boolean {
  return a.pid === b.pid && a.first <= b.last && b.first <= a.last && !(a.effect === "read" && b.effect === "read");
}
