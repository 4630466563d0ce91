/** Encoders: one-hot vectors, and bits side by side. Combinational; no signal is declared. */
import type { Bit, UInt } from "../types/value.ts";
import { cat, constant } from "../build/value.ts";
import { addressBits } from "../types/bits.ts";

/** Or of bits as a balanced tree; of none: 0. */
export function orTree(bits: readonly Bit[]): Bit {
  if (bits.length === 0) return constant(0, 1);
  if (bits.length === 1) return bits[0] as Bit;
  const half = Math.ceil(bits.length / 2);
  return orTree(bits.slice(0, half)).or(orTree(bits.slice(half)));
}

/** The number of the bit that is set in a one-hot vector (0 when none is): one or-tree per result bit. */
export function encodeOnehot(onehot: UInt): UInt {
  const bits: Bit[] = Array.from({ length: addressBits(onehot.width) }, (_, b) => {
    const from = Array.from({ length: onehot.width }, (_x, i) => i)
      .filter(i => ((i >> b) & 1) === 1)
      .map(i => onehot.bit(i));
    return from.length === 0 ? constant(0, 1) : orTree(from);
  });
  return cat(...bits.reverse());
}

/** One bit for each value of `index`: bit i is index = i. */
export function decode(index: UInt, count: number): UInt {
  return cat(...Array.from({ length: count }, (_, i) => index.eq(i)).reverse());
}

/** A vector from its bits, bit 0 first. */
export function fromBits(bits: readonly Bit[]): UInt {
  return cat(...[...bits].reverse());
}
/** The bits of a vector, bit 0 first. */
export function toBits(v: UInt): Bit[] {
  return Array.from({ length: v.width }, (_, i) => v.bit(i));
}
