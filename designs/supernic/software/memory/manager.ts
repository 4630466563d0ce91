/** The spaces of tasks, the pages of the board, and what of them is elsewhere (docs/supernic/memory.md). */
import { mostOver, oldest } from "./choose.ts";
import type { MemoryDriver, PageState, RemotePages } from "./driver.ts";
import { gapFor } from "./gaps.ts";

export interface MemoryManagerOptions {
  readonly driver: MemoryDriver;
  readonly remote: RemotePages;
  /** Entries of the page table, spaces, and ways of the hardware. */
  readonly pages: number;
  readonly spaces: number;
  /** Pages of the board's memory that are for tasks: so many from `first` on. */
  readonly first: number;
  readonly frames: number;
  /** Zeroed pages that are to be ready. */
  readonly ready: number;
}
export interface SpaceWish {
  readonly user: number;
  readonly limit: number;
  readonly write: boolean;
  /** Its share of memory that is short; 1 unless given. */
  readonly weight?: number;
}
export interface LiveSpace extends Required<SpaceWish> {
  readonly number: number;
  readonly base: number;
}
/** Why a space is not given: no number, no entries in a row, or more than there is of memory here and elsewhere. */
export type Refusal = "noSpace" | "noEntries" | "noMemory";

export class MemoryManager {
  readonly #o: MemoryManagerOptions;
  readonly #spaces = new Map<number, LiveSpace>();
  /** Pages of the board that nobody has; whatever they hold is zeroed or written over before anybody reads it. */
  readonly #unused: number[];
  /** Spaces by way. */
  readonly #ways = new Map<number, number>();
  /** One thing at a time. */
  #working: Promise<unknown> = Promise.resolve();
  readonly counted = { zeroed: 0, out: 0, in: 0, bad: 0, lost: 0 };

  constructor(o: MemoryManagerOptions) {
    this.#o = o;
    this.#unused = Array.from({ length: o.frames }, (_, i) => o.first + i);
  }
  get spaces(): readonly LiveSpace[] {
    return [...this.#spaces.values()];
  }
  /** Pages promised to spaces. */
  get promised(): number {
    return this.spaces.reduce((n, s) => n + s.limit, 0);
  }
  get unused(): number {
    return this.#unused.length;
  }

  /**
   * A space whose pages are not there yet. Admitted while all that is promised has room here or elsewhere, less one
   * page here, which a page from elsewhere comes into.
   */
  create(wish: SpaceWish): Promise<LiveSpace | Refusal> {
    return this.#next(() => this.#create(wish));
  }
  async #create(wish: SpaceWish): Promise<LiveSpace | Refusal> {
    const { driver, remote, frames, pages } = this.#o,
      number = Array.from({ length: this.#o.spaces }, (_, i) => i).find(i => !this.#spaces.has(i)),
      base = gapFor(this.spaces, wish.limit, pages);
    if (number === undefined) return "noSpace";
    if (base === undefined) return "noEntries";
    const has = remote.capacity === 0 ? frames : frames - 1 + remote.capacity;
    if (this.promised + wish.limit > has) return "noMemory";
    const space: LiveSpace = { weight: 1, ...wish, number, base };
    this.#spaces.set(number, space);
    for (let i = 0; i < wish.limit; i++)
      await driver.setPage(base + i, { valid: true, present: false, write: wish.write, remote: false, ppn: 0 });
    await driver.setSpace(number, space);
    return space;
  }
  attach(way: number, space: LiveSpace): Promise<void> {
    return this.#next(async () => {
      this.#ways.set(way, space.number);
      await this.#o.driver.setWay(way, space.number);
    });
  }
  detach(way: number): Promise<void> {
    return this.#next(() => this.#leave(way));
  }
  async #leave(way: number): Promise<void> {
    this.#ways.delete(way);
    await this.#o.driver.setWay(way, undefined);
  }
  /** The space ends, with all that it holds. Ways that have it lose it; what is under way is done before. */
  destroy(space: LiveSpace): Promise<void> {
    return this.#next(() => this.#destroy(space));
  }
  async #destroy({ number, base, limit, write }: LiveSpace): Promise<void> {
    const { driver, remote } = this.#o;
    for (const [way, space] of this.#ways) if (space === number) await this.#leave(way);
    await driver.setSpace(number, { base, limit: 0, write });
    await driver.fence();
    for (let i = base; i < base + limit; i++) {
      const page = await driver.page(i);
      await driver.setPage(i, { valid: false, present: false, write: false, remote: false, ppn: 0 });
      if (page.present) this.#unused.push(page.ppn);
      if (page.remote) await remote.drop(keyOf(number, i));
    }
    this.#spaces.delete(number);
  }

  /** A round: who waits for a page elsewhere gets it, and zeroed pages are made ready. */
  step(): Promise<void> {
    return this.#next(() => this.#round());
  }
  #next<T>(what: () => Promise<T>): Promise<T> {
    const done = this.#working.then(what);
    this.#working = done.catch(() => undefined);
    return done;
  }
  async #round(): Promise<void> {
    for (const way of this.#ways.keys()) {
      const { waits, remote, page } = await this.#o.driver.way(way);
      if (waits && remote) await this.#fetch(page);
    }
    while ((await this.#o.driver.freePages()) < this.#o.ready) {
      const ppn = await this.#unusedPage();
      if (ppn === undefined) return;
      if (await this.#o.driver.zero(ppn)) this.counted.zeroed++;
      else this.#bad();
    }
  }
  /** A page that cannot be written or read is never used again. */
  #bad(): void {
    this.counted.bad++;
  }
  async #fetch(page: number): Promise<void> {
    const space = this.spaces.find(s => page >= s.base && page < s.base + s.limit),
      { driver, remote } = this.#o;
    if (space === undefined || !(await driver.page(page)).remote) return;
    const ppn = await this.#unusedPage();
    if (ppn === undefined) return;
    const key = keyOf(space.number, page),
      bytes = await remote.get(key),
      { write } = space;
    if (bytes === undefined) {
      // It is gone for good: who touches it is refused.
      this.counted.lost++;
      this.#unused.push(ppn);
      await driver.setPage(page, { valid: false, present: false, write: false, remote: false, ppn: 0 });
      return;
    }
    if (!(await driver.pageIn(ppn, bytes))) {
      this.#bad();
      return;
    }
    await driver.setPage(page, { valid: true, present: true, write, remote: false, ppn });
    await remote.drop(key);
    this.counted.in++;
  }
  /** A page of the board that nobody has; if there is none, one goes elsewhere for it. */
  async #unusedPage(): Promise<number | undefined> {
    return this.#unused.shift() ?? (await this.#evict());
  }
  async #evict(): Promise<number | undefined> {
    const { driver, remote } = this.#o,
      residents = await this.#residents(),
      whose = mostOver(residents),
      page = oldest(whose?.here ?? [], await driver.epoch());
    if (whose === undefined || page === undefined) return undefined;
    const { write, number } = whose.space,
      key = keyOf(number, page.at),
      entry = { valid: true, write, ppn: 0 };
    // From here on who touches it waits; what was looked up before is awaited.
    await driver.setPage(page.at, { ...entry, present: false, remote: true });
    await driver.fence();
    const bytes = await driver.pageOut(page.ppn);
    if (bytes === undefined) {
      // The memory has lost it: who touches it is refused, and nobody gets this page of the board any more.
      this.#bad();
      this.counted.lost++;
      await driver.setPage(page.at, { ...entry, valid: false, present: false, remote: false });
      return this.#evict();
    }
    if (!(await remote.put(key, bytes))) {
      await driver.setPage(page.at, { ...entry, present: true, remote: false, ppn: page.ppn });
      return undefined;
    }
    this.counted.out++;
    return page.ppn;
  }
  /** One after the other: the hardware shows one entry at a time. */
  async #residents() {
    const all = [];
    for (const space of this.spaces) {
      const here = await this.#pagesOf(space);
      all.push({ space, here, pages: here.length, weight: space.weight });
    }
    return all;
  }
  async #pagesOf({ base, limit }: LiveSpace): Promise<readonly (PageState & { readonly at: number })[]> {
    const found: (PageState & { readonly at: number })[] = [];
    for (let at = base; at < base + limit; at++) {
      const page = await this.#o.driver.page(at);
      if (page.present) found.push({ ...page, at });
    }
    return found;
  }
}
const keyOf = (space: number, page: number): string => `${space}.${page}`;
