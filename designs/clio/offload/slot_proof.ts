/** The offload slot: there is room for every reply that it lets its offload wait for, and nobody is answered who has not asked. */
import {
  assertAlways, assumeAlways, bit, connect, cover, instance, input, module, moduleObeys, mux, node, pack, producerObeys, reg, sink, source, uint, when, decode, constant, type Proof, type Shape, type StreamIn,
} from "../../../hdl-dsl/index.ts";
import { OffloadSlot, SlotAccess, SlotReply, type SlotParameters, costBits } from "./slot.ts";
import { beatsOf, BodyBeat, MemoryReply, MemoryRequest, OffloadReply, OffloadRequest } from "./types.ts";

const small: SlotParameters = { beatBytes: 8, contexts: 2, maxData: 16, outstanding: 2, replyBeats: 4, maxBody: 16 };

const harness = module("OffloadSlotProof",
  (p: SlotParameters) => ({
    request: source(OffloadRequest(p)), request_data: source(BodyBeat(p)), reply: sink(OffloadReply(p)), reply_data: sink(BodyBeat(p)),
    memory: sink(MemoryRequest(p)), memory_data: sink(BodyBeat(p)), memory_reply: source(MemoryReply), memory_reply_data: source(BodyBeat(p)),
    asked: sink(OffloadRequest(p)), asked_data: sink(BodyBeat(p)), answer: source(OffloadReply(p)), answer_data: source(BodyBeat(p)),
    access: source(SlotAccess(p)), access_data: source(BodyBeat(p)), came: sink(SlotReply(p)), came_data: sink(BodyBeat(p)), pick: input(bit),
  }),
  (io, p) => {
    const dut = instance("dut", OffloadSlot(p));
    dut.pid.set(0xff00);
    connect(io.reply, dut.reply); connect(io.reply_data, dut.reply_data); connect(io.memory, dut.memory); connect(io.memory_data, dut.memory_data);
    connect(io.asked, dut.asked); connect(io.asked_data, dut.asked_data); connect(io.came, dut.came); connect(io.came_data, dut.came_data);
    connect(dut.request, io.request); connect(dut.request_data, io.request_data); connect(dut.memory_reply, io.memory_reply); connect(dut.memory_reply_data, io.memory_reply_data);
    connect(dut.answer, io.answer); connect(dut.answer_data, io.answer_data); connect(dut.access, io.access); connect(dut.access_data, io.access_data);
    const watched = (s: StreamIn<Shape>) => ({ valid: s.valid, ready: s.ready, payload: pack(s.payload as never) });
    for (const [name, s] of Object.entries({ reply: io.reply, memory: io.memory, asked: io.asked })) producerObeys(watched(s as never), name);

    // The host: a request only when there is room, with the context that is offered.
    assumeAlways(io.asked.valid.not().or(dut.room.and(io.asked.payload.context.eq(dut.context))), "a request comes when there is room for it");
    // Memory: two accesses at a time; each gets one reply, with the beats that were reserved or fewer, its data before it.
    const first = reg(bit, { init: 0, name: "model_owed_0" }), second = reg(bit, { init: 0, name: "model_owed_1" });
    const cost0 = reg(uint(costBits(p)), { name: "model_cost_0" }), cost1 = reg(uint(costBits(p)), { name: "model_cost_1" });
    const busy = reg(bit, { init: 0, name: "model_replying" }), which = reg(bit, { name: "model_which" }), arrived = reg(uint(costBits(p)), { init: 0, name: "model_arrived" });
    const at = node(mux(busy, which, io.pick), { name: "model_at" });
    const owes = node(mux(at, second, first), { name: "model_owes" }), cost = node(mux(at, cost1, cost0), { name: "model_cost" });
    const beats = beatsOf(io.came.payload.data, p);
    assumeAlways(io.came_data.valid.not().or(owes.and(arrived.lt(cost))), "data come for an access that is under way, and no more than was reserved");
    assumeAlways(io.came.valid.not().or(owes.and(io.came.payload.cost.eq(cost)).and(beats.eq(arrived.zext(beats.width)))), "a reply comes behind its data");
    assumeAlways(io.came.valid.and(io.came_data.valid).not(), "one after the other");
    const leaves = io.access.fire, ends = io.came.fire;
    when(io.came_data.fire, () => { arrived.set(arrived.add(1)); busy.set(1); which.set(at); });
    when(ends, () => { arrived.set(0); busy.set(0); });
    when(leaves.and(first.not()), () => { first.set(1); cost0.set(io.access.payload.cost); })
      .elseWhen(ends.and(at.not()), () => { first.set(0); });
    when(leaves.and(first), () => { second.set(1); cost1.set(io.access.payload.cost); })
      .elseWhen(ends.and(at), () => { second.set(0); });

    assertAlways(leaves.not().or(first.and(second).not()), "no more than `outstanding` are under way");
    assertAlways(io.came.valid.not().or(io.came.ready), "a reply is always taken");
    assertAlways(io.came_data.valid.not().or(io.came_data.ready), "its data are always taken");
    moduleObeys({ ...watched(io.access as never) }, "access");

    // Contexts: what is in the offload.
    const inside = reg(uint(p.contexts), { init: 0, name: "model_inside" });
    const comes = mux(io.asked.fire, decode(io.asked.payload.context, p.contexts), constant(0, p.contexts));
    const goes = mux(io.answer.fire.and(io.answer.payload.more.not()), decode(io.answer.payload.context, p.contexts), constant(0, p.contexts));
    inside.set(inside.or(comes).and(goes.not()));
    assertAlways(comes.and(inside).any().not(), "a context that is offered is free");
    assertAlways(io.answer.valid.not().or(inside.shr(io.answer.payload.context).bit(0)), "only who has asked is answered");
    cover(first.and(second), "as many under way as may be");
    cover(inside.all(), "all contexts taken");
    cover(io.answer.fire, "an answer");
  });

export const slotProof: Proof = {
  module: "OffloadSlot, 2 contexts, 2 memory requests under way, 4 reply beats",
  harness: harness(small),
  faults: [{ what: "an access leaves without room for its reply", from: /assign may = [^;]*;/, to: "assign may = 1'b1;" }],
};
