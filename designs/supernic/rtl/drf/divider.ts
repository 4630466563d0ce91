import { bit, cat, input, module, mux, node, output, reg, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";

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
 * Divides whole numbers, one a cycle, by trial subtraction: two bits of the quotient a stage. Latency half of the
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
      rest: UInt = io.ask.above.shr(p.quotientBits).resize(p.belowBits),
      // Bits of the dividend that have not been looked at; the quotient's follow them.
      bits: UInt = io.ask.above.resize(p.quotientBits);
    for (let s = 0; s < dividerLatency(p.quotientBits); s++) {
      for (let b = 0; b < bitsAStage; b++) {
        const more = node(cat(rest, bits.bit(p.quotientBits - 1)).is(wide), { name: `rest_${s}_${b}` }),
          less = node(more.sub(below.zext(wide)), { name: `less_${s}_${b}` }),
          fits = node(less.bit(wide - 1).not(), { name: `fits_${s}_${b}` });
        rest = mux(fits, less, more).resize(p.belowBits);
        bits = cat(bits.trunc(p.quotientBits - 1), fits).is(p.quotientBits);
      }
      const kept = reg(
        struct({
          tag: uint(p.tagBits),
          below: uint(p.belowBits),
          rest: uint(p.belowBits),
          bits: uint(p.quotientBits),
        }),
        { name: `stage_${s}` },
      );
      const stays = reg(bit, { init: 0, name: `valid_${s}` });
      kept.set({ tag, below, rest, bits });
      stays.set(valid);
      valid = stays;
      ({ tag, below, rest, bits } = kept);
    }
    io.answer.set({ valid, tag, quotient: bits.is(p.quotientBits), inexact: rest.any() });
  },
);
