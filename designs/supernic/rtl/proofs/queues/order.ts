/**
 * The queues of the scheduler, whoever is chosen and started: a branch that is pushed starts once, behind all that were
 * in its queue before it. One that stops short holds its queue: nobody of it starts until it is back and has started
 * whole, or is freed. A user's fast and slow queue are lists in the model, and what starts must be the first of its
 * list. Contexts are used again at once. What starts is any part of what the queues show, as the decision would look it
 * up.
 *
 * What each register and memory of the queues holds is said in places of these lists. So each cycle follows from the
 * one before.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  decode,
  hasPast,
  input,
  module,
  mux,
  node,
  past,
  type Proof,
  reg,
  repeat,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../../inside/index.ts";
import { Candidate, openQueues, queuesPorts } from "../../scheduler/index.ts";

const BITS = 2,
  CONTEXTS = 2 ** BITS,
  sizes: DeviceSizes = {
    ports: 2,
    users: 1,
    contexts: CONTEXTS,
    cells: 4,
    regions: 1,
    slots: 2,
    branches: 1,
    credits: 2,
    rules: 4,
    macs: 4,
    frameBytes: 128,
  },
  COUNT = BITS + 1,
  /** Cycles from one that is freed to the cycle in which it is out of its queue, and those of which is known more. */
  LEAVES = 7,
  LOOKED = LEAVES - 3,
  GONE = LEAVES - 5;

const implies = (a: Bit, b: Bit): Bit => a.not().or(b);
/** One who waits. */
interface One {
  readonly id: UInt;
  readonly run: UInt;
}
const isOne = (a: One, b: One): Bit => a.id.eq(b.id.zext(a.id.width)).and(a.run.eq(b.run));

/** A queue as a list. What happens is said later, as it depends on what is in it. */
function listOf(k: number) {
  const many = reg(uint(COUNT), { init: 0, name: `model_many_${k}` }),
    list = Array.from({ length: CONTEXTS }, (_, i) => ({
      id: reg(uint(BITS), { name: `model_id_${k}_${i}` }),
      run: reg(uint(sizes.slots), { name: `model_run_${k}_${i}` }),
    })),
    away = reg(bit, { init: 0, name: `model_away_${k}` });
  const [first, second] = list as [(typeof list)[number], (typeof list)[number]];
  /** `left`: what is left of the first one's run, if it stops short. */
  const step = (comes: Bit, one: One, goes: Bit, short: Bit, left: UInt): void => {
    const end = node(many.sub(goes.zext(COUNT)), { name: `model_end_${k}` });
    many.set(end.add(comes.zext(COUNT)));
    list.forEach((e, i) => {
      const next = list[i + 1];
      when(comes.and(end.eq(i)), () => {
        e.id.set(one.id);
        e.run.set(one.run);
      }).elseWhen(goes, () => {
        if (next === undefined) return;
        e.id.set(next.id);
        e.run.set(next.run);
      });
    });
    when(short, () => {
      first.run.set(left);
      away.set(1);
    });
  };
  const has = (id: UInt): Bit =>
    list.map((e, i) => many.gt(i).and(e.id.eq(id))).reduce<Bit>((a, b) => a.or(b), constant(0, 1));
  return { many, list, first, second, away, step, has };
}
type List = ReturnType<typeof listOf>;
type InQueues = ReturnType<typeof openQueues>;

/** What the queues' registers and memories hold, in places of the list. */
function holds(k: number, { queues, ends, links, looked, settles }: InQueues, q: List, leaves: Bit, due: Bit): void {
  const here = queues[k]?.[0],
    end = ends[k],
    look = looked[k],
    line = settles.lines[k];
  if (here === undefined || end === undefined || look === undefined || line === undefined)
    throw new RangeError("two kinds of queues");
  const { many, list, first, second } = q,
    some = many.any(),
    zero = constant(0, 2),
    away = q.away.or(leaves),
    last = end.last(zero),
    none = constant(0, sizes.slots);
  assertAlways(here.first.eq(mux(some, first.run, none)), `the run of queue ${k} is that of its first one`);
  assertAlways(here.two.eq(many.gt(1)), `queue ${k} knows whether there are two`);
  assertAlways(here.away.eq(away), `queue ${k} is held while its first one is away, or is freed`);
  assertAlways(implies(away, some), `who is away is in queue ${k}`);
  assertAlways(q.away.and(leaves).not(), `who is freed is not on its way to queue ${k}`);
  assertAlways(implies(some, isOne(end.first(zero), first)), `the first one of queue ${k} is where it is looked for`);
  list.forEach((e, i) => {
    assertAlways(implies(many.gt(i), e.run.any()), `who is ${i} in queue ${k} has a slot to go to`);
    assertAlways(implies(many.eq(i + 1), last.eq(e.id.zext(last.width))), `${i} is the last one of queue ${k}`);
    const next = list[i + 1];
    if (next === undefined) return;
    links.copies.forEach((c, n) =>
      assertAlways(
        implies(many.gt(i + 1), isOne(c.readAsync(e.id.zext(last.width)), next)),
        `link ${n} of ${i} in queue ${k} is to the one behind it`,
      ),
    );
  });

  // Looked up a cycle ago.
  const ran = hasPast(1);
  assertAlways(implies(ran, look.last.eq(last)), `the last one that was looked up is that of queue ${k}`);
  const link = links.copies[1].readAsync(look.first.id);
  assertAlways(implies(ran, isOne(look.link, link)), `the link that was looked up is there in queue ${k}`);
  assertAlways(
    implies(ran.and(look.first.run.any()), some.andNot(away).and(isOne(look.first, first))),
    `who was found in queue ${k} is its first one`,
  );
  assertAlways(
    implies(leaves.and(due), look.first.id.eq(first.id.zext(last.width))),
    `who is freed was looked up in queue ${k}`,
  );

  // What changes in this cycle.
  const { changes, short } = line,
    behind = mux(many.gt(1), isOne(line.next, second), line.next.run.any().not());
  assertAlways(implies(changes, some.and(behind)), `who is behind the first one of queue ${k} is known when it goes`);
  assertAlways(implies(changes, line.last.eq(last)), `the last one of queue ${k} is known when one goes`);
  assertAlways(
    implies(settles.began.valid.and(settles.began.slow.eq(k)), isOne(line.first, first).andNot(away)),
    `who starts of queue ${k} is its first one, and not away`,
  );
  assertAlways(
    implies(changes.andNot(short).andNot(leaves), settles.began.slots.eq(first.run)),
    `who goes out of queue ${k} starts with its run`,
  );
  assertAlways(
    implies(short, settles.began.slots.any().and(first.run.andNot(settles.began.slots).any())),
    `who stops short in queue ${k} has some left`,
  );
}

const harness = module(
  "QueueOrderProof",
  () => ({
    ...queuesPorts(sizes),
    /** The branch that stopped short is back, by queue; it was dropped on its way. */
    back: input(uint(2)),
    dropped: input(bit),
  }),
  io => {
    const dut = openQueues(io, sizes),
      { push, start, stop, free, choice, started } = io,
      lists = [listOf(0), listOf(1)] as const;
    for (const { region, user } of [push, start, stop.queue, free.queue, choice])
      assumeAlways(region.any().or(user.any()).not(), "there is one region with one user");
    assumeAlways(push.branch.any().not(), "there is one branch");
    assumeAlways(io.open.any(), "the region is open");
    assumeAlways(implies(push.valid, push.run.any()), "a branch has a slot to go through");

    // What is due: what was found, and behind a start of the same queue what that left.
    const due = past(choice.valid, 1),
      began = reg(uint(2), { init: 0, name: "model_began" }),
      beganShort = reg(bit, { init: 0, name: "model_began_short" });
    const found = [0, 1].map(k => {
      const seen = reg(Candidate(sizes), { name: `model_found_${k}` });
      seen.set(io.found.at(k));
      return seen;
    });
    const [fastRun, slowRun] = found.map((seen, k) =>
      mux(began.bit(k), seen.next.and(repeat(beganShort.not(), sizes.slots)), seen.run),
    ) as [UInt, UInt];
    const run = node(mux(start.slow, slowRun, fastRun).is(sizes.slots), { name: "model_due_run" }),
      lowest = run.and(run.sub(1).not());
    assumeAlways(implies(start.valid, due.and(run.any())), "who starts was found");
    assumeAlways(implies(start.valid.and(start.short), run.all()), "who stops short has some left");
    assumeAlways(
      implies(start.valid, start.slots.eq(mux(start.short, lowest, run))),
      "who starts has its run, or the first slot of it",
    );
    began.set(mux(start.valid, decode(start.slow.zext(1), 2), constant(0, 2)));
    beganShort.set(start.short.and(start.valid));

    // One that is back goes on, or is freed; that takes some cycles.
    const leaving = reg(uint(3), { init: 0, name: "model_leaving" }),
      leavesSlow = reg(bit, { init: 0, name: "model_leaves_slow" });
    const [fastBack, slowBack] = lists.map((q, k) =>
      node(q.away.and(io.back.bit(k)), { name: `model_comes_back_${k}` }),
    ) as [Bit, Bit];
    const any = fastBack.or(slowBack),
      frees = node(any.and(io.dropped), { name: "model_frees" });
    assumeAlways(io.back.all().not(), "one comes back at a time");
    assumeAlways(stop.valid.eq(any.andNot(io.dropped)).and(free.valid.eq(frees)), "who is back goes on, or is freed");
    assumeAlways(stop.queue.slow.eq(slowBack).and(free.queue.slow.eq(slowBack)), "of its queue");
    assumeAlways(frees.and(leaving.any()).not(), "one is freed at a time");
    when(frees, () => {
      leaving.set(LEAVES);
      leavesSlow.set(slowBack);
    }).elseWhen(leaving.any(), () => leaving.set(leaving.sub(1)));
    assumeAlways(leaving.eq(LOOKED).and(choice.valid).not(), "nobody is looked up with one that is freed");

    const whole = node(started.valid.andNot(started.left.any()), { name: "model_whole" }),
      one = { id: push.ctx, run: push.run },
      isIn = node(lists[0].has(push.ctx).or(lists[1].has(push.ctx)), { name: "model_is_in" });
    assumeAlways(implies(push.valid, isIn.not()), "a branch is in one queue, and once");
    lists.forEach((q, k) => {
      const mine = node(started.valid.and(began.bit(k)), { name: `model_starts_${k}` }),
        freed = leavesSlow.eq(k).and(leaving.eq(GONE)),
        goes = node(mine.and(whole).or(freed), { name: `model_goes_${k}` }),
        short = node(mine.andNot(whole), { name: `model_short_${k}` });
      assertAlways(
        implies(mine, q.many.any().and(isOne({ id: started.id, run: started.slots.or(started.left) }, q.first))),
        `who starts of queue ${k} is its first one`,
      );
      assertAlways(implies(mine, q.away.not()), `nobody of queue ${k} starts while one of it is away`);
      when((k === 0 ? fastBack : slowBack).is(1), () => q.away.set(0));
      q.step(push.valid.and(push.slow.eq(k)), one, goes, short, started.left);
      holds(k, dut, q, leaving.ge(GONE).and(leavesSlow.eq(k)), leaving.eq(LOOKED - 1));
    });
    assertAlways(implies(started.valid, began.any()), "who starts was started");
    alike(dut, { began, beganShort, found, leaving, leavesSlow, due }, lists);
    const [fast] = lists;
    cover(
      whole
        .and(past(whole, 1))
        .and(began.bit(0))
        .and(past(began.bit(0), 1)),
      "two start behind one another",
    );
    cover(fast.many.eq(CONTEXTS).and(fast.away), "all are in a queue that is held");
    cover(leaving.eq(GONE).and(fast.many.gt(1)).andNot(leavesSlow), "one that is freed has one behind it");
  },
);

/** What the harness knows of what is under way, and what the queues know. */
interface UnderWay {
  readonly began: UInt;
  readonly beganShort: Bit;
  readonly found: readonly { readonly run: UInt; readonly next: UInt }[];
  readonly leaving: UInt;
  readonly leavesSlow: Bit;
  readonly due: Bit;
}
function alike(dut: InQueues, m: UnderWay, lists: readonly [List, List]): void {
  const { settles, freeing, dueAt, looked } = dut,
    { began, gone, lines } = settles;
  assertAlways(
    m.began
      .eq(mux(began.valid, decode(began.slow.zext(1), 2), constant(0, 2)))
      .and(m.beganShort.eq(began.valid.and(began.short))),
    "what began is what was started",
  );
  m.found.forEach((f, k) =>
    assertAlways(
      f.run.eq(looked[k]?.first.run ?? f.run.not()).and(f.next.eq(lines[k]?.next.run ?? f.next.not())),
      `what was found in queue ${k} is what is looked at`,
    ),
  );
  freeing.stages.forEach((s, i) =>
    assertAlways(
      s.valid
        .eq(m.leaving.eq(LEAVES - i))
        .and(implies(s.valid, s.slow.eq(m.leavesSlow)))
        .andNot(s.at.any()),
      `who is freed is in stage ${i}`,
    ),
  );
  assertAlways(gone.valid.eq(m.leaving.eq(GONE)).and(implies(gone.valid, gone.slow.eq(m.leavesSlow))), "and is out");
  assertAlways(implies(hasPast(1), dueAt.any().not()), "what is due is of the one user");
  assertAlways(implies(hasPast(2), settles.at.any().not()), "what changes is of the one user");
  assertAlways(implies(m.due, hasPast(1)), "who is due was looked up");
  const [fast, slow] = lists,
    busy = began.valid.or(m.leaving.any()).or(fast.away).or(slow.away);
  assertAlways(implies(busy, hasPast(2)), "what changes was looked up");
  const all = lists.flatMap(({ many, list }) => list.map((e, i) => ({ there: many.gt(i), id: e.id })));
  const pairs = all.flatMap((a, i) => all.slice(0, i).map(b => a.there.and(b.there).and(a.id.eq(b.id))));
  assertAlways(
    cat(...pairs.map(p => p.zext(1)))
      .any()
      .not(),
    "no branch is in two places",
  );
  assertAlways(fast.many.le(CONTEXTS).and(slow.many.le(CONTEXTS)), "no more are in a queue than there are");
}

const faults = [
  {
    what: "a start just behind another one of its queue finds who was first before",
    from: "again_0 = began_valid & same_queues & ~began_slow",
    to: "again_0 = 1'b0",
  },
  {
    what: "who comes as the last one starts is lost",
    from: "push_run & {2{comes_to_due_0}}",
    to: "2'd0",
  },
  {
    what: "a queue is open although one of it has stopped short",
    from: /is_there_0 = [^;]*;/,
    to: "is_there_0 = fast_0_0_any;",
  },
  {
    what: "who comes behind another one in the cycle of the look-up is not the last",
    from: /comes_to_fast = [^;]*;/,
    to: "comes_to_fast = 1'b0;",
  },
  {
    what: "a link that is written in the cycle of its look-up is missed",
    from: "fast_link = fast_link_hit ? fast_link_fwd : fast_link_rd",
    to: "fast_link = fast_link_rd",
  },
  {
    what: "who was first when the queue was empty is first again",
    from: "fast_went_bit[settles_at] <= fast_came_bit[settles_at]",
    to: "fast_went_bit[settles_at] <= fast_came_bit[settles_at] ^ any_next_0",
  },
] as const;

export const queueOrderProofs: readonly Proof[] = [
  {
    module: "Queues, 4 contexts, 2 slots",
    harness: harness(),
    long: "minutes",
    reach: 14,
    by: "yosys sat",
    faults,
  },
];
