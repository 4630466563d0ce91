/** The parity bit of a character on a serial line. */
import { enumOf } from "../../build/enumeration.ts";
import type { Bit, Val } from "../../types/value.ts";

/**
 * What a character's parity bit is. The codes are chosen for cheap logic: bit 2 says that there is one, bit 1 that it
 * depends on the data, bit 0 what is added to them.
 */
export const Parity = enumOf("Parity", { none: 0, space: 4, mark: 5, even: 6, odd: 7 });

/** What the code says, bit by bit. */
export interface ParityRule {
  readonly enabled: Bit;
  /** The data count; without, the bit is always the same. */
  readonly counts: Bit;
  /** The sum of all counted bits and the parity bit, modulo 2. */
  readonly sum: Bit;
}
/** The parts of a parity's code. */
export function ruleOf(parity: Val<typeof Parity>): ParityRule {
  const code = parity.asUint();
  return { enabled: code.bit(2), counts: code.bit(1), sum: code.bit(0) };
}
