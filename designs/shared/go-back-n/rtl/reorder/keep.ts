/** One begins to wait. */
import { bit, cat, mux, node, reg, uint, type UInt } from "../../../../../hdl-dsl/index.ts";
import type { Done } from "./decide.ts";
import type { Head, Look } from "./look.ts";
import type { Parts } from "./parts.ts";

/** The table is read now and written in the next cycle, when nobody else wants it. */
export function beginToWait(
  parts: Parts,
  { reply, op, turn }: Look,
  { was, near }: Head,
  { ordered, sends, mutes }: Done,
) {
  const { ticket, slotBits, slotOf, reachBits } = parts.sizes,
    { at } = parts.steps,
    { keptWords, links, hints, free, lanes, isFree, freeSlot } = parts.kept;
  const keeping = node(near.and(isFree).and(ordered.and(sends).or(mutes))),
    alone = node(was.waits.any().not());
  const laneNow = node(mux(alone, lanes.pop.payload, was.lane));
  keptWords.write(keeping, freeSlot, { turn, quiet: op.silent, meta: reply.meta });
  const chased = reg(ticket);
  const lane = reg(slotOf);
  const count = reg(uint(slotBits + 1));
  const isDue = node(mux(at.decide, was.due, chased)),
    dueNext = node<UInt>(isDue.add(1)),
    newcomer = node(at.decide.and(near).and(op.skip.not()));
  const place = node(cat(mux(at.decide, laneNow, lane), mux(newcomer, turn.ticket, dueNext).trunc(reachBits)));
  const hint = hints.read(place);
  const joining = reg(bit, { init: 0 });
  const joiningPlace = reg(uint(slotBits + reachBits));
  const joiningSlot = reg(slotOf);
  joining.set(keeping);
  // Slot and lane leave their queues in the next cycle, when nothing is decided.
  const opensLane = reg(bit, { init: 0 });
  opensLane.set(keeping.and(alone));
  free.pop.ready.set(joining);
  lanes.pop.ready.set(opensLane);
  joiningPlace.set(place);
  joiningSlot.set(freeSlot);
  hints.write(joining, joiningPlace, joiningSlot);
  links.write(joining, joiningSlot, hint);
  return {
    keeping,
    alone,
    laneNow,
    hint,
    /** The ticket that is waited for, its session's lane and how many wait. */
    chased,
    lane,
    count,
    /** The ticket that is due, and the one behind it. */
    isDue,
    dueNext,
  };
}
export type Keeping = ReturnType<typeof beginToWait>;
