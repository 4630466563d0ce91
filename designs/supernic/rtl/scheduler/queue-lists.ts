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

/** Of fast DAGs, and of slow ones. */
export const kinds = [0, 1] as const;
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

/**
 * The links from each branch to the one behind it. A branch is in one queue at most, so one list serves all. Who is
 * looked up has a cycle until it is due, so its link is read from blocks; one copy is read at once.
 */
export function linksOf(p: DeviceSizes) {
  const depth = 2 ** branchIdBits(p),
    links = ram(Waiting(p), distributed(depth, "links")),
    looked = ram(Waiting(p), { depth, collision: "new", style: "block", name: "looked_links" });
  const behind = (name: string, id: UInt, last: UInt, comes: Entry, found: Entry): Entry => {
    const isLast = node(id.eq(last), { name: `${name}_is_last` });
    return { id: mux(isLast, comes.id, found.id), run: mux(isLast, comes.run, found.run) };
  };
  return {
    write: (en: Bit, id: UInt, who: Entry): void =>
      [links, looked].forEach(l => l.write(en, id, { id: who.id, run: who.run })),
    /** Both copies. */
    copies: [links, looked] as const,
    /** The link of `id` in the next cycle. */
    lookUp: (name: string, id: UInt): Entry => looked.readSync(id, { name }),
    /** The one behind `id`, whose link was looked up, if there is one: who `comes` in this cycle, behind the `last`. */
    behind,
    /** The same, and its link is read in this cycle. */
    behindNow: (name: string, id: UInt, last: UInt, comes: Entry): Entry =>
      behind(name, id, last, comes, links.readAsync(id)),
  };
}
export type Links = ReturnType<typeof linksOf>;

/**
 * First and last of each queue of one kind. Two write the first: who comes into an empty queue, and who starts; of one
 * queue never both in a cycle. Each has a memory of its own, and a bit that tells whether it is the newer one: it
 * differs from the other's when who came was the last to write. Of a queue that is empty both are old.
 */
export function endsOf(name: string, p: DeviceSizes) {
  const id = uint(branchIdBits(p)),
    n = placesOf(p),
    came = ram(Waiting(p), distributed(n, `${name}_came`)),
    went = ram(Waiting(p), distributed(n, `${name}_went`)),
    cameBit = ram(bit, { ...distributed(n, `${name}_came_bit`), init: [0] }),
    wentBit = ram(bit, { ...distributed(n, `${name}_went_bit`), init: [0] }),
    lasts = ram(id, distributed(n, `${name}_last`));
  return {
    first: (at: UInt): Entry => {
      const newer = cameBit.readAsync(at).ne(wentBit.readAsync(at)),
        entered = came.readAsync(at),
        behind = went.readAsync(at);
      return { id: mux(newer, entered.id, behind.id), run: mux(newer, entered.run, behind.run) };
    },
    last: (at: UInt): UInt => lasts.readAsync(at),
    comes: (en: Bit, empty: Bit, { at, id: who, run }: Comes): void => {
      const first = node(en.and(empty), { name: `${name}_comes_first` });
      came.write(first, at, { id: who, run });
      cameBit.write(first, at, wentBit.readAsync(at).not());
      lasts.write(en, at, who);
    },
    goes: (en: Bit, at: UInt, then: Entry): void => {
      went.write(en, at, { id: then.id, run: then.run });
      wentBit.write(en, at, cameBit.readAsync(at));
    },
  };
}
export type Ends = ReturnType<typeof endsOf>;
