/** Which lines are whole. */
import { type Bit, bit, node, reg, uint } from "../../../../../hdl-dsl/index.ts";
import { derived } from "../../../config/index.ts";
import type { Hand } from "./hand.ts";
import type { Parts } from "./parts.ts";

/** Beats of a line on their way to the line memory are counted: it is whole once none is. @returns so of a miss */
export function wholeLines({ io, p }: Parts, { at, zeros }: Hand): (m: number) => Bit {
  const { missBits, beatBits } = derived(p);
  const zeroed = node(zeros.and(io.line.fire), { name: "zeroed" });
  const owed = Array.from({ length: p.misses }, (_, m) => {
    const count = reg(uint(beatBits + 1), { init: 0, name: `owed_${m}` }),
      none = reg(bit, { init: 1, name: `owes_none_${m}` });
    const goes = node(zeroed.and(at.eq(m)).or(io.fill.fire.and(io.fill.payload.id.trunc(missBits).eq(m)))),
      comes = node(io.filled.valid.and(io.filled.miss.eq(m))),
      next = node(count.add(goes.zext(count.width)).sub(comes.zext(count.width)));
    count.set(next);
    none.set(next.any().not());
    return none;
  });
  return m => owed[m] as Bit;
}
