import { concatenate, join, type Range, rangeAfter, rangesOf, roomIn, split, type VaTree } from "./va-tree.ts";

export type { Range } from "./va-tree.ts";

/**
 * A process's allocated page ranges: the per-process VA allocation tree of paper §4.4.2, balanced, each node with the
 * largest gap below it. Finding room, adding and removing a range take O(log n) for n ranges. Page numbers are plain
 * numbers: at most 38 bits.
 */
export class AddressRanges implements Iterable<Range> {
  private tree: VaTree | undefined;

  [Symbol.iterator](): Iterator<Range> {
    return rangesOf(this.tree);
  }
  /** Ranges in all: allocations, and what is left of those that were freed in part. */
  get count(): number {
    return this.tree?.count ?? 0;
  }
  /** Pages in all. */
  get pages(): number {
    return this.tree?.pages ?? 0;
  }
  /** Depth of the tree. */
  get height(): number {
    return this.tree?.height ?? 0;
  }

  /** Whether no page of start .. end - 1 is allocated. */
  isFree(start: number, end: number): boolean {
    return (rangeAfter(this.tree, start)?.start ?? end) >= end;
  }

  /** Whether every page of start .. end - 1 is allocated. O(k log n) for the k ranges there. */
  covers(start: number, end: number): boolean {
    let page = start;
    while (page < end) {
      const r = rangeAfter(this.tree, page);
      if (!r || r.start > page) return false;
      page = r.end;
    }
    return true;
  }

  /**
   * The first page from `from` on where `count` free pages stand together before `limit`; undefined when there is none.
   */
  findFree(from: number, count: number, limit: number, visited?: () => void): number | undefined {
    return roomIn(this.tree, from, limit, count, visited);
  }

  /** Add a free range. Neighbours are not joined: a range is one allocation. */
  add(range: Range): void {
    const { before, from } = split(this.tree, range.start);
    this.tree = join(before, range, from);
  }

  /** Take start .. end - 1 out, cutting the ranges that reach over its ends. */
  remove(start: number, end: number): void {
    const { before, from } = split(this.tree, start);
    this.tree = concatenate(before, split(from, end).from);
  }
}
