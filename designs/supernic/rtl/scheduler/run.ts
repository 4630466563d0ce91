import { type Bit, fromBits, lowestFlat, node, type UInt } from "../../../../hdl-dsl/index.ts";

/** What a candidate's slots are like, a bit each. */
export interface SlotFacts {
  /** The task's FIFO is so full that the candidate waits, however patient it is. */
  readonly busy: UInt;
  readonly has: UInt;
  /** Somebody waits for the slot whose turn is earlier. It counts at the slots behind the first. */
  readonly earlier: UInt;
}
/** What of its run a candidate may start with. */
export interface Start {
  /** The slot that it waits for, one bit. */
  readonly first: UInt;
  readonly starts: Bit;
  readonly slots: UInt;
  /** It stops in front of a lack. */
  readonly short: Bit;
}

/**
 * Rules 3 and 4. A candidate waits while a task of its run is busy. It starts when every slot has a credit and no turn
 * behind the first is another's; once its patience is `over`, with the slots in front of the first lack.
 */
export function startOf(name: string, run: UInt, over: Bit, f: SlotFacts): Start {
  const first = lowestFlat(run),
    lacks = node(run.and(f.has.not().or(f.earlier.andNot(first))), { name: `${name}_lacks` });
  const front = Array.from({ length: run.width }, (_, s) => run.bit(s).andNot(lacks.bits(0, s + 1).any()));
  const slots = node(fromBits(front), { name: `${name}_slots` }),
    short = lacks.any();
  return { first, slots, short, starts: slots.any().andNot(run.and(f.busy).any()).and(over.or(short.not())) };
}
