import { type Bit, fromBits, lowestFlat, node, orTree, type UInt } from "../../../../hdl-dsl/index.ts";
import type { Queue } from "./queue.ts";

/** What is known of a region's slots, and whether more may start there. */
export interface RegionFacts {
  readonly busy: UInt;
  readonly has: UInt;
  readonly open: Bit;
}
interface AtSlots {
  /** A bit for each slot: the candidate waits there first, and ... */
  readonly ready: UInt;
  readonly more: UInt;
  readonly waits: UInt;
}

/** Rules 2 to 4, as far as they look at one queue: for which slot its candidate may start, or waits. */
export function mayStart(name: string, q: Queue, region: RegionFacts): AtSlots {
  const { candidate, over, two } = q,
    slots = candidate.width,
    first = lowestFlat(candidate),
    busy = node(candidate.and(region.busy).any(), { name: `${name}_busy` }),
    lacks = candidate.andNot(region.has),
    credits = node(lacks.any().not().or(over.andNot(first.and(lacks).any())), { name: `${name}_credits` });
  const where = (is: Bit): UInt => fromBits(Array.from({ length: slots }, (_, s) => first.bit(s).and(is)));
  const may = node(credits.and(region.open).andNot(busy), { name: `${name}_may` });
  return { ready: where(may), more: where(may.and(two)), waits: where(busy.not()) };
}
/** Of the users' queues in a region, a bit for each user that has one at the slot. */
export const usersAt = (slot: number, users: readonly (readonly UInt[])[]): UInt =>
  fromBits(users.map(kinds => orTree(kinds.map(k => k.bit(slot)))));
