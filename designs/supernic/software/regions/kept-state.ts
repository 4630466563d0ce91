/** State of chains that have no region, and when it is read and written (docs/supernic/state.md, "When it moves"). */
import { keepsState, losesState, StateFault } from "../state/index.ts";
import type { LiveChain } from "./manager.ts";

/** Reads and writes the state of a chain in a region; each throws StateFault. */
export interface ChainMover {
  save(region: number, tasks: LiveChain["tasks"]): Promise<Uint8Array>;
  restore(region: number, tasks: LiveChain["tasks"], image: Uint8Array): Promise<void>;
  fresh(region: number, tasks: LiveChain["tasks"]): Promise<void>;
}

/** Each chain's state is in one place: in its region, here, or at a peer. */
export class KeptState {
  readonly #mover: ChainMover | undefined;
  readonly #images = new Map<LiveChain, Uint8Array>();
  /** Chains whose state was read, written into a region, or lost; and why it was lost, last. */
  readonly counts = { saved: 0, restored: 0, lost: 0 };
  fault: string | undefined;

  constructor(mover: ChainMover | undefined) {
    this.#mover = mover;
  }
  /** Whether the chain has state that only one instance can have. */
  isSingle({ tasks }: LiveChain): boolean {
    return this.#mover !== undefined && keepsState(tasks);
  }
  /** Whether some of the chain lies here. */
  has(chain: LiveChain): boolean {
    return this.#images.has(chain);
  }
  /** The chain's last region goes. Nothing is on its way there. */
  async keep(region: number, chain: LiveChain): Promise<void> {
    const image = await this.read(region, chain);
    if (image !== undefined) this.#images.set(chain, image);
  }
  /** @returns undefined: it keeps none, or it is lost and counted */
  async read(region: number, { tasks }: LiveChain): Promise<Uint8Array | undefined> {
    if (this.#mover === undefined) return undefined;
    if (losesState(tasks)) this.lose("it has state that nobody can read");
    if (!keepsState(tasks)) return undefined;
    try {
      const image = await this.#mover.save(region, tasks);
      this.counts.saved++;
      return image;
    } catch (e) {
      this.#lost(e);
      return undefined;
    }
  }
  /** What lies here of the chain; it stays here. */
  look(chain: LiveChain): Uint8Array | undefined {
    return this.#images.get(chain);
  }
  /** What lies here of the chain, which then lies here no more: it is used once. */
  take(chain: LiveChain): Uint8Array | undefined {
    const image = this.#images.get(chain);
    this.#images.delete(chain);
    return image;
  }
  /** Into a fresh chain with its rows. @returns false: it is lost, and the chain may have a part of it */
  async write(region: number, { tasks }: LiveChain, image: Uint8Array): Promise<boolean> {
    try {
      await this.#mover?.restore(region, tasks, image);
      this.counts.restored++;
      return true;
    } catch (e) {
      this.#lost(e);
      return false;
    }
  }
  /** The chain's tasks are as configured. */
  async fresh(region: number, { tasks }: LiveChain): Promise<boolean> {
    try {
      await this.#mover?.fresh(region, tasks);
      return true;
    } catch (e) {
      if (!(e instanceof StateFault)) throw e;
      this.fault = e.message;
      return false;
    }
  }
  lose(why: string): void {
    this.counts.lost++;
    this.fault = why;
  }
  #lost(e: unknown): void {
    if (!(e instanceof StateFault)) throw e;
    this.lose(e.message);
  }
}
