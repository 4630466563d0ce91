/** Comparisons with a shape of their own. Combinational. */
import type { Bit, UInt } from "../../types/value.ts";
import { constant } from "../../build/value.ts";
import { fromBits } from "../../vectors/index.ts";

/**
 * Whether two values are equal, and all bits of `also` set. Each three bits take a 6-input table, and a carry runs
 * through when all of them agree. For 48 bits that is half the area of a tree of tables, and one level with 5 pieces
 * of carry chain.
 */
export function carryEqual(a: UInt, b: UInt, ...also: readonly Bit[]): Bit {
  const threes = Array.from({ length: Math.ceil(a.width / 3) }, (_, i) => {
    const n = Math.min(3, a.width - 3 * i);
    return a.bits(3 * i, n).eq(b.bits(3 * i, n));
  });
  const agree = fromBits([...threes, ...also]);
  return agree
    .zext(agree.width + 1)
    .add(1)
    .bit(agree.width);
}

/**
 * Whether serial number `a` comes after `b` (RFC 1982): less than half a round behind it. Numbers exactly half a
 * round apart: no.
 */
export function isAfter(a: UInt, b: UInt): Bit {
  return carryEqual(a, b)
    .or(a.sub(b).bit(a.width - 1))
    .not();
}

/** `v >= n` for a number that a parameter gives: 1 when it is 0, 0 when it is beyond the value's range. */
export function atLeast(v: UInt, n: number): Bit {
  if (n <= 0) return constant(1, 1);
  return n >= 2 ** v.width ? constant(0, 1) : v.ge(n);
}
/** The value without its lowest `n` bits, same width: 0 when a parameter makes that all of them. */
export function without(v: UInt, n: number): UInt {
  return n >= v.width ? constant(0, v.width) : v.shr(n);
}
