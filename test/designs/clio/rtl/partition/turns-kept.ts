import { expect } from "vitest";

/** Something booked in a partition's turn: the cycle in which it begins, and the cycles of the turn that it takes. */
export interface Booked {
  readonly cycle: number;
  readonly owner: number;
  readonly cost: number;
}
export interface TurnsKept {
  readonly partitions: number;
  /** Cycles of a turn. */
  readonly cycles: number;
  /** What is booked begins when what was booked before has ended. Otherwise it is only asked for in its turn. */
  readonly paced: boolean;
  /** Each partition always has something to book. */
  readonly full: boolean;
}

/**
 * Each partition books in its own turns, and what it books ends in them. When they are full, a turn ends only when the
 * next thing does not fit any more. The ports do not show where the turns begin: one beginning must fit all.
 */
export function expectTurnsKept(booked: readonly Booked[], { partitions, cycles, paced, full }: TurnsKept): void {
  const fits = (from: number): boolean => {
    const last = Array.from({ length: partitions }, () => ({ turn: -1, end: 0, isWhole: false }));
    return booked.every(({ cycle, owner, cost }) => {
      const turn = Math.floor((cycle + from) / cycles),
        at = (cycle + from) % cycles,
        own = last[owner]!,
        isNew = own.turn !== turn,
        begin = isNew ? at : Math.max(own.end, at);
      // The turn in which it begins may have begun before.
      const noGap = isNew ? !own.isWhole || (own.end + cost > cycles && at === 0) : !paced || at === own.end;
      last[owner] = { turn, end: begin + cost, isWhole: isNew ? own.turn >= 0 : own.isWhole };
      return turn % partitions === owner && begin + cost <= cycles && (noGap || !full);
    });
  };
  const all = Array.from({ length: partitions * cycles }, (_, from) => from);
  expect(all.some(fits), "a beginning of the turns fits all that was booked").toBe(true);
}
