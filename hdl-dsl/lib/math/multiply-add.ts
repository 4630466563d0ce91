import { sink, source } from "../../types/ports.ts";
import { sint, type SIntShape, struct, type StructShape } from "../../types/shape.ts";
import { module } from "../../build/module.ts";
import { pipeline } from "../../stream/pipeline.ts";
import { roundOff, saturate } from "./rounding.ts";

/** Widths of a fixed-point multiply-add, all of signed numbers. */
export interface MultiplyAddParameters {
  /** Bits of a factor. */
  readonly aBits: number;
  /** Bits of the other one. */
  readonly bBits: number;
  /** Bits of the summand, at most `aBits` + `bBits`. It has as many fraction bits as the product. */
  readonly cBits: number;
  /** Lowest bits of the sum that the result lacks. */
  readonly shift: number;
  /** Bits of the result. */
  readonly resultBits: number;
}
/** Two factors and a summand. */
export type MultiplyAddRequest = StructShape<{ readonly a: SIntShape; readonly b: SIntShape; readonly c: SIntShape }>;
/** The result. */
export type MultiplyAddResult = StructShape<{ readonly value: SIntShape }>;
/** The shape of a request. */
export const multiplyAddRequest = (p: Pick<MultiplyAddParameters, "aBits" | "bBits" | "cBits">): MultiplyAddRequest =>
  struct({ a: sint(p.aBits), b: sint(p.bBits), c: sint(p.cBits) });

/**
 * `a` × `b` + `c` of signed fixed-point numbers, rounded to the nearest (halves up) by `shift` bits and saturated to
 * `resultBits`: no intermediate sum wraps. The stages are those of a DSP block: operands, product, sum, result.
 *
 * Latency 4 cycles, initiation interval 1. A stage moves on when the next is empty or moves itself. Full (four
 * inside, the result is not taken): `request.ready` is 0. Reset empties all stages.
 */
export const MultiplyAdd = module(
  "MultiplyAdd",
  (p: MultiplyAddParameters) => ({
    request: sink(multiplyAddRequest(p)),
    result: source(struct({ value: sint(p.resultBits) }) as MultiplyAddResult),
  }),
  (io, p) => {
    const wide = p.aBits + p.bBits + 1;
    pipeline(io.request, { name: "operands" })
      .stage(({ a, b, c }) => ({ a, b, c }))
      .stage(({ a, b }) => ({ product: a.mul(b) }))
      .stage(({ product, c }) => ({ sum: product.sext(wide).add(c.sext(wide)) }))
      .stage(({ sum }) => ({ value: saturate(roundOff(sum, p.shift), p.resultBits) }))
      .into(io.result);
  },
  { nameOf: p => `MultiplyAdd_${p.aBits}x${p.bBits}_plus${p.cBits}_shift${p.shift}_to${p.resultBits}` },
);
