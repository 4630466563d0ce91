import { type Bit, fromBits, lowestFlat, node, type UInt } from "../../../../hdl-dsl/index.ts";

/** What a candidate's slots are like, a bit each. */
export interface SlotFacts {
  /** The task's FIFO is so full that the candidate waits, however patient it is. */
  readonly busy: UInt;
  readonly has: UInt;
  /** Behind the slot whose turn it is: somebody waits there whose turn is earlier. */
  readonly earlier: UInt;
}
/** What of its run a candidate may start with. */
export interface Start {
  /** It waits for the slot whose turn it is. */
  readonly here: Bit;
  readonly starts: Bit;
  readonly slots: UInt;
  /** It stops in front of a lack. */
  readonly short: Bit;
}

/**
 * Rules 3 and 4, for the `slot` whose turn it is, a bit each. A candidate waits while a task of its run is busy. It
 * starts when every slot has a credit and no turn behind the first is another's; once its patience is `over`, with the
 * slots in front of the first lack. What lacks and what is asked for are found side by side: it is a long path.
 */
export function startAt(name: string, slot: UInt, run: UInt, over: Bit, f: SlotFacts): Start {
  const here = node(lowestFlat(run).and(slot).any(), { name: `${name}_here` }),
    credit = node(f.has.and(slot).any(), { name: `${name}_has_first` }),
    lacks = node(run.and(f.has.not().or(f.earlier)), { name: `${name}_lacks` }),
    short = lacks.any();
  const front = Array.from({ length: run.width }, (_, s) => run.bit(s).andNot(lacks.bits(0, s + 1).any()));
  const busy = node(run.and(f.busy).any(), { name: `${name}_is_busy` }),
    goes = over.or(short.not());
  return {
    here,
    short,
    slots: node(fromBits(front), { name: `${name}_slots` }),
    starts: node(here.and(credit).and(goes).andNot(busy), { name: `${name}_starts` }),
  };
}
