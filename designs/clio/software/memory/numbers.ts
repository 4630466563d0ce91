/** Numbers given lowest free first: process IDs, sessions. */
export class LowestFree {
  private readonly taken = new Set<number>();
  private readonly first: number;
  private readonly last: number;
  private hint: number;

  private readonly lastGiven: number;

  /** @param lastGiven the last that `take` gives; those behind it are given on request only */
  constructor(first: number, last: number, lastGiven = last) {
    this.first = first;
    this.last = last;
    this.lastGiven = lastGiven;
    this.hint = first;
  }

  has(n: number): boolean {
    return this.taken.has(n);
  }
  /** The lowest free number, or undefined when all are taken. */
  take(): number | undefined {
    let n = this.hint;
    while (n <= this.lastGiven && this.taken.has(n)) n++;
    if (n > this.lastGiven) return undefined;
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
