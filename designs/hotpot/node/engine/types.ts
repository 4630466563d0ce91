/** Widths of the commit engine, and what its parts hand on. */
import { enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import type { OffloadParameters } from "../../../clio/offload/index.ts";
import { bounds, kinds, states } from "../../wire/index.ts";

export interface CommitParameters extends OffloadParameters {
  /** Where the log lies in the engine's own address space: a multiple of 256 KB. */
  readonly base: bigint;
  /** The process that gives lanes and has the node recover; none of the node's offloads. */
  readonly director: number;
}

/** Of the kind of a message that is not malformed. */
export const kindBits = 4;
export const placeBits = Math.log2(bounds.commits),
  partBits = Math.log2(bounds.parts),
  laneBits = Math.log2(bounds.lanes),
  /** Of a logged area's data: 16 beats. */
  beatBits = Math.log2(bounds.areaBytes / bounds.granule),
  /** Of a count of beats, the head's among them. */
  countBits = beatBits + 1,
  lineBits = 512,
  /** Below them the log's address is 0. */
  logShift = 18;

export const Kind = enumOf("CommitKind", { none: 0, ...kinds }, { width: kindBits });
export const CommitState = enumOf("CommitState", states);
/** Where an area's home is, and its beats. */
export const Area = struct({ va: uint(64), beats: uint(countBits) });
/** What a commit says of itself and nothing decides here. */
export const Meta = struct({ owners: uint(16), replicas: uint(16), parts: uint(4) });
/** A lane: commits with lower numbers are over, others are its owner's; 0 is nobody. */
export const LaneFloor = struct({ floor: uint(32), owner: uint(16) });
/** First beat of what goes to memory: none, the request's head, the commit's record, the lane's floor, zeros. */
export const leads = ["none", "head", "record", "floor", "zero"] as const;
export const Lead = enumOf("CommitLead", [...leads]);
