import type { FarBytes } from "./far-bytes.ts";
import { Room } from "./room.ts";
import type { Entry } from "./staged.ts";
import { StagedRegion } from "./staged-region.ts";

export interface WriteStageOptions {
  readonly far: FarBytes;
  /** Bytes, and writes, that may be staged at a time, of all regions together. */
  readonly bytes: number;
  readonly writes: number;
  /** Staged writes of a region that are under way to its node at a time. */
  readonly window: number;
  /** Bits of an address within a region; bytes of a page, over whose ends operations are cut; most bytes of a part. */
  readonly regionShift: bigint;
  readonly pageBytes: number;
  readonly partBytes: number;
}

export interface StageStatistics {
  readonly direct: number;
  readonly staged: number;
  /** Writes that found the stage full, and waited for room. */
  readonly held: number;
  /** Reads that the stage had all bytes of. */
  readonly readHere: number;
  readonly mostBytes: number;
  readonly mostWrites: number;
}

/**
 * Writes to a region that moves wait here, acknowledged, instead of being held at whoever writes (docs/valet.md; Valet,
 * section 3.5). It is the only way to its regions: every read sees what it has acknowledged. Full: a write is held
 * until there is room, first come first served. `fence` tells of staged writes that their node refused in the end.
 */
export class WriteStage {
  readonly #o: WriteStageOptions;
  readonly #regions = new Map<bigint, StagedRegion>();
  readonly #room: Room;
  #lost: { readonly entry: Entry; readonly why: unknown }[] = [];
  readonly #counted = { direct: 0, staged: 0, readHere: 0 };

  /** @throws RangeError for a stage that some write never has room in */
  constructor(o: WriteStageOptions) {
    const least = Math.min(o.partBytes, o.pageBytes);
    if (o.bytes < least || o.writes < 1 || o.window < 1)
      throw new RangeError(
        `a stage of ${o.bytes} bytes, ${o.writes} writes and ${o.window} at a time has no room for a write of ${least} bytes`,
      );
    this.#o = o;
    this.#room = new Room(o);
  }
  get statistics(): StageStatistics {
    const { bytes, writes, held } = this.#room.seen;
    return { ...this.#counted, held, mostBytes: bytes, mostWrites: writes };
  }
  /** What is held or under way: all zero when all is back. */
  get inside(): Room["used"] & { readonly regions: number } {
    return { ...this.#room.used, regions: this.#regions.size };
  }

  /** Resolves when the node has the bytes, or the stage. @throws what the node says of a write that is not staged */
  async write(va: bigint, data: Uint8Array): Promise<void> {
    // A copy: whoever writes may go on with its bytes once this is acknowledged.
    const own = data.slice();
    await this.#parts(va, own.length, (at, from, bytes) => this.#writePart(at, own.subarray(from, from + bytes)));
  }
  async read(va: bigint, bytes: number): Promise<Uint8Array> {
    const out = new Uint8Array(bytes);
    await this.#parts(va, bytes, async (at, from, n) => out.set(await this.#readPart(at, n), from));
    return out;
  }
  /** Done at the node, in its turn among the staged writes. */
  fetchAndAdd(va: bigint, addend: bigint): Promise<bigint> {
    const { far } = this.#o,
      run = (): Promise<bigint> => far.fetchAndAdd(va, addend);
    return this.#use(va, region => {
      if (!region.staging) return run();
      return new Promise((resolve, reject) => {
        region.stage({ va, bytes: 8, data: undefined, carryOut: () => run().then(resolve, reject) });
      });
    });
  }
  /** Resolves when the nodes have all that was staged. @throws AggregateError of what was lost since the last fence */
  async fence(): Promise<void> {
    await this.#room.empty();
    const lost = this.#lost;
    this.#lost = [];
    const [first] = lost;
    if (first !== undefined)
      throw new AggregateError(
        lost.map(l => l.why),
        `${lost.length} staged writes were lost, the first of ${first.entry.bytes} bytes at 0x${first.entry.va.toString(16)}`,
      );
  }

  /** Cuts at the ends of pages, and where a part is long enough. */
  async #parts(
    va: bigint,
    bytes: number,
    one: (va: bigint, from: number, bytes: number) => Promise<void>,
  ): Promise<void> {
    const page = BigInt(this.#o.pageBytes),
      parts: Promise<void>[] = [];
    for (let from = 0; from < bytes;) {
      const at = va + BigInt(from),
        length = Math.min(bytes - from, this.#o.partBytes, Number(page - (at % page)));
      parts.push(one(at, from, length));
      from += length;
    }
    const ended = await Promise.allSettled(parts);
    for (const p of ended) if (p.status === "rejected") throw p.reason;
  }
  /** A region is known while someone works on it or something is staged for it. */
  async #use<T>(va: bigint, body: (region: StagedRegion) => Promise<T>): Promise<T> {
    const key = va >> this.#o.regionShift;
    let region = this.#regions.get(key);
    const forget = (): void => {
      if (region?.idle === true) this.#regions.delete(key);
    };
    if (region === undefined)
      this.#regions.set(
        key,
        (region = new StagedRegion(this.#o.window, {
          left: (entry, why) => {
            if (why !== undefined) this.#lost.push({ entry, why });
            if (entry.data !== undefined) this.#room.giveBack(entry.bytes);
            forget();
          },
        })),
      );
    region.users++;
    try {
      return await body(region);
    } finally {
      region.users--;
      forget();
    }
  }

  #writePart(va: bigint, data: Uint8Array): Promise<void> {
    const entry: Entry = { va, bytes: data.length, data, carryOut: () => this.#insist(va, data) };
    return this.#use(va, async region => {
      if (!region.staging && (await this.#direct(va, data))) return;
      await this.#room.take(entry.bytes);
      this.#counted.staged++;
      region.stage(entry);
    });
  }
  /** @returns false when the region moves: nothing was done */
  async #direct(va: bigint, data: Uint8Array): Promise<boolean> {
    const { far } = this.#o;
    try {
      await far.tryWrite(va, data);
    } catch (e) {
      if (far.failure(e) !== "moving") throw e;
      return false;
    }
    this.#counted.direct++;
    return true;
  }
  /** Until the node says yes or no. A write that is done twice is as one: none of the same bytes comes between. */
  async #insist(va: bigint, data: Uint8Array): Promise<void> {
    const { far } = this.#o;
    for (;;) {
      try {
        await far.write(va, data);
        return;
      } catch (e) {
        if (far.failure(e) === "refused") throw e;
        await far.quiet();
      }
    }
  }
  #readPart(va: bigint, bytes: number): Promise<Uint8Array> {
    return this.#use(va, region => {
      const here = region.here(va, bytes);
      if (here === undefined) return region.over(va, bytes, () => this.#o.far.read(va, bytes));
      this.#counted.readHere++;
      return Promise.resolve(here);
    });
  }
}
