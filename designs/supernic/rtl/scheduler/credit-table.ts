import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  reg,
  struct,
  uint,
  type UInt,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { stepped } from "../../../shared/stream/index.ts";

export interface CreditParameters {
  readonly regions: number;
  /** Places for tasks in a region. */
  readonly slots: number;
  /** Packets that a slot's FIFO has room for: the largest limit. */
  readonly credits: number;
}
/** Bits of a number of credits. */
export const creditBits = (p: Pick<CreditParameters, "credits">): number => bitsFor(p.credits);
const regionBits = (p: Pick<CreditParameters, "regions">): number => addressBits(p.regions);

/** Slots of one region, a bit each; nothing while `valid` is 0. */
export const RegionSlots = (p: CreditParameters) =>
  struct({ valid: bit, region: uint(regionBits(p)), slots: uint(p.slots) });

/**
 * The credits of each slot: how many of the places in its FIFO are promised to packets. `take` reserves a whole run,
 * one credit of each of its slots, in one cycle; `has` says in that cycle which slots have one. `give` is a slot's task
 * that takes a packet, any number of slots at once. `refund` returns what a packet that was dropped had behind that
 * slot. All count in the next cycle, whatever comes together (latency 1, initiation interval 1). A limit may change at
 * any time, and counts in the next cycle too: below what is held it gives nothing until enough has come back. Reset:
 * nothing is held, and no slot has a credit for a cycle. (Design: supernic-scheduler, rules 1 and 8; paper §5.3.2.)
 *
 * `next` is what `has` will be; `soon` what it will be if nobody takes, `soonTwo` if somebody does: for who decides now
 * what is taken in the next cycle. Only what `has` offers may be taken, and only what is held comes back: both are
 * asserted.
 */
export const CreditTable = module(
  "CreditTable",
  (p: CreditParameters) => ({
    /** By region, then slot. */
    limits: input(vec(uint(creditBits(p)), p.regions * p.slots)),
    take: input(RegionSlots(p)),
    give: input(vec(uint(p.slots), p.regions)),
    refund: input(RegionSlots(p)),
    /** Slots that have a credit, by region. */
    has: output(vec(uint(p.slots), p.regions)),
    /** What `has` will be in the next cycle. */
    next: output(vec(uint(p.slots), p.regions)),
    soon: output(vec(uint(p.slots), p.regions)),
    soonTwo: output(vec(uint(p.slots), p.regions)),
    held: output(vec(uint(creditBits(p)), p.regions * p.slots)),
  }),
  (io, p) => {
    const bits = creditBits(p);
    for (let r = 0; r < p.regions; r++) {
      const takes = node(io.take.valid.and(io.take.region.eq(r)), { name: `takes_of_${r}` }),
        refunds = node(io.refund.valid.and(io.refund.region.eq(r)), { name: `refunds_of_${r}` });
      const slots = Array.from({ length: p.slots }, (_, s) => {
        const at = r * p.slots + s,
          name = `${r}_${s}`,
          held = reg(uint(bits), { init: 0, name: `held_${name}` }),
          has = reg(bit, { init: 0, name: `has_${name}` });
        const more = node(takes.and(io.take.slots.bit(s)), { name: `more_${name}` }),
          taken = io.give.at(r).bit(s),
          returned = refunds.and(io.refund.slots.bit(s)),
          // Of the two that come back one may make up for the one that goes.
          fewer = node(taken.zext(2).add(returned.zext(2)), { name: `fewer_${name}` });
        // All ends are ready before it is known what comes back, and whether one is taken.
        const limit = io.limits.at(at),
          left = node(limit.zext(bits + 1).sub(held.zext(bits + 1)), { name: `left_${name}` }),
          over = left.bit(bits),
          exceeds = (n: number): Bit => over.not().and(left.trunc(bits).gt(n)),
          // What is left is at least 2, 1, 0, -1.
          atLeast = [
            node(exceeds(1), { name: `left_two_${name}` }),
            node(exceeds(0), { name: `left_one_${name}` }),
            over.not(),
            over.not().or(left.all()),
          ] as const;
        const one = node(taken.xor(returned), { name: `one_back_${name}` }),
          both = node(taken.and(returned), { name: `two_back_${name}` }),
          after = (none: Bit, single: Bit, two: Bit): Bit => mux(both, two, mux(one, single, none));
        const by = (step: number): UInt => stepped(held, step),
          stay = node(mux(both, by(-2), mux(one, by(-1), held)), { name: `stay_${name}` }),
          grown = node(mux(both, by(-1), mux(one, held, by(1))), { name: `grown_${name}` }),
          soon = node(after(atLeast[1], atLeast[2], atLeast[3]), { name: `soon_${name}` }),
          soonTwo = node(after(atLeast[0], atLeast[1], atLeast[2]), { name: `soon_two_${name}` });
        const next = mux(more, soonTwo, soon);
        held.set(mux(more, grown, stay));
        has.set(next);
        io.held.at(at).set(held);
        assertAlways(more.not().or(has), `a credit that is taken is there (region ${r}, slot ${s})`);
        assertAlways(
          held.zext(bits + 1).ge(fewer.resize(bits + 1)),
          `a credit that comes back was held (region ${r}, slot ${s})`,
        );
        return { has, next, soon, soonTwo };
      });
      io.has.at(r).set(fromBits(slots.map(x => x.has)).is(p.slots));
      io.next.at(r).set(fromBits(slots.map(x => x.next)).is(p.slots));
      io.soon.at(r).set(fromBits(slots.map(x => x.soon)).is(p.slots));
      io.soonTwo.at(r).set(fromBits(slots.map(x => x.soonTwo)).is(p.slots));
    }
  },
);
