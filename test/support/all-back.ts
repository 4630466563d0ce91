import { expect } from "vitest";

/** The part of a bench that the check needs, of any design. */
interface Clocked {
  until(done: () => boolean): Promise<unknown>;
  cycles(count: number): Promise<unknown>;
}

/** Slots, lanes, contexts or credits of a design at the end of its bench. */
export interface Supply {
  /** What it is, as the message is to name it. */
  readonly what: string;
  /** How many there are. */
  readonly count: number;
  /** How many are had now, by more askers than there are; nobody gives one back. */
  readonly had: () => number;
  /** Cycles in which one more would be had, if there were one; 60 by default. */
  readonly settle?: number;
  /** Cycles without one more after which the others count as lost; 2,000 by default. */
  readonly patience?: number;
}

/**
 * Nothing has leaked, and nothing came back twice: as many can be had at once as there are, and no more. What has been
 * lost is told of here, not by the bench's limit, so that a planted leak can show that this check finds it.
 */
export async function allBack(b: Clocked, { what, count, had, settle = 60, patience = 2000 }: Supply): Promise<void> {
  let last = -1,
    still = 0;
  await b.until(() => {
    const now = had();
    still = now === last ? still + 1 : 0;
    last = now;
    return now >= count || still > patience;
  });
  await b.cycles(settle);
  expect(had(), `${what} that can be had at the end`).toBe(count);
}
