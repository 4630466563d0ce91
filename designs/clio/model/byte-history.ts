import { SparseBytes } from "./sparse-bytes.ts";

/**
 * A write to some bytes of a page, and when it can have happened: between its issue and its reply. Times are in
 * any one unit.
 */
export interface PendingWrite {
  readonly start: number;
  readonly data: Uint8Array;
  readonly issued: number;
  /** Infinity until the reply (or, for a write without one, until the node is known to be idle). */
  replied: number;
}
const ends = (w: PendingWrite): number => w.start + w.data.length;
/** `a` was over before `b` began. */
const before = (a: PendingWrite, b: PendingWrite): boolean => a.replied < b.issued;

/**
 * The legal values of a page's bytes when accesses overlap in time. A read may give a write's value, with two
 * exceptions. Either the write had not been issued when the read ended, or another write lay wholly between the two.
 * Writes that are over for every access that can still come are folded into one image. Where several were concurrent,
 * their values stay as alternatives until a read shows the last.
 */
export class ByteHistory {
  private readonly image = new SparseBytes();
  private readonly alternatives = new Map<number, Set<number>>();
  private recent: PendingWrite[] = [];

  /** Writes not folded yet. */
  get pending(): number {
    return this.recent.length;
  }

  add(write: PendingWrite): void {
    this.recent.push(write);
  }
  /** A write that turned out to have failed. */
  drop(write: PendingWrite): void {
    this.recent = this.recent.filter(w => w !== write);
  }

  /**
   * Check a read of `data` from `start`.
   * @returns the offset of the first byte that no order allows with the values it could have had, or undefined
   */
  check(
    start: number,
    data: Uint8Array,
    issued: number,
  ): { readonly offset: number; readonly legal: readonly number[] } | undefined {
    const end = start + data.length,
      overlapping = this.recent.filter(w => w.start < end && ends(w) > start);
    // Most reads: nothing is under way here, and one value of each byte is possible.
    if (overlapping.length === 0 && this.alternatives.size === 0 && this.image.holds(start, data)) return undefined;
    // Between two cuts the same writes cover every byte.
    const cuts = [
      ...new Set([start, end, ...overlapping.flatMap(w => [Math.max(start, w.start), Math.min(end, ends(w))])]),
    ].sort((a, b) => a - b);
    for (const [k, from] of cuts.entries()) {
      const to = cuts[k + 1] ?? from,
        here = overlapping.filter(w => w.start <= from && from < ends(w));
      const over = here.filter(w => w.replied < issued),
        candidates = here.filter(w => !over.some(o => before(w, o)));
      for (let at = from; at < to; at++) {
        const value = data[at - start] ?? 0;
        if (candidates.some(w => w.data[at - w.start] === value)) continue;
        if (over.length === 0 && here.length === 0 && this.alternatives.size === 0 && this.image.at(at) === value)
          continue;
        const settled = over.length === 0 ? this.settled(at) : [];
        if (!settled.includes(value))
          return {
            offset: at,
            legal: [...new Set([...settled, ...candidates.map(w => w.data[at - w.start] ?? 0)])].sort((a, b) => a - b),
          };
        // No write can come between any more: the byte holds the value of this read.
        if (here.length === 0 && settled.length > 1) this.settle(at, value);
      }
    }
    return undefined;
  }

  /** The bytes from `start`, when only one value of each is possible and none is being written; otherwise undefined. */
  known(start: number, length: number): Uint8Array | undefined {
    const out = new Uint8Array(length);
    if (this.recent.some(w => w.start < start + length && ends(w) > start)) return undefined;
    for (let i = 0; i < length; i++) {
      const values = this.settled(start + i);
      if (values.length !== 1) return undefined;
      out[i] = values[0] ?? 0;
    }
    return out;
  }

  /**
   * Fold every write that is over for all accesses issued at or after `horizon` (the earliest issue time still open).
   */
  fold(horizon: number): void {
    if (this.recent.length === 0) return;
    const over = (w: PendingWrite): boolean => w.replied < horizon;
    const overlap = (a: PendingWrite, b: PendingWrite): boolean => a.start < ends(b) && b.start < ends(a);
    // A write must wait for those that may still come before it; a waiting write makes others wait in turn.
    const foldable = new Set(this.recent.filter(over));
    if (foldable.size === 0) return;
    for (let again = true; again;) {
      const waits = [...foldable].filter(a =>
        this.recent.some(b => overlap(a, b) && a !== b && !foldable.has(b) && !before(a, b)),
      );
      for (const w of waits) foldable.delete(w);
      again = waits.length > 0;
    }
    const writes = [...foldable];
    for (const w of writes) {
      const others = writes.filter(o => o !== w && overlap(w, o));
      if (others.length === 0) {
        this.settleAll(w);
        continue;
      }
      for (let at = w.start; at < ends(w); at++) {
        const here = others.filter(o => o.start <= at && at < ends(o));
        if (here.some(o => before(w, o))) continue;
        const rivals = here.filter(o => !before(o, w) && !here.some(x => before(o, x)));
        this.settle(at, w.data[at - w.start] ?? 0);
        for (const r of rivals) this.allow(at, r.data[at - r.start] ?? 0);
      }
    }
    this.recent = this.recent.filter(w => !foldable.has(w));
  }

  private settled(at: number): readonly number[] {
    const value = this.image.at(at),
      others = this.alternatives.get(at);
    return others ? [...others] : [value];
  }
  private settle(at: number, value: number): void {
    this.image.set(at, value);
    this.alternatives.delete(at);
  }
  private settleAll(w: PendingWrite): void {
    this.image.write(w.start, w.data);
    if (this.alternatives.size > 0) for (let at = w.start; at < ends(w); at++) this.alternatives.delete(at);
  }
  private allow(at: number, value: number): void {
    const own = this.image.at(at);
    if (value !== own) this.alternatives.set(at, new Set([...(this.alternatives.get(at) ?? [own]), value]));
  }
}
