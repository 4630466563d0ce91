import { constant, fromBits, type UInt } from "../../../hdl-dsl/index.ts";

/** The keep bits of a beat whose last byte lies on lane `last`: bit i is i <= last. */
export function keepTo(last: UInt, beatBytes: number): UInt {
  return fromBits(Array.from({ length: beatBytes }, (_, i) => (i === 0 ? constant(1, 1) : last.ge(i))));
}
/** The keep bits of a whole beat. */
export function keepAll(beatBytes: number): UInt {
  return constant((1n << BigInt(beatBytes)) - 1n, beatBytes);
}
