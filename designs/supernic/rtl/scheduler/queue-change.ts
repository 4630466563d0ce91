/** What a decision does to a queue: who is due and who is behind him, and a cycle later the change itself. */
import { bit, type Bit, mux, node, reg, repeat, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { branchIdBits, queueUserBits, regionBits } from "./records.ts";
import {
  type Comes,
  type Ends,
  type Entry,
  ifHere,
  isKind,
  kinds,
  type Links,
  placeOf,
  Waiting,
} from "./queue-lists.ts";

/** Cycles from `ready` to the look-up of who is chosen. */
const toChoice = 3;

/** A start, as far as a queue wants to know. */
export interface Starts {
  readonly valid: Bit;
  readonly region: UInt;
  readonly slow: Bit;
  readonly slots: UInt;
  readonly short: Bit;
}
export interface Freed {
  readonly valid: Bit;
  readonly queue: { readonly region: UInt; readonly user: UInt; readonly slow: Bit };
}
/** Who is freed goes the way of a choice, from the cycle in which nobody is ready to the one in which it is due. */
export function freesOf(p: DeviceSizes, free: Freed) {
  const Freeing = struct({ valid: bit, at: uint(regionBits(p) + queueUserBits(p)), slow: bit });
  const stages = Array.from({ length: toChoice + 2 }, (_, i) =>
    reg(Freeing, { init: { valid: 0 }, name: `freeing_${i}` }),
  );
  stages.forEach((s, i) =>
    s.set(
      stages[i - 1] ?? { valid: free.valid, at: placeOf(free.queue.region, free.queue.user), slow: free.queue.slow },
    ),
  );
  const [first, looked, due] = [stages[0], stages[toChoice], stages[toChoice + 1]];
  if (first === undefined || looked === undefined || due === undefined) throw new RangeError("there are stages");
  return { masks: first.valid, looked, due, stages };
}

/** What was due a cycle ago, and what becomes of its user's queue of one kind. */
export interface Settling {
  /** Its first one has started, or is freed. */
  readonly changes: Bit;
  /** It has started and stops short: it stays first. */
  readonly short: Bit;
  /** The first one, and the last of the queue. */
  readonly first: Entry;
  readonly last: UInt;
  /** Who was behind the first one; who comes in this cycle is not. */
  readonly next: Entry;
  /** Who is first from the next cycle on; of one that stops short, with what is left of its run. */
  readonly then: Entry;
  /** There is one behind him. */
  readonly two: Bit;
  readonly keeps: (first: Entry, next: Entry, last: UInt) => void;
}
export type Settles = ReturnType<typeof settlesOf>;

/**
 * The start, a cycle after it was decided: to decide takes a cycle by itself. Nobody may miss it meanwhile: the look-up
 * of this cycle (`lookUp`) and the choice that is due (`dueOf`) take it from here.
 */
export function settlesOf(
  p: DeviceSizes,
  start: Starts,
  freed: { readonly valid: Bit; readonly slow: Bit },
  dueAt: UInt,
  comes: Comes,
) {
  const Began = struct({ valid: bit, region: uint(regionBits(p)), slow: bit, slots: uint(p.slots), short: bit }),
    began = reg(Began, { init: { valid: 0 }, name: "began" }),
    gone = reg(struct({ valid: bit, slow: bit }), { init: { valid: 0 }, name: "gone" }),
    at = reg(uint(dueAt.width), { name: "settles_at" });
  const { valid, region, slow, slots, short } = start;
  began.set({ valid, region, slow, slots, short });
  gone.set({ valid: freed.valid, slow: freed.slow });
  at.set(dueAt);
  const lines = kinds.map((k): Settling => {
    const first = reg(Waiting(p), { name: `first_${k}` }),
      next = reg(Waiting(p), { name: `next_${k}` }),
      last = reg(uint(branchIdBits(p)), { name: `last_${k}` });
    const starts = node(began.valid.and(isKind(began.slow, k)), { name: `starts_${k}` }),
      frees = node(gone.valid.and(isKind(gone.slow, k)), { name: `frees_${k}` }),
      stops = node(starts.and(began.short), { name: `short_${k}` }),
      joins = node(comes.valid.and(comes.at.eq(at)).and(isKind(comes.slow, k)), { name: `joins_${k}` }),
      any = node(next.run.any(), { name: `any_next_${k}` });
    const came = ifHere(joins.andNot(any), comes),
      left = first.run.andNot(began.slots);
    return {
      changes: node(starts.or(frees), { name: `changes_${k}` }),
      short: stops,
      first,
      last,
      next,
      then: {
        id: mux(stops, first.id, mux(any, next.id, comes.id)),
        run: node(mux(stops, left, next.run.or(came.run)), { name: `then_${k}` }),
      },
      two: node(any.and(next.id.ne(last).or(joins)), { name: `two_${k}` }),
      keeps: (f, n, l) => {
        first.set({ id: f.id, run: f.run });
        next.set({ id: n.id, run: n.run });
        last.set(l);
      },
    };
  });
  const [fast, slowLine] = lines as [Settling, Settling],
    who = either(began.slow, slowLine.first, fast.first);
  return {
    at,
    began,
    gone,
    lines: lines as readonly Settling[],
    started: {
      valid: began.valid,
      id: who.id,
      region: began.region,
      slots: began.slots,
      left: who.run.andNot(began.slots),
    },
  };
}

interface LookedUp {
  readonly ends: Ends;
  readonly links: Links;
  readonly at: UInt;
  /** It has a first one, which is not away. */
  readonly there: Bit;
  readonly comes: Comes;
  readonly settles: Settles;
}
/**
 * The first and the last of a chosen queue: who comes in this cycle is the last. In registers a cycle later, together
 * with the first one's link.
 */
export function lookUp(k: number, p: DeviceSizes, { ends, links, at, there, comes, settles }: LookedUp) {
  const name = k === 1 ? "slow" : "fast",
    line = settles.lines[k] as Settling,
    found = ends.first(at);
  const mine = node(comes.valid.and(comes.at.eq(at)).and(isKind(comes.slow, k)), { name: `comes_to_${name}` }),
    touched = node(line.changes.and(settles.at.eq(at)), { name: `${name}_changes_now` }),
    first = reg(Waiting(p), { name: `${name}_looked` }),
    last = reg(uint(branchIdBits(p)), { name: `${name}_last_id` });
  // Behind a start that is being written: who was behind it. One that stops short is away.
  const behind = line.next.run.and(repeat(line.short.not(), p.slots)),
    id = node(mux(touched, line.next.id, found.id), { name: `${name}_first_now` }),
    run = node(mux(touched, behind, found.run.and(repeat(there, p.slots))), { name: `candidate_${k}` });
  first.set({ id, run });
  last.set(mux(mine, comes.id, ends.last(at)));
  return { first, last, link: links.lookUp(`${name}_link`, id), run, touched };
}
export type Looked = ReturnType<typeof lookUp>;

/**
 * Who is first of the queues that are due, and who behind him: as they were looked up, or behind a start of the cycle
 * of the look-up. Of one queue it takes the successor from the register where that start's is.
 */
export function dueOf(d: {
  readonly comes: Comes;
  readonly lookAt: UInt;
  readonly dueAt: UInt;
  readonly looked: readonly Looked[];
  readonly links: Links;
  readonly settles: Settles;
}): readonly Entry[] {
  const { comes, dueAt, looked, links, settles } = d,
    { began, lines } = settles,
    [fast, slow] = looked as [Looked, Looked],
    [fastLine, slowLine] = lines as [Settling, Settling];
  const same = reg(bit, { name: "same_queues" });
  same.set(d.lookAt.eq(dueAt));
  const here = kinds.map(k =>
      node(comes.valid.and(comes.at.eq(dueAt)).and(isKind(comes.slow, k)), { name: `comes_to_due_${k}` }),
    ),
    [hereFast, hereSlow] = here as [Bit, Bit];
  // The memory is read before it is known which one is first.
  const third = links.behindNow(
    "third",
    mux(began.slow, slowLine.next.id, fastLine.next.id),
    mux(began.slow, slow.last, fast.last),
    ifHere(mux(began.slow, hereSlow, hereFast), comes),
  );
  return kinds.map(k => {
    const { first, last, link } = looked[k] as Looked,
      line = lines[k] as Settling,
      comesHere = here[k] as Bit,
      again = node(began.valid.and(same).and(isKind(began.slow, k)), { name: `again_${k}` });
    const next = either(again, third, links.behind(`due_${k}`, first.id, last, ifHere(comesHere, comes), link));
    line.keeps(either(again, line.next, first), next, mux(comesHere, comes.id, last));
    return next;
  });
}

/** One of two entries. */
const either = (which: Bit, a: Entry, b: Entry): Entry => ({
  id: mux(which, a.id, b.id),
  run: mux(which, a.run, b.run),
});
