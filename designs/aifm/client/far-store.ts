/**
 * Local memory in front of a node, in units of one size: objects (AIFM, raw pointers) or pages. What is not here is
 * fetched whole; what is changed is written back whole.
 */

/** Bytes at the node, by address. */
export interface FarBytes {
  readonly read: (at: number, bytes: number) => Promise<Uint8Array>;
  readonly write: (at: number, data: Uint8Array) => Promise<void>;
}

export interface FarStoreOptions {
  readonly far: FarBytes;
  /** Bytes of a unit: of an object, or of a page. */
  readonly unitBytes: number;
  /** Units that there is room for here. */
  readonly room: number;
}

interface Unit {
  readonly data: Uint8Array;
  isDirty: boolean;
  /** Uses that hold it: it cannot go. */
  held: number;
}
interface Waiting {
  readonly units: number;
  readonly go: () => void;
}

const counted = { uses: 0, hits: 0, fetched: 0, evicted: 0, written: 0, refused: 0, most: 0 };

/**
 * Units that are here, the least recently used going first. A use of several units holds all of them while it lasts;
 * it waits, first come first served, until that many are not held by others, so no two uses wait for one another.
 * Units on their way, in or out, count: there are never more than `room`. A unit that the node refuses to take back
 * stays here, and the use that wanted its room fails.
 */
export class FarStore {
  readonly #o: FarStoreOptions;
  /** In the order of their last use. */
  readonly #here = new Map<number, Unit>();
  readonly #coming = new Map<number, Promise<Unit>>();
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #waiting: Waiting[] = [];
  readonly #count = { ...counted };
  /** Units that uses under way have a right to. */
  #reserved = 0;

  constructor(o: FarStoreOptions) {
    this.#o = o;
  }

  get statistics(): Readonly<typeof counted> {
    return { ...this.#count };
  }
  /** Units here and on their way. */
  get occupied(): number {
    return this.#here.size + this.#coming.size + this.#leaving.size;
  }
  /** Units that uses under way hold or may hold. */
  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Uses `units` units from `first` once all are here: `act` sees the bytes of each, and may write to them when it
   * says so. It is called in one go. @throws RangeError for more units than there is room for; what the node says
   */
  async use<T>(
    first: number,
    units: number,
    kind: "read" | "write",
    act: (data: readonly Uint8Array[]) => T,
  ): Promise<T> {
    if (units > this.#o.room)
      throw new RangeError(`a use of ${units} units: there is room for ${this.#o.room}; give more local memory`);
    await this.#reserve(units);
    const held: Unit[] = [];
    try {
      this.#count.uses++;
      const numbers = Array.from({ length: units }, (_, i) => first + i),
        isHit = numbers.every(n => this.#here.has(n));
      if (isHit) this.#count.hits++;
      const found = await Promise.allSettled(numbers.map(n => this.#hold(n, held)));
      for (const f of found) if (f.status === "rejected") throw f.reason;
      const all = found.map(f => (f as PromiseFulfilledResult<Unit>).value);
      if (kind === "write") for (const u of all) u.isDirty = true;
      return act(all.map(u => u.data));
    } finally {
      for (const u of held) u.held--;
      this.#release(units);
    }
  }
  /** Writes back what is changed. */
  async flush(): Promise<void> {
    for (const [n, unit] of this.#here)
      if (unit.isDirty) {
        unit.isDirty = false;
        this.#count.written++;
        await this.#o.far.write(n * this.#o.unitBytes, unit.data);
      }
  }

  async #reserve(units: number): Promise<void> {
    if (this.#waiting.length > 0 || this.#reserved + units > this.#o.room)
      await new Promise<void>(go => this.#waiting.push({ units, go }));
    else this.#reserved += units;
  }
  #release(units: number): void {
    this.#reserved -= units;
    for (let w = this.#waiting[0]; w !== undefined && this.#reserved + w.units <= this.#o.room; w = this.#waiting[0]) {
      this.#waiting.shift();
      this.#reserved += w.units;
      w.go();
    }
  }

  /** The unit, here and held. */
  async #hold(n: number, held: Unit[]): Promise<Unit> {
    for (;;) {
      const here = this.#here.get(n);
      if (here !== undefined) {
        this.#here.delete(n);
        this.#here.set(n, here);
        here.held++;
        held.push(here);
        return here;
      }
      // Gone, or back again: it looks anew.
      const moves = this.#leaving.get(n)?.catch(() => undefined) ?? this.#coming.get(n);
      if (moves !== undefined) await moves;
      else if (this.occupied >= this.#o.room) await this.#evictOne();
      else await this.#fetch(n);
    }
  }

  #fetch(n: number): Promise<Unit> {
    const { far, unitBytes } = this.#o,
      arrives = far.read(n * unitBytes, unitBytes).then(
        data => {
          const unit = { data, isDirty: false, held: 0 };
          this.#coming.delete(n);
          this.#here.set(n, unit);
          return unit;
        },
        (e: unknown) => {
          this.#coming.delete(n);
          throw e;
        },
      );
    this.#count.fetched++;
    this.#coming.set(n, arrives);
    this.#count.most = Math.max(this.#count.most, this.occupied);
    return arrives;
  }

  /** The least recently used unit that nobody holds goes; where there is none, one that is on its way ends first. */
  async #evictOne(): Promise<void> {
    for (const [n, unit] of this.#here) {
      if (unit.held > 0) continue;
      this.#here.delete(n);
      this.#count.evicted++;
      if (unit.isDirty) await this.#writeBack(n, unit);
      return;
    }
    await Promise.race([...this.#coming.values(), ...this.#leaving.values()]);
  }
  #writeBack(n: number, unit: Unit): Promise<void> {
    this.#count.written++;
    const left = this.#o.far.write(n * this.#o.unitBytes, unit.data).then(
      () => {
        this.#leaving.delete(n);
      },
      (e: unknown) => {
        // Its bytes are nowhere else.
        this.#leaving.delete(n);
        this.#here.set(n, unit);
        this.#count.refused++;
        throw e;
      },
    );
    this.#leaving.set(n, left);
    return left;
  }
}
