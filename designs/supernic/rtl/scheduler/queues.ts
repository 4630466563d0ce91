import {
  assertAlways,
  bit,
  type Bit,
  cat,
  decode,
  input,
  type Inside,
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
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { type AtSlots, mayStart, usersAt } from "./for-the-turn.ts";
import { Choice } from "./pick-turn.ts";
import { type Queue, queueOf, runOf } from "./queue.ts";
import { dueOf, type Freed, freesOf, lookUp, type Settles, settlesOf } from "./queue-change.ts";
import { type Comes, type Ends, endsOf, type Entry, isKind, kinds, linksOf, placeOf, placesOf } from "./queue-lists.ts";
import { AtQueue, branchIdBits, Queued, queueUserBits, regionBits } from "./records.ts";
import { Candidate, Starting } from "./reserve.ts";
import { ofNumber } from "./turn.ts";

/** Cycles between two looks at how long candidates have waited. */
const lookEvery = 16;

/** A branch that starts: with `slots`, and `left` to go through afterwards. */
export const Started = (p: DeviceSizes) =>
  struct({
    valid: bit,
    id: uint(branchIdBits(p)),
    region: uint(regionBits(p)),
    slots: uint(p.slots),
    left: uint(p.slots),
  });
/** A branch's number. */
export const idOf = (ctx: UInt, branch: UInt): UInt => cat(branch, ctx);

export const queuesPorts = (p: DeviceSizes) => ({
  push: input(Queued(p)),
  stop: input(AtQueue(p)),
  free: input(AtQueue(p)),
  open: input(uint(p.regions)),
  busy: input(vec(uint(p.slots), p.regions)),
  has: input(vec(uint(p.slots), p.regions)),
  /** Slots that are busy, or without a credit. */
  lacks: input(vec(uint(p.slots), p.regions)),
  ready: output(vec(uint(p.users), p.regions * p.slots)),
  more: output(vec(uint(p.users), p.regions * p.slots)),
  waits: output(vec(uint(p.users), p.regions * p.slots)),
  choice: input(Choice(p)),
  found: output(vec(Candidate(p), 2)),
  start: input(Starting(p)),
  started: output(Started(p)),
});

/**
 * The queues of the scheduler: for each user and region one of fast and one of slow DAGs (docs/supernic/scheduler.md,
 * rules 2 to 4). A FIFO of branches. One that stops short stays first, and holds the others back: it is `away` until it
 * `stops`, and is `free`d when it was dropped on its way.
 *
 * `ready`, `more` and `waits` show the queues as they are, for the turn; `found` those of the `choice`. `start` takes
 * the candidate, and `started` tells it a cycle later: in that cycle the queue changes. Latency 1 from `push` to
 * `ready`, 2 from `start`; initiation interval 1 for all, starts of one queue back to back included. Nothing waits;
 * each branch is in one queue at most, so there is room. Patience ends 32 to 48 cycles after a candidate became one.
 * Reset: all queues are empty.
 *
 * Registers hold the run of each queue's first one, all else is read for who is chosen. A start that is not written
 * yet is made good for a choice of the same queue, whether that is looked up or due; `next` is who is first behind the
 * start of the choice that is due. Who is freed takes the way of a choice: for that nobody is `ready` for a cycle.
 */
export const Queues = module("Queues", queuesPorts, (io, p) => void openQueues(io, p));
/** The hardware of the queues. Gives what is in it: the proof says what each register and memory holds. */
export function openQueues(io: Inside<ReturnType<typeof queuesPorts>>, p: DeviceSizes) {
  const { push, start } = io;
  const comes: Comes = {
    valid: push.valid,
    at: placeOf(push.region, push.user),
    slow: push.slow,
    id: idOf(push.ctx, push.branch),
    run: push.run,
  };
  const freeing = freesOf(p, io.free),
    at = node(mux(freeing.looked.valid, freeing.looked.at, placeOf(io.choice.region, io.choice.user)), {
      name: "look_at",
    }),
    // A choice is due in the cycle behind its look-up.
    dueAt = reg(uint(regionBits(p) + queueUserBits(p)), { name: "due_at" });
  dueAt.set(at);
  assertAlways(freeing.looked.valid.not().or(io.choice.valid.not()), "nobody is looked up with one that is freed");
  assertAlways(freeing.due.valid.not().or(start.valid.not()), "nobody starts while one is freed");
  const settles = settlesOf(p, start, freeing.due, dueAt, comes),
    queues = queuesOf(p, { comes, settles, stop: io.stop });

  // Who is first, and who is behind him: looked up with the choice, and made good when it is due.
  const links = linksOf(p),
    chosen = placeOf(io.choice.region, io.choice.user),
    ends = kinds.map(k => endsOf(nameOf(k), p));
  const looked = kinds.map(k => {
    const of = (value: (q: Queue) => UInt): UInt => ofPlaces(p, chosen, queues[k] as readonly Queue[], value),
      there = node(of(q => q.any.andNot(q.away)).bit(0), { name: `is_there_${k}` });
    return {
      ...lookUp(k, p, { ends: ends[k] as Ends, links, at, there, comes, settles }),
      over: of(q => q.over).bit(0),
    };
  });
  const nexts = dueOf({ comes, lookAt: at, dueAt, looked, links, settles });
  looked.forEach(({ run, over, touched }, k) =>
    io.found.at(k).set({ run, over: over.andNot(touched), next: (nexts[k] as Entry).run }),
  );
  settles.lines.forEach((line, k) => (ends[k] as Ends).goes(line.changes, settles.at, line.then));
  io.started.set(settles.started);

  // Who comes is linked behind the last one, or is the first.
  const full = kinds.map(k =>
    node(
      ofPlaces(p, comes.at, queues[k] as readonly Queue[], q => q.any),
      { name: `comes_to_full_${k}` },
    ),
  );
  kinds.forEach(k => (ends[k] as Ends).comes(comes.valid.and(isKind(comes.slow, k)), (full[k] as Bit).not(), comes));
  // Named: an address that reads memories by itself makes Yosys take these for registers.
  const last = node(mux(comes.slow, (ends[1] as Ends).last(comes.at), (ends[0] as Ends).last(comes.at)), {
      name: "last_there",
    }),
    isFull = mux(comes.slow, full[1] as Bit, full[0] as Bit);
  links.write(comes.valid.and(isFull), last, comes);

  // For the turn: who may start at which slot, and who waits there, a cycle late.
  for (let r = 0; r < p.regions; r++) {
    const region = {
      busy: io.busy.at(r),
      has: io.has.at(r),
      lacks: io.lacks.at(r),
      open: io.open.bit(r).andNot(freeing.masks),
    };
    const users = Array.from({ length: p.users }, (_, u) =>
      kinds.map(k => mayStart(`${nameOf(k)}_${r}_${u}`, (queues[k] as Queue[])[r * p.users + u] as Queue, region)),
    );
    for (let s = 0; s < p.slots; s++) {
      const i = r * p.slots + s,
        at = (of: (q: AtSlots) => UInt): UInt =>
          usersAt(
            s,
            users.map(u => u.map(of)),
          ).is(p.users);
      const waits = reg(uint(p.users), { init: 0, name: `waits_${i}_q` });
      waits.set(at(q => q.waits));
      io.ready.at(i).set(at(q => q.ready));
      io.more.at(i).set(at(q => q.more));
      io.waits.at(i).set(waits);
    }
  }
  return { freeing, dueAt, settles, queues, ends, links, looked };
}

/** What becomes of each queue in this cycle, by kind, region and user. */
function queuesOf(
  p: DeviceSizes,
  { comes, settles, stop }: { readonly comes: Comes; readonly settles: Settles; readonly stop: Freed },
): readonly (readonly Queue[])[] {
  const n = placesOf(p),
    timer = reg(uint(Math.log2(lookEvery)), { init: 0, name: "timer" });
  timer.set(timer.add(1));
  const look = node(timer.all(), { name: "look" }),
    comesAt = decode(comes.at, n),
    settlesAt = decode(settles.at, n),
    stopsAt = decode(placeOf(stop.queue.region, stop.queue.user), n),
    run = runOf("comes", comes.run);
  const of = (where: UInt, valid: Bit): UInt => where.and(repeat(valid, n));
  return kinds.map(k => {
    const line = settles.lines[k] as (typeof settles.lines)[number],
      then = runOf(`then_${k}`, line.then.run),
      come = of(comesAt, comes.valid.and(isKind(comes.slow, k))),
      changes = of(settlesAt, line.changes),
      stops = of(stopsAt, stop.valid.and(isKind(stop.queue.slow, k))),
      { short, two } = line;
    return placesIn(p).map(({ region, user, place }) =>
      queueOf(`${nameOf(k)}_${region}_${user}`, p.slots, {
        comes: come.bit(place),
        run,
        changes: changes.bit(place),
        then,
        two,
        short,
        stops: stops.bit(place),
        look,
      }),
    );
  });
}

/** The queues of one kind, by region and then user. */
const placesIn = (p: DeviceSizes) =>
  Array.from({ length: p.regions * p.users }, (_, i) => {
    const region = Math.floor(i / p.users),
      user = i % p.users;
    return { region, user, place: region * 2 ** queueUserBits(p) + user };
  });

const nameOf = (k: number): string => (k === 1 ? "slow" : "fast");
/** What the queue at a place has. */
const ofPlaces = (p: DeviceSizes, at: UInt, list: readonly Queue[], value: (q: Queue) => UInt): UInt => {
  const users = 2 ** queueUserBits(p),
    // Places of users that there are not are never asked for.
    all = Array.from({ length: p.regions * users }, (_, i) => {
      const q = list[Math.floor(i / users) * p.users + Math.min(i % users, p.users - 1)];
      return value(q as Queue);
    });
  return ofNumber(at, all);
};
