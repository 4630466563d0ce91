/** What Ethernet has on every line (IEEE 802.3, 3.2), and what a receiver finds. */
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { priority } from "../../vectors/index.ts";
import { constant } from "../../build/value.ts";

/** Bytes: of a frame without its check sequence, at least; of the check sequence; between frames, at least. */
export const ethernet = { least: 60, check: 4, gap: 12 } as const;
/** The bytes before a frame. */
export const preamble = { byte: 0x55, start: 0xd5, bytes: 7 } as const;
/** Bits of a frame's length; longer ones are counted as 2^14 - 1 bytes. */
export const LENGTH_BITS = 14;

/** A beat of a frame that is received: nobody can make it wait. `bad` counts with `last`. */
export type LineBeat = StructShape<{
  readonly valid: UIntShape<1>;
  readonly data: UIntShape;
  readonly keep: UIntShape;
  readonly last: UIntShape<1>;
  readonly bad: UIntShape<1>;
}>;
/** Its shape. */
export const lineBeat = (bytes: number): LineBeat =>
  struct({ valid: bit, data: uint(8 * bytes), keep: uint(bytes), last: bit, bad: bit });

/**
 * What has become of a frame, in the cycle in which that is known; one of them for each frame. `code`: an error of the
 * line or no start delimiter. `short`: less than 64 bytes. `long`: more than allowed. `check`: the check sequence is
 * wrong. The first that holds, in this order.
 */
export const Received = struct({ good: bit, code: bit, short: bit, long: bit, check: bit });
/** The names of these, in the order of their bits. */
export const receivedKinds = ["good", "code", "short", "long", "check"] as const;

/** What was found of a frame. */
export type Found = Readonly<Record<"code" | "short" | "long" | "check", Bit>>;
/** The verdict on a frame that ends. */
export function verdict(ends: Bit, found: Found): Readonly<Record<(typeof receivedKinds)[number], Bit>> {
  const { code, short, long, check } = found,
    one = (i: number) => constant(1n << BigInt(i), receivedKinds.length);
  const kind = priority([code, one(1)], [short, one(2)], [long, one(3)], [check, one(4)], one(0));
  const is = (i: number): Bit => ends.and(kind.bit(i));
  return { good: is(0), code: is(1), short: is(2), long: is(3), check: is(4) };
}
