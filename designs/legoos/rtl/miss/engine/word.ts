/** Word to the look-up: a line has come, a miss is over. */
import { type Bit, bit, firstSet, node, reg, type UInt, uint, when } from "../../../../../hdl-dsl/index.ts";
import { derived } from "../../../config/index.ts";
import { Finish } from "../../records/records.ts";
import type { Parts } from "./parts.ts";

interface Telling {
  readonly at: UInt;
  /** The machine is at work on the requests of the miss at hand. */
  readonly sending: Bit;
  readonly whole: (m: number) => Bit;
}

export function tellLookup({ io, p, sender, table: t, each }: Parts, { at, sending, whole }: Telling): void {
  const { missBits } = derived(p);
  const fillable = (m: number): Bit => {
      const e = t.entries.at(m);
      return e.active.andNot(e.todo).andNot(e.told).andNot(t.fetch.at(m).need).and(whole(m));
    },
    releasable = (m: number): Bit => {
      const e = t.entries.at(m);
      return e.active
        .andNot(e.todo)
        .and(t.settled(m))
        .and(whole(m))
        .andNot(sending.or(sender.sending).and(at.eq(m)));
    };
  // Of the cycle before. What is true stays so until it has been offered, and the look-up takes longer to hear of it.
  const releasing = reg(uint(p.misses), { init: 0, name: "releasing" }),
    tellable = reg(uint(p.misses), { init: 0, name: "tellable" });
  releasing.set(each(releasable));
  tellable.set(each(m => fillable(m).or(releasable(m).and(t.entries.at(m).told))));
  const ready = firstSet(tellable);
  const offer = reg(Finish(p)),
    offered = reg(bit, { init: 0 });
  io.finish.valid.set(offered);
  io.finish.payload.set(offer);
  when(io.finish.fire, () => offered.set(0));
  const num = ready.index.is(missBits),
    chosen = t.entries.at(num),
    detail = t.details.at(num);
  when(offered.not().and(ready.any), () => {
    const releases = node(releasing.shr(num).bit(0), { name: "releases" });
    offered.set(1);
    offer.set({
      miss: num,
      fill: chosen.told.not(),
      release: releases,
      status: detail.status,
      writable: detail.writable,
    });
    t.at(num, m => {
      t.entries.at(m).told.set(1);
      when(releases, () => t.entries.at(m).active.set(0));
    });
  });
}
