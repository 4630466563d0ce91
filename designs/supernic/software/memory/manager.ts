/** The spaces of tasks, the pages of the board, and what of them is elsewhere (docs/supernic/memory.md). */
import { ageOf, mostOver, oldest } from "./choose.ts";
import type { MemoryDriver, PageState, PageValues, RemotePages } from "./driver.ts";
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
  /** Epochs for which a task waits for room that is nowhere, before it is refused; 5,000 (100 ms) unless given. */
  readonly patience?: number;
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

/** A page here, and its entry. */
interface Placed extends PageState {
  readonly at: number;
}
/** Longer than a peer that was late, or has been silent for a moment, is left alone. */
const patience = 5_000;

export class MemoryManager {
  readonly #o: MemoryManagerOptions;
  readonly #spaces = new Map<number, LiveSpace>();
  /** Pages of the board that nobody has; whatever they hold is zeroed or written over before anybody reads it. */
  readonly #unused: number[];
  /** Spaces by way. */
  readonly #ways = new Map<number, number>();
  /** One thing at a time. */
  #working: Promise<unknown> = Promise.resolve();
  /** Entries whose bytes are on their way here. */
  readonly #coming = new Set<number>();
  /** The entry whose bytes are on their way elsewhere. */
  #leaving: number | undefined;
  /** By entry that somebody waits for, since which epoch nothing is done for it; the longest wait is first. */
  readonly #waiting = new Map<number, number>();
  /** What went wrong while a page was on its way; whoever asks next is told. */
  #failed: unknown;
  readonly counted = { zeroed: 0, out: 0, in: 0, bad: 0, lost: 0, refused: 0 };

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

  /** Pages of the board whose bytes are on their way, here or elsewhere. */
  get moving(): number {
    return this.#coming.size + (this.#leaving === undefined ? 0 : 1);
  }
  /** Alone with the board's memory, for whoever moves pages of it that are not for tasks here. */
  alone<T>(what: () => Promise<T>): Promise<T> {
    return this.#next(what);
  }

  /**
   * A space whose pages are not there yet. Admitted while all that is promised has room here or elsewhere, less what
   * may lie ready unused here, and one page, which a page from elsewhere comes into.
   */
  create(wish: SpaceWish): Promise<LiveSpace | Refusal> {
    return this.#next(() => this.#create(wish));
  }
  async #create(wish: SpaceWish): Promise<LiveSpace | Refusal> {
    const { driver, remote, frames, pages, ready } = this.#o,
      number = Array.from({ length: this.#o.spaces }, (_, i) => i).find(i => !this.#spaces.has(i)),
      base = gapFor(this.spaces, wish.limit, pages);
    if (number === undefined) return "noSpace";
    if (base === undefined) return "noEntries";
    const has = remote.capacity === 0 ? frames : frames - 1 - ready + remote.capacity;
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
  async #destroy(space: LiveSpace): Promise<void> {
    const { number, base, write } = space,
      { driver } = this.#o;
    for (const [way, space] of this.#ways) if (space === number) await this.#leave(way);
    await driver.setSpace(number, { base, limit: 0, write });
    await driver.fence();
    await this.#giveBack(space, { valid: false, present: false, write: false, remote: false, ppn: 0 });
    this.#spaces.delete(number);
  }

  /**
   * All pages of the space are given back, here and elsewhere. It keeps its entries and what it was promised, and its
   * pages come with their first touch again, zeroed. What is under way is done before. @returns the space as it is now
   */
  renew(space: LiveSpace): Promise<LiveSpace> {
    return this.#next(async () => {
      if (this.#spaces.get(space.number) !== space) return space;
      const { base, write } = space,
        { driver } = this.#o,
        // Another one from here on: what is on its way of the former is nobody's.
        now = { ...space };
      await driver.setSpace(space.number, { base, limit: 0, write });
      this.#spaces.set(space.number, now);
      await driver.fence();
      await this.#giveBack(space, { valid: true, present: false, write, remote: false, ppn: 0 });
      await driver.setSpace(space.number, now);
      return now;
    });
  }
  async #giveBack({ number, base, limit }: LiveSpace, entry: PageValues): Promise<void> {
    const { driver, remote } = this.#o;
    for (let i = base; i < base + limit; i++) {
      const page = await driver.page(i);
      await driver.setPage(i, entry);
      if (page.present) this.#unused.push(page.ppn);
      if (page.remote) await remote.drop(keyOf(number, i));
    }
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
    if (this.#failed !== undefined) throw new Error("a page on its way failed", { cause: this.#failed });
    const wanted = await this.#wanted(),
      now = wanted.size > 0 ? await this.#o.driver.epoch() : 0;
    for (const at of this.#waiting.keys()) if (!wanted.has(at)) this.#waiting.delete(at);
    for (const at of wanted.keys()) if (!this.#waiting.has(at)) this.#waiting.set(at, now);
    let touches = 0;
    for (const [at, since] of this.#waiting) {
      const remote = wanted.get(at) === true,
        isServed = remote ? await this.#fetch(at) : await this.#ready(++touches);
      if (isServed) this.#waiting.set(at, now);
      else if (ageOf(since, now) >= (this.#o.patience ?? patience)) await this.#refuse(at, remote);
    }
    await this.#ready(this.#o.ready);
  }
  /** Entries that ways wait for, and whether these are elsewhere. */
  async #wanted(): Promise<ReadonlyMap<number, boolean>> {
    const wanted = new Map<number, boolean>();
    for (const way of this.#ways.keys()) {
      const { waits, remote, page } = await this.#o.driver.way(way);
      if (waits) wanted.set(page, remote);
    }
    return wanted;
  }
  /** @returns whether so many zeroed pages are ready */
  async #ready(count: number): Promise<boolean> {
    while ((await this.#o.driver.freePages()) < count) {
      const ppn = await this.#unusedPage();
      if (ppn === undefined) return false;
      if (await this.#o.driver.zero(ppn)) this.counted.zeroed++;
      else this.#bad();
    }
    return true;
  }
  /** A page that cannot be written or read is never used again. */
  #bad(): void {
    this.counted.bad++;
  }
  #spaceAt(page: number): LiveSpace | undefined {
    return this.spaces.find(s => page >= s.base && page < s.base + s.limit);
  }
  /**
   * Its place here is kept before its bytes are asked for; while they come all others go on.
   * @returns whether they come
   */
  async #fetch(page: number): Promise<boolean> {
    const space = this.#spaceAt(page);
    if (this.#coming.has(page)) return true;
    if (space === undefined || this.#leaving === page || !(await this.#o.driver.page(page)).remote) return true;
    const ppn = await this.#unusedPage();
    if (ppn === undefined) return false;
    this.#coming.add(page);
    void this.#bring(space, page, ppn);
    return true;
  }
  async #bring(space: LiveSpace, page: number, ppn: number): Promise<void> {
    const key = keyOf(space.number, page);
    try {
      const bytes = await this.#o.remote.get(key);
      await this.#next(() => this.#arrive(space, page, ppn, bytes));
    } catch (e) {
      this.#failed ??= e;
    } finally {
      this.#coming.delete(page);
    }
  }
  async #arrive(space: LiveSpace, page: number, ppn: number, bytes: Uint8Array | undefined): Promise<void> {
    const { driver, remote } = this.#o,
      { write } = space;
    // The space has ended meanwhile; what came is nobody's.
    if (this.#spaces.get(space.number) !== space) {
      this.#unused.push(ppn);
      return;
    }
    if (bytes === undefined) {
      this.#unused.push(ppn);
      return this.#lose(space, page);
    }
    if (!(await driver.pageIn(ppn, bytes))) {
      this.#bad();
      return;
    }
    await driver.setPage(page, { valid: true, present: true, write, remote: false, ppn });
    await remote.drop(keyOf(space.number, page));
    this.counted.in++;
  }
  /** Its bytes are gone for good: who touches it is refused. */
  async #lose(space: LiveSpace, page: number): Promise<void> {
    this.counted.lost++;
    await this.#o.driver.setPage(page, { valid: false, present: false, write: false, remote: false, ppn: 0 });
    await this.#o.remote.drop(keyOf(space.number, page));
  }
  /**
   * There is room for a page neither here nor elsewhere. It was promised, so less is there than was: nobody waits for
   * ever.
   */
  async #refuse(page: number, remote: boolean): Promise<void> {
    const { driver } = this.#o,
      space = this.#spaceAt(page);
    if (space === undefined) return;
    if (remote) return this.#lose(space, page);
    // No page is free, and only this software makes one free: the entry is not being given one.
    await driver.fence();
    const { valid, present, remote: isElsewhere } = await driver.page(page);
    if (!valid || present || isElsewhere) return;
    this.counted.refused++;
    await driver.setPage(page, { valid: false, present: false, write: false, remote: false, ppn: 0 });
  }
  /** A page of the board that nobody has; if there is none, one goes elsewhere, and there is one later. */
  async #unusedPage(): Promise<number | undefined> {
    if (this.#unused.length === 0 && this.#leaving === undefined) await this.#evict();
    return this.#unused.shift();
  }
  async #evict(): Promise<void> {
    const { driver } = this.#o,
      residents = await this.#residents(),
      whose = mostOver(residents),
      page = oldest(whose?.here ?? [], await driver.epoch());
    if (whose === undefined || page === undefined) return;
    const { space } = whose,
      entry = { valid: true, write: space.write, ppn: 0 };
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
    this.#leaving = page.at;
    void this.#send(space, page, bytes);
  }
  /** Not alone: a peer that takes the page may want its own pages taken here, and each would wait for the other. */
  async #send(space: LiveSpace, page: Placed, bytes: Uint8Array): Promise<void> {
    try {
      const isThere = await this.#o.remote.put(keyOf(space.number, page.at), bytes);
      await this.#next(async () => {
        await this.#left(space, page, isThere);
        this.#leaving = undefined;
        // Who waits for this page of the board need not wait for the next round.
        if (isThere && this.#waiting.size > 0) await this.#round();
      });
    } catch (e) {
      this.#leaving = undefined;
      this.#failed ??= e;
    }
  }
  async #left(space: LiveSpace, { at, ppn, write }: Placed, isThere: boolean): Promise<void> {
    const { driver, remote } = this.#o,
      isWanted = this.#spaces.get(space.number) === space;
    if (isWanted && !isThere) {
      await driver.setPage(at, { valid: true, write, present: true, remote: false, ppn });
      return;
    }
    // The space may have ended meanwhile.
    if (!isWanted) await remote.drop(keyOf(space.number, at));
    this.#unused.push(ppn);
    if (isThere) this.counted.out++;
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
  async #pagesOf({ base, limit }: LiveSpace): Promise<readonly Placed[]> {
    const found: Placed[] = [];
    for (let at = base; at < base + limit; at++) {
      const page = await this.#o.driver.page(at);
      if (page.present) found.push({ ...page, at });
    }
    return found;
  }
}
const keyOf = (space: number, page: number): string => `${space}.${page}`;
