import {
  assertAlways, bit, cat, connect, constant, decode, Fifo, fromBits, instance, lowestSet, module, mux, node, onehotMux, output, ram, reg, sink, source, struct, uint, vec, when, type Bit, type UInt,
} from "../../../hdl-dsl/index.ts";
import { choose, sessionBits, SessionControl, ticketBits, Turn } from "./gbn_types.ts";
import { GbnWaiting, waitingAction, type GbnWaitingParameters } from "./gbn_waiting.ts";
import { firstSet } from "./slot_pool.ts";
import { AxisBeat } from "./types.ts";

export interface GbnReorderParameters extends GbnWaitingParameters {
  readonly sessions: number;
  /** Bits of what goes with a frame. */
  readonly metaBits: number;
  /** Ticket of a session's first request. */
  readonly first: number;
  /** Cycles without progress after which a reply is no longer waited for; a power of two. */
  readonly patience: number;
}
/** A frame with its beats behind: the reply to request `ticket` of `session`, or (`ordered` 0) one that stands by itself. */
export const Reply = (p: Pick<GbnReorderParameters, "sessions" | "metaBits">) => struct({ ordered: bit, turn: Turn(p), meta: uint(p.metaBits) });
export const GbnReorderEvents = struct({
  /** Replies that waited; requests whose replies were not waited for any longer; replies that belong to no request. */
  waited: bit, skipped: bit, stale: bit,
});

/** A ticket so far ahead is none: fewer requests than this can be in the node. */
const horizonBits = 10;

/** `firstSet` of many bits with fewer levels: the first group of 8 with a bit, and the first bit in it. */
function firstOf(v: UInt): { readonly any: Bit; readonly index: UInt } {
  if (v.width <= 8) return firstSet(v);
  const groups = Array.from({ length: v.width / 8 }, (_, i) => v.bits(8 * i, 8));
  const some = node(fromBits(groups.map(g => g.any()))), group = firstSet(some), one = node(lowestSet(some));
  return { any: group.any, index: cat(group.index, onehotMux(groups.map((_, i) => one.bit(i)), groups.map(g => firstSet(g).index))) };
}

/** How many bits are set, two cycles late. */
function countSet(v: UInt): UInt {
  const width = Math.ceil(Math.log2(v.width + 1)), parts = Math.ceil(v.width / 8);
  const sums = Array.from({ length: parts }, (_, i) => {
    const bits = v.bits(8 * i, Math.min(8, v.width - 8 * i)), sum = reg(uint(width), { name: `set_${i}` });
    sum.set(Array.from({ length: bits.width }, (_x, b): UInt => bits.bit(b).zext(width)).reduce((a, b) => a.add(b)));
    return sum;
  });
  const tree = (a: readonly UInt[]): UInt => (a.length === 1 ? a[0] as UInt : tree(a.slice(0, a.length >> 1)).add(tree(a.slice(a.length >> 1)) as never));
  const total = reg(uint(width), { name: "set_count" });
  total.set(tree(sums));
  return total;
}

/**
 * Puts the replies of each session into the order of its requests (wire-format.md: "In GBN builds replies of a session keep the order of its requests").
 *
 * A request's ticket is the low half of its sequence number, so a session's tickets have no gaps; it comes back with the reply (gbn_types.ts, the tag). Per session, in block memory: the ticket
 * that is due. Its reply passes, and then all that waited for it; a reply that is ahead waits in a slot with its beats, found again by session and ticket. `silent` names requests that are never
 * answered; they take a slot without beats if they are ahead. A reply behind the one that is due (a further frame of one, or one no longer waited for) passes. A ticket 1,024 or more ahead is of an
 * earlier life of the session: dropped. `control` begins a session anew and drops what waits for it.
 *
 * Latency: 2 cycles for a frame whose beats are there. Initiation interval: a frame every 2 cycles (5 while others wait), one beat per cycle; a reply that had to wait takes the way out for as
 * many cycles again, and 4 more. Full: with no slot free, a reply that is ahead waits at the entry and those behind it; `crowded` is 1 while half of the slots are taken, so that no new
 * requests are let in: the other half is for those that are inside already. Nothing waits for ever: after `patience` cycles without progress one missing reply is given up, as if it were silent. Reset: nothing is taken for one cycle per session.
 */
export const GbnReorder = module("GbnReorder",
  (p: GbnReorderParameters) => ({
    reply: sink(Reply(p)), beats: sink(AxisBeat(p.beatBytes)), silent: sink(Turn(p)), control: sink(SessionControl(p)),
    out: source(uint(p.metaBits)), out_beats: source(AxisBeat(p.beatBytes)), crowded: output(bit), events: output(GbnReorderEvents),
  }),
  (io, p) => {
    const index = uint(sessionBits(p)), ticket = uint(ticketBits), slotBits = Math.log2(p.waiting), patienceBits = Math.log2(p.patience), first = constant(p.first & 2 ** ticketBits - 1, ticketBits);
    const room = instance("room", GbnWaiting({ beatBytes: p.beatBytes, frameBytes: p.frameBytes, waiting: p.waiting }));
    connect(io.beats, room.beats);
    connect(room.out, io.out_beats);
    const outs = instance("outs", Fifo({ shape: uint(p.metaBits), depth: 4, style: "distributed" }));
    connect(outs.pop, io.out as never);

    // What waits.
    const valid = reg(uint(p.waiting), { init: 0 });
    const turns = reg(vec(Turn(p), p.waiting));
    // The same once more, for the one read of a slot by its number.
    const turn_words = ram(Turn(p), { depth: p.waiting, collision: "undefined", style: "distributed" });
    const quiet_words = ram(bit, { depth: p.waiting, collision: "undefined", style: "distributed" });
    const metas = ram(uint(p.metaBits), { depth: p.waiting, collision: "undefined", style: "distributed" });
    // A cycle old, which no step notices: two lie between what changes it and what asks.
    const some = reg(bit, { init: 0 });
    some.set(valid.any());
    const free = firstOf(valid.not()), oldest = firstOf(valid);
    const is_free = reg(bit, { init: 0 });
    const free_slot = reg(uint(slotBits));
    const oldest_slot = reg(uint(slotBits));
    is_free.set(free.any);
    free_slot.set(free.index as never);
    oldest_slot.set(oldest.index as never);
    // The one that is released.
    const slot = reg(uint(slotBits));
    const hit_one = reg(uint(p.waiting));
    const act = (a: number): UInt<2> => constant(a, 2);
    const crowded = reg(bit, { init: 0 });
    crowded.set(countSet(valid).ge(p.waiting / 2));
    io.crowded.set(crowded);

    // One step after the other: choose what to look at, do it, then release what has waited for it, one reply after the other.
    const at = { select: reg(bit, { init: 1 }), decide: reg(bit, { init: 0 }), seek: reg(bit, { init: 0 }), sort: reg(bit, { init: 0 }), found: reg(bit, { init: 0 }), release: reg(bit, { init: 0 }) };
    const go = (from: keyof typeof at, to: keyof typeof at): void => { at[from].set(0); at[to].set(1); };

    // What is looked at.
    const starting = reg(bit, { init: 1 });
    const cursor = reg(index, { init: 0 });
    const waited = reg(uint(patienceBits + 1), { init: 0 });
    const impatient = reg(bit, { init: 0 });
    const oldest_turn = turn_words.readAsync(oldest_slot);
    const alternate = reg(bit, { init: 0 });
    const reply = io.reply.payload, silent = io.silent.payload;
    const silent_first = node(io.silent.valid.and(alternate.or(io.reply.valid.not())));
    const asked = node(io.control.valid.or(impatient).or(io.silent.valid).or(io.reply.valid));
    const session = node(choose(io.control.valid, io.control.payload.session, choose(impatient, oldest_turn.session, choose(silent_first, silent.session, reply.turn.session))));
    const Op = struct({ control: bit, skip: bit, silent: bit, reply: bit, turn: Turn(p), slot: uint(slotBits) });
    const op = reg(Op);
    const skips = node(io.control.valid.not().and(impatient));
    const mutes = node(io.control.valid.or(impatient).not().and(silent_first));
    when(at.select.and(starting.not()).and(asked), () => {
      op.set({
        control: io.control.valid, skip: skips, silent: mutes, reply: io.control.valid.or(impatient).or(silent_first).not(),
        turn: { session, ticket: choose(impatient, oldest_turn.ticket, choose(silent_first, silent.ticket, reply.turn.ticket)) }, slot: oldest_slot,
      } as never);
      alternate.set(silent_first.not());
      go("select", "decide");
    });

    // Its session's ticket that is due: read in the cycle before, and again as long as it stands.
    const heads = ram(ticket, { depth: p.sessions, collision: "new", style: "block" });
    const was = heads.readSync(node(choose(at.select, session, op.turn.session)));
    const gap = node(op.turn.ticket.sub(was as never));
    const due = node(gap.any().not()), behind = node(gap.bit(ticketBits - 1));
    const far = node(behind.not().and(gap.shr(horizonBits).any()));
    const ahead = node(due.or(behind).or(far).not());

    // What is done with it.
    const replies = node(at.decide.and(op.reply));
    const single = node(reply.ordered.not());
    const passes = node(replies.and(single.or(due).or(behind)).and(outs.push.ready)), keeps = node(replies.and(reply.ordered).and(ahead).and(is_free)), drops = node(replies.and(reply.ordered).and(far));
    const quiet = node(quiet_words.readAsync(slot));
    const releases = node(at.release.and(quiet.not()).and(outs.push.ready));
    room.plan.valid.set(passes.or(keeps).or(drops).or(releases));
    room.plan.payload.set({
      action: mux(at.release, act(waitingAction.release), mux(keeps, act(waitingAction.keep), mux(drops, act(waitingAction.drop), waitingAction.pass))), slot: mux(at.release, slot, free_slot),
    } as never);
    const planned = node(room.plan.fire);
    outs.push.valid.set(planned.and(keeps.or(drops).not()));
    outs.push.payload.set(mux(at.release, metas.readAsync(slot), reply.meta) as never);
    const mutes_now = node(at.decide.and(op.silent)), mute_kept = node(mutes_now.and(ahead).and(is_free));
    const mute_done = node(mutes_now.and(ahead.not().or(is_free)));
    io.reply.ready.set(at.decide.and(planned));
    io.silent.ready.set(mute_done);
    io.control.ready.set(at.decide.and(op.control));

    // A ticket's turn has passed: its reply has gone, or there is none.
    const steps = node(at.decide.and(mux(op.reply, planned.and(reply.ordered).and(due), mux(op.silent, due, op.skip.and(ahead)))));
    const chased = reg(ticket);
    const gone = reg(bit, { init: 0 });
    const hits = reg(uint(p.waiting));
    const next = firstOf(hits);
    const found_one = reg(bit, { init: 0 });
    const further = node(at.found.and(found_one.not()).and(gone));
    const restarts = node(at.decide.and(op.control));
    const advanced = node(choose(at.found, chased, was).add(1));
    heads.write(starting.or(restarts).or(steps).or(further), node(choose(starting, cursor, op.turn.session)), choose(starting.or(restarts), first, advanced) as never);
    when(starting, () => { cursor.set(cursor.add(1)); });
    when(cursor.eq(p.sessions - 1), () => { starting.set(0); });

    // Who has waited for the next.
    const keeping = node(planned.and(keeps).or(mute_kept));
    const freed = node(at.release.and(planned.or(quiet)));
    const flushed = node(mux(restarts, fromBits(Array.from({ length: p.waiting }, (_, i) => turns.at(i).session.eq(op.turn.session as never))), constant(0, p.waiting)));
    valid.set(valid.or(mux(keeping, decode(free_slot, p.waiting), constant(0, p.waiting)) as never).and(mux(freed, hit_one, constant(0, p.waiting)).or(flushed as never).not() as never));
    turn_words.write(keeping, free_slot, op.turn);
    const into = node(mux(keeping, decode(free_slot, p.waiting), constant(0, p.waiting)));
    for (let i = 0; i < p.waiting; i++) when(into.bit(i), () => { turns.at(i).set(op.turn); });
    quiet_words.write(keeping, free_slot, op.silent);
    metas.write(keeping, free_slot, reply.meta);

    when(at.decide, () => {
      when(steps, () => {
        chased.set(advanced as never);
        gone.set(0);
        when(some, () => { go("decide", "seek"); }).otherwise(() => { go("decide", "select"); });
      }).elseWhen(op.skip, () => {
        // Behind, or due: it goes now.
        chased.set(was);
        gone.set(due);
        slot.set(op.slot);
        hit_one.set(decode(op.slot, p.waiting) as never);
        go("decide", "release");
      }).elseWhen(op.reply.not().or(planned).or(ahead.and(is_free.not())), () => { go("decide", "select"); });
    });
    when(at.seek, () => {
      hits.set(fromBits(Array.from({ length: p.waiting }, (_, i) => valid.bit(i).and(cat(turns.at(i).session, turns.at(i).ticket).eq(cat(op.turn.session, chased) as never)))) as never);
      go("seek", "sort");
    });
    when(at.sort, () => {
      found_one.set(next.any);
      slot.set(next.index as never);
      hit_one.set(lowestSet(hits) as never);
      go("sort", "found");
    });
    when(at.found, () => {
      when(found_one, () => {
        gone.set(1);
        go("found", "release");
      }).elseWhen(gone, () => {
        chased.set(advanced as never);
        gone.set(0);
        when(some, () => { go("found", "seek"); }).otherwise(() => { go("found", "select"); });
      }).otherwise(() => { go("found", "select"); });
    });
    when(freed, () => { go("release", "seek"); });

    const moves = node(steps.or(freed).or(restarts).or(some.not()));
    when(moves, () => { waited.set(0); }).elseWhen(waited.bit(patienceBits).not(), () => { waited.set(waited.add(1)); });
    impatient.set(waited.bit(patienceBits).and(some).and(moves.not()));
    const events = reg(GbnReorderEvents, { init: 0 });
    events.set({ waited: planned.and(keeps), skipped: at.decide.and(op.skip).and(steps), stale: planned.and(drops) });
    io.events.set(events);
    assertAlways(keeping.and(valid.and(decode(free_slot, p.waiting) as never).any()).not(), "a slot is taken once");
    assertAlways(freed.and(valid.and(hit_one).any().not()).not(), "what is released has waited");
  },
  { nameOf: p => `GbnReorder_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_r${p.waiting}_m${p.metaBits}_y${p.patience}_f${p.first >>> 0}` });
