import { sink, source } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { bitsFor } from "../../types/bits.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat } from "../../build/value.ts";

/** Width of a divider, and how much it does in a cycle. */
export interface DividerParameters {
  /** Bits of dividend, divisor, quotient and remainder, 2 or more. */
  readonly width: number;
  /**
   * Quotient bits of a cycle: the radix is 2 to the power of that; 1 when left out. Each takes a subtraction more in
   * a row.
   */
  readonly bitsPerCycle?: number;
}
/** Two numbers; `signed`: in two's complement. */
export type DividerRequest = StructShape<{
  readonly dividend: UIntShape;
  readonly divisor: UIntShape;
  readonly signed: UIntShape<1>;
}>;
/** Quotient, rounded towards 0, and the remainder, which has the dividend's sign. */
export type DividerResult = StructShape<{ readonly quotient: UIntShape; readonly remainder: UIntShape }>;
/** The shape of a request. */
export const dividerRequest = (width: number): DividerRequest =>
  struct({ dividend: uint(width), divisor: uint(width), signed: bit });
/** The shape of a result. */
export const dividerResult = (width: number): DividerResult =>
  struct({ quotient: uint(width), remainder: uint(width) });

/** Of two's complement where `negative`: minus the number. */
const negated = (v: UInt, negative: Bit): UInt => mux(negative, v.not().add(1), v);

/** One quotient bit by a trial subtraction: the next bit of the dividend joins the remainder. */
function step(remainder: UInt, dividend: UInt, divisor: UInt): { readonly remainder: UInt; readonly dividend: UInt } {
  const w = divisor.width,
    tried = node(cat(remainder, dividend.bit(dividend.width - 1))),
    less = node(tried.sub(divisor.zext(w + 1))),
    fits = less.bit(w).not();
  return {
    remainder: mux(fits, less.trunc(w), tried.trunc(w)),
    dividend: cat(dividend.trunc(dividend.width - 1), fits),
  };
}

/**
 * Integer divider, unsigned or signed by request: restoring, `bitsPerCycle` quotient bits a cycle. A division by 0
 * gives a quotient of all ones and the dividend as remainder. The least number by -1 gives itself, remainder 0 (as
 * RISC-V has both).
 *
 * Latency n + 1 cycles with n = `width` / `bitsPerCycle`, rounded up; initiation interval the same. Full (a division
 * is under way, or its result waits): `request.ready` is 0; taken and asked in one cycle: both happen. Reset forgets
 * the division.
 */
export const Divider = module(
  "Divider",
  (p: DividerParameters) => ({ request: sink(dividerRequest(p.width)), result: source(dividerResult(p.width)) }),
  (io, p) => {
    const w = p.width,
      per = p.bitsPerCycle ?? 1,
      steps = Math.ceil(w / per),
      padded = steps * per;
    const left = reg(uint<number>(bitsFor(steps)), { init: 0 }),
      done = reg(bit, { init: 0 }),
      dividend = reg(uint<number>(padded)),
      divisor = reg(uint<number>(w)),
      remainder = reg(uint<number>(w)),
      minusQuotient = reg(bit),
      minusRemainder = reg(bit);
    const busy = node(left.any()),
      asked = io.request.payload;
    const below = node(asked.signed.and(asked.dividend.bit(w - 1))),
      by = node(asked.signed.and(asked.divisor.bit(w - 1)), { name: "divisor_below" });
    io.request.ready.set(busy.not().and(done.not().or(io.result.ready)));
    when(io.result.ready, () => done.set(0));
    when(busy, () => {
      let now: { readonly remainder: UInt; readonly dividend: UInt } = { remainder, dividend };
      for (let i = 0; i < per; i++) now = step(now.remainder, now.dividend, divisor);
      remainder.set(now.remainder);
      dividend.set(now.dividend);
      left.set(left.sub(1));
      when(left.eq(1), () => done.set(1));
    });
    when(io.request.fire, () => {
      left.set(steps);
      remainder.set(0);
      dividend.set(negated(asked.dividend, below).zext(padded));
      divisor.set(negated(asked.divisor, by));
      // A quotient by 0 is all ones, whatever the signs.
      minusQuotient.set(below.xor(by).and(asked.divisor.any()));
      minusRemainder.set(below);
    });
    io.result.valid.set(done);
    io.result.payload.set({
      quotient: negated(dividend.trunc(w), minusQuotient),
      remainder: negated(remainder, minusRemainder),
    });
  },
  { nameOf: p => `Divider_width${p.width}_bits${p.bitsPerCycle ?? 1}` },
);
