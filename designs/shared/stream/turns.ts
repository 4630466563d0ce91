import { type Bit, constant, decode, mux, node, reg, uint, type UInt, when } from "../../../hdl-dsl/index.ts";

export interface TurnsParameters {
  /** Those that take turns; a power of two. */
  readonly partitions: number;
  /** Cycles of a turn; a power of two. */
  readonly cycles: number;
}
export interface Turns {
  /** Whose turn it is, one bit each. */
  readonly mine: UInt;
  /**
   * For a partition: whether `cost` cycles (1 or more) of what is shared, from now or from the end of what it has
   * booked in this turn, end within the turn. To be asked once for each partition; `taken` tells in the same cycle
   * whether they are booked. With `now` nothing fits while something booked before has not ended.
   */
  book(partition: number, cost: UInt, now?: "now"): { readonly fits: Bit; taken(done: Bit): void };
}

/**
 * Fixed turns: each partition's comes round every `partitions` x `cycles` cycles and lasts `cycles`, whether it is used
 * or not, and what is booked in a turn ends in it. So what one does in its turns changes nothing in the others'. In
 * cycles in which `holds` is 1, because whoever is served stalls, the time of the turns stands still for all, and
 * nothing may be booked. The time begins with reset. What is kept of a partition is kept for it alone.
 */
export function turns(p: TurnsParameters, holds: Bit, name = "turn"): Turns {
  const bits = Math.log2(p.cycles),
    whose = Math.log2(p.partitions);
  const phase = reg(uint(bits + whose), { init: 0, name: `${name}_phase` });
  when(holds.not(), () => phase.set(phase.add(1)));
  const at = node(phase.bits(0, bits), { name: `${name}_at` }),
    mine = node(decode(phase.bits(bits, whose), p.partitions), { name: `${name}_mine` });
  return {
    mine,
    book: (i, cost, now) => {
      const booked = reg(uint(bits + 1), { init: 0, name: `${name}_booked_${i}` });
      const later = node(booked.gt(at.zext(bits + 1)), { name: `${name}_later_${i}` });
      const begin =
        now === undefined
          ? node(mux(later, booked, at.zext(bits + 1)), { name: `${name}_begin_${i}` })
          : at.zext(bits + 1);
      const wide = Math.max(bits + 2, cost.width + 1);
      const end = node(begin.zext(wide).add(cost.zext(wide)), { name: `${name}_end_${i}` });
      const fits = node(
        mine
          .bit(i)
          .and(end.le(p.cycles))
          .and(now === undefined ? constant(1, 1) : later.not()),
        { name: `${name}_fits_${i}` },
      );
      return {
        fits,
        taken: done => {
          when(holds.not().and(at.all()), () => booked.set(constant(0, bits + 1))).elseWhen(done, () =>
            booked.set(end.trunc(bits + 1)),
          );
        },
      };
    },
  };
}
