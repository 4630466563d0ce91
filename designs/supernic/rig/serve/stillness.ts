import { framesInside, type Inside } from "../device/index.ts";

/** Cycles without a frame in or out after which the registers are read; and between two readings. */
const lookAfter = 300,
  lookEvery = 300;
/** Cycles, and epochs, after which what is still inside waits for something from outside: a pause, a lost partner. */
const stuckCycles = 50_000,
  stuckEpochs = 64;

/** What is asked of a device (`SimulatedSuperNic`). */
export interface Watched {
  readonly setup: { readonly epoch: number };
  readonly bench: { readonly cycle: number };
  /** Frames that are not wholly in yet, or that software works on. */
  readonly busy: boolean;
  inside(): Promise<Inside>;
}

/**
 * Whether a device has nothing under way. Its registers tell that, and to read them takes cycles. So they are read when
 * nothing has moved for a while, and what they said holds until something moves.
 */
export class Stillness {
  readonly #device: Watched;
  readonly #stuck: number;
  #moved: number;
  /** The movement behind which nothing was inside. */
  #still: number | undefined;
  #looking = false;
  #next = 0;
  #error: Error | undefined;

  constructor(device: Watched) {
    this.#device = device;
    this.#stuck = Math.max(stuckCycles, stuckEpochs * device.setup.epoch);
    this.#moved = device.bench.cycle;
  }
  /** A frame has come in, or one has left. */
  moved(): void {
    this.#moved = this.#device.bench.cycle;
    this.#still = undefined;
  }
  /** Something may be under way. To be asked at each edge. @throws what reading the registers threw */
  get working(): boolean {
    if (this.#error !== undefined) throw this.#error;
    if (this.#device.busy) {
      this.moved();
      return true;
    }
    if (this.#still === this.#moved) return false;
    const { cycle } = this.#device.bench;
    if (cycle - this.#moved >= lookAfter && cycle >= this.#next && !this.#looking) void this.#look();
    return true;
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const { bench } = this.#device,
      behind = this.#moved;
    try {
      const inside = await this.#device.inside(),
        isStuck = bench.cycle - behind > this.#stuck;
      if (framesInside(inside) + inside.cells === 0 || isStuck) this.#still = behind;
    } catch (e) {
      this.#error = e as Error;
    }
    this.#next = bench.cycle + lookEvery;
    this.#looking = false;
  }
}
