import { bit, type Bit, constant, mux, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";

/** The look that finds a candidate for the third time ends its patience. */
const looks = 3;

/** What happens to a queue in a cycle. */
export interface Happens {
  /** One comes, with this run. */
  readonly comes: Bit;
  readonly run: UInt;
  /** The first one starts, or is gone: `first` is the run of what is first then, or what of it is left. */
  readonly changes: Bit;
  readonly first: UInt;
  /** With `changes`: it stops short, and the queue is held. */
  readonly short: Bit;
  /** The one that stopped is back. */
  readonly stops: Bit;
  /** In the cycle behind a change: whether there is one behind the first. */
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
  when(h.changes, () => {
    first.set(h.first);
    away.set(h.short);
  }).elseWhen(h.comes.andNot(any), () => first.set(h.run));
  when(h.stops, () => away.set(0));
  two.set(h.comes.and(any).or(mux(h.counts, h.two, two)));
  const waits = node(any.andNot(away.or(h.changes)), { name: `${name}_waits` });
  when(waits.not(), () => age.set(0)).elseWhen(h.look.and(age.ne(looks)), () => age.set(age.add(1)));
  return { first, away, two, over: age.eq(constant(looks, 2)) };
}
