/**
 * Choosing one of the bits that are set. Everything here is combinational and takes the lowest bit; no
 * signal is declared.
 *
 * | result         | function                   | depth                  | when                                     |
 * | -------------- | -------------------------- | ---------------------- | ---------------------------------------- |
 * | one-hot        | `lowestSet`                | one carry chain        | by default; the smallest                 |
 * | one-hot        | `lowestFlat`, `lowestBits` | or-tree and one gate   | up to some 16 bits on a critical path    |
 * | one-hot        | `lowestOfFirst`            | as `lowestSet`, a mux  | fair turns, with `bitsAbove`             |
 * | number         | `encodePriority`           | carry chain, or-trees  | by default; the one-hot form is shared   |
 * | number         | `firstSet`                 | log2(width) muxes      | wide vectors on a critical path          |
 */
import type { Bit, UInt } from "../types/value.ts";
import { mux } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { encodeOnehot, fromBits } from "./onehot.ts";

/**
 * The lowest set bit of `v`, one-hot and as wide as `v`; 0 when none is set. It is one carry chain as long as `v`, so
 * FPGAs make it small. Choose it unless the chain is too slow: then `lowestFlat`.
 */
export function lowestSet(v: UInt): UInt {
  return v.and(v.not().add(1));
}

/**
 * The bits of `lowestSet(v)`, bit 0 first, without a carry chain: bit i is set when it is set in `v` and none below it
 * is. The depth is that of an or-tree as wide as `v`; the area grows with the square of the width.
 */
export function lowestBits(v: UInt): Bit[] {
  return Array.from({ length: v.width }, (_, i) => (i === 0 ? v.bit(0) : v.bit(i).and(v.bits(0, i).any().not())));
}

/** `lowestBits` as a vector as wide as `v`. Choose it for narrow vectors whose choice is on a critical path. */
export function lowestFlat(v: UInt): UInt {
  return fromBits(lowestBits(v));
}

/**
 * The lowest set bit of the first vector that has one, one-hot and as wide as they are (all the same); 0
 * when none has. It costs a `lowestSet` and a mux for each vector. For turns give those after the last one
 * first: `lowestOfFirst(asking.and(bitsAbove(last)), asking)`.
 */
export function lowestOfFirst(first: UInt, ...others: readonly UInt[]): UInt {
  const [next, ...rest] = others;
  return next === undefined ? lowestSet(first) : mux(first.any(), lowestSet(first), lowestOfFirst(next, ...rest));
}

/** The bits above the one that is set in a one-hot vector, as wide as it: one carry chain. None set: no bit. */
export function bitsAbove(onehot: UInt): UInt {
  return onehot.or(onehot.sub(1)).not();
}

/**
 * The number of the lowest set bit, in as many bits as the highest number takes; `any` is 0, and the number too,
 * when none is set. It is `lowestSet` and an or-tree for each bit of the number. Choose it unless it is too
 * slow: then `firstSet`.
 */
export function encodePriority(v: UInt): { readonly any: Bit; readonly index: UInt } {
  return { any: v.any(), index: encodeOnehot(lowestSet(v)) };
}

/**
 * The same as `encodePriority` by a tree of muxes: its depth is the logarithm of the width, its area grows with the
 * width. Choose it for wide vectors (16 bits and more) on a critical path.
 */
export function firstSet(v: UInt): { readonly any: Bit; readonly index: UInt } {
  if (v.width === 1) return { any: v.bit(0), index: constant(0, 1) };
  if (v.width === 2) return { any: v.any(), index: v.bit(0).not().and(v.bit(1)) };
  // The lower half is a power of two, so the number's top bit tells the halves apart.
  const half = 2 ** Math.ceil(Math.log2(v.width) - 1),
    low = firstSet(v.bits(0, half)),
    high = firstSet(v.bits(half, v.width - half));
  const highIndex = high.index.width < low.index.width ? high.index.zext(low.index.width) : high.index;
  const rest = mux(low.any, low.index, highIndex);
  return {
    any: low.any.or(high.any),
    index: fromBits([...Array.from({ length: rest.width }, (_, i) => rest.bit(i)), low.any.not().and(high.any)]),
  };
}

/** More than one bit of `v` is set: a carry chain and an or-tree. */
export function several(v: UInt): Bit {
  return v.and(v.sub(1)).any();
}
/** One bit of `v` is set, or none: what an assertion says of a vector that is to be one-hot. */
export function atMostOne(v: UInt): Bit {
  return several(v).not();
}
