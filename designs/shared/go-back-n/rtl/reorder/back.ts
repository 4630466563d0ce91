/** Slots and lanes come back. */
import { bit, mux, node, reg, when, without } from "../../../../../hdl-dsl/index.ts";
import type { Parts } from "./parts.ts";
import type { Turned } from "./pass.ts";

export function giveBack({ p, sizes, kept: waits, steps }: Parts, turned: Turned): void {
  const {
    look: { turn },
    head: { was },
    wait,
    passed,
  } = turned;
  const { slotBits, slotOf } = sizes,
    { taken, free, lanes, freeSlot, starting, slot, kept, slotTaken } = waits,
    { at } = steps,
    { keeping, alone, lane } = wait,
    { restarts, freed, fewer, cursor } = passed;
  const drops = reg(bit);
  drops.set(slotTaken.and(kept.turn.session.eq(turn.session)));
  const flushed = node(at.flushed.and(drops));
  const listed = node(without(cursor, slotBits).any().not().and(starting));
  taken.write(
    starting.or(keeping).or(freed).or(flushed),
    node(mux(starting, cursor.trunc(slotBits), mux(at.decide, freeSlot, slot))),
    keeping,
  );
  // Slot and lane come back a cycle later: neither is wanted before three cycles more have passed.
  const frees = reg(bit, { init: 0 }),
    freedSlot = reg(slotOf);
  frees.set(listed.or(freed).or(flushed));
  freedSlot.set(mux(starting, cursor.trunc(slotBits), slot));
  free.push.valid.set(frees);
  free.push.payload.set(freedSlot);
  const closesLane = reg(bit, { init: 0 }),
    closed = reg(slotOf);
  closesLane.set(listed.or(freed.and(fewer.any().not())).or(restarts.and(alone.not())));
  closed.set(mux(starting, cursor.trunc(slotBits), mux(at.decide, was.lane, lane)));
  lanes.push.valid.set(closesLane);
  lanes.push.payload.set(closed);
  when(starting, () => {
    cursor.set(cursor.add(1));
    when(cursor.eq(Math.max(p.sessions, p.waiting) - 1), () => starting.set(0));
  });
}
