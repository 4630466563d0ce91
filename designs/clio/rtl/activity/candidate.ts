import {
  bit,
  type Bit,
  cat,
  constant,
  mux,
  node,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { type ActivityParameters, type ActivityStamp, ageBits, laneBits, regionBits } from "./records.ts";

/** A region on its way through the comparison. `touched`: it was written after its stamp was read. */
export const Candidate = (p: ActivityParameters) =>
  struct({ live: bit, touched: bit, region: uint(regionBits(p)), age: uint(ageBits(p)) });
export type CandidateOf = Val<ReturnType<typeof Candidate>>;
type Stamp = Val<ReturnType<typeof ActivityStamp>>;

/** The write of this cycle is to this region. */
export const isHit = (stamp: Stamp, region: UInt): Bit => stamp.en.and(stamp.region.eq(region));
/** The region of a lane of a row. */
export const regionOf = (row: UInt, lane: number): UInt => cat(row, constant(lane, laneBits));

/** The one that was written longer ago; `a` of two alike. */
function older(p: ActivityParameters, name: string, a: CandidateOf, b: CandidateOf): CandidateOf {
  const next = reg(Candidate(p), { name }),
    takesA = node(a.live.and(b.live.not().or(a.age.ge(b.age))), { name: `${name}_takes_a` });
  next.set(mux(takesA, a, b));
  return next;
}
/** The candidate, with what this cycle's write says of it. */
export function seen(p: ActivityParameters, name: string, stamp: Stamp, c: CandidateOf): CandidateOf {
  const now = wire(Candidate(p), { name });
  now.set({ live: c.live, region: c.region, age: c.age, touched: c.touched.or(isHit(stamp, c.region)) });
  return now;
}

/** The oldest of a row, two cycles later. */
export function oldestOfRow(p: ActivityParameters, stamp: Stamp, row: readonly CandidateOf[]): CandidateOf {
  const now = row.map((c, l) => seen(p, `lane_${l}`, stamp, c)),
    pairs = [0, 2].map(l => older(p, `pair_${l}`, now[l] as CandidateOf, now[l + 1] as CandidateOf)),
    [a, b] = pairs.map((c, i) => seen(p, `of_pair_${i}`, stamp, c));
  return older(p, "of_row", a as CandidateOf, b as CandidateOf);
}
