/** How many requests are out at the slow path: at most `slowLimit` of them. */
import { bit, type Bit, bitsFor, node, reg, uint, when } from "../../../../../hdl-dsl/index.ts";
import { type MatParameters, slowLimit } from "./records.ts";

export interface SlowRoom {
  /** None may be added; to be decided when a request is taken. */
  readonly full: Bit;
  /** Counts the request that is taken in this cycle, if it goes there. */
  takes(goes: Bit): void;
}

/** A request that was taken in the last cycle is counted in this one. `released` gives one back. */
export function slowRoom(p: MatParameters, released: Bit): SlowRoom {
  const limit = slowLimit(p);
  const waiting = reg(uint(bitsFor(limit)), { init: 0 });
  const takenSlow = reg(bit, { init: 0 }),
    takenFull = reg(bit);
  const slowTaken = node(takenSlow.and(takenFull.not()));
  const fills = slowTaken.and(waiting.eq(limit - 1));
  const slowFull = node(waiting.eq(limit).or(fills));
  when(slowTaken.and(released.not()), () => waiting.set(waiting.add(1))).elseWhen(released.and(slowTaken.not()), () =>
    waiting.set(waiting.sub(1)),
  );
  takenFull.set(slowFull);
  return { full: slowFull, takes: goes => takenSlow.set(goes) };
}
