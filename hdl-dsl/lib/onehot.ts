/** Encoders: one-hot vectors, priority, and bits side by side. Combinational; no signal is declared. */
import type { Bit, UInt } from "../types/value.ts";
import { mux } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { lowestSet } from "../stream/arbiter.ts";
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

/** The number of the lowest bit that is set; `any` is 0, and the number too, when none is. */
export function encodePriority(v: UInt): { readonly any: Bit; readonly index: UInt } {
  return { any: v.any(), index: encodeOnehot(lowestSet(v)) };
}

/**
 * The number of the lowest set bit and whether there is one. It is a tree of muxes, whose depth is the logarithm of the
 * width (a power of two). The number is 0 when there is none. `encodePriority` does the same by a carry chain.
 */
export function firstSet(v: UInt): { readonly any: Bit; readonly index: UInt } {
  if (v.width === 2) return { any: v.any(), index: v.bit(0).not().and(v.bit(1)) };
  const half = v.width / 2,
    low = firstSet(v.bits(0, half)),
    high = firstSet(v.bits(half, half));
  const rest = mux(low.any, low.index, high.index);
  return {
    any: low.any.or(high.any),
    index: fromBits([...Array.from({ length: rest.width }, (_, i) => rest.bit(i)), low.any.not().and(high.any)]),
  };
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
