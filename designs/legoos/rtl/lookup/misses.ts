import {
  type Bit,
  decode,
  firstSet,
  fromBits,
  node,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";

/** A miss under way, as the look-up needs it. */
const Miss = (p: Parameters) =>
  struct({
    index: uint(derived(p).setBits),
    tag: uint(derived(p).tagBits),
    way: uint(derived(p).wayBits),
    /** Another line's tag leaves the way, in the same set. */
    victim: uint(derived(p).tagBits),
  });

export interface MissOrders {
  readonly begin: Bit;
  readonly set: UInt;
  readonly tag: UInt;
  readonly way: UInt;
  readonly victim: UInt;
  readonly fetch: Bit;
  readonly dirty: Bit;
  readonly finished: UInt;
  readonly filled: Bit;
  readonly released: Bit;
}
export interface Misses {
  readonly room: Bit;
  /** The number that the next one has. */
  readonly next: UInt;
  readonly idle: Bit;
  readonly of: (miss: UInt) => Val<ReturnType<typeof Miss>>;
  readonly fetches: (miss: UInt) => Bit;
  /**
   * The misses that fetch a line, and those whose victim it is, before the orders of this cycle. Whoever gives an order
   * kills what comes behind it, so nobody uses what is found in such a cycle.
   */
  readonly match: (set: UInt, tag: UInt) => { readonly line: UInt; readonly victim: UInt };
}

/** The misses under way: each has a way until it is filled, and its dirty victim until that is safe. */
export function misses(p: Parameters, o: MissOrders): Misses {
  const entries = reg(vec(Miss(p), p.misses), { name: "misses" });
  const fetching = reg(uint(p.misses), { init: 0, name: "fetching" }),
    leaving = reg(uint(p.misses), { init: 0, name: "leaving" }),
    busy = reg(uint(p.misses), { init: 0, name: "busy" });
  const free = firstSet(busy.not()),
    begun = decode(free.index.is(derived(p).missBits), p.misses),
    finished = decode(o.finished, p.misses);
  const filled = (m: number): Bit => finished.bit(m).and(o.filled),
    released = (m: number): Bit => finished.bit(m).and(o.released);
  for (let m = 0; m < p.misses; m++) {
    when(o.begin.and(begun.bit(m)), () => {
      entries.at(m).set({ index: o.set, tag: o.tag, way: o.way, victim: o.victim });
      busy.setBits(m, o.begin);
      fetching.setBits(m, o.fetch);
      leaving.setBits(m, o.dirty);
    });
    when(filled(m), () => fetching.setBits(m, o.filled.not()));
    when(released(m), () => {
      leaving.setBits(m, o.released.not());
      busy.setBits(m, o.released.not());
    });
  }
  return {
    room: free.any,
    next: node(free.index.is(derived(p).missBits), { name: "next_miss" }),
    idle: busy.eq(0),
    of: miss => entries.at(miss),
    fetches: miss => fetching.shr(miss).bit(0),
    match: (set, tag) => {
      const same = (m: number): Bit => entries.at(m).index.eq(set);
      return {
        line: fromBits(
          Array.from({ length: p.misses }, (_, m) => fetching.bit(m).and(same(m)).and(entries.at(m).tag.eq(tag))),
        ),
        victim: fromBits(
          Array.from({ length: p.misses }, (_, m) => leaving.bit(m).and(same(m)).and(entries.at(m).victim.eq(tag))),
        ),
      };
    },
  };
}
