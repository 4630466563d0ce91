import { cat, constant, type Bit, type UInt } from "../../../hdl-dsl/index.ts";
import { orTree } from "./lru.ts";

/** The number of the bit that is set in a one-hot vector (0 when none is): one or-tree per result bit. */
export function encodeOnehot(onehot: UInt): UInt {
  const width = Math.max(1, Math.ceil(Math.log2(onehot.width)));
  const bits: Bit[] = Array.from({ length: width }, (_, b) => {
    const from = Array.from({ length: onehot.width }, (_x, i) => i).filter(i => (i >> b & 1) === 1).map(i => onehot.bit(i));
    return from.length === 0 ? constant(0, 1) : orTree(from);
  });
  return cat(...bits.reverse());
}

/** One bit for each value of `index`: bit i is index = i. */
export function decode(index: UInt, count: number): UInt {
  return cat(...Array.from({ length: count }, (_, i) => index.eq(i)).reverse());
}

/** A vector from its bits, bit 0 first. */
export function fromBits(bits: readonly Bit[]): UInt { return cat(...[...bits].reverse()); }
/** The bits of a vector, bit 0 first. */
export function toBits(v: UInt): Bit[] { return Array.from({ length: v.width }, (_, i) => v.bit(i)); }
