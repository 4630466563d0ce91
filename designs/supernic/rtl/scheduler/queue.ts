import {
  addressBits,
  bit,
  type Bit,
  constant,
  encodeOnehot,
  lowestFlat,
  mux,
  node,
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
  /** The first one has started, or is gone: `then` is the run of who is first from now on, `two`: one is behind him. */
  readonly changes: Bit;
  readonly then: Run;
  readonly two: Bit;
  /** It stopped short, with what is left of its run: it stays first, and the queue is held. */
  readonly short: Bit;
  /** The one that stopped is back. */
  readonly stops: Bit;
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
  /** There is one behind the first. */
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
    // Not reset: nobody waits then, which clears it.
    age = reg(uint(2), { name: `${name}_age` });
  const any = node(first.any(), { name: `${name}_any` }),
    enters = node(h.comes.andNot(any), { name: `${name}_enters` });
  // One enable and a choice of two: no more than a LUT a bit.
  when(h.changes.or(enters), () => {
    first.set(mux(h.changes, h.then.slots, h.run.slots));
    at.set(mux(h.changes, h.then.at, h.run.at));
  });
  when(h.changes, () => away.set(h.short));
  when(h.stops, () => away.set(0));
  two.set(mux(h.changes.andNot(h.short), h.two, two.or(h.comes.and(any))));
  const waits = node(any.andNot(away.or(h.changes)), { name: `${name}_waits` });
  when(waits.not(), () => age.set(0)).elseWhen(h.look.and(age.ne(looks)), () => age.set(age.add(1)));
  return { first, any, at, away, two, over: age.eq(constant(looks, 2)) };
}
