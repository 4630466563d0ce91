import { bit, type Bit, fromBits, node, orTree, reg, toBits, type UInt } from "../../../../hdl-dsl/index.ts";
import type { Queue } from "./queue.ts";
import { ofNumber } from "./turn.ts";

/** What is known of a region's slots, and whether more may start there. */
export interface RegionFacts {
  readonly busy: UInt;
  readonly has: UInt;
  /** Busy, or without a credit. */
  readonly lacks: UInt;
  readonly open: Bit;
}
/** A bit for each slot: the candidate waits there first, and may start; has one behind it; waits for no busy task. */
export interface AtSlots {
  readonly ready: UInt;
  readonly more: UInt;
  readonly waits: UInt;
}

/**
 * Rules 2 to 4, as far as they look at one queue: for which slot its candidate may start, or waits. That it may stop
 * short, its patience over, is known a cycle late; the reservation looks again.
 */
export function mayStart(name: string, q: Queue, region: RegionFacts): AtSlots {
  const { first: run, any, at, over, two, away } = q,
    busy = node(run.and(region.busy).any(), { name: `${name}_busy` }),
    lacks = node(run.and(region.lacks).any(), { name: `${name}_lacks` }),
    stopsShort = reg(bit, { init: 0, name: `${name}_may_stop` });
  stopsShort.set(over.and(ofNumber(at, toBits(region.has))).andNot(busy));
  const where = (is: Bit): UInt => fromBits(Array.from({ length: run.width }, (_, s) => at.eq(s).and(is)));
  const may = node(lacks.not().or(stopsShort).and(any).and(region.open).andNot(away), { name: `${name}_may` }),
    follows = node(may.and(two), { name: `${name}_follows` }),
    waits = node(any.andNot(busy.or(away)), { name: `${name}_waits_for` });
  return { ready: where(may), more: where(follows), waits: where(waits) };
}
/** Of the users' queues in a region, a bit for each user that has one at the slot. */
export const usersAt = (slot: number, users: readonly (readonly UInt[])[]): UInt =>
  fromBits(users.map(kinds => orTree(kinds.map(k => k.bit(slot)))));
