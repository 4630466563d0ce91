/** Who has which regions, and when: by software's rules (managed.ts), for ever, or as fast as loads change. */
import { chainNeed, type EpochSizes, type EpochUser } from "./sizes.ts";

/** Instances needed of each chain, not whole numbers. */
export type Needs = readonly number[];
export interface Placement {
  /** Instances of a chain that take packets. */
  instances(chain: number): number;
  /** Instances that fair shares count on. */
  promised(chain: number): number;
  /** Regions that hold a chain in use, or are being reprogrammed: both are paid for. */
  readonly occupied: number;
  readonly reprogramming: number;
  /** An epoch begins. @param at nanoseconds @param now what is needed in it */
  begin(at: number, now: Needs): Promise<void>;
  /** It ends. @param seen what monitors showed in it: needs of the epoch before */
  end(at: number, seen: Needs): Promise<void>;
}
export const needsOf = (sizes: EpochSizes, users: readonly EpochUser[], bytes: readonly number[]): Needs =>
  sizes.chains.map((_, c) => chainNeed(sizes, users, bytes, c));

/** Instances that never change: for the highest load, or for the mean. */
export class FixedPlacement implements Placement {
  readonly reprogramming = 0;
  readonly #counts: readonly number[];
  constructor(counts: readonly number[]) {
    this.#counts = counts;
  }
  get occupied(): number {
    return this.#counts.reduce((a, b) => a + b, 0);
  }
  instances(chain: number): number {
    return this.#counts[chain] ?? 0;
  }
  promised(chain: number): number {
    return this.instances(chain);
  }
  begin(): Promise<void> {
    return Promise.resolve();
  }
  end(): Promise<void> {
    return Promise.resolve();
  }
}

/** As many as are needed, at once and for nothing: what no hardware does. */
export class InstantPlacement implements Placement {
  readonly reprogramming = 0;
  readonly #most: number;
  #counts: readonly number[];
  /** @param most instances of a chain */
  constructor(chains: number, most: number) {
    this.#most = most;
    this.#counts = Array.from({ length: chains }, () => 1);
  }
  get occupied(): number {
    return this.#counts.reduce((a, b) => a + b, 0);
  }
  instances(chain: number): number {
    return this.#counts[chain] ?? 0;
  }
  promised(): number {
    return this.#most;
  }
  begin(_at: number, now: Needs): Promise<void> {
    this.#counts = now.map(n => Math.min(this.#most, Math.max(1, Math.ceil(n))));
    return Promise.resolve();
  }
  end(): Promise<void> {
    return Promise.resolve();
  }
}
