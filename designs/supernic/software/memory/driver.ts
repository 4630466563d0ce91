/** What the manager of memory needs of the device, and of whoever keeps pages elsewhere. */

export interface SpaceValues {
  /** First entry in the page table, and pages. */
  readonly base: number;
  readonly limit: number;
  readonly write: boolean;
}
export interface PageValues {
  readonly valid: boolean;
  readonly present: boolean;
  readonly write: boolean;
  readonly remote: boolean;
  readonly ppn: number;
}
export interface PageState extends PageValues {
  /** Epoch of its last access. */
  readonly stamp: number;
}
/** `page`: the entry that it waits for. */
export interface WayStatus {
  readonly waits: boolean;
  readonly remote: boolean;
  readonly page: number;
  readonly idle: boolean;
  readonly denied: number;
  readonly failed: number;
}
/** The hardware's registers and streams (docs/supernic/memory.md). */
export interface MemoryDriver {
  readonly pageBytes: number;
  setWay(way: number, space: number | undefined): Promise<void>;
  setSpace(space: number, values: SpaceValues): Promise<void>;
  setPage(page: number, values: PageValues): Promise<void>;
  page(page: number): Promise<PageState>;
  way(way: number): Promise<WayStatus>;
  freePages(): Promise<number>;
  epoch(): Promise<number>;
  /** What was looked up before has left the memory. */
  fence(): Promise<void>;
  /** The page is zeroed, and waits for a first touch. False: the memory failed, or there was no room. */
  zero(ppn: number): Promise<boolean>;
  /** Undefined: the memory failed. */
  pageOut(ppn: number): Promise<Uint8Array | undefined>;
  pageIn(ppn: number, bytes: Uint8Array): Promise<boolean>;
}
/** Memory elsewhere: at a peer, or a model of one. It never evicts what it took. */
export interface RemotePages {
  /** Pages that it takes at most. */
  readonly capacity: number;
  /** False: it has no room. */
  put(key: string, bytes: Uint8Array): Promise<boolean>;
  /** Undefined: it is gone. */
  get(key: string): Promise<Uint8Array | undefined>;
  drop(key: string): Promise<void>;
}

/** Wherever pages go now; its room is what the setup says, since peers may not be there yet. */
export class PagesElsewhere implements RemotePages {
  readonly capacity: number;
  at: RemotePages;
  constructor(capacity: number, at: RemotePages) {
    this.capacity = capacity;
    this.at = at;
  }
  put(key: string, bytes: Uint8Array): Promise<boolean> {
    return this.at.put(key, bytes);
  }
  get(key: string): Promise<Uint8Array | undefined> {
    return this.at.get(key);
  }
  drop(key: string): Promise<void> {
    return this.at.drop(key);
  }
}

/** A remote memory within this program. */
export class LocalPages implements RemotePages {
  readonly capacity: number;
  readonly #pages = new Map<string, Uint8Array>();
  constructor(capacity: number) {
    this.capacity = capacity;
  }
  get kept(): number {
    return this.#pages.size;
  }
  put(key: string, bytes: Uint8Array): Promise<boolean> {
    const room = this.#pages.has(key) || this.#pages.size < this.capacity;
    if (room) this.#pages.set(key, bytes.slice());
    return Promise.resolve(room);
  }
  get(key: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#pages.get(key)?.slice());
  }
  drop(key: string): Promise<void> {
    this.#pages.delete(key);
    return Promise.resolve();
  }
}
