/** A ticket's turn has passed: its reply has gone, or there is none. */
import { bit, cat, constant, mux, node, priority, reg, type UInt, uint } from "../../../../../hdl-dsl/index.ts";
import { lifeAfter, sessionBits } from "../types.ts";
import type { Done } from "./decide.ts";
import type { Keeping } from "./keep.ts";
import type { Head, Look } from "./look.ts";
import type { Parts } from "./parts.ts";

/** What is known of what is looked at when its turn may pass. */
export interface Decided {
  readonly look: Look;
  readonly head: Head;
  readonly done: Done;
  readonly wait: Keeping;
}

export function passTurn(parts: Parts, { look, head, done, wait }: Decided) {
  const {
      p,
      sizes: { tickets, slotBits, reachBits, first },
      steps: { at },
      kept: { starting, kept, slotTaken },
    } = parts,
    { reply, op, turn } = look,
    { heads, was, due, near, far, lost } = head,
    { ordered, sends, mutes, passed, quiet } = done,
    { keeping, alone, laneNow, chased, lane, count, isDue, dueNext } = wait,
    none = constant(0, slotBits + 1);
  const catches = node(far.and(ordered.or(mutes)).or(far.or(lost).and(passed)));
  const steps = node(
    at.decide
      .and(mux(op.reply, reply.ordered.and(sends).and(due), mux(op.silent, due, op.skip.and(near))))
      .or(catches.andNot(alone)),
  );
  const restarts = node(at.decide.and(op.control));
  const matches = reg(bit);
  matches.set(slotTaken.and(cat(kept.turn.session, kept.turn.ticket).eq(cat(turn.session, chased))));
  // The turn of the ticket before has passed; or nobody is waited for, until one that waits is found (`strides`) or
  // the ticket is near.
  const gone = reg(bit, { init: 0 });
  const strides = reg(bit, { init: 0 });
  const away = node<UInt>(turn.ticket.sub(chased));
  const catching = reg(bit, { init: 0 });
  catching.set(
    away
      .bit(tickets - 1)
      .not()
      .and(away.bits(reachBits, tickets - 1 - reachBits).any()),
  );
  const goesOn = node(gone.or(strides).or(catching));
  const further = node(at.found.and(matches.not()).and(goesOn));
  const freed = node(at.release.and(sends.or(quiet)));
  // Due is too far behind (or ahead): it leaps there, or steps on as long as somebody waits.
  const leap = node<UInt>(turn.ticket.sub(2 ** reachBits - 1)),
    leaps = node(catches.and(alone));
  const dueThen = node(mux(leaps, leap, mux(steps.or(further), dueNext, isDue)));
  const fewer = node<UInt>(count.sub(1));
  const cursor = reg(uint(Math.max(sessionBits(p), slotBits)), { init: 0 });
  const anew = node(starting.or(restarts));
  heads.write(
    starting.or(restarts).or(steps).or(leaps).or(keeping).or(further).or(freed),
    node(mux(starting, cursor.trunc(sessionBits(p)), turn.session)),
    {
      life: lifeAfter(mux(restarts, was.life, turn.life), starting, restarts.and(op.open)),
      due: mux(anew, first, dueThen),
      lane: mux(at.decide, laneNow, lane),
      waits: priority([anew, none], [at.decide, mux(keeping, was.waits.add(1), was.waits)], [at.release, fewer], count),
    },
  );
  return { catches, steps, restarts, matches, gone, strides, goesOn, further, freed, dueThen, fewer, cursor };
}
export type Passed = ReturnType<typeof passTurn>;
export interface Turned extends Decided {
  readonly passed: Passed;
}
