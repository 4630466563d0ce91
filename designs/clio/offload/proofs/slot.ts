/**
 * The offload slot: there is room for every reply that it lets its offload wait for, and each answer belongs
 * to a request.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  decode,
  input,
  type Inside,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  pack,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { OffloadSlot } from "../slot.ts";
import { costBits, SlotAccess, type SlotParameters, SlotReply, SlotReplyBeat } from "../slot/ports.ts";
import { beatsOf, BodyBeat, MemoryReply, MemoryRequest, OffloadReply, OffloadRequest } from "../types.ts";

const small: SlotParameters = { beatBytes: 8, contexts: 2, maxData: 16, outstanding: 2, replyBeats: 4, maxBody: 16 };

const ports = (p: SlotParameters) => ({
  request: source(OffloadRequest(p)),
  requestData: source(BodyBeat(p)),
  reply: sink(OffloadReply(p)),
  replyData: sink(BodyBeat(p)),
  memory: sink(MemoryRequest(p)),
  memoryData: sink(BodyBeat(p)),
  memoryReply: source(MemoryReply),
  memoryReplyData: source(BodyBeat(p)),
  asked: sink(OffloadRequest(p)),
  askedData: sink(BodyBeat(p)),
  answer: source(OffloadReply(p)),
  answerData: source(BodyBeat(p)),
  access: source(SlotAccess(p)),
  accessData: source(BodyBeat(p)),
  came: sink(SlotReply(p)),
  cameData: sink(SlotReplyBeat(p)),
  pick: input(bit),
  hold: input(bit),
});
type Io = Inside<ReturnType<typeof ports>>;

/** The slot, between offload, host and memory. */
function connectAll(io: Io, p: SlotParameters) {
  const dut = instance("dut", OffloadSlot(p));
  dut.pid.set(0xff00);
  // Replies come: none is given up.
  dut.control.set({ hold: io.hold, patience: 2 ** 24 - 1, limit: 0 });
  dut.client.set(0);
  connect(io.reply, dut.reply);
  connect(io.replyData, dut.replyData);
  connect(io.memory, dut.memory);
  connect(io.memoryData, dut.memoryData);
  connect(io.asked, dut.asked);
  connect(io.askedData, dut.askedData);
  connect(io.came, dut.came);
  connect(io.cameData, dut.cameData);
  connect(dut.request, io.request);
  connect(dut.requestData, io.requestData);
  connect(dut.memoryReply, io.memoryReply);
  connect(dut.memoryReplyData, io.memoryReplyData);
  connect(dut.answer, io.answer);
  connect(dut.answerData, io.answerData);
  connect(dut.access, io.access);
  connect(dut.accessData, io.accessData);
  return dut;
}

/** Contexts inside the offload. */
function insideOf(io: Io, p: SlotParameters): UInt {
  const inside = reg(uint(p.contexts), { init: 0, name: "model_inside" });
  const comes = mux(io.asked.fire, decode(io.asked.payload.context, p.contexts), constant(0, p.contexts));
  const goes = mux(
    io.answer.fire.and(io.answer.payload.more.not()),
    decode(io.answer.payload.context, p.contexts),
    constant(0, p.contexts),
  );
  inside.set(inside.or(comes).and(goes.not()));
  assertAlways(comes.and(inside).any().not(), "a context that is offered is free");
  assertAlways(
    io.answer.valid.not().or(inside.shr(io.answer.payload.context).bit(0)),
    "only who has asked is answered",
  );
  return inside;
}

const harness = module("OffloadSlotProof", ports, (io, p) => {
  const dut = connectAll(io, p);
  const watched = (s: { readonly valid: Bit; readonly ready: Bit; readonly payload: unknown }) => ({
    valid: s.valid,
    ready: s.ready,
    payload: pack(s.payload),
  });
  for (const [name, s] of Object.entries({ reply: io.reply, memory: io.memory, asked: io.asked }))
    producerObeys(watched(s), name);

  // The host: a request only when there is room, with the context that is offered.
  assumeAlways(
    io.asked.valid.not().or(dut.room.and(io.asked.payload.context.eq(dut.nextContext))),
    "a request comes when there is room for it",
  );
  // Memory: two accesses at a time; each gets one reply, with the beats that were reserved or fewer, its
  // data before it.
  const first = reg(bit, { init: 0, name: "model_owed_0" }),
    second = reg(bit, { init: 0, name: "model_owed_1" });
  const cost0 = reg(uint(costBits(p)), { name: "model_cost_0" }),
    cost1 = reg(uint(costBits(p)), { name: "model_cost_1" });
  const busy = reg(bit, { init: 0, name: "model_replying" }),
    which = reg(bit, { name: "model_which" }),
    arrived = reg(uint(costBits(p)), { init: 0, name: "model_arrived" });
  const at = node(mux(busy, which, io.pick), { name: "model_at" });
  assumeAlways(
    io.came.payload.epoch.eq(0).and(io.cameData.payload.epoch.eq(0)),
    "what comes is of the only epoch that there is",
  );
  const owes = node(mux(at, second, first), { name: "model_owes" }),
    cost = node(mux(at, cost1, cost0), { name: "model_cost" });
  const beats = beatsOf(io.came.payload.data, p);
  assumeAlways(
    io.cameData.valid.not().or(owes.and(arrived.lt(cost))),
    "data come for an access that is under way, and no more than was reserved",
  );
  assumeAlways(
    io.came.valid.not().or(owes.and(io.came.payload.cost.eq(cost)).and(beats.eq(arrived.zext(beats.width)))),
    "a reply comes behind its data",
  );
  assumeAlways(io.came.valid.and(io.cameData.valid).not(), "one after the other");
  const leaves = io.access.fire,
    ends = io.came.fire;
  when(io.cameData.fire, () => {
    arrived.set(arrived.add(1));
    busy.set(1);
    which.set(at);
  });
  when(ends, () => {
    arrived.set(0);
    busy.set(0);
  });
  when(leaves.and(first.not()), () => {
    first.set(1);
    cost0.set(io.access.payload.cost);
  }).elseWhen(ends.and(at.not()), () => first.set(0));
  when(leaves.and(first), () => {
    second.set(1);
    cost1.set(io.access.payload.cost);
  }).elseWhen(ends.and(at), () => second.set(0));

  assertAlways(leaves.not().or(first.and(second).not()), "no more than `outstanding` are under way");
  assertAlways(io.came.valid.not().or(io.came.ready), "a reply is always taken");
  assertAlways(io.cameData.valid.not().or(io.cameData.ready), "its data are always taken");
  moduleObeys({ ...watched(io.access) }, "access");

  const inside = insideOf(io, p);
  // The reset of the offload alone.
  assertAlways(
    dut.state.held.not().or(first.or(second).or(inside.any()).not()),
    "nothing is under way of an offload that is held, and nobody waits for it",
  );
  cover(dut.lost.and(io.answer.ready), "a request is answered for its offload");
  cover(first.and(second), "as many under way as may be");
  cover(inside.all(), "all contexts taken");
  cover(io.answer.fire, "an answer");
});

/**
 * The same slot seen from its shared sides: after a head of `side` fires, its data follow, beat after beat, whatever
 * the offload does.
 */
const behind = (side: "answer" | "access") =>
  module(
    `OffloadSlotData_${side}`,
    (p: SlotParameters) => ({
      reply: sink(OffloadReply(p)),
      replyData: sink(BodyBeat(p)),
      memory: sink(MemoryRequest(p)),
      memoryData: sink(BodyBeat(p)),
      asked: sink(OffloadRequest(p)),
      headReady: input(bit),
      dataReady: input(bit),
    }),
    (io, p) => {
      const dut = instance("dut", OffloadSlot(p));
      dut.pid.set(0xff00);
      dut.control.set({ hold: 0, patience: 2 ** 24 - 1, limit: 0 });
      dut.client.set(0);
      connect(io.asked, dut.asked);
      connect(io.reply, dut.reply);
      connect(io.memory, dut.memory);
      connect(io.replyData, dut.replyData);
      connect(io.memoryData, dut.memoryData);
      // Bodies of requests and memory's replies have no part in it.
      dut.askedData.valid.set(0);
      dut.askedData.payload.set({ data: 0, last: 0 });
      dut.came.valid.set(0);
      dut.came.payload.set({ tag: 0, status: 0, va: 0, length: 0, data: 0, cost: 0, epoch: 0 });
      dut.cameData.valid.set(0);
      dut.cameData.payload.set({ data: 0, last: 0, epoch: 0 });
      for (const s of [dut.request, dut.requestData, dut.memoryReply, dut.memoryReplyData]) s.ready.set(1);
      const other = side === "answer" ? "access" : "answer";
      if (side === "answer") assumeAlways(io.memory.valid.not(), "no memory requests");
      dut[other].ready.set(0);
      dut[`${other}Data`].ready.set(0);
      assumeAlways(
        io.asked.valid.not().or(dut.room.and(io.asked.payload.context.eq(dut.nextContext))),
        "a request comes when there is room for it",
      );
      const head = dut[side],
        data = dut[`${side}Data`],
        length = side === "answer" ? dut.answer.payload.length : dut.access.payload.data;
      // Four heads of two beats at most: `may` lets no more leave, and of answers one is under way at a time.
      const due = reg(uint(4), { init: 0, name: "model_due" });
      head.ready.set(io.headReady);
      data.ready.set(io.dataReady.and(due.any()));
      due.set(due.add(mux(head.fire, beatsOf(length, p).resize(4), constant(0, 4))).sub(data.fire.zext(4)));
      assertAlways(due.any().not().or(data.valid), "a head's data are there");
      assertAlways(due.le(side === "answer" ? 2 : 4), "no more data are owed than may be under way");
      cover(due.eq(2), "a head of two beats");
    },
  );

export const slotProof: Proof = {
  module: "OffloadSlot, 2 contexts, 2 memory requests under way, 4 reply beats",
  harness: harness(small),
  long: "minutes",
  faults: [
    { what: "an access leaves without room for its reply", from: /assign may = [^;]*;/, to: "assign may = 1'b1;" },
  ],
};
export const slotDataProofs: readonly Proof[] = [
  {
    module: "OffloadSlot: the data of its replies, 2 contexts",
    harness: behind("answer")(small),
    long: "minutes",
    faults: [
      { what: "a head leaves while data of the one before are there", from: /between = [^;]*;/, to: "between = 1'b1;" },
    ],
  },
  {
    module: "OffloadSlot: the data of its memory requests",
    long: true,
    harness: behind("access")(small),
    faults: [
      {
        what: "a head leaves before its last beat is there",
        from: /accesses_whole = [^;]*;/,
        to: "accesses_whole = accesses_valid;",
      },
    ],
  },
];
