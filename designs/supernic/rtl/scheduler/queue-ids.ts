/** Which branches wait in each queue: linked lists in memory, the first two of each at hand. */
import {
  type Bit,
  cat,
  decode,
  mux,
  node,
  ram,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { branchIdBits, queueUserBits, regionBits } from "./records.ts";

/** A branch that waits: its number, and the slots that it has yet to go through. */
export const Waiting = (p: DeviceSizes) => struct({ id: uint(branchIdBits(p)), run: uint(p.slots) });
type Entry = Val<ReturnType<typeof Waiting>>;

/** Queues of one kind. */
export const queuesOf = (p: DeviceSizes): number => 2 ** (regionBits(p) + queueUserBits(p));
export const placeOf = (region: UInt, user: UInt): UInt => cat(region, user);

/**
 * A word for each queue that two write: one when something comes, one when something goes, of one queue never both in a
 * cycle. Each has a memory of its own, and a bit for each queue tells whose word is the newer one.
 */
function twoWriters(name: string, p: DeviceSizes) {
  const n = queuesOf(p),
    list = (who: string) =>
      ram(Waiting(p), {
        depth: n,
        collision: "undefined",
        style: "distributed",
        name: `${name}_${who}`,
      });
  const came = list("came"),
    went = list("went"),
    byCame = reg(uint(n), { init: 0, name: `${name}_by_came` });
  return {
    read: (at: UInt): Entry => {
      const a = came.readAsync(at),
        b = went.readAsync(at),
        newer = node(byCame.and(decode(at, n)).any());
      return { id: mux(newer, a.id, b.id), run: mux(newer, a.run, b.run) };
    },
    write: (
      comes: { readonly en: Bit; readonly at: UInt; readonly entry: Given },
      goes: { readonly en: Bit; readonly at: UInt; readonly entry: Given },
    ): void => {
      came.write(comes.en, comes.at, comes.entry);
      went.write(goes.en, goes.at, goes.entry);
      const marked = (en: Bit, at: UInt): UInt => decode(at, n).and(repeat(en, n)),
        sets = marked(comes.en, comes.at),
        clears = marked(goes.en, goes.at);
      byCame.set(byCame.andNot(clears).or(sets));
    },
  };
}
interface Given {
  readonly id: UInt;
  readonly run: UInt;
}

/** The lists of all queues of one kind. What happens to which queue, and what that queue had, the caller knows. */
export function queueLists(name: string, p: DeviceSizes) {
  const heads = twoWriters(`${name}_head`, p),
    nexts = twoWriters(`${name}_next`, p),
    tails = ram(uint(branchIdBits(p)), {
      depth: queuesOf(p),
      collision: "undefined",
      style: "distributed",
      name: `${name}_tail`,
    }),
    stopped = ram(Waiting(p), {
      depth: queuesOf(p),
      collision: "undefined",
      style: "distributed",
      name: `${name}_stopped`,
    }),
    links = ram(Waiting(p), {
      depth: 2 ** branchIdBits(p),
      collision: "undefined",
      style: "distributed",
      name: `${name}_links`,
    });
  return {
    /** What a queue has: its first, its second, the third if there is one, and the one that stopped. */
    look: (at: UInt) => {
      const head = heads.read(at),
        next = nexts.read(at),
        third = links.readAsync(next.id);
      return {
        head,
        next,
        third,
        hasThird: tails.readAsync(at).ne(next.id),
        stopped: stopped.readAsync(at),
      };
    },
    heads,
    nexts,
    tails,
    stopped,
    links,
  };
}
