/** For proofs: a place that is had again has nothing left of who had it before. */
import { assertAlways, bit, type Bit, cat, orTree, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";

/** A stage's subject: whether it is a request of somebody who is known, and whose. */
interface Known {
  readonly valid: Bit;
  readonly place: UInt;
}
/** The retry buffer's insides that this is about. */
export interface SweptInsides {
  readonly sets: number;
  readonly clients: number;
  /** What stands at the port first chooses the set and the place: any. */
  readonly any: UInt;
  readonly entriesAt: (row: UInt) => readonly { readonly valid: Bit; readonly client: UInt }[];
  /** A client enters, at which place; one is forgotten, at which. */
  readonly enters: Known;
  readonly retires: Known;
  readonly lookedUp: Known;
  readonly decided: Known;
}

/**
 * Any one set and any one place. While the place is vacant nobody is found there; when somebody enters, the set holds
 * nothing of the place. So nobody is answered with what another did.
 */
export function watchPlace(o: SweptInsides): void {
  const setBits = Math.log2(o.sets),
    placeBits = Math.log2(o.clients);
  const chosen = reg(bit, { init: 0, name: "watched_chosen" }),
    row = reg(uint(setBits), { name: "watched_row" }),
    place = reg(uint(placeBits), { name: "watched_place" });
  chosen.set(1);
  when(chosen.not(), () => {
    row.set(o.any.bits(0, setBits).is(setBits));
    place.set(o.any.bits(setBits, placeBits).is(placeBits));
  });
  const isHere = (k: Known): Bit => k.valid.and(k.place.eq(place));
  const vacant = reg(bit, { init: 1, name: "watched_vacant" });
  when(isHere(o.retires), () => vacant.set(1)).elseWhen(isHere(o.enters), () => vacant.set(0));
  assertAlways(vacant.and(isHere(o.lookedUp)).not(), "nobody is looked up at a vacant place");
  assertAlways(vacant.and(isHere(o.decided)).not(), "nobody at a vacant place is decided about");
  const left = orTree(o.entriesAt(row).map(e => cat(e.valid, e.client.eq(place)).all()));
  assertAlways(isHere(o.enters).and(left).not(), "a place that is had has nothing of who had it before");
}
