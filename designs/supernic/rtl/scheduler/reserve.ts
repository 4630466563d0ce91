import {
  assertAlways,
  bit,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { RegionSlots } from "./credit-table.ts";
import { Choice, type PickParameters, Settled, userOf } from "./pick-turn.ts";
import { type SlotFacts, type Start, startOf } from "./run.ts";
import { numbersAbove } from "./turn.ts";

/** Fast DAGs and slow ones: a user has a queue of each in a region. */
export const KINDS = 2;

/** A queue's candidate: the slots that it has yet to go through, none when there is no candidate. */
export const Candidate = (p: PickParameters) =>
  struct({
    run: uint(p.slots),
    /** It has been the candidate for so long that it may stop short. */
    over: bit,
    /** The run of the one behind it, that is a candidate once it has started whole. */
    next: uint(p.slots),
  });
/** A candidate that starts: with these slots now, and `short` when that is not all of its run. */
export const Starts = (p: PickParameters) =>
  struct({ ...Choice(p).fields, slow: bit, slots: uint(p.slots), short: bit });
