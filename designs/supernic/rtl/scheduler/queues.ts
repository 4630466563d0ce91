import {
  assertAlways,
  bit,
  type Bit,
  cat,
  decode,
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
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { type AtSlots, mayStart, usersAt } from "./for-the-turn.ts";
import { Choice } from "./pick-turn.ts";
import { type Queue, queueOf, runOf } from "./queue.ts";
import { type Comes, endsOf, type Entry, ifHere, isKind, linksOf, placeOf, placesOf, Waiting } from "./queue-lists.ts";
import { AtQueue, branchIdBits, Queued, queueUserBits, regionBits } from "./records.ts";
import { Candidate, Starting } from "./reserve.ts";
import { ofNumber } from "./turn.ts";

/** Cycles between two looks at how long candidates have waited. */
const lookEvery = 16;
/** Cycles from `ready` to the look-up of who is chosen, and to the start. */
const toChoice = 3;
const kinds = [0, 1] as const;

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

/**
 * The queues of the scheduler: for each user and region one of fast and one of slow DAGs (docs/supernic/scheduler.md,
 * rules 2 to 4). A FIFO of branches. One that stops short stays first, and holds the others back: it is `away` until it
 * `stops`, and is `free`d when it was dropped on its way.
 *
 * `ready`, `more` and `waits` show the queues as they are, for the turn; `found` those of the `choice`. `start` takes
 * the candidate, and `started` tells it a cycle later. Latency 1 from `push` to `ready`; initiation interval 1 for all,
 * starts of one queue back to back included. Nothing waits; each branch is in one queue at most, so there is room.
 * Patience ends 32 to 48 cycles after a candidate became one. Reset: all queues are empty.
 *
 * Registers hold the run of each queue's first one, all else is read for who is chosen. A start of the same queue in
 * the cycle of the look-up is made good when the choice is due; `next` is who is first behind that start. Who is freed
 * takes the way of a choice: for that nobody is `ready` for a cycle.
 */
export const Queues = module(
  "Queues",
  (p: DeviceSizes) => ({
    push: input(Queued(p)),
    stop: input(AtQueue(p)),
    free: input(AtQueue(p)),
    open: input(uint(p.regions)),
    busy: input(vec(uint(p.slots), p.regions)),
    has: input(vec(uint(p.slots), p.regions)),
    ready: output(vec(uint(p.users), p.regions * p.slots)),
    more: output(vec(uint(p.users), p.regions * p.slots)),
    waits: output(vec(uint(p.users), p.regions * p.slots)),
    choice: input(Choice(p)),
    found: output(vec(Candidate(p), 2)),
    start: input(Starting(p)),
    started: output(Started(p)),
  }),
  (io, p) => {
    const n = placesOf(p),
      { push, start } = io;
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
    assertAlways(freeing.due.valid.not().or(start.valid.not()), "nobody starts while one is freed");

    // Who is first, and who is behind him: looked up with the choice, and made good when it is due.
    const links = linksOf(p),
      ends = kinds.map(k => endsOf(nameOf(k), p)),
      looked = kinds.map(k => lookUp(k, p, ends[k] as Ends, at, comes)),
      change = changeOf(p, { comes, lookAt: at, dueAt, start, freeing, looked, links });
    kinds.forEach(k => (ends[k] as Ends).goes(change.pops[k] as Bit, dueAt, (change.next[k] as Entry).id));

    // The queues themselves.
    const timer = reg(uint(Math.log2(lookEvery)), { init: 0, name: "timer" });
    timer.set(timer.add(1));
    const look = node(timer.all(), { name: "look" }),
      comesAt = decode(comes.at, n),
      changesAt = decode(dueAt, n),
      countsAt = decode(change.behind.at, n),
      stopsAt = decode(placeOf(io.stop.queue.region, io.stop.queue.user), n);
    const of = (k: number, where: UInt, valid: Bit, slow: Bit): UInt =>
      where.and(repeat(valid.and(isKind(slow, k)), n));
    const run = runOf("comes", comes.run),
      left = runOf("left", change.started.left);
    const queues = kinds.map(k => {
      const next = runOf(`next_${k}`, (change.next[k] as Entry).run),
        come = of(k, comesAt, comes.valid, comes.slow),
        pops = changesAt.and(repeat(change.pops[k] as Bit, n)),
        short = changesAt.and(repeat(change.short[k] as Bit, n)),
        counts = of(k, countsAt, change.behind.valid, change.behind.slow),
        trims = of(k, countsAt, change.behind.short, change.behind.slow),
        stops = of(k, stopsAt, io.stop.valid, io.stop.queue.slow);
      return placesIn(p).map(({ region, user, place }) =>
        queueOf(`${nameOf(k)}_${region}_${user}`, p.slots, {
          comes: come.bit(place),
          run,
          pops: pops.bit(place),
          next,
          short: short.bit(place),
          trims: trims.bit(place),
          left,
          stops: stops.bit(place),
          counts: counts.bit(place),
          two: change.behind.two,
          look,
        }),
      );
    });

    // Who comes is linked behind the last one, or is the first.
    const full = kinds.map(k =>
      node(
        ofPlaces(p, comes.at, queues[k] as readonly Queue[], q => q.any),
        { name: `comes_to_full_${k}` },
      ),
    );
    kinds.forEach(k => {
      const mine = comes.valid.and(isKind(comes.slow, k));
      (ends[k] as Ends).comes(mine, (full[k] as Bit).not(), comes.at, comes.id);
    });
    // Named: an address that reads memories by itself makes Yosys take these for registers.
    const last = node(mux(comes.slow, (ends[1] as Ends).last(comes.at), (ends[0] as Ends).last(comes.at)), {
        name: "last_there",
      }),
      isFull = mux(comes.slow, full[1] as Bit, full[0] as Bit);
    links.write(comes.valid.and(isFull), last, comes);

    // For the turn: who may start at which slot, and who waits there, a cycle late.
    for (let r = 0; r < p.regions; r++) {
      const busy = io.busy.at(r),
        has = io.has.at(r),
        lacks = node(busy.or(has.not()), { name: `lacks_${r}` }),
        region = { busy, has, lacks, open: io.open.bit(r).andNot(freeing.masks) };
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
    const chosen = placeOf(io.choice.region, io.choice.user);
    const candidates = kinds.map(k => {
      const of = (value: (q: Queue) => UInt): UInt => ofPlaces(p, chosen, queues[k] as readonly Queue[], value),
        here = repeat(of(q => q.away).not(), p.slots),
        run = node(of(q => q.first).and(here), { name: `candidate_${k}` });
      io.found.at(k).set({ run, over: of(q => q.over), next: (change.next[k] as Entry).run });
      return run;
    });
    change.candidates(candidates);
    io.started.set(change.started);
  },
);
type Ends = ReturnType<typeof endsOf>;
type Looked = ReturnType<typeof lookUp>;

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

/** Who is freed goes the way of a choice, from the cycle in which nobody is ready to the one in which it is due. */
function freesOf(p: DeviceSizes, free: Freed) {
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
  return { masks: first.valid, looked, due };
}
interface Freed {
  readonly valid: Bit;
  readonly queue: { readonly region: UInt; readonly user: UInt; readonly slow: Bit };
}

/** The first and the last of a queue, in registers as they were a cycle before; who comes in that cycle is the last. */
function lookUp(k: number, p: DeviceSizes, ends: Ends, at: UInt, comes: Comes) {
  const name = nameOf(k),
    id = uint(branchIdBits(p)),
    mine = node(comes.valid.and(comes.at.eq(at)).and(isKind(comes.slow, k)), { name: `comes_to_${name}` }),
    first = reg(id, { name: `${name}_first_id` }),
    last = reg(id, { name: `${name}_last_id` });
  first.set(ends.first(at));
  last.set(mux(mine, comes.id, ends.last(at)));
  return { first, last };
}

interface Due {
  readonly comes: Comes;
  readonly lookAt: UInt;
  readonly dueAt: UInt;
  readonly start: {
    readonly valid: Bit;
    readonly slow: Bit;
    readonly short: Bit;
    readonly slots: UInt;
    readonly region: UInt;
  };
  readonly freeing: ReturnType<typeof freesOf>;
  readonly looked: readonly Looked[];
  readonly links: ReturnType<typeof linksOf>;
}
/** What the choice that is due changes, by kind. */
function changeOf(p: DeviceSizes, d: Due) {
  const { comes, lookAt, dueAt, start, freeing, looked } = d,
    began = reg(struct({ valid: bit, slow: bit }), { init: { valid: 0 }, name: "began" }),
    same = reg(bit, { name: "same_queues" });
  began.set({ valid: start.valid, slow: start.slow });
  same.set(lookAt.eq(dueAt));
  // Who was first behind the start of the cycle before: the look-up does not know of it.
  const Changed = struct({
      valid: bit,
      at: uint(dueAt.width),
      slow: bit,
      short: bit,
      first: Waiting(p),
      last: uint(branchIdBits(p)),
    }),
    changed = reg(Changed, { init: { valid: 0, short: 0 }, name: "changed" });

  const candidates = kinds.map(k => reg(uint(p.slots), { name: `candidate_${k}_q` })),
    pops: Bit[] = [],
    short: Bit[] = [],
    nexts: Entry[] = [],
    ids: UInt[] = [],
    lefts: UInt[] = [],
    newLast: UInt[] = [];
  const here = kinds.map(k =>
    node(comes.valid.and(comes.at.eq(dueAt)).and(isKind(comes.slow, k)), { name: `comes_to_due_${k}` }),
  );
  // Behind each that may be first: the memory is read before it is known who is.
  const [fastLast, slowLast] = [(looked[0] as Looked).last, (looked[1] as Looked).last],
    [hereFast, hereSlow] = here as [Bit, Bit],
    third = d.links.behind(
      "third",
      changed.first.id,
      mux(began.slow, slowLast, fastLast),
      ifHere(mux(began.slow, hereSlow, hereFast), comes),
    );
  kinds.forEach(k => {
    const { first, last } = looked[k] as Looked,
      again = node(began.valid.and(same).and(isKind(began.slow, k)), { name: `again_${k}` }),
      comesHere = here[k] as Bit,
      id = mux(again, changed.first.id, first),
      next = either(again, third, d.links.behind(`due_${k}`, first, last, ifHere(comesHere, comes))),
      run = mux(again, changed.first.run, candidates[k] as UInt),
      left = run.andNot(start.slots),
      starts = node(start.valid.and(isKind(start.slow, k)), { name: `starts_${k}` }),
      frees = node(freeing.due.valid.and(isKind(freeing.due.slow, k)), { name: `frees_${k}` });
    ids.push(id);
    newLast.push(mux(comesHere, comes.id, last));
    lefts.push(left);
    short.push(node(starts.and(start.short), { name: `short_${k}` }));
    pops.push(node(starts.andNot(start.short).or(frees), { name: `pops_${k}` }));
    nexts.push(next);
  });

  // A cycle later: whether there is one behind who is first now.
  const isSlow = node(mux(freeing.due.valid, freeing.due.slow, start.slow), { name: "is_slow" });
  changed.set({
    valid: (pops[0] as Bit).or(pops[1] as Bit),
    short: start.valid.and(start.short),
    at: dueAt,
    slow: isSlow,
    first: either(isSlow, nexts[1] as Entry, nexts[0] as Entry),
    last: mux(isSlow, newLast[1] as UInt, newLast[0] as UInt),
  });
  const joins = comes.valid.and(comes.at.eq(changed.at)).and(comes.slow.eq(changed.slow)),
    two = node(changed.first.run.any().and(changed.first.id.ne(changed.last).or(joins)), { name: "there_are_two" });

  const started = reg(Started(p), { init: { valid: 0 }, name: "started_q" });
  started.set({
    valid: start.valid,
    id: mux(start.slow, ids[1] as UInt, ids[0] as UInt),
    region: start.region,
    slots: start.slots,
    left: mux(start.slow, lefts[1] as UInt, lefts[0] as UInt),
  });
  return {
    pops,
    short,
    next: nexts,
    /** A cycle later. */
    behind: {
      valid: changed.valid,
      short: changed.short,
      at: changed.at,
      slow: changed.slow,
      two,
    },
    started,
    /** The candidates of the choice, by kind: they are due a cycle later. */
    candidates: (runs: readonly UInt[]): void => runs.forEach((run, k) => candidates[k]?.set(run)),
  };
}
/** One of two entries. */
const either = (which: Bit, a: Entry, b: Entry): Entry => ({
  id: mux(which, a.id, b.id),
  run: mux(which, a.run, b.run),
});
