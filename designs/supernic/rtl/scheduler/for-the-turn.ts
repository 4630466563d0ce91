import { bit, type Bit, fromBits, lowestFlat, node, orTree, reg, type UInt } from "../../../../hdl-dsl/index.ts";
import type { Queue } from "./queue.ts";

/** What is known of a region's slots, and whether more may start there. */
export interface RegionFacts {
  readonly busy: UInt;
  readonly has: UInt;
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
  const { first: run, over, two, away } = q,
    slots = run.width,
    first = lowestFlat(run),
    busy = node(run.and(region.busy).any(), { name: `${name}_busy` }),
    waits = node(run.and(region.busy.or(region.has.not())).any(), { name: `${name}_lacks` }),
    stopsShort = reg(bit, { init: 0, name: `${name}_may_stop` });
  stopsShort.set(over.and(first.and(region.has).any()).andNot(busy));
  const where = (is: Bit): UInt => fromBits(Array.from({ length: slots }, (_, s) => first.bit(s).and(is)));
  const may = node(waits.not().or(stopsShort).and(region.open).andNot(away), { name: `${name}_may` });
  return { ready: where(may), more: where(may.and(two)), waits: where(busy.or(away).not()) };
}
/** Of the users' queues in a region, a bit for each user that has one at the slot. */
export const usersAt = (slot: number, users: readonly (readonly UInt[])[]): UInt =>
  fromBits(users.map(kinds => orTree(kinds.map(k => k.bit(slot)))));
