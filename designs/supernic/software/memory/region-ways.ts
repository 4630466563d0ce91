/** Ways to memory of regions whose chains come and go: whose tasks are behind them (docs/supernic/memory.md). */
import type { MemoryGrants } from "./grants.ts";

export interface RegionWaysOptions {
  /** By region, the ways that it has. */
  readonly ways: readonly (readonly number[])[];
  /** Nanoseconds since some start, and between two looks. */
  readonly time: () => number;
  readonly wait: () => Promise<void>;
  /** Nanoseconds until memory that does not answer is not waited for; 1 ms unless given. */
  readonly patience?: number;
}
const defaultPatience = 1_000_000;

export class RegionWays {
  readonly #grants: Pick<MemoryGrants, "needs" | "enter" | "leave">;
  readonly #o: RegionWaysOptions;
  /** Times that memory was not waited for any longer. */
  late = 0;

  constructor(grants: Pick<MemoryGrants, "needs" | "enter" | "leave">, o: RegionWaysOptions) {
    this.#grants = grants;
    this.#o = o;
  }
  /** Whether one of these tasks has memory: then its chain is in one region at a time. */
  has(labels: readonly string[]): boolean {
    return labels.some(l => this.#grants.needs(l));
  }
  /** The labels' tasks with memory are behind the region's ways, in the order of their slots. @returns false: late */
  enter(region: number, labels: readonly string[]): Promise<boolean> {
    const tasks = labels.filter(l => this.#grants.needs(l)),
      ways = this.#o.ways[region] ?? [];
    if (tasks.length === 0) return Promise.resolve(true);
    return this.#within(
      this.#grants.enter(tasks.flatMap((label, i) => (ways[i] === undefined ? [] : [{ way: ways[i], label }]))),
    );
  }
  /** Nobody is behind the region's ways, which are idle. @returns false: it is done when memory answers */
  leave(region: number, lost: boolean): Promise<boolean> {
    const ways = this.#o.ways[region] ?? [];
    return ways.length === 0 ? Promise.resolve(true) : this.#within(this.#grants.leave(ways, lost));
  }
  /** Memory that never answers holds no region's change up. */
  async #within(what: Promise<void>): Promise<boolean> {
    const { time, wait, patience = defaultPatience } = this.#o,
      from = time(),
      state: { done: boolean; failed: unknown } = { done: false, failed: undefined };
    void what.then(
      () => (state.done = true),
      (e: unknown) => Object.assign(state, { done: true, failed: e }),
    );
    // What needs no time is done before anybody looks at the clock.
    await Promise.resolve();
    while (!state.done && time() - from <= patience) await wait();
    if (state.failed !== undefined) throw new Error("the ways of a region cannot be changed", { cause: state.failed });
    if (!state.done) this.late++;
    return state.done;
  }
}
