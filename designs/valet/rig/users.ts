/** Threads that read and write regions, some far more often than others, and check what they find. */
import { CheckFailed } from "../../shared/command-line/index.ts";
import { OperationError } from "../../clio/client/index.ts";
import type { Random, SimulatedTime } from "../../../sim/index.ts";

/** What a thread needs: a process of a cluster, or a stage before one. */
export interface Memory {
  read(va: bigint, bytes: number): Promise<Uint8Array>;
  write(va: bigint, data: Uint8Array): Promise<void>;
}

export const recordBytes = 64;
export type Kind = "read" | "write";

export interface UsersOptions {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly memory: Memory;
  /** The regions' first addresses, the hottest first: each is used half as often as the one before. */
  readonly regions: readonly bigint[];
  readonly pageBytes: number;
  readonly pages: number;
  readonly threads: number;
  readonly writes: number;
}

/**
 * Each thread has its own record in each region, numbers it with each write, and must find its last number when it
 * reads. So a write that is lost, done late or not seen is found.
 */
export class Users {
  /** ns at which operations ended, by kind. */
  readonly ended: Readonly<Record<Kind, number[]>> = { read: [], write: [] };
  failed = 0;
  #over = false;
  readonly #o: UsersOptions;
  readonly #done: Promise<void>;

  constructor(o: UsersOptions) {
    this.#o = o;
    this.#done = Promise.all(Array.from({ length: o.threads }, (_, k) => this.#thread(k))).then(() => undefined);
    // Told by `end`; until then an error waits.
    this.#done.catch(() => undefined);
  }
  /** Operations of a kind that ended between two times. */
  between(kind: Kind, from: number, to: number): number {
    return this.ended[kind].filter(t => t >= from && t < to).length;
  }
  async end(): Promise<void> {
    this.#over = true;
    await this.#done;
  }

  async #thread(k: number): Promise<void> {
    const { random, regions, time, memory, writes, pages, pageBytes } = this.#o,
      numbers = new Map<bigint, { sure: number; maybe: number }>();
    while (!this.#over) {
      const va = this.#pick(random, regions) + BigInt((k % pages) * pageBytes + recordBytes * k),
        number = numbers.get(va) ?? { sure: 0, maybe: 0 },
        kind: Kind = random.chance(writes / 100) ? "write" : "read";
      numbers.set(va, number);
      try {
        if (kind === "write") {
          number.maybe++;
          await memory.write(va, record(number.maybe));
          number.sure = number.maybe;
        } else this.#check(va, await memory.read(va, recordBytes), number);
        this.ended[kind].push(time.now());
      } catch (e) {
        if (!(e instanceof OperationError)) throw e;
        this.failed++;
      }
    }
  }
  #check(va: bigint, found: Uint8Array, { sure, maybe }: { readonly sure: number; readonly maybe: number }): void {
    const number = new DataView(found.buffer, found.byteOffset).getUint32(0, true);
    if (number < sure || number > maybe)
      throw new CheckFailed(
        `the record at 0x${va.toString(16)} has number ${number}; the last that was written is ${sure}`,
      );
  }
  #pick(random: Random, regions: readonly bigint[]): bigint {
    for (const va of regions) if (random.chance(0.5)) return va;
    return regions[0] as bigint;
  }
}
const record = (number: number): Uint8Array => {
  const bytes = new Uint8Array(recordBytes);
  new DataView(bytes.buffer).setUint32(0, number, true);
  return bytes;
};
