/**
 * Physical frames that no page has. A frame comes back dirty and is zeroed before it is given out, so that no process
 * ever reads another's data (Clio, section 4.4.3).
 */
export class FramePool {
  private readonly dirty: number[] = [];
  private readonly zeroed: number[] = [];
  private readonly pageSize: number;
  private readonly zero: (address: number, length: number) => Promise<void>;
  /** Frames that are being zeroed ahead of demand. */
  private zeroing = 0;
  private waiting: (() => void)[] = [];
  private next: number;
  private readonly end: number;

  /** @param first number of the first frame; frames are taken in order before any is reused */
  constructor(
    first: number,
    count: number,
    pageSize: number,
    zero: (address: number, length: number) => Promise<void>,
  ) {
    this.next = first;
    this.end = first + count;
    this.pageSize = pageSize;
    this.zero = zero;
  }

  /** Frames that can be had, now or when they have been zeroed. */
  get free(): number {
    return this.zeroed.length + this.zeroing + this.dirty.length + this.end - this.next;
  }

  /** Give a frame back. The caller has the hardware's word that nothing uses it any more. */
  release(ppn: number): void {
    this.dirty.push(ppn);
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  /** A zeroed frame, or undefined when there is none. */
  async take(): Promise<number | undefined> {
    const ready = this.zeroed.shift();
    if (ready !== undefined) return ready;
    const ppn = this.takeDirty();
    if (ppn !== undefined) await this.zero(ppn * this.pageSize, this.pageSize);
    return ppn;
  }

  /** Zero frames ahead of demand until `count` are ready or none is left. */
  async zeroAhead(count: number): Promise<void> {
    while (this.zeroed.length < count) {
      const ppn = this.takeDirty();
      if (ppn === undefined) return;
      this.zeroing++;
      await this.zero(ppn * this.pageSize, this.pageSize);
      this.zeroing--;
      this.zeroed.push(ppn);
    }
  }

  /** Resolves when a frame has been given back. */
  released(): Promise<void> {
    return new Promise(resolve => {
      this.waiting.push(resolve);
    });
  }

  private takeDirty(): number | undefined {
    return this.next < this.end ? this.next++ : this.dirty.shift();
  }
}
