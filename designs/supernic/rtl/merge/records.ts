/** What the merge's parts hand on. */
import { type Bit, bit, constant, struct, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { flowHashBits } from "../../wire/index.ts";
import { dagBits, type FrameFacts, lengthBits, userBits } from "../inside/index.ts";

/** What of a frame's facts goes on with its packet. */
export const TakenFacts = struct({
  uid: uint(16),
  dag: uint(dagBits),
  user: uint(userBits),
  unordered: bit,
  length: uint(lengthBits),
  noL4: bit,
  flowHash: uint(flowHashBits),
  tagged: bit,
  tag: uint(16),
  shimmed: bit,
  ttl: uint(4),
});

/** These of a frame's facts. */
export const takenFacts = (f: Val<ReturnType<typeof FrameFacts>>): Val<typeof TakenFacts> => ({
  uid: f.uid,
  dag: f.dag,
  user: f.user,
  unordered: f.unordered,
  length: f.length,
  noL4: f.noL4,
  flowHash: f.flowHash,
  tagged: f.tagged,
  tag: f.tag,
  shimmed: f.shimmed,
  ttl: f.ttl,
});

/**
 * Frames that can be taken before their user's account shows the first of them: whoever has plenty has enough for all
 * of these.
 */
export const blindTakes = 5;
/** Cycles behind a take in which nobody is named by accounts that show it: until they do, to look, and to name. */
export const blindCycles = 4;

/** Cells of the payload of a frame of so many bytes: all behind its first beat. */
export function cellsOf(length: UInt, bits: number): UInt {
  const more = length.bits(0, 8).gt(64);
  return length.shr(8).resize(bits).add(more.zext(bits));
}
/** As many are left, as a number that wraps. Of a store that never has as many, never. */
export const atLeast = (left: UInt, least: number): Bit =>
  least >= 2 ** (left.width - 1)
    ? constant(0, 1).bit(0)
    : left
        .bit(left.width - 1)
        .not()
        .and(left.gt(least - 1));
