import { bit, type Bit, cat, constant, mux, node, reg, uint, type UInt } from "../../../../hdl-dsl/index.ts";

/** A bit as it was so many cycles ago; 0 behind a reset. */
export function ago(name: string, value: Bit, cycles: number): Bit {
  let v = value;
  for (let i = 1; i <= cycles; i++) {
    const kept = reg(bit, { init: 0, name: `${name}_${i}` });
    kept.set(v);
    v = kept;
  }
  return v;
}
/** A number as it was so many cycles ago. */
export function numberAgo(name: string, value: UInt, cycles: number): UInt {
  let v = value;
  for (let i = 1; i <= cycles; i++) {
    const kept = reg(uint(value.width), { name: `${name}_${i}` });
    kept.set(v);
    v = kept;
  }
  return v;
}
/** All bits set. */
export const allOnes = (bits: number): UInt => constant((1n << BigInt(bits)) - 1n, bits);
/** What has no room in so many bits has all of them set. */
export function saturated(name: string, value: UInt, bits: number): UInt {
  if (value.width <= bits) return value.zext(bits);
  const over = node(value.shr(bits).any(), { name: `${name}_over` });
  return mux(over, allOnes(bits), value.resize(bits)).is(bits);
}
/** Divided by a power of two and rounded up, in so many bits. What is above them is known without the sum. */
export function upBy(name: string, value: UInt, shift: number, bits: number): UInt {
  const more = value
      .trunc(shift)
      .any()
      .zext(bits + 1),
    raised = node(
      value
        .bits(shift, bits)
        .zext(bits + 1)
        .add(more),
      { name: `${name}_raised` },
    ),
    over = node(
      value
        .shr(shift + bits)
        .any()
        .or(raised.bit(bits)),
      { name: `${name}_over` },
    );
  return mux(over, allOnes(bits), raised.trunc(bits)).is(bits);
}
/** Counts from 0 to `count` - 1 and begins anew; `last` in the last of them. */
export function counter(name: string, count: number, bits: number) {
  const value = reg(uint(bits), { init: 0, name }),
    last = node(value.eq(count - 1), { name: `${name}_last` });
  const next = node(mux(last, constant(0, bits), value.add(1)), { name: `${name}_next` });
  return { value, last, step: (): void => value.set(next), clear: (): void => value.set(0) };
}
/** One adder for both: what is carried into it comes from a bit in front. */
export function addOrSubtract(a: UInt, b: UInt, subtracts: Bit): UInt {
  const turned = mux(subtracts, b.not(), b),
    sum = cat(a, constant(1, 1)).add(cat(turned, subtracts));
  return sum.shr(1).trunc(a.width);
}
/** Bits of a factor that a multiplier of the device takes beside one of 26. */
const factorBits = 17;
/** A product in as few multipliers as it takes: the second factor in two parts, where it is longer than 17 bits. */
export function productOf(a: UInt, b: UInt): UInt {
  if (b.width <= factorBits) return a.mul(b);
  const low = a.mul(b.trunc(factorBits)),
    high = a.mul(b.shr(factorBits).trunc(b.width - factorBits));
  return cat(high.add(low.shr(factorBits).resize(high.width)), low.trunc(factorBits));
}
