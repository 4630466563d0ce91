import { addressBits } from "../../../../hdl-dsl/index.ts";
import { drfFormat } from "../../config/index.ts";

export interface DrfParameters {
  readonly users: number;
  readonly resources: number;
  /** Resources whose shares and uses are computed at once; a beat has the vectors of as many. */
  readonly lanes: number;
  /** Bits of a gap that a cycle finds: 1 or 2. Two gaps of a lane are found at once, with an adder for each bit. */
  readonly digitBits: number;
  /** Bytes in an epoch that each user has without asking. */
  readonly floor: number;
}

/** Beats of a user: as many as there are groups of lanes. */
export const groupsOf = (p: DrfParameters): number => p.resources / p.lanes;
export const userBitsOf = (p: DrfParameters): number => addressBits(p.users);
export const groupBitsOf = (p: DrfParameters): number => addressBits(groupsOf(p));
/** Place of a user's group in a lane's memories. */
export const placeBitsOf = (p: DrfParameters): number => userBitsOf(p) + groupBitsOf(p);
/** Uses of all users of one resource, added. */
export const sumBitsOf = (p: DrfParameters): number => drfFormat.vectorBits + Math.ceil(Math.log2(p.users));
/** What goes of a resource when the level rises by 1, of all users. */
export const loadBitsOf = (p: DrfParameters): number => drfFormat.useBits + Math.ceil(Math.log2(p.users));
/** What is left of a resource, 1 at first. */
export const leftBits = drfFormat.useFraction + drfFormat.levelFraction + 1;
/** How far the level can rise: 1 at most, as some user rises that takes its weight or more of a resource. */
export const gapBits = drfFormat.levelFraction + 1;
/** Cycles in which a resource's gap is found. */
export const stepsOf = (p: DrfParameters): number => drfFormat.levelFraction / p.digitBits;
/** Users whose needs are looked through one by one. */
export const bankUsers = 8;
/** Gaps that are compared in one cycle with the step so far, and with the next need. */
const lastGaps = 6;
/** Cycles in which the gaps of a group become that few, each by two rounds of comparing. */
export const gapRoundsOf = (p: DrfParameters): number => {
  let cycles = 1;
  for (let n = Math.ceil(p.lanes / 4); n > lastGaps; n = Math.ceil(n / 4)) cycles++;
  return cycles;
};
/** One by what is left of a resource that is not full. */
export const inverseBits = drfFormat.inverseFraction - Math.log2(drfFormat.leastLeft);
/** Weight by one by the largest share. */
export const pitchBits = drfFormat.shareBits + drfFormat.weightBits;

/** @throws RangeError for what the unit cannot be built as */
export function checkParameters(p: DrfParameters): void {
  const groups = groupsOf(p);
  if (!Number.isInteger(Math.log2(groups)) || groups < 2)
    throw new RangeError(`${p.resources} resources in ${p.lanes} lanes: must be twice, four times ... as many`);
  if (p.digitBits !== 1 && p.digitBits !== 2) throw new RangeError(`${p.digitBits} bits a cycle: must be 1 or 2`);
  if (p.users < 2) throw new RangeError(`${p.users} users: must be 2 or more`);
}
