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
const overlap = (a: PendingWrite, b: PendingWrite): boolean => a.start < ends(b) && b.start < ends(a);

/** Whether one of the writes gives a byte this value. */
function gives(writes: readonly PendingWrite[], at: number, value: number): boolean {
  for (const w of writes) if (w.data[at - w.start] === value) return true;
  return false;
}

/** The parts of `start` to `end` in each of which the same writes cover every byte, in order. */
function stretches(start: number, end: number, writes: readonly PendingWrite[]): [from: number, to: number][] {
  const cuts = new Set([start, end]);
  for (const w of writes) {
    if (w.start > start && w.start < end) cuts.add(w.start);
    if (ends(w) > start && ends(w) < end) cuts.add(ends(w));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(1).map((to, i) => [sorted[i] ?? start, to]);
}

/**
 * The legal values of a page's bytes when accesses overlap in time. A read may give a write's value, with two
 * exceptions. Either the write had not been issued when the read ended, or another write lay wholly between the two.
 * Writes that are over for every access that can still come are folded into one image. Where several were concurrent,
 * their values stay as alternatives until a read shows the last.
 */
export class ByteHistory {
  private readonly image = new SparseBytes();
  /** Of a byte that may have one of several values: these, in no order, at least two. */
  private readonly alternatives = new Map<number, readonly number[]>();
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
    if (overlapping.length === 0 && this.openIn(start, end).length === 0 && this.image.holds(start, data))
      return undefined;
    for (const [from, to] of stretches(start, end, overlapping)) {
      const here = overlapping.filter(w => w.start <= from && from < ends(w));
      const over = here.filter(w => w.replied < issued),
        candidates = here.filter(w => !over.some(o => before(w, o)));
      for (let at = from; at < to; at++) {
        const value = data[at - start] ?? 0;
        if (gives(candidates, at, value)) continue;
        const open = this.alternatives.get(at);
        if (over.length > 0 || !(open ? open.includes(value) : this.image.at(at) === value)) {
          const settled = over.length === 0 ? (open ?? [this.image.at(at)]) : [],
            written = candidates.map(w => w.data[at - w.start] ?? 0);
          return { offset: at, legal: [...new Set([...settled, ...written])].sort((a, b) => a - b) };
        }
        // No write can come between any more: the byte holds the value of this read.
        if (here.length === 0 && open) this.settle(at, value);
      }
    }
    return undefined;
  }

  /** The bytes from `start`, when only one value of each is possible and none is being written; otherwise undefined. */
  known(start: number, length: number): Uint8Array | undefined {
    const out = new Uint8Array(length);
    if (this.recent.some(w => w.start < start + length && ends(w) > start)) return undefined;
    if (this.openIn(start, start + length).length > 0) return undefined;
    for (let i = 0; i < length; i++) out[i] = this.image.at(start + i);
    return out;
  }

  /**
   * Fold every write that is over for all accesses issued at or after `horizon` (the earliest issue time still open).
   */
  fold(horizon: number): void {
    if (this.recent.length === 0) return;
    const over = this.recent.filter(w => w.replied < horizon);
    if (over.length === 0) return;
    // A write must wait for those that may still come before it; a waiting write makes others wait in turn.
    const foldable = new Set(over);
    for (let again = true; again;) {
      const waits = [...foldable].filter(a =>
        this.recent.some(b => overlap(a, b) && a !== b && !foldable.has(b) && !before(a, b)),
      );
      for (const w of waits) foldable.delete(w);
      again = waits.length > 0;
    }
    const writes = [...foldable];
    this.recent = this.recent.filter(w => !foldable.has(w));
    for (const w of writes) {
      const others = writes.filter(o => o !== w && overlap(w, o));
      if (others.length === 0) {
        this.settleAll(w.start, w.data);
        continue;
      }
      for (const [from, to] of stretches(w.start, ends(w), others)) {
        const here = others.filter(o => o.start <= from && from < ends(o));
        if (here.some(o => before(w, o))) continue;
        const rivals = here.filter(o => !before(o, w) && !here.some(x => before(o, x)));
        this.settleAll(from, w.data.subarray(from - w.start, to - w.start));
        for (const r of rivals) for (let at = from; at < to; at++) this.allow(at, r.data[at - r.start] ?? 0);
      }
    }
  }

  /** Bytes with alternatives. Few of them and a long stretch, or the other way round. */
  private openIn(start: number, end: number): readonly number[] {
    const open: number[] = [];
    if (this.alternatives.size === 0) return open;
    if (this.alternatives.size < end - start) {
      for (const at of this.alternatives.keys()) if (at >= start && at < end) open.push(at);
    } else for (let at = start; at < end; at++) if (this.alternatives.has(at)) open.push(at);
    return open;
  }
  private settle(at: number, value: number): void {
    this.image.set(at, value);
    this.alternatives.delete(at);
  }
  private settleAll(start: number, data: Uint8Array): void {
    this.image.write(start, data);
    for (const at of this.openIn(start, start + data.length)) this.alternatives.delete(at);
  }
  private allow(at: number, value: number): void {
    const values = this.alternatives.get(at),
      own = this.image.at(at);
    if (values ? !values.includes(value) : value !== own) this.alternatives.set(at, [...(values ?? [own]), value]);
  }
}
