import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  cat,
  decode,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Choice, type PickParameters } from "./pick-turn.ts";
import { type Start, startAt } from "./run.ts";
import { numbersAbove, numbersBelow, ofNumber } from "./turn.ts";

/** A queue's candidate: the slots that it has yet to go through, none when there is no candidate. */
export const Candidate = (p: PickParameters) =>
  struct({
    run: uint(p.slots),
    /** It has been the candidate for so long that it may stop short. */
    over: bit,
    /** The run of the one behind it, which is the candidate once this one has started whole. */
    next: uint(p.slots),
  });
/** A candidate that starts: with these slots now, and `short` when that is not all of its run. */
export const Starting = (p: PickParameters) =>
  struct({
    valid: bit,
    region: uint(addressBits(p.regions)),
    user: uint(addressBits(p.users)),
    slow: bit,
    slots: uint(p.slots),
    short: bit,
  });

/**
 * Somebody of `others` whose turn comes before that of `who`, when `last` had it last. Going round from behind `last`,
 * of three things two hold for them: behind the last, in front of who, and that the round passes the highest number.
 */
function comesBefore(others: UInt, last: UInt, who: UInt): Bit {
  const n = others.width,
    behindLast = numbersAbove(last, n),
    beforeWho = numbersBelow(who, n),
    wraps = repeat(who.le(last), n);
  return others.and(behindLast.and(beforeWho).or(wraps.and(behindLast.or(beforeWho)))).any();
}

const nameOf = (k: number): string => (k === 0 ? "fast" : "slow");

/**
 * Starts the choice that is due, if it can: takes a credit of each slot of its run, or after its patience of those in
 * front of a lack. It looks again: at the queues, the credits and the turns of `choice`'s cycle, and at what has
 * started since. Latency 0 from `due` to `start`, initiation interval 1, starts of one queue back to back included. A
 * start moves the turn of its first slot, and of each other one where somebody waits. (Design: supernic-scheduler,
 * rules 3 to 5; paper §5.3.2.)
 *
 * Of a user's two queues in the region that one starts which can; of two the one that did not start last. A choice none
 * of whose queues has a candidate for its slot is gone. What is given back between `choice` and `due` counts for the
 * next choice. A limit must not fall while a choice of its region is between the two. Reset: it is the first user's
 * turn, and the fast queue's.
 */
export const Reserve = module(
  "Reserve",
  (p: PickParameters) => ({
    choice: input(Choice(p)),
    due: input(Choice(p)),
    /** Of the chosen user in the chosen region, in the cycle of `choice`: its fast queue and its slow one. */
    found: input(vec(Candidate(p), 2)),
    busy: input(vec(uint(p.slots), p.regions)),
    /** Slots that have a credit, and two, by region. */
    has: input(vec(uint(p.slots), p.regions)),
    hasTwo: input(vec(uint(p.slots), p.regions)),
    /** Users that wait for the slot first, and for no busy task. By region, then slot. */
    waits: input(vec(uint(p.users), p.regions * p.slots)),
    /** No slots while nobody starts. */
    start: output(Starting(p)),
    /** What was due in the cycle before is there and did not start. */
    lacks: output(bit),
    /** Whose turn it was last, by region, then slot: it is the next user's. */
    turns: output(vec(uint(addressBits(p.users)), p.regions * p.slots)),
  }),
  (io, p) => {
    const { choice, due } = io,
      slots = uint(p.slots);
    // What the start of the cycle before has to do with what is due: it is found with that start.
    const took = reg(slots, { init: 0, name: "took" }),
      changed = reg(slots, { init: 0, name: "changed" }),
      fastPopped = reg(bit, { init: 0, name: "fast_popped" }),
      slowPopped = reg(bit, { init: 0, name: "slow_popped" }),
      stopped = reg(bit, { name: "began_short" });

    // In the cycle of `choice`: what is looked up. What is due then may start, and change it.
    const ofRegion = (list: readonly UInt[]): UInt => ofNumber(choice.region, list);
    const turns = Array.from({ length: p.regions * p.slots }, (_, i) =>
      reg(uint(addressBits(p.users)), { init: p.users - 1, name: `last_of_${i}` }),
    );
    const found = [0, 1].map(k => reg(Candidate(p), { name: nameOf(k) })),
      facts = reg(struct({ busy: slots, has: slots, hasTwo: slots, others: slots, earlier: slots, ifMoved: slots }), {
        name: "facts",
      });
    found.forEach((f, k) => f.set(io.found.at(k)));
    const mine = decode(choice.user, p.users);
    const atSlots = Array.from({ length: p.slots }, (_, s) => {
      const all = Array.from({ length: p.regions }, (_r, r) => r * p.slots + s),
        others = node(ofRegion(all.map(i => io.waits.at(i))).andNot(mine), { name: `others_${s}` }),
        last = node(ofRegion(all.map(i => turns[i] as UInt)), { name: `last_${s}` });
      return {
        others: others.any(),
        earlier: comesBefore(others, last, choice.user),
        ifMoved: comesBefore(others, due.user, choice.user),
      };
    });
    facts.set({
      busy: ofRegion(io.busy.toArray()),
      has: ofRegion(io.has.toArray()),
      hasTwo: ofRegion(io.hasTwo.toArray()),
      others: fromBits(atSlots.map(s => s.others)),
      earlier: fromBits(atSlots.map(s => s.earlier)),
      ifMoved: fromBits(atSlots.map(s => s.ifMoved)),
    });
    // Behind its own slot turns count; a candidate for another slot does not start.
    const behindSlot = reg(slots, { name: "behind_slot" });
    behindSlot.set(numbersAbove(choice.slot, p.slots));
    const sameRegion = node(choice.region.eq(due.region), { name: "same_region" }),
      sameUser = node(sameRegion.and(choice.user.eq(due.user)), { name: "same_user" }),
      slowFirst = reg(bit, { name: "slow_first" });
    const slowNext = Array.from({ length: p.regions }, (_, r) =>
      reg(uint(p.users), { init: 0, name: `slow_next_${r}` }),
    );
    slowFirst.set(ofRegion(slowNext).and(mine).any());

    // In the cycle of `due`: with what the start of the cycle before has changed.
    const earlier = facts.ifMoved.and(changed).or(facts.earlier.andNot(changed)),
      has = node(facts.hasTwo.and(took).or(facts.has.andNot(took)), { name: "has_now" }),
      now = { busy: facts.busy, has, earlier: node(earlier.and(behindSlot), { name: "earlier_now" }) };
    const dueSlot = decode(due.slot, p.slots);
    const queues = found.map((f, k) => {
      const name = nameOf(k),
        gone = k === 0 ? fastPopped : slowPopped,
        next = f.next.and(repeat(stopped.not(), p.slots)),
        run = node(mux(gone, next, f.run), { name: `${name}_now` });
      return startAt(name, dueSlot, run, f.over.andNot(gone), now);
    }) as [Start, Start];
    const [fast, slow] = queues,
      prefersSlow = node(fastPopped.or(slowFirst.andNot(slowPopped)), { name: "prefers_slow" });
    const started = node(due.valid.and(fast.starts.or(slow.starts)), { name: "started" }),
      isSlow = node(cat(due.valid, slow.starts, prefersSlow.or(fast.starts.not())).all(), { name: "is_slow" }),
      isFast = node(cat(due.valid, fast.starts, slow.starts.and(prefersSlow).not()).all(), { name: "is_fast" });
    // None when nobody starts, so that who takes the credits has not to ask that, too.
    const starting = node(slow.slots.and(repeat(isSlow, p.slots)).or(fast.slots.and(repeat(isFast, p.slots))), {
        name: "starting",
      }),
      moves = node(dueSlot.or(starting.and(facts.others)), { name: "moves" });
    const there = fast.here.or(slow.here);
    const lacks = reg(bit, { init: 0, name: "lacks_q" });
    lacks.set(due.valid.and(there).andNot(fast.starts.or(slow.starts)));
    io.lacks.set(lacks);
    turns.forEach((last, i) => {
      const own = due.region.eq(Math.floor(i / p.slots)).and(moves.bit(i % p.slots));
      when(started.and(own), () => last.set(due.user));
      io.turns.at(i).set(last);
    });
    const start = {
      valid: started,
      region: due.region,
      user: due.user,
      slow: isSlow,
      slots: starting,
      short: mux(isSlow, slow.short, fast.short),
    };
    io.start.set(start);
    took.set(starting.and(repeat(sameRegion, p.slots)));
    changed.set(moves.and(repeat(started.and(sameRegion), p.slots)));
    fastPopped.set(isFast.and(sameUser));
    slowPopped.set(isSlow.and(sameUser));
    stopped.set(start.short);
    const who = decode(due.user, p.users);
    slowNext.forEach((n, r) => {
      when(started.and(due.region.eq(r)), () => n.set(mux(isSlow, n.andNot(who), n.or(who))));
    });
    assertAlways(started.not().or(starting.and(dueSlot).any()), "a run that starts has its first slot");
  },
);
