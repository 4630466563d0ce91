/** Pages of the board's memory that are set aside for peers (docs/supernic/peers.md, "Pages at a peer"). */
import type { MemoryDriver } from "./driver.ts";
import type { MemoryManager } from "./manager.ts";

/** Each frame is written as a whole; what is read is what was written last. */
export interface PageFrames {
  readonly count: number;
  readonly pageBytes: number;
  /** False: the memory failed. */
  write(frame: number, bytes: Uint8Array): Promise<boolean>;
  /** Undefined: the memory failed. */
  read(frame: number): Promise<Uint8Array | undefined>;
}
/** Frames behind those of the tasks here. The mover moves one page at a time: it is shared with their manager. */
export class BoardFrames implements PageFrames {
  readonly count: number;
  readonly pageBytes: number;
  readonly #driver: Pick<MemoryDriver, "pageOut" | "pageIn">;
  readonly #manager: Pick<MemoryManager, "alone">;
  readonly #first: number;

  /** @param first page of the board; `count` of them are not among the manager's */
  constructor(o: {
    readonly driver: Pick<MemoryDriver, "pageOut" | "pageIn" | "pageBytes">;
    readonly manager: Pick<MemoryManager, "alone">;
    readonly first: number;
    readonly count: number;
  }) {
    this.#driver = o.driver;
    this.#manager = o.manager;
    this.#first = o.first;
    this.count = o.count;
    this.pageBytes = o.driver.pageBytes;
  }
  write(frame: number, bytes: Uint8Array): Promise<boolean> {
    return this.#manager.alone(() => this.#driver.pageIn(this.#first + frame, bytes));
  }
  read(frame: number): Promise<Uint8Array | undefined> {
    return this.#manager.alone(() => this.#driver.pageOut(this.#first + frame));
  }
}
