import {
  bit,
  type Bit,
  constant,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  type Val,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { Candidate, type CandidateOf, isHit, regionOf } from "./candidate.ts";
import { type ActivityParameters, type ActivityStamp, ageBits, laneBits, lanes, regionBits } from "./records.ts";

interface LanesInput {
  readonly stamp: Val<ReturnType<typeof ActivityStamp>>;
  readonly now: UInt;
  /** Time at which the pass began: all ages are of that moment. */
  readonly base: UInt;
  readonly row: UInt;
  readonly issuing: Bit;
  readonly clearing: Bit;
  /** A region is enrolled or withdrawn. */
  readonly live: { readonly en: Bit; readonly region: UInt; readonly value: UInt };
  /** An enrolled region is stamped; never in a cycle of a stamp. */
  readonly enroll: { readonly en: Bit; readonly region: UInt };
}

/** What a row's regions are, two cycles after the row was issued. */
export interface LanesOutput {
  readonly valid: Bit;
  readonly last: Bit;
  readonly row: readonly CandidateOf[];
  /** A stamp that wanted moving could not be, since another one was written. */
  readonly skips: Bit;
}

/**
 * The stamps, a memory for each lane, and beside each whether its region is enrolled. A row is read in one cycle, its
 * ages are worked out in the next, and in the third the old ones are moved up. A region that is written in any of the
 * three has age 0 and is not moved.
 */
export function activityLanes(p: ActivityParameters, i: LanesInput): LanesOutput {
  const rowBits = regionBits(p) - laneBits,
    depth = 2 ** rowBits,
    { stamp } = i,
    rowOf = (region: UInt): UInt => region.bits(laneBits, rowBits),
    inLane = (region: UInt, lane: number): Bit => region.bits(0, laneBits).eq(lane);
  const staged = (name: string, value: UInt): UInt => {
    const r = reg(uint(value.width), { name });
    r.set(value);
    return r;
  };
  const flagged = (name: string, value: Bit): Bit => {
    const r = reg(bit, { init: 0, name });
    r.set(value);
    return r;
  };
  const valid1 = flagged("at_1", i.issuing),
    valid2 = flagged("at_2", valid1),
    last1 = flagged("last_1", i.issuing.and(i.row.all())),
    last2 = flagged("last_2", last1),
    row1 = staged("row_1", i.row),
    row2 = staged("row_2", row1),
    row3 = staged("row_3", row2),
    limit = node(i.base.sub(2 ** (p.stampBits - 2)), { name: "limit" });

  const skips: Bit[] = [],
    row: CandidateOf[] = [];
  for (let l = 0; l < lanes; l++) {
    const stamps = ram(uint(p.stampBits), { depth, collision: "undefined", style: "block", name: `stamps_${l}` }),
      enrolled = ram(bit, { depth, collision: "old", style: "distributed", name: `enrolled_${l}` });
    const changes = node(i.live.en.and(inLane(i.live.region, l)), { name: `changes_${l}` });
    enrolled.write(
      i.clearing.or(changes),
      mux(i.clearing, i.row, rowOf(i.live.region)),
      mux(i.clearing, constant(0, 1), i.live.value),
    );

    const hit = (r: UInt): Bit => isHit(stamp, regionOf(r, l)),
      word = stamps.readSync(i.row, { name: `word_${l}` }),
      live1 = enrolled.readSync(i.row, { name: `live_1_${l}` });
    const touched1 = flagged(`touched_1_${l}`, hit(i.row)),
      touched2 = flagged(`touched_2_${l}`, touched1.or(hit(row1))),
      live2 = flagged(`live_2_${l}`, live1),
      since2 = staged(`since_2_${l}`, i.base.sub(word));
    // Newer than the pass is negative.
    const fresh = node(touched2.or(hit(row2)).or(since2.bit(p.stampBits - 1)), { name: `fresh_${l}` }),
      old = since2.bit(p.stampBits - 2),
      beyond = since2.bit(p.stampBits - 3).or(since2.bit(p.stampBits - 4)),
      moves = node(valid2.and(live2).and(old).and(beyond).andNot(fresh), { name: `moves_${l}` });

    // One write port: a write to a region goes first.
    const stamped = node(stamp.en.and(inLane(stamp.region, l)), { name: `stamped_${l}` }),
      enrolls = node(i.enroll.en.and(inLane(i.enroll.region, l)), { name: `enrolls_${l}` });
    stamps.write(
      stamped.or(enrolls).or(moves),
      mux(stamped, rowOf(stamp.region), mux(enrolls, rowOf(i.enroll.region), row2)),
      mux(stamped.or(enrolls), i.now, limit),
    );
    skips.push(moves.and(stamped));

    const age = mux(
      fresh,
      constant(0, ageBits(p)),
      mux(old, constant(2 ** (p.stampBits - 2), ageBits(p)), since2.trunc(ageBits(p))),
    );
    const candidate = wire(Candidate(p), { name: `candidate_${l}` });
    candidate.set({
      live: flagged(`live_3_${l}`, live2),
      touched: 0,
      region: regionOf(row3, l),
      age: staged(`age_3_${l}`, age),
    });
    row.push(candidate);
  }
  return {
    valid: valid2,
    last: last2,
    row,
    skips: node(
      skips.reduce((a, b) => a.or(b)),
      { name: "skips" },
    ),
  };
}
