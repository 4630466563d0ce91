import { constant, decode, onehotMux, toBits, type UInt } from "../../../hdl-dsl/index.ts";

/**
 * Of several values the one of this number, four by four as a sum of products: synthesis makes one lookup table a bit
 * of four, while it makes up to three of nested choices. A number without a value gives 0.
 */
export function pickOf(which: UInt, values: readonly UInt[]): UInt {
  const width = Math.max(...values.map(v => v.width)),
    [low, high] = [Math.min(2, which.width), which.width - 2],
    picks = toBits(decode(which.bits(0, low), 2 ** low));
  const four = (from: number): UInt =>
    onehotMux(
      picks,
      picks.map((_, i) => values[from + i] ?? constant(0, width)),
    );
  if (high <= 0) return four(0);
  return pickOf(
    which.bits(low, high),
    Array.from({ length: Math.ceil(values.length / 4) }, (_, i) => four(4 * i)),
  );
}
