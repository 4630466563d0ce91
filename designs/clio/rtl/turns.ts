import { constant, mux, node, reg, scope, uint, when, type Bit, type UInt } from "../../../hdl-dsl/index.ts";

export interface TurnsParameters {
  /** Those that take turns; a power of two. */
  readonly partitions: number;
  /** Cycles of a turn; a power of two. */
  readonly cycles: number;
}
export interface Turns {
  /** Whose turn it is. */
  readonly owner: UInt;
  /**
   * Books `cost` cycles (1 or more) of what is shared for the owner of the turn, from now or from the end of what is booked already. `fits`: that ends within the
   * turn. `taken` tells in the same cycle whether it is done.
   */
  book(cost: UInt): { readonly fits: Bit; taken(done: Bit): void };
}

/**
 * Fixed turns: each partition's comes round every `partitions` x `cycles` cycles and lasts `cycles`, whether it is used or not, and what is booked in a turn ends in it. So what
 * one does in its turns changes nothing in the others'. All counters of one node begin with reset and stay in step.
 */
export function turns(p: TurnsParameters): Turns {
  return scope("turn", () => {
    const bits = Math.log2(p.cycles), whose = Math.log2(p.partitions);
    const phase = reg(uint(bits + whose), { init: 0, name: "phase" });
    phase.set(phase.add(1));
    const at = node(phase.bits(0, bits), { name: "at" }), owner = node(phase.bits(bits, whose), { name: "owner" });
    return {
      owner,
      book: cost => {
        const booked = reg(uint(bits + 1), { init: 0, name: "booked" });
        const begin = node(mux(booked.gt(at.zext(bits + 1)), booked, at.zext(bits + 1)), { name: "begin" });
        const wide = Math.max(bits + 2, cost.width + 1);
        const end = node(begin.zext(wide).add(cost.zext(wide)), { name: "end" });
        const fits = node(end.le(p.cycles), { name: "fits" });
        return {
          fits,
          taken: done => {
            when(at.all(), () => { booked.set(constant(0, bits + 1)); }).elseWhen(done, () => { booked.set(end.trunc(bits + 1)); });
          },
        };
      },
    };
  });
}
