import {
  arbiter,
  assertAlways,
  bit,
  cat,
  connect,
  fifo,
  type Inside,
  instance,
  map,
  module,
  node,
  ram,
  reg,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { mostSlots } from "../../wire/index.ts";
import { CameBack, ctxBits } from "../inside/index.ts";
import { creditBits, RegionSlots } from "./credit-table.ts";
import { Decision } from "./decision.ts";
import { Enqueue } from "./enqueue.ts";
import { Join, StageBack } from "./join.ts";
import { type SchedulerParameters, schedulerPorts, type TableWrite } from "./ports.ts";
import { Queues } from "./queues.ts";
import { branchIdBits, groupBits, Packet } from "./records.ts";

const joinSizes = (p: SchedulerParameters) => ({ contexts: p.contexts, branches: Math.max(2, p.branches) });

/** A branch that is back, and what is kept of it. */
const Back = (p: SchedulerParameters) => {
  const { user, slow, hash, unordered } = Packet(p).fields;
  return struct({ ...CameBack(p).fields, short: bit, group: uint(groupBits), user, slow, hash, unordered });
};
/** Places of the FIFO of each slot, as software has set them: none after a reset. */
function limitsOf(p: SchedulerParameters, slot: Val<ReturnType<typeof TableWrite<"slot">>>): readonly UInt[] {
  return Array.from({ length: p.regions * p.slots }, (_, i) => {
    const region = Math.floor(i / p.slots),
      limit = reg(uint(creditBits(p)), { init: 0, name: `limit_${i}` });
    when(slot.en.and(slot.index.eq(region * mostSlots + (i % p.slots))), () =>
      limit.set(slot.value.limit.resize(limit.width)),
    );
    return limit;
  });
}

/** Packets inside: those that have come and are not finished. */
function countInside(p: SchedulerParameters, io: Inside<ReturnType<typeof schedulerPorts>>) {
  const packets = reg(uint(ctxBits(p) + 1), { init: 0, name: "packets_inside" }),
    comes = node(io.arrive.fire, { name: "comes" }),
    goes = node(io.finished.fire, { name: "goes" });
  when(comes.andNot(goes), () => packets.set(packets.add(1))).elseWhen(goes.andNot(comes), () =>
    packets.set(packets.sub(1)),
  );
  return packets;
}

/**
 * The central scheduler (paper §5.3.2; docs/supernic/scheduler.md): packets go through the stages of their DAG, branch
 * by branch, each with credits for all tasks of its run. Latency: 10 cycles from `arrive` to `start`, 13 from `back`
 * to the `start` of the next stage's first branch, 2 to `finished`; initiation interval 1, a decision a cycle.
 * Full: `arrive` waits for the look-up; all branches of all contexts have a place in the queues. `back` waits while
 * packets that are done are not taken. Reset: nothing is inside, no slot has credits; tables stay. For 1,024 cycles
 * nobody is looked up.
 */
export const Scheduler = module(
  "Scheduler",
  (p: SchedulerParameters) => schedulerPorts(p),
  (io, p) => {
    const enqueue = instance("enqueue", Enqueue(p)),
      queues = instance("queues", Queues(p)),
      decision = instance("decision", Decision({ ...p })),
      join = instance("join", Join(joinSizes(p)));
    connect(io.arrive, enqueue.arrive);
    enqueue.dagStage.set(io.dagStage);
    enqueue.dag.set(io.dag);
    enqueue.chain.set(io.chain);
    enqueue.mark.set(io.mark);
    join.begin.set(enqueue.begin);

    // Who starts.
    queues.push.set(enqueue.push);
    for (let r = 0; r < p.regions; r++) io.loads.at(r).set(enqueue.loads.at(r).resize(io.inside.waiting.width));
    const open = reg(uint(p.regions), { init: 0, name: "open_q" });
    open.set(io.open);
    queues.open.set(open);
    for (let r = 0; r < p.regions; r++) {
      const busy = reg(uint(p.slots), { init: 0, name: `busy_${r}_q` }),
        lacks = reg(uint(p.slots), { init: 2 ** p.slots - 1, name: `lacks_${r}_q` });
      busy.set(io.busy.at(r));
      lacks.set(io.busy.at(r).or(decision.next.at(r).not()));
      queues.busy.at(r).set(busy);
      queues.lacks.at(r).set(lacks);
      queues.has.at(r).set(decision.has.at(r));
      decision.busy.at(r).set(busy);
      decision.give.at(r).set(io.give.at(r));
    }
    limitsOf(p, io.slot).forEach((limit, i) => {
      decision.limits.at(i).set(limit);
      decision.ready.at(i).set(queues.ready.at(i));
      decision.more.at(i).set(queues.more.at(i));
      decision.waits.at(i).set(queues.waits.at(i));
      io.held.at(i).set(decision.held.at(i).resize(6));
    });
    queues.choice.set(decision.choice);
    queues.start.set(decision.start);
    [0, 1].forEach(k => decision.found.at(k).set(queues.found.at(k)));

    // What is kept of a branch: what its DAG tells its tasks, and its flow's group. Of one that is out: that group, and
    // what it has yet to go through.
    const depth = 2 ** branchIdBits(p),
      memory = { depth, collision: "undefined", style: "distributed" } as const,
      kept = ram(struct({ arg: uint(8), group: uint(groupBits) }), { ...memory, name: "kept" }),
      out = ram(struct({ left: uint(p.slots), group: uint(groupBits) }), { ...memory, name: "out" });
    const { push } = enqueue,
      { started } = queues,
      waited = kept.readAsync(started.id);
    kept.write(push.valid, cat(push.branch, push.ctx), { arg: push.arg, group: push.group });
    out.write(started.valid, started.id, { left: started.left, group: waited.group });
    io.start.set({
      valid: started.valid,
      ctx: started.id.trunc(ctxBits(p)),
      branch: started.id.bits(ctxBits(p), started.id.width - ctxBits(p)),
      region: started.region,
      run: started.slots,
      arg: waited.arg,
    });

    // Who is back, with what is kept of it: to its queue when it stopped short, else to the join.
    const wasOut = out.readAsync(cat(io.back.payload.branch, io.back.payload.ctx));
    enqueue.who.at(0).set(io.back.payload.ctx);
    const known = map(io.back, Back(p), from => ({
      ...from,
      short: wasOut.left.any(),
      group: wasOut.group,
      user: enqueue.known.at(0).user,
      slow: enqueue.known.at(0).slow,
      hash: enqueue.known.at(0).hash,
      unordered: enqueue.known.at(0).unordered,
    }));
    const back = stage(known, "forward", { name: "came_back" }),
      { ctx, region, dropped, refund, short, group, user, slow, hash, unordered } = back.payload,
      stops = node(short.andNot(dropped), { name: "stops" }),
      queue = { region, user, slow };
    const returned = stream(StageBack(joinSizes(p)), { name: "returned" });
    returned.valid.set(back.valid.andNot(stops));
    returned.payload.set({ ctx, dropped });
    back.ready.set(stops.or(returned.ready));
    const taken = node(back.fire, { name: "is_taken" });
    queues.stop.set({ valid: taken.and(stops), queue });
    queues.free.set({ valid: taken.and(short).and(dropped), queue });
    enqueue.leave.set({
      valid: taken.andNot(stops),
      flow: { group, hash },
      unordered,
      region,
    });
    const refunds = reg(RegionSlots(p), { init: { valid: 0 }, name: "refunds" });
    refunds.set({ valid: taken.and(refund.any()), region, slots: refund });
    decision.refund.set(refunds);
    connect(arbiter([returned, enqueue.lost], { name: "to_join" }), join.back);

    // Whose stage is done: it begins the next one, or is finished.
    enqueue.who.at(1).set(join.done.payload.ctx);
    const ends = node(enqueue.known.at(1).last.or(join.done.payload.dropped), { name: "ends" }),
      done = join.done;
    io.finished.valid.set(done.valid.and(ends));
    io.finished.payload.set({ ctx: done.payload.ctx, dropped: done.payload.dropped });
    const next = stream(uint(ctxBits(p)), { name: "next" });
    next.valid.set(done.valid.andNot(ends));
    next.payload.set(done.payload.ctx);
    // A place for each packet: else the look-up could wait for the join, and the join for the look-up.
    connect(fifo(next, p.contexts, { name: "nexts", style: "distributed" }), enqueue.next);
    assertAlways(next.valid.not().or(next.ready), "there is a place for each packet whose next stage begins");
    done.ready.set(ends.not().or(io.finished.ready));

    // What is inside.
    const packets = countInside(p, io);
    io.inside.set({ packets, waiting: enqueue.waiting.resize(io.inside.waiting.width) });
  },
);
