/** Which branches wait in each queue: linked lists in memory. Only the first one's run is in registers (queue.ts). */
import {
  bit,
  type Bit,
  cat,
  mux,
  node,
  ram,
  type RamOptions,
  repeat,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { branchIdBits, queueUserBits, regionBits } from "./records.ts";

/** A branch that waits: its number, and the slots that it has yet to go through. */
export const Waiting = (p: DeviceSizes) => struct({ id: uint(branchIdBits(p)), run: uint(p.slots) });
/** The same as values. Each has a slot to go through; a run without any says that there is nobody. */
export interface Entry {
  readonly id: UInt;
  readonly run: UInt;
}
/** What comes into a queue in this cycle. */
export interface Comes extends Entry {
  readonly valid: Bit;
  /** Region and user. */
  readonly at: UInt;
  readonly slow: Bit;
}

/** Who comes, if he comes to the queue that is meant. */
export const ifHere = (here: Bit, { id, run }: Entry): Entry => ({ id, run: run.and(repeat(here, run.width)) });

/** Queues of one kind: a place for each region and user. */
export const placesOf = (p: DeviceSizes): number => 2 ** (regionBits(p) + queueUserBits(p));
export const placeOf = (region: UInt, user: UInt): UInt => cat(region, user);
export const isKind = (slow: Bit, k: number): Bit => (k === 1 ? slow : slow.not());

const distributed = (depth: number, name: string): RamOptions => ({
  depth,
  collision: "undefined",
  style: "distributed",
  name,
});

/** The links from each branch to the one behind it. A branch is in one queue at most, so one list serves all. */
export function linksOf(p: DeviceSizes) {
  const links = ram(Waiting(p), distributed(2 ** branchIdBits(p), "links"));
  return {
    write: (en: Bit, id: UInt, behind: { readonly id: UInt; readonly run: UInt }): void =>
      links.write(en, id, { id: behind.id, run: behind.run }),
    /** The one behind `id`, if there is one, who `comes` in this cycle included; `last` is the last of that queue. */
    behind: (name: string, id: UInt, last: UInt, comes: Entry): Entry => {
      const isLast = node(id.eq(last), { name: `${name}_is_last` }),
        found = links.readAsync(id);
      return {
        id: mux(isLast, comes.id, found.id),
        run: mux(isLast, comes.run, found.run),
      };
    },
  };
}

/**
 * First and last of each queue of one kind. Two write the first: who comes into an empty queue, and who starts; of one
 * queue never both in a cycle. Each has a memory of its own, and a bit that tells whether it is the newer one: it
 * differs from the other's when who came was the last to write.
 */
export function endsOf(name: string, p: DeviceSizes) {
  const id = uint(branchIdBits(p)),
    n = placesOf(p),
    came = ram(id, distributed(n, `${name}_came`)),
    went = ram(id, distributed(n, `${name}_went`)),
    cameBit = ram(bit, { ...distributed(n, `${name}_came_bit`), init: [0] }),
    wentBit = ram(bit, { ...distributed(n, `${name}_went_bit`), init: [0] }),
    lasts = ram(id, distributed(n, `${name}_last`));
  return {
    first: (at: UInt): UInt => {
      const newer = cameBit.readAsync(at).ne(wentBit.readAsync(at));
      return mux(newer, came.readAsync(at), went.readAsync(at));
    },
    last: (at: UInt): UInt => lasts.readAsync(at),
    comes: (en: Bit, empty: Bit, at: UInt, who: UInt): void => {
      const first = node(en.and(empty), { name: `${name}_comes_first` });
      came.write(first, at, who);
      cameBit.write(first, at, wentBit.readAsync(at).not());
      lasts.write(en, at, who);
    },
    goes: (en: Bit, at: UInt, next: UInt): void => {
      went.write(en, at, next);
      wentBit.write(en, at, cameBit.readAsync(at));
    },
  };
}
