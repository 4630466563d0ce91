/** Which page leaves when memory is short (paper §5.4.5): first whose, then the one that was touched longest ago. */

export interface Resident {
  readonly weight: number;
  /** Pages that it has in the board's memory. */
  readonly pages: number;
}
/** The one that has most of what its weight gives it; undefined when none has a page. Of equals the first. */
export function mostOver<T extends Resident>(all: readonly T[]): T | undefined {
  return all
    .filter(r => r.pages > 0)
    .reduce<T | undefined>(
      (most, r) => (most === undefined || r.pages * most.weight > most.pages * r.weight ? r : most),
      undefined,
    );
}

const stampRange = 2 ** 16;
/** Epochs since a stamp; stamps have 16 bits, so that one of more than 65,535 epochs ago counts as younger. */
export const ageOf = (stamp: number, epoch: number): number => (epoch - stamp + stampRange) % stampRange;
export function oldest<T extends { readonly stamp: number }>(pages: readonly T[], epoch: number): T | undefined {
  return pages.reduce<T | undefined>(
    (old, p) => (old === undefined || ageOf(p.stamp, epoch) > ageOf(old.stamp, epoch) ? p : old),
    undefined,
  );
}
