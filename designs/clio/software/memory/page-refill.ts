import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import type { SlowPathTransport } from "../transport/transport.ts";

/**
 * Keeps the hardware's free-page buffer full, ahead of demand (paper §4.4.3), and sets the hardware's out-of-memory
 * state when no page is left. Runs until the transport closes.
 */
export class PageRefill {
  /** Resolves when the buffer has been filled for the first time. */
  readonly ready: Promise<void>;
  private readonly transport: Pick<SlowPathTransport, "freePageRoom" | "pushFreePage" | "lowWater" | "writeRegister">;
  private readonly pool: FramePool;
  private readonly ahead: number;
  private readonly closed: Promise<boolean>;
  private markReady: () => void = () => undefined;
  private close: () => void = () => undefined;
  private toldOutOfMemory = false;

  /** @param ahead zeroed frames to keep beside those in the buffer */
  constructor(transport: PageRefill["transport"], pool: FramePool, ahead: number) {
    this.transport = transport;
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
        open = await this.transport.lowWater();
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
    while ((await this.transport.freePageRoom()) > 0) {
      const ppn = await this.pool.take();
      if (ppn === undefined) {
        await this.tell(true);
        return false;
      }
      await this.transport.pushFreePage(ppn);
      await this.tell(false);
    }
    return true;
  }

  /** The register follows the pool: set when nothing is left to push, cleared as soon as something has been pushed. */
  private async tell(none: boolean): Promise<void> {
    if (none === this.toldOutOfMemory) return;
    this.toldOutOfMemory = none;
    await this.transport.writeRegister("outOfMemory", none ? 1 : 0);
  }
}
