/** What passes in and out of the activity table. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";

export interface ActivityParameters {
  /** Regions that the table has stamps for: a power of two, 8 or more. */
  readonly regions: number;
  /** Bits of a stamp, 6 or more. */
  readonly stampBits: number;
  /** A tick of the stamps is 2^tickBits cycles. */
  readonly tickBits: number;
}

/** Stamps read at a time: one memory for each. */
export const lanes = 4,
  laneBits = 2;

export const regionBits = (p: Pick<ActivityParameters, "regions">): number => Math.log2(p.regions);
/** Bits of an age: it stops at 2^(stampBits - 2) ticks. */
export const ageBits = (p: Pick<ActivityParameters, "stampBits">): number => p.stampBits - 1;

/** A write to a region has been done. */
export const ActivityStamp = (p: ActivityParameters) => struct({ en: bit, region: uint(regionBits(p)) });

/** Orders of software. `enroll` stamps its region, too; `scan` ignores `region` and has a result. */
export const activityOp = { withdraw: 0, enroll: 1, scan: 2 } as const;
export const ActivityCommand = (p: ActivityParameters) => struct({ op: uint(2), region: uint(regionBits(p)) });

/** The region that was written longest ago among those enrolled. */
export const ActivityResult = (p: ActivityParameters) =>
  struct({
    /** Some region is enrolled. */
    found: bit,
    /** It was written during the scan, twice in a row: there may be one that was written longer ago. */
    touched: bit,
    region: uint(regionBits(p)),
    /** Ticks since it was written, as of the scan's begin; 2^(stampBits - 2) and more are told as that. */
    age: uint(ageBits(p)),
  });
