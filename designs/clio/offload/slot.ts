import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  encodePriority,
  Fifo,
  fromBits,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  ram,
  reg,
  type Shape,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { opcodeBits, type OpcodeName } from "../wire/index.ts";
import { OffloadControl, OffloadState, sinceUnit } from "../rtl/index.ts";
import { collect, fifoStyle } from "./collect.ts";
import { closing, gated, givenUp, sinceReply, stuckFor, thrownAway } from "./slot-reset.ts";
import {
  beatsOf,
  BodyBeat,
  bodyLengthBits,
  MemoryReply,
  MemoryRequest,
  memoryTagBits,
  type OffloadParameters,
  OffloadReply,
  OffloadRequest,
} from "./types.ts";

export interface SlotParameters extends OffloadParameters {
  /** Memory requests that the offload may have under way, replies that it has not taken among them. */
  readonly outstanding: number;
  /** Beats of reply data kept for it. */
  readonly replyBeats: number;
  /** Largest body of a request or reply, bytes. */
  readonly maxBody: number;
  /** Cycles of a unit of `control.limit`; 65,536 unless a bench needs fewer. */
  readonly sinceUnit?: number;
}

/** Opcodes that an offload may send to memory. WRITE_NOREPLY is none: without a reply its end is unknown. */
export const offloadOpcodes: readonly OpcodeName[] = [
  "READ",
  "WRITE",
  "ATOMIC_TAS",
  "ATOMIC_CAS",
  "ATOMIC_FAA",
  "ATOMIC_STORE",
  "DEREF_READ",
  "DEREF_WRITE",
  "ALLOC",
  "FREE",
];
const withData: readonly OpcodeName[] = ["READ", "DEREF_READ"];
/** Most bytes behind va and length in the reply of any other operation (ALLOC's board, port and region). */
const otherBytes = 16;

/** Bits of a count of reply beats. */
export const costBits = (p: Pick<SlotParameters, "replyBeats">): number => bitsFor(p.replyBeats);
/** Bits of a slot's epoch: how often its offload has been reset from replies that never came. */
export const epochBits = 4;
/**
 * A memory request as it goes on: whose it is is decided. `cost`: beats reserved for its reply; it comes back with it,
 * and so does `epoch`.
 */
export const SlotAccess = (p: SlotParameters) =>
  struct({
    tag: uint(memoryTagBits),
    opcode: uint(8),
    pid: uint(16),
    va: uint(64),
    length: uint(32),
    data: uint(bodyLengthBits),
    cost: uint(costBits(p)),
    epoch: uint(epochBits),
  });
/** A memory reply as it comes back. */
export const SlotReply = (p: SlotParameters) =>
  struct({ ...MemoryReply.fields, cost: uint(costBits(p)), epoch: uint(epochBits) });
/** A beat of its data. */
export const SlotReplyBeat = (p: SlotParameters) => struct({ ...BodyBeat(p).fields, epoch: uint(epochBits) });
/** Bits of a client's name: its IPv4 address and UDP port. */
export const clientBits = 48;
/**
 * One-cycle pulses: requests taken, replies given, memory requests, memory requests refused for their opcode or
 * context, replies discarded for want of a request.
 */
export const SlotEvents = struct({ requests: bit, replies: bit, accesses: bit, refused: bit, stray: bit });

/**
 * Software's controls of a slot: whether its offload is kept in reset, and cycles without progress that count as stuck.
 */
export const SlotControl = struct({
  hold: bit,
  patience: OffloadControl.fields.patience,
  limit: OffloadControl.fields.limit,
});
/**
 * `held`: the offload is in reset, all its requests have been answered and nothing of it is under way. `active`: it has
 * a request. `since`: units of 65,536 cycles without a reply to one.
 */
export const SlotState = struct({ held: bit, stuck: bit, active: bit, since: OffloadState.fields.since.element });

/**
 * One offload's place in the node. The slot stands between the offload and everything that it shares with others,
 * so that it can harm none of them (paper §4.4.6). `request` to `memory_reply_data` are the offload's ports from
 * the other side.
 *
 * - Requests: `asked` may be given only while `room` is 1, with `context` as its name; at most `contexts` are in the
 *   offload. Its body is kept here, where there is room for the largest of each, so a slow offload stalls no other.
 * - Turns of the clients: `fits` tells whether a client (`client`, 2 cycles before) may have one more request inside.
 *   It may while it has fewer than there are free contexts. So one client alone has half of them at most, n clients
 *   each have about 1 / (n + 1), and there is a place for one that has none until there are as many clients as
 *   contexts.
 * - Replies and memory requests leave (`answer`, `access`) only when all their data are here. So an offload stalls no
 *   one in the middle of a frame. A reply for a context without a request is discarded.
 * - Memory replies: an access leaves only when there is room for its reply, so `came` and `came_data` are always taken.
 *   An access for a client is made with the client's PID, and only while its request is in the offload. With an opcode
 *   outside `offloadOpcodes` it leaves as opcode 0, which the node answers MALFORMED.
 *
 * Latency: 1 cycle from `asked` to `request`; 1 from `came` to `memory_reply`. A reply without data takes 2 cycles to
 * `answer`, a memory request 3 to `access`, and each one more after the last beat of data. Initiation interval: 1 beat,
 * and 1 cycle between items. Reset: all contexts free, nothing under way.
 *
 * `control.hold` resets the offload alone, and keeps it in reset (`in_reset`) as long as it lasts. Transfers that were
 * begun and not complete do not leave any more; complete ones do. Its memory requests that are under way are waited
 * for, and their replies thrown away, so none can come to a later request. Then every request that is left is answered
 * (`lost`: its status and opcode are the host's business), and `state.held` rises. Meanwhile `room` is 0. Replies that
 * have not come within 16 x `control.patience` cycles are given up: they belong to an epoch that is over, and are
 * thrown away whenever they come. None is given up while memory has data to take of a request that it has taken. After
 * 16 such resets an epoch's number comes again.
 * `state.stuck`: for `control.patience` cycles the offload has had a request and nothing has moved between it and the
 * slot. Cycles in which memory or the host had to act do not count. Or, whatever moved, it has given no reply for
 * `control.limit` units of 65,536 cycles, though it had a request.
 */
export const OffloadSlot = module(
  "OffloadSlot",
  (p: SlotParameters) => ({
    /** The offload's own process ID: a constant of the slot. */
    pid: input(uint(16)),
    request: source(OffloadRequest(p)),
    requestData: source(BodyBeat(p)),
    reply: sink(OffloadReply(p)),
    replyData: sink(BodyBeat(p)),
    memory: sink(MemoryRequest(p)),
    memoryData: sink(BodyBeat(p)),
    memoryReply: source(MemoryReply),
    memoryReplyData: source(BodyBeat(p)),
    room: output(bit),
    nextContext: output(uint(Math.log2(p.contexts))),
    /** The client of the request that may be given next. */
    client: input(uint(clientBits)),
    fits: output(bit),
    asked: sink(OffloadRequest(p)),
    askedData: sink(BodyBeat(p)),
    answer: source(OffloadReply(p)),
    answerData: source(BodyBeat(p)),
    access: source(SlotAccess(p)),
    accessData: source(BodyBeat(p)),
    came: sink(SlotReply(p)),
    cameData: sink(SlotReplyBeat(p)),
    events: output(SlotEvents),
    control: input(SlotControl),
    state: output(SlotState),
    inReset: output(bit),
    lost: output(bit),
  }),
  (io, p) => {
    const bodyBeats = Math.ceil(p.maxBody / p.beatBytes),
      contextBits = Math.log2(p.contexts);

    const used = reg(uint(p.contexts), { init: 0 });
    const { closed, clear, lost, lostContext, drained } = closing(
      io.control.hold,
      used,
      io.asked.fire,
      io.answer.ready,
    );
    /** A stream of the offload, which says nothing while it is in reset. */
    const own = <S extends Shape>(s: StreamIn<S>, name: string): StreamIn<S> => gated(s, closed, name);

    // ---- Turns of the clients.
    const clients = Array.from({ length: p.contexts }, (_, k) => reg(uint(clientBits), { name: `client_${k}` }));
    clients.forEach((c, k) => when(io.asked.fire.and(io.asked.payload.context.eq(k)), () => c.set(io.client)));
    const its = reg(uint(p.contexts), { name: "contexts_of_client" }),
      fits = reg(bit, { name: "client_fits" });
    its.set(fromBits(clients.map((c, k) => used.bit(k).and(c.eq(io.client)))));
    fits.set(onesOf(its).lt(onesOf(used.not())));
    io.fits.set(fits);

    // ---- Requests.
    const free = encodePriority(used.not());
    // Room for the largest body of every request that may be inside: a context is all that a request has to find.
    const bodyDepth = 2 ** Math.ceil(Math.log2(p.contexts * bodyBeats));
    const bodies = instance("bodies", Fifo({ shape: BodyBeat(p), depth: bodyDepth, style: fifoStyle(bodyDepth) }), {
      reset: clear,
    });
    const requests = instance("requests", Fifo({ shape: OffloadRequest(p), depth: p.contexts, style: "distributed" }), {
      reset: clear,
    });
    io.room.set(free.any.and(closed.not()));
    io.nextContext.set(free.index.is(contextBits));
    connect(io.asked, requests.push);
    connect(io.askedData, bodies.push);
    connect(requests.pop, io.request);
    connect(bodies.pop, io.requestData);
    const pids = ram(uint(16), { depth: p.contexts, collision: "undefined", style: "distributed" });
    // Beats of bodies that are to come, modulo their count: 0 when every body is whole.
    const bodyOwed = reg(uint(bodyLengthBits), { init: 0 });
    bodyOwed.set(
      bodyOwed
        .add(
          mux(io.asked.fire, beatsOf(io.asked.payload.length, p).resize(bodyLengthBits), constant(0, bodyLengthBits)),
        )
        .sub(io.askedData.fire.zext(bodyLengthBits)),
    );
    pids.write(io.asked.fire, io.asked.payload.context, io.asked.payload.pid);

    // ---- Replies. A reply without a request is discarded with its data, to the end: its context may be given to a
    // new request meanwhile.
    const answers = collect(own(io.reply, "own_reply"), own(io.replyData, "own_reply_data"), {
      name: "replies",
      length: "length",
      mostBytes: p.maxBody,
      beatBytes: p.beatBytes,
      depth: p.contexts,
      clear,
    });
    const a = answers.heads.payload;
    const current = node(used.and(decode(a.context, p.contexts)).any());
    const beats = beatsOf(a.length, p);
    /** Beats that belong to the head that has left. */
    const left = reg(uint(bitsFor(bodyBeats)), { init: 0 });
    const discarding = reg(bit);
    const between = node(left.any().not());
    io.answer.valid.set(lost.or(answers.heads.valid.and(current).and(between)));
    io.answer.payload.set({
      context: mux(lost, lostContext, a.context).is(contextBits),
      status: a.status,
      opcode: a.opcode,
      length: mux(lost, constant(0, bodyLengthBits), a.length).is(bodyLengthBits),
      more: a.more.and(lost.not()),
    });
    io.lost.set(lost);
    answers.heads.ready.set(between.and(current.not().or(io.answer.ready)));
    const dropped = node(answers.heads.fire.and(current.not()));
    io.answerData.valid.set(answers.data.valid.and(between.not()).and(discarding.not()));
    io.answerData.payload.set({ data: answers.data.payload.data, last: answers.data.payload.last });
    answers.data.ready.set(between.not().and(discarding.or(io.answerData.ready)));
    when(answers.heads.fire, () => {
      left.set(beats.resize(left.width));
      discarding.set(current.not());
    }).elseWhen(answers.data.fire, () => left.set(left.sub(1)));
    const taken = mux(io.asked.fire, decode(io.asked.payload.context, p.contexts), constant(0, p.contexts));
    const ended = mux(
      io.answer.fire.and(io.answer.payload.more.not()),
      decode(io.answer.payload.context, p.contexts),
      constant(0, p.contexts),
    );
    used.set(used.and(ended.not()).or(taken));

    // ---- Memory requests, each with room for its reply.
    const accesses = collect(own(io.memory, "own_memory"), own(io.memoryData, "own_memory_data"), {
      name: "accesses",
      length: "data",
      mostBytes: p.maxData,
      beatBytes: p.beatBytes,
      depth: p.outstanding,
      clear,
    });
    const m = accesses.heads.payload;
    const among = (names: readonly OpcodeName[]): Bit => orTree(names.map(n => m.opcode.eq(opcodeBits[n])));
    const allowed = node(among(offloadOpcodes).and(m.client.not().or(used.and(decode(m.context, p.contexts)).any())));
    const bytes = node(
      mux(
        among(withData).and(m.length.le(p.maxData)),
        m.length.trunc(bodyLengthBits),
        constant(otherBytes, bodyLengthBits),
      ),
    );
    const ready = stream(SlotAccess(p));
    ready.valid.set(accesses.heads.valid);
    ready.payload.set({
      tag: m.tag,
      opcode: mux(allowed, m.opcode, constant(0, 8)),
      pid: mux(m.client, pids.readAsync(m.context), io.pid).is(16),
      va: m.va,
      length: m.length,
      data: m.data,
      cost: beatsOf(bytes, p).resize(costBits(p)),
      epoch: 0,
    });
    accesses.heads.ready.set(ready.ready);
    const next = stage(ready, "forward", { name: "next" });
    const inside = reg(uint(bitsFor(p.outstanding)), { init: 0 });
    const beatsFree = reg(uint(costBits(p)), { init: p.replyBeats });
    const may = node(inside.ne(p.outstanding).and(next.payload.cost.le(beatsFree)));
    io.access.valid.set(next.valid.and(may));
    const epoch = reg(uint(epochBits), { init: 0, name: "epoch" });
    assignView(io.access.payload, { ...next.payload, epoch }, "access");
    next.ready.set(io.access.ready.and(may));
    connect(accesses.data, io.accessData);
    // Beats that memory has still to take of the requests that it has taken: they stand in the collected data.
    const mostBeats = Math.ceil(p.maxData / p.beatBytes),
      dataOwed = reg(uint(Math.ceil(Math.log2(mostBeats + 1)) + 1), { init: 0 });
    const { width } = dataOwed;
    dataOwed.set(
      dataOwed
        .add(mux(io.access.fire, beatsOf(io.access.payload.data, p).resize(width), constant(0, width)))
        .sub(io.accessData.fire.zext(width)),
    );

    // ---- Their replies.
    const replies = instance(
      "memory_replies",
      Fifo({ shape: MemoryReply, depth: p.outstanding, style: "distributed" }),
    );
    const replyData = instance("memory_reply_beats", Fifo({ shape: BodyBeat(p), depth: p.replyBeats, style: "auto" }));
    const { cost, epoch: cameEpoch, ...told } = io.came.payload;
    // What comes of an epoch that is over is taken and forgotten.
    const cameInTime = node(cameEpoch.eq(epoch), { name: "came_in_time" }),
      dataCurrent = node(io.cameData.payload.epoch.eq(epoch), { name: "came_data_in_time" });
    const cameNow = node(io.came.fire.and(cameInTime), { name: "came_now" });
    replies.push.valid.set(io.came.valid.and(cameInTime));
    io.came.ready.set(replies.push.ready.or(cameInTime.not()));
    assignView(replies.push.payload, told, "told");
    replyData.push.valid.set(io.cameData.valid.and(dataCurrent));
    io.cameData.ready.set(replyData.push.ready.or(dataCurrent.not()));
    replyData.push.payload.set({ data: io.cameData.payload.data, last: io.cameData.payload.last });
    assertAlways(io.came.valid.and(io.came.ready.not()).not(), "there is room for every reply");
    assertAlways(io.cameData.valid.and(io.cameData.ready.not()).not(), "there is room for the data of every reply");
    // While the offload is in reset they are thrown away as they come.
    const replyPop = thrownAway(replies.pop, closed, "reply_pop"),
      dataPop = thrownAway(replyData.pop, closed, "data_pop");
    connect(replyPop, io.memoryReply);
    connect(dataPop, io.memoryReplyData);

    const givesUp = givenUp(
      io.control.patience,
      closed.and(inside.any()),
      cat(replies.pop.valid, replyData.pop.valid, io.came.valid, io.cameData.valid, io.access.valid, dataOwed)
        .any()
        .not(),
    );
    when(givesUp, () => {
      inside.set(0);
      epoch.set(epoch.add(1));
    })
      .elseWhen(io.access.fire.and(replies.pop.fire.not()), () => inside.set(inside.add(1)))
      .elseWhen(replies.pop.fire.and(io.access.fire.not()), () => inside.set(inside.sub(1)));
    // A reply gives back the unneeded credits; the others come back beat by beat.
    const none = constant(0, costBits(p));
    const spare = node(mux(cameNow, cost.sub(beatsOf(io.came.payload.data, p).resize(costBits(p))), none));
    const spent = node(mux(io.access.fire, io.access.payload.cost, none));
    beatsFree.set(
      mux(
        givesUp,
        constant(p.replyBeats, costBits(p)),
        beatsFree
          .add(spare)
          .add(replyData.pop.fire.zext(costBits(p)))
          .sub(spent),
      ),
    );

    // ---- A reset of the offload alone. Memory does not answer an access without its data, so with the replies the
    // data of the accesses are gone, too.
    const accessesGone = node(
      accesses.pending.not().and(next.valid.not()).and(inside.any().not()).and(beatsFree.eq(p.replyBeats)),
    );
    const repliesGone = node(answers.pending.not().and(between));
    drained.set(closed.and(accessesGone).and(repliesGone).and(bodyOwed.any().not()));
    io.inReset.set(closed);
    const moved = orTree(
      [
        io.request,
        io.requestData,
        io.reply,
        io.replyData,
        io.memory,
        io.memoryData,
        io.memoryReply,
        io.memoryReplyData,
      ].map(s => s.fire),
    );
    const hostIsAsked = node(
      answers.pending
        .or(accesses.pending)
        .or(next.valid)
        .or(inside.ne(replies.level.resize(inside.width))),
    );
    const since = sinceReply(
      closed.not().and(used.any()),
      io.answer.fire,
      p.sinceUnit ?? sinceUnit,
      OffloadControl.fields.limit.width,
    );
    const silent = reg(bit, { init: 0, name: "silent" });
    silent.set(io.control.limit.any().and(since.ge(io.control.limit)).and(closed.not()));
    io.state.set({
      held: clear,
      stuck: stuckFor(io.control.patience, closed.not().and(used.any()).and(moved.not()).and(hostIsAsked.not())).or(
        silent,
      ),
      active: used.any(),
      since,
    });

    io.events.set({
      requests: io.asked.fire,
      replies: io.answer.fire,
      accesses: io.access.fire,
      refused: accesses.heads.fire.and(allowed.not()),
      stray: dropped,
    });
  },
  {
    nameOf: p =>
      `OffloadSlot_b${p.beatBytes}_c${p.contexts}_o${p.outstanding}_r${p.replyBeats}_m${p.maxBody}${p.sinceUnit === undefined ? "" : `_u${p.sinceUnit}`}`,
  },
);

/** How many bits of a number are 1. */
function onesOf(of: UInt): UInt {
  const width = bitsFor(of.width);
  let left: UInt[] = Array.from({ length: of.width }, (_, k) => of.bit(k).zext(width));
  while (left.length > 1)
    left = Array.from({ length: Math.ceil(left.length / 2) }, (_, i) => {
      const [a, b] = left.slice(2 * i) as [UInt, UInt?];
      return b === undefined ? a : a.add(b);
    });
  return left[0] as UInt;
}
