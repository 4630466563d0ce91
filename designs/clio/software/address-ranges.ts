/** Allocated pages from `start` to `end - 1` with the same permissions. */
export interface Range { readonly start: number; readonly end: number; readonly write: boolean }

/**
 * A process's allocated page ranges, in order (the paper's per-process VA allocation tree, §4.4.2, as an ordered list with binary search:
 * processes make few, large allocations). Page numbers are plain numbers: at most 38 bits.
 */
export class AddressRanges implements Iterable<Range> {
  private ranges: Range[] = [];

  [Symbol.iterator](): Iterator<Range> { return this.ranges[Symbol.iterator](); }
  /** Pages in all. */
  get pages(): number { return this.ranges.reduce((n, r) => n + r.end - r.start, 0); }

  /** Position of the first range that ends after `page`. */
  private after(page: number): number {
    let low = 0, high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.ranges[middle]?.end ?? 0) <= page) low = middle + 1; else high = middle;
    }
    return low;
  }

  /** Whether no page of start .. end - 1 is allocated. */
  isFree(start: number, end: number): boolean {
    const next = this.ranges[this.after(start)];
    return !next || next.start >= end;
  }

  /** Whether every page of start .. end - 1 is allocated. */
  covers(start: number, end: number): boolean {
    let page = start;
    for (let i = this.after(start); page < end; i++) {
      const r = this.ranges[i];
      if (!r || r.start > page) return false;
      page = r.end;
    }
    return true;
  }

  /** The first page from `from` on where `count` free pages stand together before `limit`; undefined when there is none. */
  findFree(from: number, count: number, limit: number): number | undefined {
    let page = from;
    for (let i = this.after(from); page + count <= limit; i++) {
      const r = this.ranges[i];
      if (!r || r.start >= page + count) return page;
      page = Math.max(page, r.end);
    }
    return undefined;
  }

  /** Add a free range. Neighbours are not joined: a range is one allocation. */
  add(range: Range): void { this.ranges.splice(this.after(range.start), 0, range); }

  /** Take start .. end - 1 out, cutting the ranges that reach over its ends. */
  remove(start: number, end: number): void {
    this.ranges = this.ranges.flatMap(r => [
      ...(r.start < Math.min(start, r.end) ? [{ ...r, end: Math.min(r.end, start) }] : []),
      ...(Math.max(end, r.start) < r.end ? [{ ...r, start: Math.max(r.start, end) }] : []),
    ]);
  }
}
