import { bit, cat, input, module, mux, node, output, reg, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { addOrSubtract } from "./arithmetic.ts";

export interface DividerParameters {
  readonly aboveBits: number;
  readonly belowBits: number;
  /** Even. What would need more is not asked for. */
  readonly quotientBits: number;
  /** What goes along with a division. */
  readonly tagBits: number;
}
/** Bits of a quotient that a stage finds. */
const bitsAStage = 2;
/** Cycles from a question to its answer. */
export const dividerLatency = (quotientBits: number): number => quotientBits / bitsAStage;

/**
 * Divides whole numbers, one a cycle, by subtracting or adding: two bits of the quotient a stage. Latency half of the
 * quotient's bits, initiation interval 1; nothing waits. Reset: nothing is under way.
 */
export const DrfDivider = module(
  "DrfDivider",
  (p: DividerParameters) => ({
    ask: input(struct({ valid: bit, tag: uint(p.tagBits), above: uint(p.aboveBits), below: uint(p.belowBits) })),
    answer: output(
      struct({
        valid: bit,
        tag: uint(p.tagBits),
        quotient: uint(p.quotientBits),
        /** Something is left over. */
        inexact: bit,
      }),
    ),
  }),
  (io, p) => {
    const wide = p.belowBits + 1;
    let valid = io.ask.valid,
      tag: UInt = io.ask.tag,
      below: UInt = io.ask.below,
      // Below 0 where a digit was taken that there was not enough for.
      rest: UInt = io.ask.above.shr(p.quotientBits).resize(wide),
      // Bits of the dividend that have not been looked at; the quotient's follow them.
      bits: UInt = io.ask.above.resize(p.quotientBits);
    for (let s = 0; s < dividerLatency(p.quotientBits); s++) {
      for (let b = 0; b < bitsAStage; b++) {
        const next = cat(rest.trunc(p.belowBits), bits.bit(p.quotientBits - 1)).is(wide),
          fits = rest.bit(wide - 1).not();
        rest = node(addOrSubtract(next, below.zext(wide), fits), { name: `rest_${s}_${b}` });
        bits = cat(bits.trunc(p.quotientBits - 1), rest.bit(wide - 1).not()).is(p.quotientBits);
      }
      const kept = reg(
        struct({
          tag: uint(p.tagBits),
          below: uint(p.belowBits),
          rest: uint(wide),
          bits: uint(p.quotientBits),
        }),
        { name: `stage_${s}` },
      );
      const stays = reg(bit, { init: 0, name: `valid_${s}` });
      kept.set({ tag, below, rest: rest.is(wide), bits });
      stays.set(valid);
      valid = stays;
      ({ tag, below, rest, bits } = kept);
    }
    const whole = mux(rest.bit(wide - 1), rest.trunc(p.belowBits).add(below), rest.trunc(p.belowBits));
    io.answer.set({ valid, tag, quotient: bits.is(p.quotientBits), inexact: whole.any() });
  },
);
