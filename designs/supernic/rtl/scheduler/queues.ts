import {
  bit,
  type Bit,
  cat,
  constant,
  decode,
  fromBits,
  input,
  lowestFlat,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { Choice } from "./pick-turn.ts";
import { Candidate, Starting } from "./reserve.ts";
import { AtQueue, branchIdBits, Queued, QueueName, queueUserBits, regionBits } from "./records.ts";
import { placeOf, queueLists, queuesOf, Waiting } from "./queue-ids.ts";

/** Cycles between two looks at how long candidates have waited; the third look that finds one ends its patience. */
const lookEvery = 16;
const looks = 3;

/** A branch that has stopped short and is back. */
export const Stopped = (p: DeviceSizes) => struct({ valid: bit, queue: QueueName(p), entry: Waiting(p) });
/** A branch that starts: with `slots`, and `left` to go through afterwards. */
export const Started = (p: DeviceSizes) =>
  struct({
    valid: bit,
    id: uint(branchIdBits(p)),
    region: uint(regionBits(p)),
    slots: uint(p.slots),
    left: uint(p.slots),
  });

/** What happens to a queue in a cycle. */
interface Happens {
  readonly comes: Bit;
  readonly run: UInt;
  readonly starts: Bit;
  readonly short: Bit;
  readonly third: UInt;
  readonly stops: Bit;
  readonly stoppedRun: UInt;
  readonly frees: Bit;
  readonly look: Bit;
}
/** One queue, as far as it is in registers: the runs of its first two, and of the one that stopped. */
function queueOf(name: string, slots: number, h: Happens) {
  const run = uint(slots),
    none = constant(0, slots);
  const head = reg(run, { init: 0, name: `${name}_head` }),
    next = reg(run, { init: 0, name: `${name}_next` }),
    back = reg(run, { init: 0, name: `${name}_back` }),
    hold = reg(bit, { init: 0, name: `${name}_hold` }),
    age = reg(uint(2), { init: 0, name: `${name}_age` });
  const isBack = back.any(),
    has = head.any(),
    hasNext = next.any();
  const pops = node(h.starts.andNot(isBack), { name: `${name}_pops` }),
    came = mux(h.comes, h.run, none);
  when(pops, () => {
    head.set(mux(hasNext, next, came));
    next.set(mux(hasNext, mux(h.third.any(), h.third, came), none));
  }).elseWhen(h.comes, () => {
    when(has.not(), () => head.set(h.run)).elseWhen(hasNext.not(), () => next.set(h.run));
  });
  when(h.stops, () => back.set(h.stoppedRun)).elseWhen(h.starts, () => back.set(none));
  when(h.starts, () => hold.set(h.short)).elseWhen(h.frees, () => hold.set(0));
  const candidate = node(mux(isBack, back, mux(hold, none, head)), { name: `${name}_candidate` }),
    behind = node(mux(isBack, head, next), { name: `${name}_behind` });
  when(h.starts.or(h.stops).or(candidate.any().not()), () => age.set(0)).elseWhen(h.look.and(age.ne(looks)), () =>
    age.set(age.add(1)),
  );
  return { candidate, behind, over: age.eq(looks), has, hasNext, isBack };
}

/**
 * The queues of the scheduler: for each user and region one of fast and one of slow DAGs (docs/supernic/scheduler.md,
 * rules 2 to 4). A FIFO of branches, and at most one that stopped short, which holds the FIFO back until it goes on
 * whole, or is dropped (`free`).
 *
 * `ready`, `more` and `waits` show the queues as they are, for the turn; `found` those of the `choice`. `start` takes
 * the candidate, and `started` tells it a cycle later. Latency 1 from `push` to `ready`; initiation interval 1 for all,
 * starts of one queue back to back included. Nothing waits; each branch is in one queue at most, so there is room.
 * Patience ends 32 to 48 cycles after a candidate became one. Reset: all queues are empty.
 */
export const Queues = module(
  "Queues",
  (p: DeviceSizes) => ({
    push: input(Queued(p)),
    stop: input(Stopped(p)),
    free: input(AtQueue(p)),
    open: input(uint(p.regions)),
    busy: input(vec(uint(p.slots), p.regions)),
    has: input(vec(uint(p.slots), p.regions)),
    ready: output(vec(uint(p.users), p.regions * p.slots)),
    more: output(vec(uint(p.users), p.regions * p.slots)),
    waits: output(vec(uint(p.users), p.regions * p.slots)),
    choice: input(Choice(p)),
    found: output(vec(Candidate(p), 2)),
    due: input(Choice(p)),
    start: input(Starting(p)),
    started: output(Started(p)),
  }),
  (io, p) => {
    const { push, stop, free, start } = io,
      n = queuesOf(p),
      kinds = [0, 1] as const,
      isKind = (slow: UInt<1>, k: number): Bit => (k === 1 ? slow : slow.not());
    const timer = reg(uint(Math.log2(lookEvery)), { init: 0, name: "timer" }),
      look = node(timer.all(), { name: "look" });
    timer.set(timer.add(1));

    // What the queues of the user that is due have: one of them starts, or none.
    const at = {
      push: placeOf(push.region, push.user),
      stop: placeOf(stop.queue.region, stop.queue.user),
      free: placeOf(free.queue.region, free.queue.user),
      due: placeOf(io.due.region, io.due.user),
    };
    const lists = kinds.map(k => queueLists(k === 1 ? "slow" : "fast", p)),
      had = lists.map(l => l.look(at.due)),
      third = had.map((h, k) => node(h.third.run.and(repeat(h.hasThird, p.slots)), { name: `third_${k}` }));
    const queues = kinds.map(k => {
      const comes = decode(at.push, n).and(repeat(push.valid.and(isKind(push.slow, k)), n)),
        starts = decode(at.due, n).and(repeat(start.valid.and(isKind(start.slow, k)), n)),
        stops = decode(at.stop, n).and(repeat(stop.valid.and(isKind(stop.queue.slow, k)), n)),
        frees = decode(at.free, n).and(repeat(free.valid.and(isKind(free.queue.slow, k)), n));
      const list = Array.from({ length: n }, (_, q) => {
        const region = Math.floor(q / 2 ** queueUserBits(p)),
          user = q % 2 ** queueUserBits(p);
        if (region >= p.regions || user >= p.users) return undefined;
        return queueOf(`${k === 1 ? "slow" : "fast"}_${region}_${user}`, p.slots, {
          comes: comes.bit(q),
          run: push.run,
          starts: starts.bit(q),
          short: start.short,
          third: third[k] ?? push.run,
          stops: stops.bit(q),
          stoppedRun: stop.entry.run,
          frees: frees.bit(q),
          look,
        });
      });
      return { list, comes, starts };
    });

    // The lists in memory, as the registers are.
    kinds.forEach(k => {
      const { list, comes, starts } = queues[k] as (typeof queues)[number],
        l = lists[k] as (typeof lists)[number],
        h = had[k] as (typeof had)[number];
      const some = (of: (q: NonNullable<(typeof list)[number]>) => Bit, where: UInt): Bit =>
        orTree(list.flatMap((q, i) => (q === undefined ? [] : [of(q).and(where.bit(i))])));
      const here = decode(at.push, n),
        pushes = push.valid.and(isKind(push.slow, k)),
        hasHead = node(
          some(q => q.has, here),
          { name: `push_finds_head_${k}` },
        ),
        hasNext = node(
          some(q => q.hasNext, here),
          { name: `push_finds_next_${k}` },
        ),
        popsHere = node(
          comes
            .and(starts)
            .any()
            .andNot(some(q => q.isBack, here)),
          { name: `push_meets_pop_${k}` },
        );
      const dueHas = node(
          some(q => q.hasNext, decode(at.due, n)),
          { name: `due_finds_next_${k}` },
        ),
        pops = node(starts.any().andNot(some(q => q.isBack, decode(at.due, n))), { name: `pops_${k}` });
      const entry = { id: idOf(push.ctx, push.branch), run: push.run };
      // With one that goes in the same cycle, what comes is one place further in front.
      const toHead = mux(popsHere, hasNext.not(), hasHead.not()),
        popsThird = node(h.hasThird.and(dueHas), { name: `pops_third_${k}` }),
        toNext = mux(popsHere, hasNext.andNot(popsThird), hasHead.andNot(hasNext));
      l.heads.write(
        { en: pushes.and(toHead), at: at.push, entry },
        { en: pops.and(dueHas), at: at.due, entry: { id: h.next.id, run: h.next.run } },
      );
      l.nexts.write(
        { en: pushes.and(toNext), at: at.push, entry },
        { en: pops.and(popsThird), at: at.due, entry: { id: h.third.id, run: h.third.run } },
      );
      // The last one of an empty queue may be in another queue by now.
      l.links.write(pushes.andNot(toHead), l.tails.readAsync(at.push), entry);
      l.tails.write(pushes, at.push, entry.id);
      l.stopped.write(stop.valid.and(isKind(stop.queue.slow, k)), at.stop, stop.entry);
    });

    // For the turn: who may start at which slot, and who waits there.
    const all = kinds.map(k => (queues[k] as (typeof queues)[number]).list);
    for (let r = 0; r < p.regions; r++) {
      const facts = Array.from({ length: p.users }, (_, u) =>
        all.map(list => {
          const q = list[r * 2 ** queueUserBits(p) + u];
          if (q === undefined) throw new RangeError("there is a queue for each user and region");
          const { candidate, over, behind } = q,
            first = lowestFlat(candidate),
            calm = candidate.any().andNot(candidate.and(io.busy.at(r)).any()),
            lacks = candidate.andNot(io.has.at(r)),
            may = calm
              .and(
                lacks
                  .any()
                  .not()
                  .or(over.andNot(first.and(lacks).any())),
              )
              .and(io.open.bit(r));
          return { first, calm, may, more: may.and(behind.any()) };
        }),
      );
      for (let s = 0; s < p.slots; s++) {
        const users = (of: (f: (typeof facts)[number][number]) => Bit): UInt =>
          fromBits(facts.map(two => orTree(two.map(f => of(f).and(f.first.bit(s)))))).is(p.users);
        io.ready.at(r * p.slots + s).set(users(f => f.may));
        io.more.at(r * p.slots + s).set(users(f => f.more));
        io.waits.at(r * p.slots + s).set(users(f => f.calm));
      }
    }
    const chosen = decode(placeOf(io.choice.region, io.choice.user), n);
    kinds.forEach(k => {
      const list = all[k] ?? [],
        of = <T>(f: (q: NonNullable<(typeof list)[number]>) => T): T => {
          const there = list.flatMap((q, i) => (q === undefined ? [] : [{ q, is: chosen.bit(i) }]));
          return onehotMux(
            there.map(t => t.is),
            there.map(t => f(t.q)),
          ) as T;
        };
      io.found.at(k).set({ run: of(q => q.candidate), over: of(q => q.over), next: of(q => q.behind) });
    });

    // Who has started.
    const ofDue = kinds.map(k => {
      const h = had[k] as (typeof had)[number],
        list = all[k] ?? [],
        isBack = orTree(list.flatMap((q, i) => (q === undefined ? [] : [q.isBack.and(decode(at.due, n).bit(i))])));
      return { id: mux(isBack, h.stopped.id, h.head.id), run: mux(isBack, h.stopped.run, h.head.run) };
    }) as [{ id: UInt; run: UInt }, { id: UInt; run: UInt }];
    const started = reg(Started(p), { init: { valid: 0 }, name: "started_q" });
    started.set({
      valid: start.valid,
      id: mux(start.slow, ofDue[1].id, ofDue[0].id),
      region: start.region,
      slots: start.slots,
      left: mux(start.slow, ofDue[1].run, ofDue[0].run).andNot(start.slots),
    });
    io.started.set(started);
  },
);

/** A branch's number. */
export const idOf = (ctx: UInt, branch: UInt): UInt => cat(branch, ctx);
