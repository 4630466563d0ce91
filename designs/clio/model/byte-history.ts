/** A write to some bytes of a page, and when it can have happened: between its issue and its reply. Times are in any one unit. */
export interface PendingWrite {
  readonly start: number; readonly data: Uint8Array; readonly issued: number;
  /** Infinity until the reply (or, for a write without one, until the node is known to be idle). */
  replied: number;
}
const ends = (w: PendingWrite): number => w.start + w.data.length;
/** `a` was over before `b` began. */
const before = (a: PendingWrite, b: PendingWrite): boolean => a.replied < b.issued;

/**
 * The legal values of a page's bytes when accesses overlap in time. A read may give a write's value unless that write had not been issued when the
 * read ended, or another write lay wholly between it and the read. Writes that are over for every access that can still come are folded into one image;
 * where several were concurrent their values stay as alternatives until a read shows which was last.
 */
export class ByteHistory {
  private image = new Uint8Array(0);
  private readonly alternatives = new Map<number, Set<number>>();
  private recent: PendingWrite[] = [];

  /** Writes not folded yet. */
  get pending(): number { return this.recent.length; }

  add(write: PendingWrite): void { this.recent.push(write); }
  /** A write that turned out to have failed. */
  drop(write: PendingWrite): void { this.recent = this.recent.filter(w => w !== write); }

  /**
   * Check a read of `data` from `start`.
   * @returns the offset of the first byte that no order allows with the values it could have had, or undefined
   */
  check(start: number, data: Uint8Array, issued: number): { readonly offset: number; readonly legal: readonly number[] } | undefined {
    const overlapping = this.recent.filter(w => w.start < start + data.length && ends(w) > start);
    for (let i = 0; i < data.length; i++) {
      const at = start + i, value = data[i] ?? 0, here = overlapping.filter(w => w.start <= at && at < ends(w));
      const over = here.filter(w => w.replied < issued);
      const candidates = here.filter(w => !over.some(o => before(w, o))).map(w => w.data[at - w.start] ?? 0);
      const settled = over.length === 0 ? this.settled(at) : [];
      if (!candidates.includes(value) && !settled.includes(value)) return { offset: at, legal: [...new Set([...settled, ...candidates])].sort((a, b) => a - b) };
      // No write can come between any more: what this read saw is what the byte holds.
      if (here.length === 0 && settled.length > 1) this.settle(at, value);
    }
    return undefined;
  }

  /** Fold every write that is over for all accesses issued at or after `horizon` (the earliest issue time still open). */
  fold(horizon: number): void {
    if (this.recent.length === 0) return;
    const over = (w: PendingWrite): boolean => w.replied < horizon;
    const overlap = (a: PendingWrite, b: PendingWrite): boolean => a.start < ends(b) && b.start < ends(a);
    // A write must wait for those that may still come before it; what waits makes others wait in turn.
    let foldable = this.recent.filter(over);
    for (let again = true; again;) {
      const next = foldable.filter(a => this.recent.every(b => a === b || foldable.includes(b) || before(a, b) || !overlap(a, b)));
      again = next.length < foldable.length;
      foldable = next;
    }
    for (const w of foldable) {
      const others = foldable.filter(o => o !== w && overlap(w, o));
      for (let at = w.start; at < ends(w); at++) {
        const here = others.filter(o => o.start <= at && at < ends(o));
        if (here.some(o => before(w, o))) continue;
        const rivals = here.filter(o => !before(o, w) && !here.some(x => before(o, x)));
        this.settle(at, w.data[at - w.start] ?? 0);
        for (const r of rivals) this.allow(at, r.data[at - r.start] ?? 0);
      }
    }
    this.recent = this.recent.filter(w => !foldable.includes(w));
  }

  private settled(at: number): readonly number[] {
    const value = this.image[at] ?? 0, others = this.alternatives.get(at);
    return others ? [...others] : [value];
  }
  private settle(at: number, value: number): void {
    if (at >= this.image.length) { const grown = new Uint8Array(Math.max(4096, 2 ** Math.ceil(Math.log2(at + 1)))); grown.set(this.image); this.image = grown; }
    this.image[at] = value;
    this.alternatives.delete(at);
  }
  private allow(at: number, value: number): void {
    const own = this.image[at] ?? 0;
    if (value !== own) this.alternatives.set(at, new Set([...(this.alternatives.get(at) ?? [own]), value]));
  }
}
