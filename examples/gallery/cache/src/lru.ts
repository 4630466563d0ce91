/** Which way was used least recently: a bit for each two ways i < j, 1 when i was used after j. */
import { type Bit, fromBits, toBits, type UInt } from "mnemosyne";

/** The pairs in their order in the bits. */
const pairsOf = (ways: number): readonly (readonly [number, number])[] =>
  Array.from({ length: ways }, (_, i) =>
    Array.from({ length: ways - i - 1 }, (_x, n) => [i, i + 1 + n] as const),
  ).flat();

/** One-hot. */
export function leastRecent(order: UInt, ways: number): UInt {
  const bits = toBits(order),
    all = pairsOf(ways);
  const isOldest = (way: number): Bit =>
    all
      .map(([i, j], n) => [i, j, bits[n] as Bit] as const)
      .filter(([i, j]) => i === way || j === way)
      .map(([i, , later]) => (i === way ? later.not() : later))
      .reduce((a, b) => a.and(b));
  return fromBits(Array.from({ length: ways }, (_, way) => isOldest(way)));
}

/** The order after a use of the way `used`, one-hot. */
export function afterUse(order: UInt, used: UInt, ways: number): UInt {
  const bits = toBits(order);
  return fromBits(pairsOf(ways).map(([i, j], n) => (bits[n] as Bit).or(used.bit(i)).andNot(used.bit(j))));
}
