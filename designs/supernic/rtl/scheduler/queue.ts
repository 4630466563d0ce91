import { bit, type Bit, constant, mux, node, reg, repeat, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";

/** The look that finds a candidate for the third time ends its patience. */
const looks = 3;

/** What happens to a queue in a cycle. */
export interface Happens {
  /** One comes, with this run. */
  readonly comes: Bit;
  readonly run: UInt;
  /** The first one starts whole, or is gone: `next` is the run of who is first then. */
  readonly pops: Bit;
  readonly next: UInt;
  /** The first one starts, and stops short: the queue is held. A cycle later its run is without `slots`. */
  readonly short: Bit;
  readonly trims: Bit;
  readonly slots: UInt;
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
  readonly away: Bit;
  /** There is one behind the first; in the cycle behind a start it may be gone. */
  readonly two: Bit;
  /** The candidate has waited for so long that it may stop short. */
  readonly over: Bit;
}

/** What of a queue is in registers: the run of its first one, and whether that has stopped short and is on its way. */
export function queueOf(name: string, slots: number, h: Happens): Queue {
  const first = reg(uint(slots), { init: 0, name: `${name}_first` }),
    two = reg(bit, { init: 0, name: `${name}_two` }),
    away = reg(bit, { init: 0, name: `${name}_away` }),
    age = reg(uint(2), { init: 0, name: `${name}_age` });
  const any = node(first.any(), { name: `${name}_any` });
  const kept = first.andNot(h.slots.and(repeat(h.trims, slots)));
  first.set(mux(h.pops, h.next, mux(h.comes.andNot(any), h.run, kept)));
  when(h.short, () => away.set(1)).elseWhen(h.pops, () => away.set(0));
  when(h.stops, () => away.set(0));
  two.set(h.comes.and(any).or(mux(h.counts, h.two, two)));
  const waits = node(any.andNot(away.or(h.pops).or(h.short)), { name: `${name}_waits` });
  when(waits.not(), () => age.set(0)).elseWhen(h.look.and(age.ne(looks)), () => age.set(age.add(1)));
  return { first, away, two, over: age.eq(constant(looks, 2)) };
}
