import { sink, source } from "../../types/ports.ts";
import { bit, sint } from "../../types/shape.ts";
import type { SInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";

/** The impulse response of a filter, and the width of its samples. */
export interface FirParameters {
  /** Coefficients, whole numbers; the first is that of the newest sample. */
  readonly coefficients: readonly number[];
  /** Bits of a sample, signed. */
  readonly dataBits: number;
}
/** Bits of a signed number. */
const signedBits = (n: number): number => Math.ceil(Math.log2(n >= 0 ? n + 1 : -n)) + 1;
/** Bits of the filter's result: enough for the largest sum that samples can make. */
export function firResultBits(p: FirParameters): number {
  const top = 2 ** (p.dataBits - 1);
  const most = p.coefficients.reduce((s, c) => s + (c > 0 ? c * (top - 1) : -c * top), 0),
    least = p.coefficients.reduce((s, c) => s - (c > 0 ? c * top : -c * (top - 1)), 0);
  return Math.max(signedBits(most), signedBits(least));
}

/**
 * FIR filter with constant coefficients, in the transposed form: a sample meets all coefficients at once, and a chain
 * of adders has a register behind each. Equal coefficients, and those that differ in sign only, share a product.
 * Nothing is rounded: the result has `firResultBits` bits.
 *
 * Latency 3 cycles, initiation interval 1, one result for each sample. Full (a result is not taken): all stages
 * stand, and `from.ready` is 0. Reset empties the stages and clears the samples that were.
 */
export const Fir = module(
  "Fir",
  (p: FirParameters) => {
    if (
      p.coefficients.length === 0 ||
      p.coefficients.some(c => !Number.isSafeInteger(c)) ||
      p.coefficients.every(c => c === 0)
    )
      throw new RangeError("Fir: coefficients are whole numbers, one or more of them not 0");
    return { from: sink(sint(p.dataBits)), to: source(sint(firResultBits(p))) };
  },
  (io, p) => {
    const width = firResultBits(p);
    const sampled = reg(bit, { init: 0 }),
      multiplied = reg(bit, { init: 0 }),
      summed = reg(bit, { init: 0 }),
      sample = reg(sint<number>(p.dataBits));
    const moves = node(summed.not().or(io.to.ready));
    io.from.ready.set(moves);
    when(moves, () => {
      sampled.set(io.from.valid);
      multiplied.set(sampled);
      summed.set(multiplied);
      sample.set(io.from.payload);
    });
    // One product for each magnitude.
    const products = new Map<number, SInt>();
    for (const size of new Set(p.coefficients.map(Math.abs).filter(c => c !== 0))) {
      const r = reg(sint<number>(width), { name: `times_${size}` });
      const by = constant(size, signedBits(size)).asSint();
      when(moves, () => r.set(fitted(sample.mul(by), width)));
      products.set(size, r);
    }
    let after: SInt | undefined;
    for (const [i, c] of [...p.coefficients.entries()].reverse()) {
      const r = reg(sint<number>(width), { init: 0, name: `sum_${i}` }),
        product = products.get(Math.abs(c));
      const term = product === undefined ? undefined : c < 0 ? product.neg() : product;
      const next = after === undefined ? term : term === undefined ? after : after.add(term);
      when(moves.and(multiplied), () => r.set(next ?? constant(0, width).asSint()));
      after = r;
    }
    io.to.valid.set(summed);
    io.to.payload.set(after as SInt);
  },
  { nameOf: p => `Fir_${p.coefficients.map(c => String(c).replace("-", "m")).join("_")}_data${p.dataBits}` },
);

/** A signed number in so many bits; those that go are its sign. */
const fitted = (v: SInt, width: number): SInt => (v.width >= width ? v.trunc(width).asSint() : v.sext(width));
