/** A choice of many in few lookup tables. Combinational; no signal is declared. */
import type { Readable, UInt } from "../types/value.ts";
import { onehotMux } from "../build/statements.ts";

/** Bits of a number by which one of four is chosen: with four bits of data, what a lookup table of six inputs takes. */
const choiceBits = 2;
/** Places of an index, and what stands there. */
type Placed<V> = readonly (readonly [number, V])[];

/**
 * The value at `index`, four by four along its bits; 0 where none stands. A lookup table takes in four values of a bit
 * with two bits of a number, and only three with a bit for each of them.
 */
export function valueAt<V>(index: UInt, values: Placed<V>): Readable<V> {
  const low = Math.min(choiceBits, index.width),
    groups = new Map<number, (readonly [number, V])[]>();
  for (const [n, value] of values) groups.set(n >> low, [...(groups.get(n >> low) ?? []), [n % 2 ** low, value]]);
  const chosen = [...groups].map(
    ([group, inside]) =>
      [
        group,
        onehotMux(
          inside.map(([n]) => index.bits(0, low).eq(n)),
          inside.map(([, value]) => value),
        ),
      ] as const,
  );
  return index.width === low
    ? (chosen[0]?.[1] as Readable<V>)
    : (valueAt(index.bits(low, index.width - low), chosen) as Readable<V>);
}
