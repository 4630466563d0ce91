/** The set's word as it is after the second stage. */
import { type Bit, constant, mux, node, type UInt } from "../../../../hdl-dsl/index.ts";
import { spread } from "./choose.ts";
import type { Decision } from "./decide.ts";
import type { Parts } from "./parts.ts";
import type { SetRead } from "./read.ts";

/** @param o the second stage has a sweep, a clearing */
export function setAfter(
  { p, orders: { begun }, stages }: Parts,
  d: Decision,
  { writes, written }: SetRead,
  { sweeps, clears }: { readonly sweeps: Bit; readonly clears: Bit },
): void {
  const { second, secondSet, opWay, wayOnehot, turns } = stages;
  const { valid, writable, dirty, used, pointer } = secondSet;
  const of = (b: Bit, v: UInt): UInt => v.and(spread(b, p.ways));
  const fills = node(d.finishes.and(second.fill)),
    filled = node(fills.and(second.fetched).and(second.status.eq(0))),
    touched = of(d.hit, d.found);
  const taken = node(of(begun, wayOnehot), { name: "taken_way" }),
    ended = node(of(fills, opWay), { name: "ended_way" }),
    arrived = node(of(filled, opWay), { name: "arrived_way" }),
    dropped = node(of(d.drops, opWay), { name: "dropped_way" });
  const gone = node(taken.or(dropped));
  writes.set(begun.or(fills).or(d.hit).or(d.drops).or(sweeps).or(clears));
  const kept = (v: UInt): UInt => v.and(spread(clears.not(), p.ways));
  written.set({
    valid: kept(valid.andNot(gone).or(arrived)),
    writable: kept(writable.andNot(ended).andNot(dropped).or(taken).or(of(second.writable, arrived))),
    dirty: kept(dirty.andNot(gone).andNot(ended).or(of(second.write, touched))),
    // Of a way that is not valid the mark is anything: whatever makes it valid sets the mark.
    used: kept(of(sweeps.not(), used).or(touched).or(arrived)),
    pointer: mux(clears, constant(0, pointer.width), mux(begun.and(turns), pointer.add(1), pointer)),
  });
}
