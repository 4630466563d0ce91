import {
  assertAlways,
  bit,
  cat,
  connect,
  constant,
  Fifo,
  instance,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  type UInt,
  uint,
  when,
  without,
} from "../../../../hdl-dsl/index.ts";
import { hintTable } from "./hints.ts";
import { lifeAfter, lifeBits, Named, sessionBits, SessionControl, ticketBits, Turn } from "./types.ts";
import { GbnWaiting, type GbnWaitingParameters, waitingAction, WaitingPlan } from "./waiting.ts";
import { AxisBeat } from "../../frame/index.ts";

export interface GbnReorderParameters extends GbnWaitingParameters {
  readonly sessions: number;
  /** Bits of what goes with a frame. */
  readonly metaBits: number;
  /** Ticket of a session's first request. */
  readonly first: number;
  /**
   * A reply that has waited for so many cycles (and up to as many again) does not wait any longer; a power of two,
   * `waiting` or more.
   */
  readonly patience: number;
  /** Bits of a ticket; default those of the tag. A proof has fewer. */
  readonly ticketBits?: number;
  /**
   * For a ticket so far ahead nobody waits, a power of two; default 1,024: fewer requests of a session can be in the
   * node and wait here.
   */
  readonly reach?: number;
}
/**
 * The frame with its beats behind: the reply to request `ticket` of `session`, or (`ordered` 0) one that
 * stands by itself.
 */
export const Reply = (p: Pick<GbnReorderParameters, "sessions" | "metaBits" | "ticketBits">) =>
  struct({ ordered: bit, turn: Turn(p), meta: uint(p.metaBits) });
export const GbnReorderEvents = struct({
  /**
   * Replies that waited; requests whose replies were not waited for any longer (those of a leap count once); replies to
   * an earlier life of their session.
   */
  waited: bit,
  skipped: bit,
  stale: bit,
});

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
  (p: GbnReorderParameters) => ({
    reply: sink(Reply(p)),
    beats: sink(AxisBeat(p.beatBytes)),
    named: sink(Named(p)),
    control: sink(SessionControl(p)),
    out: source(uint(p.metaBits)),
    outBeats: source(AxisBeat(p.beatBytes)),
    crowded: output(bit),
    events: output(GbnReorderEvents),
  }),
  (io, p) => {
    const tickets = p.ticketBits ?? ticketBits,
      ticket = uint(tickets),
      slotBits = Math.log2(p.waiting),
      slotOf = uint(slotBits);
    const reachBits = Math.log2(p.reach ?? 1024),
      patienceBits = Math.log2(p.patience),
      first = constant(p.first & (2 ** tickets - 1), tickets);
    const room = instance("room", GbnWaiting({ beatBytes: p.beatBytes, frameBytes: p.frameBytes, waiting: p.waiting }));
    connect(io.beats, room.beats);
    connect(room.out, io.outBeats);
    // Its `ready` hangs on beats, so it comes through a register.
    const plan = stream(WaitingPlan(p));
    connect(stage(plan, "backward", { name: "planned" }), room.plan);
    const outs = instance("outs", Fifo({ shape: uint(p.metaBits), depth: 4, style: "distributed" }));
    connect(outs.pop, io.out);
    const none = constant(0, slotBits + 1);

    // What waits: by slot, and which slots are taken; slots and lanes that are free.
    const keptWords = ram(struct({ turn: Turn(p), quiet: bit, meta: uint(p.metaBits) }), {
      depth: p.waiting,
      collision: "undefined",
      style: "distributed",
    });
    const links = ram(slotOf, { depth: p.waiting, collision: "undefined", style: "distributed" });
    const taken = ram(bit, { depth: p.waiting, collision: "undefined", style: "distributed" });
    const seen = ram(bit, { depth: p.waiting, collision: "undefined", style: "distributed" });
    const hints = hintTable(p.waiting * 2 ** reachBits, slotBits);
    const free = instance("free", Fifo({ shape: slotOf, depth: p.waiting, style: "distributed" })),
      lanes = instance("lanes", Fifo({ shape: slotOf, depth: p.waiting, style: "distributed" }));
    const isFree = node(free.pop.valid.and(lanes.pop.valid)),
      freeSlot = node(free.pop.payload);
    const starting = reg(bit, { init: 1 });
    const crowded = reg(bit, { init: 0 });
    crowded.set(starting.not().and(free.level.le(p.waiting / 2)));
    io.crowded.set(crowded);

    // The slot that is looked at.
    const slot = reg(slotOf);
    const kept = keptWords.readAsync(slot);
    const slotTaken = node(taken.readAsync(slot));

    // One step after the other: choose what to look at, do it, then release what has waited for it, one reply
    // after the other.
    const at = {
      select: reg(bit, { init: 1 }),
      look: reg(bit, { init: 0 }),
      decide: reg(bit, { init: 0 }),
      sort: reg(bit, { init: 0 }),
      check: reg(bit, { init: 0 }),
      found: reg(bit, { init: 0 }),
      release: reg(bit, { init: 0 }),
      flush: reg(bit, { init: 0 }),
      flushed: reg(bit, { init: 0 }),
    };
    const go = (from: keyof typeof at, to: keyof typeof at): void => {
      at[from].set(0);
      at[to].set(1);
    };

    // What is looked at. One that has waited for long comes first, by its slot: slots are looked at in turn. What is
    // there for the second time is asked for until it has gone.
    const clock = reg(uint(patienceBits - slotBits + 1), { init: 0 });
    const impatient = reg(bit, { init: 0 });
    const probe = reg(slotOf, { init: 0 });
    const probed = node(taken.readAsync(probe));
    const alternate = reg(bit, { init: 0 });
    const reply = io.reply.payload,
      named = io.named.payload;
    const namedFirst = node(io.named.valid.and(alternate.or(io.reply.valid.not())));
    const skips = node(io.control.valid.not().and(impatient).and(probed));
    const asked = node(io.control.valid.or(skips).or(io.named.valid).or(io.reply.valid));
    const session = node(
      mux(io.control.valid, io.control.payload.session, mux(namedFirst, named.turn.session, reply.turn.session)),
    );
    const op = reg(struct({ control: bit, open: bit, skip: bit, silent: bit, milestone: bit, reply: bit }));
    const turn = reg(Turn(p));
    const plain = node(io.control.valid.or(skips).not());
    when(at.select.and(starting.not()).and(asked), () => {
      op.set({
        control: io.control.valid,
        open: io.control.payload.open,
        skip: skips,
        silent: plain.and(namedFirst).and(named.silent),
        milestone: plain.and(namedFirst).and(named.silent.not()),
        reply: plain.and(namedFirst.not()),
      });
      const asks = mux(namedFirst, named.turn, reply.turn);
      turn.set({ session, life: asks.life, ticket: asks.ticket });
      slot.set(probe);
      alternate.set(namedFirst.not());
      at.select.set(0);
      at.look.set(skips);
      at.decide.set(skips.not());
    });
    when(at.look, () => {
      turn.set(kept.turn);
      go("look", "decide");
    });

    // Its session: its life, the ticket that is due, and who waits. Read in the cycle before, and again as long as it
    // stands; what is written is read in a later cycle.
    const heads = ram(struct({ life: uint(lifeBits), due: ticket, lane: slotOf, waits: uint(slotBits + 1) }), {
      depth: p.sessions,
      collision: "undefined",
      style: "block",
    });
    const was = heads.readSync(node(mux(at.select, session, mux(at.look, kept.turn.session, turn.session))));
    const gap = node<UInt>(turn.ticket.sub(was.due));
    const now = node(turn.life.eq(was.life)),
      due = node(now.and(turn.ticket.eq(was.due))),
      behind = node(now.and(gap.bit(tickets - 1)));
    const more = gap.bits(reachBits, tickets - 1 - reachBits);
    const far = node(now.and(gap.bit(tickets - 1).not()).and(more.any())),
      near = node(
        now.and(
          cat(due, gap.bit(tickets - 1), more.any())
            .any()
            .not(),
        ),
      ),
      lost = node(behind.and(more.all().not()));

    // What is done with it.
    const replies = node(at.decide.and(op.reply)),
      ordered = node(replies.and(reply.ordered)),
      passes = node(reply.ordered.not().or(due).or(behind));
    const stale = node(reply.ordered.and(now.not()));
    const wants = node(passes.or(stale).or(near.and(isFree)));
    // The slot has stood for a cycle and more when it is released.
    const quiet = reg(bit);
    quiet.set(kept.quiet);
    const act = (a: number): UInt<2> => constant(a, 2);
    plan.valid.set(outs.push.ready.and(replies.and(wants).or(at.release.and(quiet.not()))));
    plan.payload.set({
      action: priority(
        [at.release, waitingAction.release],
        [passes, waitingAction.pass],
        [stale, waitingAction.drop],
        act(waitingAction.keep),
      ),
      slot: mux(at.release, slot, freeSlot),
    });
    // Nothing is decided about a reply, nor released, without room for both.
    const sends = node(plan.ready.and(outs.push.ready)),
      done = node(replies.and(sends).and(wants));
    outs.push.valid.set(plan.ready.and(replies.and(passes).or(at.release.and(quiet.not()))));
    outs.push.payload.set(mux(at.release, kept.meta, reply.meta));
    const mutes = node(at.decide.and(op.silent)),
      passed = node(at.decide.and(op.milestone));
    io.reply.ready.set(done);
    io.named.ready.set(
      mutes
        .and(far.not())
        .and(near.not().or(isFree))
        .or(passed.andNot(far.or(lost))),
    );
    io.control.ready.set(at.decide.and(op.control));

    // One begins to wait. The table is read now and written in the next cycle, when nobody else wants it.
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

    // A ticket's turn has passed: its reply has gone, or there is none.
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
        waits: priority(
          [anew, none],
          [at.decide, mux(keeping, was.waits.add(1), was.waits)],
          [at.release, fewer],
          count,
        ),
      },
    );

    // Slots and lanes come back.
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

    when(at.decide, () => {
      chased.set(dueThen);
      lane.set(was.lane);
      count.set(was.waits);
      gone.set(op.skip.and(due));
      strides.set(op.skip.or(lost));
      when(op.reply.and(sends.not()).andNot(catches), () => undefined)
        .elseWhen(steps.and(alone.not()), () => go("decide", "sort"))
        // Behind, or due: it goes now.
        .elseWhen(op.skip.and(steps.not()), () => go("decide", "release"))
        .elseWhen(op.control.and(alone.not()), () => {
          slot.set(0);
          go("decide", "flush");
        })
        .otherwise(() => go("decide", "select"));
    });
    when(at.sort, () => {
      slot.set(hint);
      go("sort", "check");
    });
    when(at.check, () => go("check", "found"));
    when(at.found, () => {
      chased.set(dueThen);
      when(matches, () => {
        gone.set(1);
        strides.set(0);
        go("found", "release");
      })
        .elseWhen(goesOn.and(count.any()), () => {
          gone.set(0);
          go("found", "sort");
        })
        .otherwise(() => go("found", "select"));
    });
    when(freed, () => {
      count.set(fewer);
      slot.set(links.readAsync(slot));
      go("release", "check");
    });
    when(at.flush, () => go("flush", "flushed"));
    when(at.flushed, () => {
      slot.set(slot.add(1));
      when(slot.all(), () => go("flushed", "select")).otherwise(() => go("flushed", "flush"));
    });

    // Slots grow old.
    const visits = node(clock.bit(patienceBits - slotBits).and(impatient.or(keeping).not()));
    const old = node(probed.and(seen.readAsync(probe)));
    seen.write(visits.or(keeping), node(mux(keeping, freeSlot, probe)), visits);
    when(visits, () => clock.set(0)).elseWhen(clock.bit(patienceBits - slotBits).not(), () => clock.set(clock.add(1)));
    impatient.set(mux(impatient, probed, visits.and(old)));
    when(visits.andNot(old).or(impatient.andNot(probed)), () => probe.set(probe.add(1)));
    const events = reg(GbnReorderEvents, { init: 0 });
    events.set({
      waited: keeping.and(op.reply),
      skipped: steps.and(op.skip).or(catches).or(further.andNot(gone)),
      stale: done.and(stale),
    });
    io.events.set(events);
    assertAlways(free.push.valid.not().or(free.push.ready), "a slot comes back once");
    assertAlways(lanes.push.valid.not().or(lanes.push.ready), "a lane comes back once");
    assertAlways(freed.not().or(slotTaken), "what is released has waited");
    assertAlways(freed.not().or(count.any()), "a session's count holds all that wait for it");
  },
  {
    nameOf: p =>
      `GbnReorder_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_r${p.waiting}_m${p.metaBits}_y${p.patience}_f${p.first >>> 0}` +
      (p.ticketBits === undefined ? "" : `_k${p.ticketBits}`) +
      (p.reach === undefined ? "" : `_h${p.reach}`),
  },
);
