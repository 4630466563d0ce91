/** What a cache of this size has to do: the words that a processor sees, and each access to memory. */

export interface Size {
  readonly sets: number;
  readonly ways: number;
  readonly lineBytes: number;
}
interface Line {
  readonly number: number;
  dirty: boolean;
}

/** Lines by set, the one that was used last first. */
export class CacheModel {
  readonly #size: Size;
  readonly #sets: Line[][];
  reads = 0;
  writes = 0;

  constructor(size: Size) {
    this.#size = size;
    this.#sets = Array.from({ length: size.sets }, () => []);
  }
  /** @returns whether it was there */
  use(address: number, write: boolean): boolean {
    const number = Math.floor(address / this.#size.lineBytes),
      set = this.#sets[number % this.#size.sets] ?? [],
      found = set.findIndex(l => l.number === number);
    const line = found < 0 ? { number, dirty: false } : (set.splice(found, 1)[0] as Line);
    if (found < 0) {
      this.reads++;
      if (set.length === this.#size.ways && set.pop()?.dirty === true) this.writes++;
    }
    line.dirty ||= write;
    set.unshift(line);
    return found >= 0;
  }
  flush(): void {
    for (const line of this.#sets.flat()) {
      if (line.dirty) this.writes++;
      line.dirty = false;
    }
  }
  forget(): void {
    for (const set of this.#sets) set.splice(0);
  }
}
