import { assertAlways, module, reg } from "../../../../hdl-dsl/index.ts";
import { growOld } from "./reorder/age.ts";
import { giveBack } from "./reorder/back.ts";
import { decide } from "./reorder/decide.ts";
import { beginToWait } from "./reorder/keep.ts";
import { headOf, lookAt } from "./reorder/look.ts";
import { partsOf } from "./reorder/parts.ts";
import { passTurn } from "./reorder/pass.ts";
import { GbnReorderEvents, reorderPorts } from "./reorder/ports.ts";
import { takeSteps } from "./reorder/steps.ts";

export { GbnReorderEvents, type GbnReorderParameters, Reply } from "./reorder/ports.ts";

/**
 * Puts the replies of each session into the order of its requests (wire-format.md: "In GBN builds replies of a session
 * keep the order of its requests").
 *
 * A request's ticket is the low half of its sequence number, so a session's tickets have no gaps; it comes back with
 * the reply (go-back-n/rtl/types.ts, the tag). Per session, in block memory: the ticket that is due, and how many wait.
 * Its reply passes, and then all that waited for it; a reply that is ahead waits in a slot with its beats. `named`
 * names requests that are never answered; they take a slot without beats if they are ahead. A reply behind the one that
 * is due (a further frame of one, or one no longer waited for) passes. `control` begins a session anew and drops what
 * waits for it. A reply to an earlier life of the session is dropped, a name of one forgotten.
 *
 * What is due always catches up, however many requests are never answered: a ticket `reach` or more ahead makes it
 * step on, and what waits leaves in order, until the ticket is less far ahead. While nobody waits it leaps there. Other
 * names come every `namedEvery` requests (types.ts), so what is due is never behind by half of the tickets, and ahead
 * and behind differ. Such a name also brings back what is due should it ever be far ahead.
 *
 * Who waits for a ticket is found by memory, not by comparing: a session with replies that wait has a lane of its
 * own, and at (lane, ticket mod `reach`) a table names the slot of the last reply to that ticket that began to
 * wait; each slot names the one before. Neither is ever cleared: a slot counts when it is taken and holds this
 * session and this ticket, so what an old hint leads to is either right or nothing. Frames of one reply that waited
 * leave last one first.
 *
 * Latency: 2 cycles for a frame whose beats are there. Initiation interval: a frame every 2 cycles (5 while others of
 * its session wait), one beat per cycle; a reply that had to wait takes the way out for as many cycles again, and 5
 * more. Full: with no slot free, a reply that is ahead waits at the entry and those behind it; `crowded` is 1 while
 * half of the slots are taken, so that no new requests are let in: the other half is for those that are inside already.
 * Nothing waits for ever, whatever other sessions do: each slot is looked at once in `patience` cycles. What is found
 * there twice leaves, and so does all of its session that waits for less; the replies that are missing before it are
 * given up, as if they were silent. That takes three cycles for each. A session that begins anew while replies wait for
 * it takes two cycles per slot. Reset: nothing is taken for one cycle
 * per session, or slot if these are more.
 */
export const GbnReorder = module(
  "GbnReorder",
  reorderPorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { free, lanes, slotTaken } = parts.kept;
    const look = lookAt(parts),
      head = headOf(parts, look),
      done = decide(parts, look, head),
      wait = beginToWait(parts, look, head, done);
    const decided = { look, head, done, wait },
      passed = passTurn(parts, decided),
      turned = { ...decided, passed };
    giveBack(parts, turned);
    takeSteps(parts, turned);
    growOld(parts, look, wait.keeping);
    const events = reg(GbnReorderEvents, { init: 0 });
    events.set({
      waited: wait.keeping.and(look.op.reply),
      skipped: passed.steps.and(look.op.skip).or(passed.catches).or(passed.further.andNot(passed.gone)),
      stale: done.done.and(done.stale),
    });
    io.events.set(events);
    assertAlways(free.push.valid.not().or(free.push.ready), "a slot comes back once");
    assertAlways(lanes.push.valid.not().or(lanes.push.ready), "a lane comes back once");
    assertAlways(passed.freed.not().or(slotTaken), "what is released has waited");
    assertAlways(passed.freed.not().or(wait.count.any()), "a session's count holds all that wait for it");
  },
  {
    nameOf: p =>
      `GbnReorder_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_r${p.waiting}_m${p.metaBits}_y${p.patience}_f${p.first >>> 0}` +
      (p.ticketBits === undefined ? "" : `_k${p.ticketBits}`) +
      (p.reach === undefined ? "" : `_h${p.reach}`),
  },
);
