/** What the stages of the miss table hand to one another, and its sizes. */
import { bit, enumOf, struct, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import { geometryOf, type WalkParameters } from "../table-walk.ts";

/** What became of a miss. */
export const Verdict = enumOf("Verdict", [
  /** The page has a frame. */
  "mapped",
  /** No entry for the page. */
  "invalid",
  /** An entry without a frame, and no waiting request was allowed to make it take one. */
  "unmapped",
  "outOfMemory",
  /** The memory answered the fetch with an error. */
  "error",
]);

export interface MissTableParameters extends WalkParameters {
  readonly slots: number;
  readonly keyBits: number;
}

/** A miss's number, and a request's slot. */
export const missOf = (p: MissTableParameters) => uint(Math.log2(p.misses));
export const slotOf = (p: MissTableParameters) => uint(Math.log2(p.slots));

/** What a list's requests are told: the frame counts with `mapped`, the rights of every page that has an entry. */
export const Result = (p: MissTableParameters) =>
  struct({ verdict: Verdict, ppn: uint(geometryOf(p).ppnBits), read: bit, write: bit });

/** A request of the list that is served, one each cycle. */
export const Served = (p: MissTableParameters) =>
  struct({
    valid: bit,
    slot: slotOf(p),
    last: bit,
    ...Result(p).fields,
    key: uint(p.keyBits),
    /**
     * The first request of its list: it tells the TLB; and of a page without an entry only it knows that the
     * fetch began after it came.
     */
    first: bit,
    poisoned: bit,
  });

/** One of the misses: a bit for each, and the number. */
export interface Chosen {
  readonly bits: UInt;
  readonly miss: UInt;
}
