/** Fixed-point numbers into fewer bits. Combinational. */
import type { SInt } from "../../types/value.ts";
import { mux } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";

/**
 * The number without its lowest `n` bits, rounded to the nearest, halves up; one bit wider than what is left, so it
 * never wraps.
 */
export function roundOff(v: SInt, n: number): SInt {
  if (n === 0) return v.sext(v.width + 1);
  const half = constant(2 ** (n - 1), n + 1)
    .zext(v.width + 1)
    .asSint();
  return v
    .sext(v.width + 1)
    .add(half)
    .shr(n)
    .asUint()
    .trunc(v.width + 1 - n)
    .asSint();
}

/** The nearest number of `width` bits: the largest or the least where it does not fit. */
export function saturate(v: SInt, width: number): SInt {
  if (width >= v.width) return v.sext(width);
  const sign = v.bit(v.width - 1),
    above = v.bits(width - 1, v.width - width);
  // It fits when all bits from its new sign up are equal.
  const fits = above.all().or(above.any().not());
  const end = mux(sign, constant(2n ** BigInt(width - 1), width), constant(2n ** BigInt(width - 1) - 1n, width));
  return mux(fits, v.trunc(width), end).asSint();
}
