/**
 * The queues of the scheduler, whoever is chosen and started: a branch that is pushed starts once, behind all that were
 * in its queue before it. One that stops short holds its queue: nobody of it starts until it is back and has started
 * whole, or is freed. One branch of a fast queue is watched, its user's slow queue is used beside it, and contexts are
 * used again at once. What starts is any part of what the queues show, as the decision would look it up.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  decode,
  input,
  type Inside,
  instance,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  repeat,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { Candidate, Queues } from "../scheduler/index.ts";

const sizes = {
    ports: 2,
    users: 1,
    cells: 4,
    regions: 1,
    slots: 2,
    branches: 1,
    credits: 2,
    rules: 4,
    macs: 4,
    frameBytes: 128,
  } as const,
  COUNT = 3,
  /** Cycles from one that is freed to the cycle in which nobody starts for it. */
  FREED = 5;

const ports = (p: { readonly contexts: number }) => ({
  comes: input(bit),
  ctx: input(uint(Math.log2(p.contexts))),
  slow: input(bit),
  run: input(uint(sizes.slots)),
  marks: input(bit),
  chosen: input(bit),
  starts: input(bit),
  startsSlow: input(bit),
  /** It starts with its first slot only. */
  short: input(bit),
  /** The branch that stopped short is back, by queue; it was dropped on its way. */
  back: input(uint(2)),
  dropped: input(bit),
  started: output(bit),
});

/** What is asked of the watched queue: who starts, is gone whole, stops short, or is freed. */
interface Watched {
  readonly isHere: Bit;
  readonly starts: Bit;
  readonly isMine: Bit;
  readonly who: UInt;
  readonly whole: Bit;
  readonly stopsShort: Bit;
  readonly freed: Bit;
}
/** Order, in the queue that is watched: any one that enters it is counted down by those before it. */
function orderOf(
  io: Inside<ReturnType<typeof ports>>,
  { isHere, starts, isMine, who, whole, stopsShort, freed }: Watched,
): void {
  const many = reg(uint(COUNT), { init: 0, name: "model_many" }),
    been = reg(bit, { init: 0, name: "model_been" }),
    there = reg(bit, { init: 0, name: "model_there" }),
    marked = reg(uint(who.width), { name: "model_marked" }),
    ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" });
  const ofMine = node(starts.and(isMine), { name: "model_of_mine" }),
    leaves = node(ofMine.and(whole).or(freed), { name: "model_leaves" }),
    turn = node(there.andNot(ahead.any()), { name: "model_turn" });
  many.set(many.add(isHere.zext(COUNT)).sub(leaves.zext(COUNT)));
  const marks = node(isHere.and(io.marks).andNot(been), { name: "model_marks" });
  when(marks, () => {
    been.set(1);
    there.set(1);
    marked.set(io.ctx);
    ahead.set(many.sub(leaves.zext(COUNT)));
  }).elseWhen(leaves, () => {
    there.set(there.andNot(turn));
    ahead.set(ahead.sub(there.andNot(turn).zext(COUNT)));
  });
  const isMarked = node(starts.and(who.eq(marked)).and(there), { name: "model_is_marked" });
  assertAlways(isMarked.eq(ofMine.and(turn)), "the one that is watched starts when all before it are gone");
  cover(whole.and(past(whole, 1)).and(ofMine), "two start behind one another");
  cover(isMarked.and(whole).and(past(stopsShort, 3)), "one that stopped short starts again");
}

const harness = module("QueueOrderProof", ports, (io, { contexts }) => {
  const BITS = Math.log2(contexts),
    all: DeviceSizes = { ...sizes, contexts },
    queues = instance("queues", Queues(all));
  queues.push.set({
    valid: io.comes,
    ctx: io.ctx,
    branch: 0,
    region: 0,
    user: 0,
    slow: io.slow,
    run: io.run,
    arg: 0,
    group: 0,
  });
  queues.open.set(1);
  queues.busy.at(0).set(0);
  queues.has.at(0).set(3);
  queues.lacks.at(0).set(0);
  queues.choice.set({ valid: io.chosen, region: 0, slot: 0, user: 0 });
  assumeAlways(io.comes.not().or(io.run.any()), "a branch has a slot to go through");

  // What is due: what was found, and behind a start of the same queue what that left.
  const due = past(io.chosen, 1),
    began = reg(uint(2), { init: 0, name: "model_began" }),
    beganShort = reg(bit, { init: 0, name: "model_began_short" });
  const runOf = (k: number): UInt => {
    const found = reg(Candidate(all), { name: `model_found_${k}` });
    found.set(queues.found.at(k));
    return mux(began.bit(k), found.next.and(repeat(beganShort.not(), sizes.slots)), found.run);
  };
  const run = node(mux(io.startsSlow, runOf(1), runOf(0)).is(sizes.slots), { name: "model_run" }),
    first = run.and(run.sub(1).not()),
    isShort = node(io.short.and(run.all()), { name: "model_short" }),
    begins = node(io.starts.and(due).and(run.any()), { name: "model_begins" });
  began.set(mux(begins, decode(io.startsSlow.zext(1), 2), constant(0, 2)));
  beganShort.set(isShort);
  queues.start.set({
    valid: begins,
    region: 0,
    user: 0,
    slow: io.startsSlow,
    slots: mux(isShort, first, run),
    short: isShort,
  });
  const { started } = queues;
  io.started.set(started.valid);

  // Who is in a queue, and in which.
  const none = constant(0, contexts),
    one = (is: UInt, who: UInt): UInt => mux(is.bit(0), decode(who, contexts), none);
  const who = node(started.id.bits(0, BITS), { name: "model_who" }),
    whole = node(started.valid.andNot(started.left.any()), { name: "model_whole" }),
    stopsShort = node(started.valid.and(started.left.any()), { name: "model_stops_short" });
  const queued = reg(uint(contexts), { init: 0, name: "model_queued" }),
    mine = reg(uint(contexts), { init: 0, name: "model_mine" });
  const isHere = node(io.comes.andNot(io.slow), { name: "model_enters" }),
    isMine = mine.shr(who).bit(0);
  const awayOf = (k: number) => {
    const away = reg(bit, { init: 0, name: `model_away_${k}` }),
      awayWho = reg(uint(BITS), { name: `model_away_who_${k}` }),
      starts = started.valid.and(k === 0 ? isMine : isMine.not()),
      comesBack = node(away.and(io.back.bit(k)), { name: `model_comes_back_${k}` });
    when(stopsShort.and(starts), () => {
      away.set(1);
      awayWho.set(who);
    }).elseWhen(comesBack, () => away.set(0));
    assertAlways(starts.and(away).not(), `nobody of queue ${k} starts while one of it is away`);
    return { awayWho, comesBack };
  };
  const fast = awayOf(0),
    slow = awayOf(1),
    stopped = node(mux(fast.comesBack, constant(0, 1), constant(1, 1)), { name: "model_stopped_queue" }),
    any = fast.comesBack.or(slow.comesBack),
    queue = { region: 0, user: 0, slow: stopped.bit(0) };
  assumeAlways(io.back.all().not(), "one comes back at a time");
  const frees = node(any.and(io.dropped), { name: "model_frees" }),
    freed = past(frees, FREED, { name: "model_freed" });
  queues.stop.set({ valid: any.andNot(io.dropped), queue });
  queues.free.set({ valid: frees, queue });
  // Nobody is ready in the cycle that masks, so nobody is chosen in that of the look-up, and none is due behind it.
  assumeAlways(
    past(frees, FREED - 1, { name: "model_looked" })
      .and(io.chosen)
      .not(),
    "nobody is looked up with one that is freed",
  );
  assumeAlways(freed.and(begins).not(), "nobody starts while one is freed");

  const comes = one(io.comes, io.ctx),
    freedWho = mux(fast.comesBack, fast.awayWho, slow.awayWho),
    goes = node(one(whole, who).or(one(frees, freedWho)), { name: "model_goes" });
  queued.set(queued.or(comes).andNot(goes));
  when(io.comes, () => mine.set(mine.andNot(comes).or(one(isHere, io.ctx))));
  // A context that is freed is given back when it is out of its queue.
  const leaving = reg(uint(3), { init: 0, name: "model_leaving" });
  when(frees, () => leaving.set(FREED + 2)).elseWhen(leaving.any(), () => leaving.set(leaving.sub(1)));
  assumeAlways(frees.and(leaving.any()).not(), "one is freed at a time");
  assumeAlways(comes.and(queued).any().not(), "a branch is in one queue");
  const last = reg(uint(BITS), { name: "model_freed_who" });
  when(frees, () => last.set(freedWho));
  assumeAlways(io.comes.and(leaving.any()).and(io.ctx.eq(last)).not(), "who is freed comes again when it is out");
  assertAlways(one(started.valid, who).andNot(queued).any().not(), "who starts was pushed, and has not started whole");

  orderOf(io, { isHere, starts: started.valid, isMine, who, whole, stopsShort, freed: frees.and(fast.comesBack) });
});

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
] as const;

export const queueOrderProofs: readonly Proof[] = [
  {
    module: "Queues, 4 contexts, 2 slots",
    harness: harness({ contexts: 4 }),
    long: "minutes",
    bounded: 9,
    faults,
  },
];
