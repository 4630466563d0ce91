/** Gray code: neighbours differ in one bit, so that a counter can be read from another clock domain. */
import type { UInt } from "../../types/value.ts";

/** The Gray code of a number, same width. One xor deep. */
export function toGray(v: UInt): UInt {
  return v.xor(v.shr(1));
}

/**
 * The number of a Gray code, same width: each bit is the parity of the bits from it up, by doubling, so
 * log2(width) xors deep.
 */
export function fromGray(v: UInt): UInt {
  let out = v;
  for (let d = 1; d < v.width; d *= 2) out = out.xor(out.shr(d));
  return out;
}
