import type { FramePool } from "./frame-pool.ts";

/** The way to the hardware's free-page buffer. */
export interface FreePageRing {
  /** Frames that it has room for. */
  freePageRoom(): Promise<number>;
  pushFreePage(ppn: number): Promise<void>;
  /** Resolves with true when it holds few frames, with false when the way to the hardware is closed. */
  lowWater(): Promise<boolean>;
  /** Tells whether there is no frame left at all. */
  setOutOfMemory(none: boolean): Promise<void>;
}

/**
 * Keeps the hardware's free-page buffer full, ahead of demand (paper §4.4.3), and tells the hardware when there is
 * really no page left. Runs until the ring closes.
 */
export class PageRefill {
  /** Resolves when the buffer has been filled for the first time. */
  readonly ready: Promise<void>;
  private readonly ring: FreePageRing;
  private readonly pool: FramePool;
  private readonly ahead: number;
  private readonly closed: Promise<boolean>;
  private markReady: () => void = () => undefined;
  private close: () => void = () => undefined;
  private toldOutOfMemory = false;

  /** @param ahead zeroed frames to keep beside those in the buffer */
  constructor(ring: FreePageRing, pool: FramePool, ahead: number) {
    this.ring = ring;
    this.pool = pool;
    this.ahead = ahead;
    this.ready = new Promise(resolve => {
      this.markReady = resolve;
    });
    this.closed = new Promise(resolve => {
      this.close = () => resolve(false);
    });
  }

  async run(): Promise<void> {
    for (let open = true; open;) {
      const filled = await this.fill();
      this.markReady();
      if (filled) {
        await this.pool.zeroAhead(this.ahead);
        open = await this.ring.lowWater();
      } else if (this.pool.free === 0) {
        // With no frame left only a free can help; waiting for low water would return at once for ever.
        open = await Promise.race([this.pool.released().then(() => true), this.closed]);
      }
    }
  }

  /** Ends `run` when it waits for a frame. */
  stop(): void {
    this.close();
  }

  /** Push until the buffer is full (true) or no frame is left (false). */
  private async fill(): Promise<boolean> {
    while ((await this.ring.freePageRoom()) > 0) {
      const ppn = await this.pool.take();
      if (ppn === undefined) {
        await this.tell(true);
        return false;
      }
      await this.ring.pushFreePage(ppn);
      await this.tell(false);
    }
    return true;
  }

  /**
   * What the hardware is told follows the pool: set when nothing is left to push, cleared as soon as something
   * has been pushed.
   */
  private async tell(none: boolean): Promise<void> {
    if (none === this.toldOutOfMemory) return;
    this.toldOutOfMemory = none;
    await this.ring.setOutOfMemory(none);
  }
}
