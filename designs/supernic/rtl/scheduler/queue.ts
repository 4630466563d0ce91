import {
  addressBits,
  bit,
  type Bit,
  constant,
  encodeOnehot,
  lowestFlat,
  mux,
  node,
  orTree,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";

/** The look that finds a candidate for the third time ends its patience. */
const looks = 3;

/** A run, and the number of its first slot, which is found once for all queues; of a run without slots any. */
export interface Run {
  readonly slots: UInt;
  readonly at: UInt;
}
export const runOf = (name: string, slots: UInt): Run => ({
  slots,
  at: node(encodeOnehot(lowestFlat(slots)), { name: `${name}_at` }),
});

/** What happens to a queue in a cycle. */
export interface Happens {
  /** One comes, with this run. */
  readonly comes: Bit;
  readonly run: Run;
  /** The first one starts whole, or is gone: `next` is the run of who is first then. */
  readonly pops: Bit;
  readonly next: Run;
  /** The first one starts, and stops short: the queue is held. A cycle later its run is what is `left`. */
  readonly short: Bit;
  readonly trims: Bit;
  readonly left: Run;
  /** The one that stopped is back. */
  readonly stops: Bit;
  /** In the cycle behind that of `pops`: whether there is one behind the first. */
  readonly counts: Bit;
  readonly two: Bit;
  readonly look: Bit;
}
/** A queue, as it is now. */
export interface Queue {
  /** The run of the first one, none when there is none. It is the candidate, unless it is `away`. */
  readonly first: UInt;
  readonly any: Bit;
  /** The number of the slot that it waits for. */
  readonly at: UInt;
  readonly away: Bit;
  /** There is one behind the first; in the cycle behind a start it may be gone. */
  readonly two: Bit;
  /** The candidate has waited for so long that it may stop short. */
  readonly over: Bit;
}

/** What of a queue is in registers: the run of its first one, and whether that has stopped short and is on its way. */
export function queueOf(name: string, slots: number, h: Happens): Queue {
  const first = reg(uint(slots), { init: 0, name: `${name}_first` }),
    at = reg(uint(addressBits(slots)), { name: `${name}_at` }),
    two = reg(bit, { init: 0, name: `${name}_two` }),
    away = reg(bit, { init: 0, name: `${name}_away` }),
    age = reg(uint(2), { init: 0, name: `${name}_age` });
  const any = node(first.any(), { name: `${name}_any` }),
    enters = node(h.comes.andNot(any), { name: `${name}_enters` });
  // One enable and a choice of three: no more than a LUT a bit.
  when(orTree([h.pops, enters, h.trims]), () => {
    first.set(mux(h.pops, h.next.slots, mux(enters, h.run.slots, h.left.slots)));
    at.set(mux(h.pops, h.next.at, mux(enters, h.run.at, h.left.at)));
  });
  when(h.short, () => away.set(1)).elseWhen(h.pops, () => away.set(0));
  when(h.stops, () => away.set(0));
  two.set(h.comes.and(any).or(mux(h.counts, h.two, two)));
  const waits = node(any.andNot(away.or(h.pops).or(h.short)), { name: `${name}_waits` });
  when(waits.not(), () => age.set(0)).elseWhen(h.look.and(age.ne(looks)), () => age.set(age.add(1)));
  return { first, any, at, away, two, over: age.eq(constant(looks, 2)) };
}
