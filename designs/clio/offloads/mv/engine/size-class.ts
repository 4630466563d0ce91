/** The class of a size: classes are powers of two. */
import { type Bit, constant, mux, type UInt } from "../../../../../hdl-dsl/index.ts";
import { leastClass, mostClass, type MultiVersionParameters } from "../types.ts";
import { sizeBits } from "./state.ts";

/** Sizes 9 to 16 are class 4, and so on. Bits say so with fewer levels than sums. */
export function classOf(size: UInt, p: MultiVersionParameters): UInt {
  const isAbove = (i: number): Bit => {
    const isInside = size.bit(i).and(size.trunc(i).any()),
      above = sizeBits - i - 1;
    return above === 0 ? isInside : isInside.or(size.bits(i + 1, above).any());
  };
  let k: UInt = constant(leastClass, 4);
  for (let i = leastClass; i < mostClass(p); i++) k = mux(isAbove(i), constant(i + 1, 4), k);
  return k;
}
