import type { Entry } from "./region.ts";

/**
 * The packets of a user for a region, of one kind of DAG: a FIFO whose first entries are in registers, and at most one
 * packet that stopped short. While one has stopped (`hold`) nothing of the FIFO starts: it would overtake.
 */
export class Queue {
  hold = false;
  stopped: Entry | undefined;
  /** The registers; an entry read from the memory counts from its time on. */
  private readonly first: { readonly entry: Entry; readonly at: number }[] = [];
  private readonly memory: Entry[] = [];
  private readonly prefetch: number;
  private readonly refill: number;

  constructor(prefetch: number, refill: number) {
    this.prefetch = prefetch;
    this.refill = refill;
  }
  get length(): number {
    return this.first.length + this.memory.length + (this.stopped ? 1 : 0);
  }
  push(entry: Entry, now: number): void {
    if (this.memory.length === 0 && this.first.length < this.prefetch) this.first.push({ entry, at: now });
    else this.memory.push(entry);
  }
  /** The candidate behind `ahead` others of this queue that are being decided. */
  candidate(ahead: number, now: number): Entry | undefined {
    if (this.stopped) return ahead === 0 ? this.stopped : undefined;
    const next = this.hold ? undefined : this.first[ahead];
    return next !== undefined && next.at <= now ? next.entry : undefined;
  }
  /** The candidate starts. */
  pop(now: number): void {
    if (this.stopped) {
      this.stopped = undefined;
      return;
    }
    this.first.shift();
    const entry = this.memory.shift();
    if (entry) this.first.push({ entry, at: now + this.refill });
  }
}
