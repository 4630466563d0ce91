import {
  type Bit,
  constant,
  encodeOnehot,
  fromBits,
  lowestBits,
  mux,
  node,
  onehotMux,
  toBits,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { firstByFours } from "../inside/index.ts";

/** Who is next, and who is behind that one: what `behind` is for the choice after this. */
export interface Turn {
  readonly any: Bit;
  /** One bit of those that ask, or none. */
  readonly first: UInt;
  readonly behind: UInt;
  /** The value of the first one's place: found for both that it may be before it is known which one it is. */
  readonly of: (values: readonly UInt[]) => UInt;
}

/** Bit i: a bit of `v` below it is set. */
const below = (v: UInt): UInt =>
  fromBits(
    Array.from({ length: v.width }, (_, i) =>
      v
        .bits(0, Math.max(1, i))
        .any()
        .and(i === 0 ? 0 : 1),
    ),
  );

/**
 * Round robin: the lowest of those that ask and are `behind` the last one; when there is none, the lowest of all. Flat:
 * some four levels for 16 of them. A carry chain would be smaller, and too slow with what comes before and after it.
 */
export function nextInTurn(name: string, asking: UInt, behind: UInt): Turn {
  const later = node(asking.and(behind), { name: `${name}_later` }),
    anyLater = node(later.any(), { name: `${name}_any_later` });
  const laterFirst = fromBits(lowestBits(later)),
    allFirst = fromBits(lowestBits(asking)),
    first = mux(anyLater, laterFirst, allFirst);
  return {
    any: asking.any(),
    first: node(first, { name: `${name}_first` }),
    behind: mux(anyLater, below(later), below(asking)),
    of: values => ofFirst(later, values).or(ofFirst(asking, values, anyLater.not())),
  };
}

/**
 * The value of the lowest bit's place; 0 when there is none, or `counts` is 0. By fours: the value of each four's
 * lowest is there by the time it is known which four has the lowest of all.
 */
function ofFirst(v: UInt, values: readonly UInt[], counts?: Bit): UInt {
  const fours = Array.from({ length: Math.ceil(v.width / 4) }, (_, g) => {
    const bits = v.bits(4 * g, Math.min(4, v.width - 4 * g));
    return { any: bits.any(), value: ofPlace(fromBits(lowestBits(bits)), values.slice(4 * g, 4 * g + 4)) };
  });
  const first = lowestBits(fromBits(fours.map(f => f.any)));
  return onehotMux(
    first.map(f => (counts === undefined ? f : f.and(counts))),
    fours.map(f => f.value),
  );
}

/** The same as `nextInTurn`, as a number; 0 when nobody asks. */
export function nextNumber(name: string, asking: UInt, behind: UInt): UInt {
  const later = firstByFours(node(asking.and(behind), { name: `${name}_later`, mayBeUnread: true }));
  return mux(later.any, later.index, firstByFours(asking).index);
}

/** Whether there is one, and whether there are two or more. */
export interface Counted {
  readonly any: Bit;
  readonly two: Bit;
}
export const twoHalves = (x: Counted, y: Counted): Counted => ({
  any: x.any.or(y.any),
  two: x.two.or(y.two).or(x.any.and(y.any)),
});
/** Two or more: of `one`, each of which counts twice that is in `more` as well. A tree, three to a node. */
export function twoOf(one: UInt, more: UInt): Bit {
  let row: Counted[] = toBits(one).map((any, i) => ({ any, two: any.and(more.bit(i)) }));
  while (row.length > 1)
    row = Array.from({ length: Math.ceil(row.length / 3) }, (_, i) => row.slice(3 * i, 3 * i + 3).reduce(twoHalves));
  return (row[0] as Counted).two;
}

/** The numbers above `last`, a bit each. */
export const numbersAbove = (last: UInt, count: number): UInt =>
  fromBits(Array.from({ length: count }, (_, i) => (i === 0 ? constant(0, 1) : last.lt(i))));

/** The numbers below `who`, a bit each. */
export const numbersBelow = (who: UInt, count: number): UInt =>
  fromBits(Array.from({ length: count }, (_, i) => (i === 2 ** who.width - 1 ? constant(0, 1) : who.gt(i))));

/** The value of the place that is marked; 0 when none is. */
export const ofPlace = (place: UInt, values: readonly UInt[]): UInt =>
  onehotMux(
    values.map((_, i) => place.bit(i)),
    values,
  );

/** The marked one of the slots of all regions, as numbers of its region and slot. */
export function numbersOf(place: UInt, slots: number): { readonly region: UInt; readonly slot: UInt } {
  const regions = Array.from({ length: place.width / slots }, (_, r) => place.bits(r * slots, slots));
  return {
    region: encodeOnehot(fromBits(regions.map(r => r.any()))),
    slot: encodeOnehot(regions.reduce((a, b) => a.or(b))),
  };
}

/** The value of a number's place, of as many as there are; a tree of muxes. Other numbers have any of the values. */
export function ofNumber(index: UInt, values: readonly UInt[]): UInt {
  const [only, another] = values as [UInt, UInt?];
  if (another === undefined) return only;
  const bits = Math.ceil(Math.log2(values.length)),
    half = 2 ** (bits - 1);
  return mux(index.bit(bits - 1), ofNumber(index, values.slice(half)), ofNumber(index, values.slice(0, half)));
}
