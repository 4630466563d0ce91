/** Bits for the lanes of a beat on one side of a lane's number. Wires only. */
import { type Bit, constant, fromBits, type UInt } from "../../../../hdl-dsl/index.ts";
import { beatBytes } from "./records.ts";

const lowBits = 3,
  few = 2 ** lowBits;

/**
 * A bit for each lane, by the halves of a lane's number: two levels. Comparisons with each number as a whole are made
 * of one another by synthesis, one behind the other.
 * @param beyond the number's high half alone tells it for lanes of this high half
 * @param low the same for its low half, among lanes of the number's own high half
 */
function lanes(number: UInt, beyond: (high: UInt, n: number) => Bit, low: (low: UInt, n: number) => Bit): UInt {
  const lower = number.bits(0, lowBits),
    upper = number.bits(lowBits, number.width - lowBits),
    each = (of: (n: number) => Bit): readonly Bit[] => Array.from({ length: few }, (_, n) => of(n));
  const lows = each(n => low(lower, n)),
    highs = each(n => upper.eq(n)),
    all = each(n => beyond(upper, n));
  return fromBits(
    Array.from({ length: beatBytes / few }, (_, h) =>
      lows.map(l => (all[h] as Bit).or((highs[h] as Bit).and(l))),
    ).flat(),
  );
}
const never = constant(0, 1).bit(0),
  always = constant(1, 1).bit(0),
  most = few - 1;

/** Lanes from `first` up. */
export const lanesFrom = (first: UInt): UInt =>
  lanes(
    first,
    (high, n) => (n === 0 ? never : high.lt(n)),
    (low, n) => (n === most ? always : low.le(n)),
  );
/** Lanes up to `last`. */
export const lanesTo = (last: UInt): UInt =>
  lanes(
    last,
    (high, n) => (n === most ? never : high.gt(n)),
    (low, n) => (n === 0 ? always : low.ge(n)),
  );
