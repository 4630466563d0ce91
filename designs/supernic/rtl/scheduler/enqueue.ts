import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  decode,
  encodeOnehot,
  Fifo,
  input,
  type Inside,
  instance,
  type InstanceOf,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  struct,
  toBits,
  uint,
  type UInt,
  type Val,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { dagEntries, mostStages } from "../../wire/index.ts";
import { ctxBits, type DeviceSizes, userBits } from "../inside/index.ts";
import { chainTable } from "./chains.ts";
import { FlowLeave, FlowTable } from "./flows/index.ts";
import { pendingBits, StageBack, StageBegins } from "./join.ts";
import { TableWrite, ToSchedule } from "./ports.ts";
import {
  Branch,
  flowSizes,
  groupBits,
  hashBits,
  mostInside,
  Packet,
  Queued,
  queueUserBits,
  regionBits,
  stageBits,
} from "./records.ts";
import { nextBranch, StageRow, stageRow } from "./stage-table.ts";

/** Cycles from an answer that a packet must wait to the next question for it. */
const askAgainAfter = 8;

const joinSizes = (p: DeviceSizes) => ({ contexts: p.contexts, branches: Math.max(2, p.branches) });
/** A packet whose stage is to be sent out; `again`: one branch of it, that asks again. */
const Job = (p: DeviceSizes) => struct({ ctx: uint(ctxBits(p)), packet: Packet(p), again: bit });
/** A branch on its way to the flow table, and into its queue. */
const Asking = (p: DeviceSizes) =>
  struct({
    ...Branch(p).fields,
    packet: Packet(p),
    /** Its stage has no branch. */
    none: bit,
    chain: uint(6),
    run: uint(p.slots),
    arg: uint(8),
    again: bit,
  });

/** The same with the flow's group, when it has asked. */
const Asked = (p: DeviceSizes) =>
  struct({
    ...Branch(p).fields,
    user: uint(queueUserBits(p)),
    slow: bit,
    run: uint(p.slots),
    arg: uint(8),
    group: uint(groupBits),
    again: bit,
    givesUp: bit,
  });

const ports = (p: DeviceSizes) =>
  ({
    arrive: sink(ToSchedule(p)),
    /** A packet that begins its next stage: it was not in its last. */
    next: sink(uint(ctxBits(p))),
    /** Packets of which something has to be known in the same cycle. */
    who: input(vec(uint(ctxBits(p)), 2)),
    known: output(vec(Packet(p), 2)),
    begin: output(StageBegins(joinSizes(p))),
    lost: source(StageBack(joinSizes(p))),
    push: output(Queued(p)),
    leave: input(FlowLeave(flowSizes(p))),
    dagStage: input(TableWrite("dagStage")),
    dag: input(TableWrite("dag")),
    chain: input(TableWrite("chain")),
    mark: input(TableWrite("mark")),
    /** Branches in the list. */
    waiting: output(uint(Math.log2(mostInside(p)) + 1)),
    /** Branches that were sent to each region and are not back. */
    loads: output(vec(uint(Math.log2(mostInside(p)) + 1), p.regions)),
  }) as const;

/**
 * What becomes of the branch whose flow is asked for: it is pushed to its queue, or waits in the list; one of the list
 * `settles`.
 */
function answerOf(
  io: Inside<ReturnType<typeof ports>>,
  p: DeviceSizes,
  flows: InstanceOf<typeof FlowTable>,
  second: Val<ReturnType<typeof Asking>>,
  { group, givesUp }: { readonly group: UInt; readonly givesUp: Bit },
) {
  const asks = reg(bit, { init: 0, name: "asks" }),
    asking = reg(Asked(p), { name: "asking" });
  asks.set(flows.ask.fire);
  asking.set({
    ctx: second.ctx,
    branch: second.branch,
    user: second.packet.user,
    slow: second.packet.slow,
    run: second.run,
    arg: second.arg,
    group: group,
    again: second.again,
    givesUp,
  });
  const pushes = reg(bit, { init: 0, name: "pushes" }),
    waits = reg(bit, { init: 0, name: "waits" }),
    settles = reg(bit, { init: 0, name: "settles" }),
    pushed = reg(Asked(p), { name: "pushed" }),
    region = reg(uint(regionBits(p)), { name: "pushed_region" });
  const goes = flows.answer.goes;
  pushes.set(asks.and(goes));
  waits.set(asks.andNot(goes.or(asking.again)));
  settles.set(asks.and(asking.again));
  pushed.set(asking);
  region.set(flows.answer.region);
  const { ctx, branch, run, arg, user, slow } = pushed;
  io.push.set({ valid: pushes, ctx, branch, region, user, slow, run, arg, group: pushed.group });

  return { pushes, waits, settles, pushed };
}

/**
 * From a packet to its branches in their queues: the stage of its DAG, the chain, the flow's region. Later stages come
 * first, then who asks again, then new packets. A branch a cycle; latency 4 from `arrive` to `push`, initiation
 * interval the number of branches. (Design: supernic.md, enqueue; paper §5.3.2.)
 *
 * A branch whose flow is marked waits in a list, in order, and everything of its flow behind it too; all other flows
 * pass. The first of the list asks again every 8 cycles; while it waits for its flow to be empty, the marked flows
 * behind it in the list wait too. A packet of a stage without branches, of a branch without slots, of a chain without
 * an instance, or of a user that there is not, is `lost`: back at once, dropped. A chain that is written marks its
 * flows, and nobody asks for five cycles. Reset: 1,024 cycles in which nobody asks.
 */
export const Enqueue = module("Enqueue", ports, (io, p) => {
  const flows = instance("flows", FlowTable(flowSizes(p))),
    list = instance("list", Fifo({ shape: Branch(p), depth: mostInside(p), style: "block" })),
    chains = chainTable(p, io, flows),
    packets = ram(Packet(p), { depth: p.contexts, collision: "undefined", style: "distributed", name: "packets" });
  flows.leave.set(io.leave);
  for (let r = 0; r < p.regions; r++) io.loads.at(r).set(flows.loads.at(r).is(io.waiting.width));
  // The first of the list is in a register, so that whether it goes is not a path through the list.
  const listed = stage(list.pop, "full", { name: "listed" });
  [0, 1].forEach(i => io.known.at(i).set(packets.readAsync(io.who.at(i))));

  // Of the list one asks at a time.
  const asksAgain = reg(bit, { init: 0, name: "asks_again" }),
    rest = reg(uint(Math.log2(askAgainAfter)), { init: 0, name: "rests" }),
    wantsAgain = node(listed.valid.andNot(asksAgain.or(rest.any())), { name: "wants_again" });

  // Who: a later stage, the first of the list, or a new packet. Its stage is read.
  const isAgain = node(io.next.valid.not().and(wantsAgain), { name: "is_again" }),
    isNew = node(io.next.valid.or(wantsAgain).not(), { name: "is_new" }),
    who = mux(io.next.valid, io.next.payload, listed.payload.ctx),
    kept = packets.readAsync(who),
    fresh = freshOf(p, io),
    packet = { ...mux(isNew, fresh, kept), stage: mux(isNew, fresh.stage, kept.stage.add(io.next.valid.zext(3))) };
  const isFirst = reg(bit, { init: 0, name: "is_first" }),
    first = reg(Job(p), { name: "first" }),
    left = reg(uint(p.branches), { name: "branches_left" }),
    begins = reg(bit, { init: 0, name: "begins" });
  const secondMoves = wire(bit, { name: "second_moves" }),
    takes = wire(bit, { name: "takes" });
  const stages = ram(StageRow(p), {
    depth: dagEntries * mostStages,
    collision: "old",
    style: "block",
    name: "stages",
    init: [0],
  });
  stages.write(io.dagStage.en, io.dagStage.index, stageRow(io.dagStage.value, p));
  const row = stages.readSync(cat(packet.dag, packet.stage), { en: takes, name: "stage" });

  // Branch by branch. With the first of them the packet's stage begins.
  const next = nextBranch(row, left),
    emits = node(isFirst.and(secondMoves), { name: "emits" }),
    firstMoves = node(isFirst.not().or(emits.andNot(next.rest.any())), { name: "first_moves" });
  takes.set(firstMoves.and(isNew.not().or(io.arrive.valid)));
  io.next.ready.set(firstMoves);
  io.arrive.ready.set(firstMoves.and(isNew));
  when(firstMoves, () => isFirst.set(takes));
  when(takes, () => {
    first.set({ ctx: mux(isNew, io.arrive.payload.ctx, who), packet, again: isAgain });
    left.set(mux(isAgain, decode(listed.payload.branch, p.branches), constant(2 ** p.branches - 1, p.branches)));
  }).elseWhen(emits, () => left.set(next.rest));
  when(takes.or(emits), () => begins.set(takes.andNot(isAgain)));
  const count = next.none.zext(pendingBits(joinSizes(p))).add(ones(next.wanted, pendingBits(joinSizes(p))));
  io.begin.set({ valid: emits.and(begins), ctx: first.ctx, branches: count });
  packets.write(emits.and(begins), first.ctx, { ...first.packet, last: row.last.or(first.packet.stage.all()) });

  // Where the chain is, and whether the flow may go there.
  const isSecond = reg(bit, { init: 0, name: "is_second" }),
    second = reg(Asking(p), { name: "second" }),
    found = chains.find(second.chain);
  when(secondMoves, () => isSecond.set(emits));
  when(emits, () => {
    const { chain, run, arg, none } = next,
      { ctx, again, packet: of } = first;
    second.set({ ctx, branch: encodeOnehot(next.first), packet: of, none, chain, run, arg, again });
  });
  // Who is lost goes into a register, so that whether somebody moves does not hang on what was found. One of the list
  // has been counted: the flow table hears that it gives up.
  const isLost = reg(bit, { init: 0, name: "is_lost" }),
    lost = reg(uint(ctxBits(p)), { name: "lost_ctx" }),
    nowhere = node(found.nowhere.or(second.run.any().not()), { name: "goes_nowhere" }),
    bad = node(nowhere.or(second.none).or(second.packet.known.not()), { name: "is_bad" }),
    mayMove = node(flows.ask.ready.and(chains.open).andNot(isLost), { name: "may_move" }),
    givesUp = node(bad.and(second.again), { name: "gives_up" }),
    goesOn = node(isSecond.and(mayMove), { name: "goes_on" });
  flows.ask.valid.set(isSecond.and(chains.open).andNot(isLost).and(bad.not().or(second.again)));
  flows.ask.payload.set({
    flow: { group: found.group, hash: second.packet.hash },
    unordered: second.packet.unordered,
    pinned: found.only,
    region: found.region,
    again: second.again,
    givesUp,
  });
  io.lost.valid.set(isLost);
  io.lost.payload.set({ ctx: lost, dropped: 1 });
  secondMoves.set(isSecond.not().or(mayMove));
  when(goesOn.and(bad), () => isLost.set(1)).elseWhen(io.lost.ready, () => isLost.set(0));
  when(goesOn, () => lost.set(second.ctx));

  // The answer; a cycle later it is in its queue, or in the list.
  const { pushes, waits, settles, pushed } = answerOf(io, p, flows, second, { group: found.group, givesUp });
  list.push.valid.set(waits);
  list.push.payload.set({ ctx: pushed.ctx, branch: pushed.branch });

  // The one of the list that has asked is gone, or rests.
  const unlists = node(settles.and(pushes.or(pushed.givesUp)), { name: "unlists" }),
    waiting = reg(uint(io.waiting.width), { init: 0, name: "waiting_q" });
  listed.ready.set(unlists);
  waiting.set(waiting.add(waits.zext(waiting.width)).sub(unlists.zext(waiting.width)));
  io.waiting.set(waiting);
  when(takes.and(isAgain), () => asksAgain.set(1)).elseWhen(settles, () => asksAgain.set(0));
  when(settles.andNot(pushes), () => rest.set(askAgainAfter - 1)).elseWhen(rest.any(), () => rest.set(rest.sub(1)));
  assertAlways(waits.not().or(list.push.ready), "the list has room for every branch");
});

/** A new packet, as it is kept. */
function freshOf(
  p: DeviceSizes,
  io: { readonly arrive: { readonly payload: Val<ReturnType<typeof ToSchedule>> }; readonly dag: Val<DagWrite> },
) {
  const { dag, user, flowHash, unordered } = io.arrive.payload,
    slow = ram(bit, { depth: dagEntries, collision: "undefined", style: "distributed", name: "slow_dags", init: [0] });
  slow.write(io.dag.en, io.dag.index, io.dag.value.slow.is(1));
  return {
    dag,
    user: user.resize(queueUserBits(p)),
    known: p.users === 2 ** userBits ? constant(1, 1) : user.lt(p.users),
    slow: slow.readAsync(dag),
    hash: flowHash.trunc(hashBits),
    unordered,
    stage: constant(0, stageBits),
    last: constant(0, 1),
  };
}
type DagWrite = ReturnType<typeof TableWrite<"dag">>;

/** How many bits are set. */
const ones = (v: UInt, bits: number): UInt => toBits(v).reduce<UInt>((n, b) => n.add(b.zext(bits)), constant(0, bits));
