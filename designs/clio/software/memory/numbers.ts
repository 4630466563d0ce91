/** Numbers given lowest free first: sessions. */
export class LowestFree {
  private readonly taken = new Set<number>();
  private readonly first: number;
  private readonly last: number;
  private hint: number;

  constructor(first: number, last: number) {
    this.first = first;
    this.last = last;
    this.hint = first;
  }

  has(n: number): boolean {
    return this.taken.has(n);
  }
  /** The lowest free number, or undefined when all are taken. */
  take(): number | undefined {
    let n = this.hint;
    while (n <= this.last && this.taken.has(n)) n++;
    if (n > this.last) return undefined;
    this.taken.add(n);
    this.hint = n + 1;
    return n;
  }
  /** Take this very number; false when it is taken or out of range. */
  claim(n: number): boolean {
    if (n < this.first || n > this.last || this.taken.has(n)) return false;
    this.taken.add(n);
    return true;
  }
  /** Give a number back; false when it was not taken. */
  release(n: number): boolean {
    if (!this.taken.delete(n)) return false;
    this.hint = Math.min(this.hint, n);
    return true;
  }
}

/**
 * Process IDs: those that nobody ever had first, in order; then those given back, the one free for longest first. So a
 * late request of a process that ended meets another's as late as possible.
 */
export class LongestFree {
  private readonly taken = new Set<number>();
  /** Given back, the longest free first (a set keeps its order). */
  private readonly returned = new Set<number>();
  private readonly first: number;
  private readonly last: number;
  private readonly lastGiven: number;
  /** All below have been given once. */
  private fresh: number;

  /** @param lastGiven the last that `take` gives; those behind it are given on request only */
  constructor(first: number, last: number, lastGiven = last) {
    this.first = first;
    this.last = last;
    this.lastGiven = lastGiven;
    this.fresh = first;
  }

  /** The next number, or undefined when all are taken. */
  take(): number | undefined {
    while (this.taken.has(this.fresh) || this.returned.has(this.fresh)) this.fresh++;
    const n = this.fresh <= this.lastGiven ? this.fresh : this.longestReturned();
    if (n === undefined) return undefined;
    this.claim(n);
    return n;
  }
  /** Take this very number; false when it is taken or out of range. */
  claim(n: number): boolean {
    if (n < this.first || n > this.last || this.taken.has(n)) return false;
    this.returned.delete(n);
    this.taken.add(n);
    return true;
  }
  /** Give a number back; false when it was not taken. */
  release(n: number): boolean {
    if (!this.taken.delete(n)) return false;
    this.returned.add(n);
    return true;
  }

  private longestReturned(): number | undefined {
    for (const n of this.returned) if (n <= this.lastGiven) return n;
    return undefined;
  }
}
