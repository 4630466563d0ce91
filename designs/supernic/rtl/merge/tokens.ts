/** The meter's arithmetic (paper §5.5): tokens of a user as two numbers that wrap, what he was given and has used. */
import { bit, type Bit, cat, constant, mux, node, reg, uint, type UInt } from "../../../../hdl-dsl/index.ts";

/**
 * Whole bytes that are left of what was given, as a number that wraps: its highest bit is its sign. `given` counts in
 * parts of a byte, `partBits` bits of them.
 */
export const tokensLeft = (given: UInt, used: UInt, partBits: number): UInt =>
  given.shr(partBits).resize(used.width).sub(used);
/** There is a whole one. */
export const isPositive = (tokens: UInt): Bit => tokens.any().andNot(tokens.bit(tokens.width - 1));

/** A user whose turn it is to be given tokens, as his account is. */
interface Due {
  readonly valid: Bit;
  readonly given: UInt;
  readonly used: UInt;
  /** Bytes of an epoch, and parts of a byte in a part of it. */
  readonly share: UInt;
}

/**
 * What he has been given with this part of an epoch, in the cycle behind `due`: his share more, but no more than makes
 * one share saved. Less than before when the share has become smaller. A take in between does not show in `due`: then
 * he gets less than he could, and never more.
 */
export function giving(
  { valid, given, used, share }: Due,
  partBits: number,
): { readonly gets: Bit; readonly value: UInt } {
  const wide = given.width,
    whole = constant(0, partBits);
  const tokensNow = node(given.sub(cat(used, whole).is(wide)), { name: "tokens_now" }),
    most = cat(share, whole).zext(wide);
  const gets = reg(bit, { init: 0, name: "gets" }),
    had = reg(uint(wide), { name: "had" }),
    room = reg(uint(wide), { name: "share_room" }),
    more = reg(uint(share.width), { name: "share" });
  gets.set(valid);
  had.set(given);
  room.set(most.sub(tokensNow));
  more.set(share);
  const isRoom = room.bit(wide - 1).not(),
    fits = node(isRoom.and(room.ge(more.zext(wide))), { name: "share_fits" });
  return { gets, value: had.add(mux(fits, more.zext(wide), room)) };
}
