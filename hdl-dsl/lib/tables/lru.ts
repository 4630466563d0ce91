import { input, output } from "../../types/ports.ts";
import { bit, struct, uint, vec } from "../../types/shape.ts";
import type { Bit, UIntVar } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { assertAlways, mux, when } from "../../build/statements.ts";
import { addressBits } from "../../types/bits.ts";
import { fromBits, orTree } from "../../vectors/index.ts";
/** How many numbers are kept in order. */
export interface LruParameters {
  /** Numbers kept in order, 2 or more. */
  readonly entries: number;
}

/**
 * True least-recently-used order over `entries` numbers: a list, most recent first. A touch moves its number to the
 * front in one cycle; `victim` is the last of the list. After reset the order is entries - 1 (oldest) .. 0, so entries
 * fill from the highest number down and no separate "is it full" logic is needed. Latency 1 cycle from touch to victim,
 * initiation interval 1.
 */
export const Lru = module(
  "Lru",
  (p: LruParameters) => ({
    touch: input(struct({ valid: bit, index: uint(addressBits(p.entries)) })),
    victim: output(uint(addressBits(p.entries))),
    /** The one before it in age: the victim, once the present one is touched. */
    next: output(uint(addressBits(p.entries))),
  }),
  (io, p) => {
    const width = addressBits(p.entries);
    const order = reg(vec(uint(width), p.entries), { init: Array.from({ length: p.entries }, (_, i) => i) });
    const places = order.toArray();
    const matching = node(fromBits(places.map(x => x.eq(io.touch.index))), { name: "here" });
    const here = places.map((_, i) => matching.bit(i));
    // found[i]: at place i or before it, by doubling, so log2(entries) levels deep.
    let found: Bit[] = here;
    for (let d = 1; d < p.entries; d *= 2) found = found.map((f, i) => (i < d ? f : f.or(found[i - d] as Bit)));
    when(io.touch.valid, () => {
      places.forEach((place, i) => {
        if (i === 0) {
          place.set(io.touch.index);
          return;
        }
        // A place behind the touched number keeps what it has; the others take their neighbour's.
        place.set(mux(found[i - 1] as Bit, place, places[i - 1] as UIntVar));
      });
    });
    io.victim.set(places[p.entries - 1] as UIntVar);
    io.next.set(places[p.entries - 2] as UIntVar);
    if (2 ** width === p.entries) assertAlways(orTree(here), "every number is in the list once");
  },
);
