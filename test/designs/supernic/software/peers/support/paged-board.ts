/** A board's memory and page table as the hardware has them, in simulated time: docs/supernic/memory.md. */
import type {
  MemoryDriver,
  PageState,
  PageValues,
  SpaceValues,
  WayStatus,
} from "../../../../../../designs/supernic/software/index.ts";
import type { SimulatedTime } from "../../../../../../sim/index.ts";

/** Bytes of a page: more than a window of pieces. Nanoseconds: of a register access, of a move, between two looks. */
export const pageBytes = 18 * 1024,
  epochNs = 20_000;
const times = { access: 50, move: 2_000, look: 1_000 } as const;
const none: PageValues = { valid: false, present: false, write: false, remote: false, ppn: 0 };

export class PagedBoard implements MemoryDriver {
  readonly pageBytes = pageBytes;
  readonly #time: SimulatedTime;
  readonly #frames: Uint8Array[];
  readonly #entries = Array.from({ length: 64 }, (): PageState => ({ ...none, stamp: 0 }));
  readonly #spaces = new Map<number, SpaceValues>();
  readonly #ways = new Map<number, number>();
  /** By way, the entry that it waits for. */
  readonly #waits = new Map<number, number>();
  readonly #free: number[] = [];
  /** Pages of the board whose memory fails from now on. */
  readonly bad = new Set<number>();
  #moving = false;

  /** @param fill what the memory holds at first: whatever was there before */
  constructor(time: SimulatedTime, frames: number, fill: number) {
    this.#time = time;
    this.#frames = Array.from({ length: frames }, () => new Uint8Array(pageBytes).fill(fill));
  }
  #pause(ns: number): Promise<void> {
    return new Promise(resolve => {
      this.#time.after(ns, resolve);
    });
  }
  async setWay(way: number, space: number | undefined): Promise<void> {
    await this.#pause(times.access);
    if (space === undefined) this.#ways.delete(way);
    else this.#ways.set(way, space);
  }
  async setSpace(space: number, values: SpaceValues): Promise<void> {
    await this.#pause(times.access);
    this.#spaces.set(space, values);
  }
  async setPage(page: number, values: PageValues): Promise<void> {
    await this.#pause(times.access);
    this.#entries[page] = { ...values, stamp: this.#epoch };
  }
  async page(page: number): Promise<PageState> {
    await this.#pause(times.access);
    return this.#entry(page);
  }
  async way(way: number): Promise<WayStatus> {
    await this.#pause(times.access);
    const page = this.#waits.get(way);
    const remote = page !== undefined && this.#entry(page).remote;
    return { waits: page !== undefined, remote, page: page ?? 0, idle: page === undefined, denied: 0, failed: 0 };
  }
  async freePages(): Promise<number> {
    await this.#pause(times.access);
    return this.#free.length;
  }
  async epoch(): Promise<number> {
    await this.#pause(times.access);
    return this.#epoch;
  }
  fence(): Promise<void> {
    return this.#pause(times.access);
  }
  async zero(ppn: number): Promise<boolean> {
    await this.#move();
    if (this.bad.has(ppn)) return false;
    this.#frame(ppn).fill(0);
    this.#free.push(ppn);
    return true;
  }
  async pageOut(ppn: number): Promise<Uint8Array | undefined> {
    await this.#move();
    return this.bad.has(ppn) ? undefined : this.#frame(ppn).slice();
  }
  async pageIn(ppn: number, bytes: Uint8Array): Promise<boolean> {
    await this.#move();
    if (this.bad.has(ppn)) return false;
    this.#frame(ppn).set(bytes);
    return true;
  }
  /** The mover has one page at a time. */
  async #move(): Promise<void> {
    if (this.#moving) throw new Error("two pages move at once");
    this.#moving = true;
    await this.#pause(times.move);
    this.#moving = false;
  }

  /** A task's access to a word of its space. @returns the word that was there, or that it was refused */
  async access(way: number, page: number, word: number, value?: number): Promise<number | "denied"> {
    let at = this.#look(way, page);
    while (at === "waits") {
      await this.#pause(times.look);
      at = this.#look(way, page);
    }
    this.#waits.delete(way);
    if (at === "denied") return "denied";
    const { buffer, byteOffset } = this.#frame(at),
      view = new DataView(buffer, byteOffset),
      before = view.getUint32(4 * word);
    if (value !== undefined) view.setUint32(4 * word, value);
    return before;
  }
  #look(way: number, page: number): number | "denied" | "waits" {
    const space = this.#spaces.get(this.#ways.get(way) ?? -1);
    if (space === undefined || page >= space.limit) return "denied";
    const at = space.base + page,
      e = this.#entry(at);
    if (!e.valid) return "denied";
    if (e.present) {
      this.#entries[at] = { ...e, stamp: this.#epoch };
      return e.ppn;
    }
    const ppn = e.remote ? undefined : this.#free.shift();
    if (ppn === undefined) {
      this.#waits.set(way, at);
      return "waits";
    }
    this.#entries[at] = { ...e, present: true, ppn, stamp: this.#epoch };
    return ppn;
  }
  /** Pages of the board that are zeroed or in an entry. */
  get used(): readonly number[] {
    return [...this.#free, ...this.#entries.filter(e => e.valid && e.present).map(e => e.ppn)];
  }
  get #epoch(): number {
    return Math.floor(this.#time.now() / epochNs) % 2 ** 16;
  }
  #entry(page: number): PageState {
    return this.#entries[page] ?? { ...none, stamp: 0 };
  }
  #frame(ppn: number): Uint8Array {
    const found = this.#frames[ppn];
    if (found === undefined) throw new RangeError(`there is no page ${ppn}`);
    return found;
  }
}
