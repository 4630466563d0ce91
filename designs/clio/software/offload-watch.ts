import type { OffloadControl } from "./offload-control.ts";

export interface OffloadWatchStatistics {
  /** Resets of offloads that were stuck, by slot. */
  readonly resets: readonly number[];
  /** Slots that are kept in reset. */
  readonly down: readonly number[];
}
export interface OffloadWatchOptions {
  /** Resolves with true when it is time to look again, false when the watch is to end. */
  readonly pause: () => Promise<boolean>;
  /** Nanoseconds since some start. */
  readonly time: () => number;
  /** Resets of one slot within `window` after which it stays in reset. Default 8. */
  readonly resets?: number;
  /** Nanoseconds. Default one second. */
  readonly window?: number;
  /** Called with every look. */
  readonly also?: () => Promise<void>;
}

const usualResets = 8,
  usualWindow = 1_000_000_000;

/**
 * Finds offloads that are stuck and resets them, without a person (docs/clio/offloads.md, "A stuck one"). An offload
 * that has to be reset too often is kept in reset: its requests are answered BUSY or EXPIRED, and nobody else notices.
 * `release` lets it work again.
 */
export class OffloadWatch {
  private readonly control: OffloadControl;
  private readonly o: Required<OffloadWatchOptions>;
  private readonly counts = new Map<number, number>();
  private readonly lately = new Map<number, readonly number[]>();
  private readonly out = new Set<number>();

  constructor(control: OffloadControl, options: OffloadWatchOptions) {
    this.control = control;
    this.o = { resets: usualResets, window: usualWindow, also: () => Promise.resolve(), ...options };
  }

  get statistics(): OffloadWatchStatistics {
    return {
      resets: Array.from({ length: 4 }, (_, k) => this.counts.get(k) ?? 0),
      down: [...this.out].sort((a, b) => a - b),
    };
  }

  /** Until `pause` tells that it is over. */
  async run(): Promise<void> {
    while (await this.o.pause()) {
      await this.look();
      await this.o.also();
    }
  }

  /** Looks once, and resets what is stuck. @returns the slots that were */
  async look(): Promise<readonly number[]> {
    const found = (await this.control.stuck()).filter(slot => !this.out.has(slot));
    for (const slot of found) {
      const now = this.o.time(),
        recent = [...(this.lately.get(slot) ?? []).filter(t => now - t < this.o.window), now];
      this.lately.set(slot, recent);
      this.counts.set(slot, (this.counts.get(slot) ?? 0) + 1);
      if (recent.length < this.o.resets) await this.control.reset(slot);
      else {
        this.out.add(slot);
        await this.control.hold(slot);
      }
    }
    return found;
  }

  /** Lets a slot work again that was kept in reset. */
  async release(slot: number): Promise<void> {
    this.out.delete(slot);
    this.lately.delete(slot);
    await this.control.reset(slot);
  }
}
