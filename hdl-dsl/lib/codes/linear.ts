/** Linear maps over bits: many steps at once of shift registers with feedback. */
import type { UInt } from "../../types/value.ts";
import { cat } from "../../build/value.ts";

/**
 * The map that `step` makes, as one parity per result bit. `step` must be linear (only shifts, xors and selections of
 * single bits of its argument): it is tried on numbers with one bit set each.
 */
export function linearMap(v: UInt, resultBits: number, step: (x: bigint) => bigint): UInt {
  const columns = Array.from({ length: v.width }, (_, i) => step(1n << BigInt(i)));
  const rows = Array.from({ length: resultBits }, (_, o) =>
    columns.reduce((mask, c, i) => mask | (((c >> BigInt(o)) & 1n) << BigInt(i)), 0n),
  );
  return cat(...rows.map(mask => v.and(mask).parity()).reverse());
}
