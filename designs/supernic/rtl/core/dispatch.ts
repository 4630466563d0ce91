import {
  addressBits,
  assertAlways,
  type Bit,
  bit,
  cat,
  encodeOnehot,
  fromBits,
  input,
  join,
  map,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn, passQueue } from "../../../shared/stream/index.ts";
import { HeaderJob, HeaderRead } from "../headers/index.ts";
import { ctxBits, Started } from "../inside/index.ts";
import { sentLate } from "../region/index.ts";
import { BranchEnter, type PathParameters, Told } from "./records.ts";

/** Packets that wait for a region, and how many there are when no more are let in: 8 may still come. */
const places = 32,
  letIn = 16;
/** Packets whose header has been asked for: more than the header store keeps ready. */
const besides = 8;
const levelBits = Math.log2(places) + 1,
  onWayBits = 3;

/** What waits for a region. */
const Waiting = (p: PathParameters) => {
  const { ctx, branch, region, run, arg } = Started(p).fields;
  return struct({ ctx, branch, region, run, arg });
};

/** The queue of a region: where its packets are among all that wait, and how many are on their way into it. */
function queueOf(r: number, comes: Bit, accepts: Bit) {
  const pointer = uint(Math.log2(places));
  const level = reg(uint(levelBits), { init: 0, name: `waiting_${r}` }),
    head = reg(pointer, { init: 0, name: `head_${r}` }),
    tail = reg(pointer, { init: 0, name: `tail_${r}` }),
    any = reg(bit, { init: 0, name: `any_${r}` }),
    open = reg(bit, { init: 0, name: `open_${r}` }),
    onWay = reg(uint(onWayBits), { init: 0, name: `on_way_${r}` });
  open.set(level.lt(letIn));
  return {
    comes,
    head,
    tail,
    any,
    open,
    mayGo: node(accepts.and(onWay.lt(sentLate)), { name: `may_go_${r}` }),
    /** What happens in this cycle: one is queued, one of the queue goes, one goes past it, one enters the region. */
    step: (queued: Bit, goes: Bit, passes: Bit, enters: Bit): void => {
      when(queued, () => tail.set(tail.add(1)));
      when(goes, () => head.set(head.add(1)));
      level.set(level.add(queued.zext(levelBits)).sub(goes.zext(levelBits)));
      any.set(queued.or(level.gt(1)).or(level.any().andNot(goes)));
      onWay.set(onWay.add(goes.or(passes).zext(onWayBits)).sub(enters.zext(onWayBits)));
      assertAlways(queued.not().or(level.lt(places)), `the queue of region ${r} has room for what comes`);
    },
  };
}

/**
 * Sends what the scheduler has started into its region, with its header and what tasks are told (paper §5.3.2). A queue
 * for each region, so that one that takes nothing holds up no other; among them round robin. A packet is sent only when
 * its region has said that it accepts the next ones, so `enter` never waits (asserted).
 *
 * Latency: 1 cycle from `start` to `enter` when nothing is queued, else 3, with a header store that answers in the
 * cycle behind `read`. Initiation interval 1. Full: `open` falls when a queue has 16 packets; 16 more have room, of
 * which 8 may come (asserted). Reset: nothing is queued.
 */
export const Dispatch = module(
  "Dispatch",
  (p: PathParameters) => ({
    start: input(Started(p)),
    /** Regions for which more may start. */
    open: output(uint(p.regions)),
    /** Regions that accept what comes. */
    accepts: input(uint(p.regions)),
    /** To the header store, and back. */
    read: source(HeaderJob(p)),
    header: sink(HeaderRead(p)),
    tell: output(uint(ctxBits(p))),
    /** Of `tell` in the cycle before. */
    told: input(Told),
    enter: source(BranchEnter(p)),
  }),
  (io, p) => {
    const { ctx, branch, region, run, arg } = io.start,
      started = { ctx, branch, region, run, arg };
    const waiting = ram(Waiting(p), {
      depth: p.regions * places,
      collision: "undefined",
      style: "distributed",
      outside: "unreached",
      name: "waiting",
    });
    const sends = reg(bit, { init: 0, name: "sends" }),
      sent = reg(Waiting(p), { name: "sent" }),
      moves = node(sends.not().or(io.read.ready), { name: "moves" });
    const queues = Array.from({ length: p.regions }, (_, r) =>
      queueOf(r, node(io.start.valid.and(region.eq(r)), { name: `comes_for_${r}` }), io.accepts.bit(r)),
    );

    /** Where the words of a region's queue are. */
    const placeOf = (of: UInt, pointer: UInt): UInt => cat(of, pointer).trunc(addressBits(p.regions * places));

    // One goes: of a queue, or past the queues when none of them has one that may.
    const turns = fairTurn(
        "turn",
        queues.map((q, r) => node(q.any.and(q.mayGo).and(moves), { name: `asks_${r}` })),
      ),
      served = node(orTree(turns), { name: "served" });
    const passes = queues.map((q, r) => node(q.comes.and(q.mayGo).and(moves).andNot(served), { name: `passes_${r}` })),
      passing = node(orTree(passes), { name: "passing" });
    // Past the register, too, while that is empty and no queue has one that may go.
    const waits = node(orTree(queues.map(q => q.any.and(q.mayGo))), { name: "one_waits" }),
      direct = node(
        orTree(queues.map(q => q.comes.and(q.mayGo)))
          .andNot(waits)
          .andNot(sends),
        { name: "goes_directly" },
      ),
      job = mux(sends, sent, started);
    const heads = queues.map(q => q.head),
      whose = encodeOnehot(fromBits(turns)).resize(addressBits(p.regions)),
      head = waiting.readAsync(placeOf(whose, onehotMux(turns, heads)));
    waiting.write(
      io.start.valid.andNot(passing),
      placeOf(
        region,
        onehotMux(
          queues.map(q => q.comes),
          queues.map(q => q.tail),
        ),
      ),
      started,
    );
    when(moves, () => {
      sends.set(served.or(passing.andNot(direct.and(io.read.ready))));
      sent.set(mux(passing, started, head));
    });
    queues.forEach((q, r) => {
      const past = passes[r] ?? passing,
        enters = node(io.enter.fire.and(io.enter.payload.region.eq(r)), { name: `enters_${r}` });
      q.step(node(q.comes.andNot(past), { name: `queued_${r}` }), turns[r] ?? served, past, enters);
    });
    io.open.set(fromBits(queues.map(q => q.open)).is(p.regions));

    // Its header, and beside it what its tasks are told.
    io.read.valid.set(sends.or(direct));
    io.read.payload.set({ ctx: job.ctx });
    io.tell.set(job.ctx);
    const asking = reg(bit, { init: 0, name: "asking" }),
      asked = reg(Waiting(p), { name: "asked" });
    asking.set(io.read.fire);
    when(io.read.fire, () => asked.set(job));
    const Beside = struct({ waiting: Waiting(p), told: Told }),
      beside = passQueue("besides", Beside, besides, asking, { waiting: asked, told: io.told }),
      both = join({ header: io.header, beside });
    const enter = map(both, BranchEnter(p), ({ header, beside: b }) => ({
      ...b.waiting,
      header: header.header,
      ...b.told,
    }));
    io.enter.valid.set(enter.valid);
    io.enter.payload.set(enter.payload);
    enter.ready.set(io.enter.ready);
    assertAlways(enter.valid.not().or(enter.ready), "a region takes what it has said that it accepts");
  },
  { nameOf: p => `Dispatch_c${p.contexts}_r${p.regions}_s${p.slots}_b${p.branches}` },
);
