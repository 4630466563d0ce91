/** Numbers handed out lowest free first: process IDs, sessions. */
export class LowestFree {
  private readonly taken = new Set<number>();
  private readonly first: number;
  private readonly last: number;
  private hint: number;

  constructor(first: number, last: number) { this.first = first; this.last = last; this.hint = first; }

  has(n: number): boolean { return this.taken.has(n); }
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
