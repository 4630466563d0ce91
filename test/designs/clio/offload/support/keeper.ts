/** An offload that keeps things for processes, as far as a bench of its host needs one. */
import { bit, constant, fsm, module, mux, reg, uint, when } from "../../../../../hdl-dsl/index.ts";
import { forgetOpcode, type OffloadParameters, offloadPorts } from "../../../../../designs/clio/offload/index.ts";

/** Cycles that it works on a request. */
const works = 24;

/**
 * Takes one request at a time, without a body, and answers it with two bytes: the process that it was last asked to
 * forget. So an answer tells behind which removal its request was.
 */
export const Keeper = module(
  "Keeper",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const context = reg(uint(Math.log2(p.contexts))),
      code = reg(uint(8)),
      gone = reg(uint(16), { init: 0 }),
      left = reg(uint(5));
    // Every input is looked at, as an offload would: nothing follows from it.
    const seen = reg(bit, { init: 0, mayBeUnread: true });
    seen.set(
      [
        ...[io.memory.ready, io.memoryData.ready, io.requestData.valid, io.memoryReply.valid, io.memoryReplyData.valid],
        ...[io.request, io.requestData, io.memoryReply, io.memoryReplyData].flatMap(s =>
          Object.values(s.payload).map(v => v.any()),
        ),
      ].reduce((a, b) => a.xor(b)),
    );
    const forgets = code.eq(forgetOpcode);
    const s = fsm(["idle", "work", "reply", "data"], "idle", m => ({
      idle: () => {
        context.set(io.request.payload.context);
        code.set(io.request.payload.opcode);
        left.set(works);
        when(io.request.valid, () => {
          when(io.request.payload.opcode.eq(forgetOpcode), () => gone.set(io.request.payload.pid));
          m.go("work");
        });
      },
      work: () => {
        left.set(left.sub(1));
        when(left.eq(0), () => m.go("reply"));
      },
      reply: () => when(io.reply.ready, () => when(forgets, () => m.go("idle")).otherwise(() => m.go("data"))),
      data: () => when(io.replyData.ready, () => m.go("idle")),
    }));
    io.request.ready.set(s.is("idle"));
    for (const x of [io.requestData, io.memoryReply, io.memoryReplyData]) x.ready.set(1);
    io.reply.valid.set(s.is("reply"));
    io.reply.payload.set({
      context,
      status: 0,
      opcode: code.add(1),
      length: mux(forgets, constant(0, 14), 2),
      more: 0,
    });
    io.replyData.valid.set(s.is("data"));
    io.replyData.payload.set({ data: gone.zext(8 * p.beatBytes), last: 1 });
    io.memory.valid.set(0);
    io.memory.payload.set({ tag: 0, opcode: 0, client: 0, context, va: 0, length: 0, data: 0 });
    io.memoryData.valid.set(0);
    io.memoryData.payload.set({ data: 0, last: 0 });
  },
);
