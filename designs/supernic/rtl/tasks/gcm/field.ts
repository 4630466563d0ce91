/**
 * The field of 2^128 elements as GCM has it (SP 800-38D, section 6.3): polynomials modulo x^128 + x^7 + x^2 + x + 1. As
 * a number here bit i is the coefficient of x^i; a block has that of x^0 in the highest bit of its first byte.
 */
import { cat, constant, repeat, type UInt } from "../../../../../hdl-dsl/index.ts";
import { blockBits } from "../aes/index.ts";

/** The bits of each byte in the other order: a block becomes a polynomial, and the other way round. */
export function mirrored(block: UInt): UInt {
  let out = block;
  for (const [by, low] of [
    [1, 0x55],
    [2, 0x33],
    [4, 0x0f],
  ] as const) {
    const mask = repeat(constant(low, 8), block.width / 8).is(block.width);
    out = out.shr(by).and(mask).or(out.and(mask).shl(by)).is(block.width);
  }
  return out;
}

/** Exclusive or of all, as a tree: a LUT has six inputs, so three bits by three, and then six sums. */
function sumOf(terms: readonly UInt[], together: number): UInt {
  if (terms.length <= together) return terms.reduce((a, b) => a.xor(b));
  const groups = Array.from({ length: Math.ceil(terms.length / together) }, (_, i) =>
    sumOf(terms.slice(i * together, (i + 1) * together), together),
  );
  return sumOf(groups, 6);
}
/** Each bit of `b` with all of `a`. */
const byRows = (a: UInt, b: UInt): UInt =>
  sumOf(
    Array.from({ length: b.width }, (_, i) =>
      a
        .and(repeat(b.bit(i), a.width))
        .zext(2 * a.width)
        .shl(i),
    ),
    3,
  );
/**
 * Product of two polynomials of equal length, twice as long. It is cut in halves `cuts` times, with three products in
 * place of four (Karatsuba): each cut saves a quarter of the area, and makes the way about a LUT longer.
 */
export function product(a: UInt, b: UInt, cuts: number): UInt {
  if (cuts === 0) return byRows(a, b);
  const n = a.width,
    half = n / 2,
    [a0, a1, b0, b1] = [a.bits(0, half), a.bits(half, half), b.bits(0, half), b.bits(half, half)] as const;
  const low = product(a0, b0, cuts - 1),
    high = product(a1, b1, cuts - 1),
    middle = product(a0.xor(a1), b0.xor(b1), cuts - 1)
      .xor(low)
      .xor(high);
  return cat(high, low)
    .xor(middle.zext(2 * n).shl(half))
    .is(2 * n);
}

/** A polynomial of 256 bits, reduced: x^128 is x^7 + x^2 + x + 1. */
export function reduced(wide: UInt): UInt {
  const high = wide.bits(blockBits, blockBits),
    folded = foldedBack(high),
    // What the fold itself has beyond x^127.
    again = foldedBack(folded.bits(blockBits, 8)).trunc(blockBits);
  return wide.trunc(blockBits).xor(folded.trunc(blockBits)).xor(again);
}
const foldedBack = (high: UInt): UInt => {
  const wide = high.zext(blockBits + 8);
  return wide.xor(wide.shl(1)).xor(wide.shl(2)).xor(wide.shl(7));
};
/** Times x. */
export const timesX = (a: UInt): UInt =>
  a.shl(1).xor(
    repeat(a.bit(blockBits - 1), 8)
      .and(0x87)
      .zext(blockBits),
  );
