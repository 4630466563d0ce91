/** Offloads that break the rules, for tests of what hosts them. */
import { constant, fsm, module, mux, reg, uint, when } from "../../../../../hdl-dsl/index.ts";
import { type OffloadParameters, offloadPorts } from "../../../../../designs/clio/offload/index.ts";
import { opcode } from "../../../../../designs/clio/wire/index.ts";

/**
 * Takes the header of one request, then nothing more. From then on it offers the header of a reply to it and of a
 * WRITE, and never the data that both of them announce.
 */
export const Half = module(
  "Half",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const stopped = reg(uint(1), { init: 0 }),
      context = reg(uint(Math.log2(p.contexts)));
    // Every input is looked at, as an offload would: nothing follows from it.
    const seen = reg(uint(1), { init: 0, mayBeUnread: true });
    const inputs = [
      io.requestData.valid,
      io.memoryReply.valid,
      io.memoryReplyData.valid,
      io.reply.ready,
      io.replyData.ready,
      io.memory.ready,
      io.memoryData.ready,
      ...[io.request, io.requestData, io.memoryReply, io.memoryReplyData].flatMap(s =>
        Object.values(s.payload).map(v => v.any()),
      ),
    ];
    seen.set(inputs.reduce((a, b) => a.xor(b)));
    io.request.ready.set(stopped.not());
    when(io.request.fire, () => {
      stopped.set(1);
      context.set(io.request.payload.context);
    });
    for (const s of [io.requestData, io.memoryReply, io.memoryReplyData]) s.ready.set(0);
    io.reply.valid.set(stopped);
    io.memory.valid.set(stopped);
    io.reply.payload.set({ context, status: 0, opcode: 0xee, length: 64, more: 0 });
    io.memory.payload.set({ tag: 1, opcode: opcode.WRITE, client: 1, context, va: 0, length: 64, data: 64 });
    for (const s of [io.replyData, io.memoryData]) {
      s.valid.set(0);
      s.payload.set({ data: 0, last: 0 });
    }
  },
);

/**
 * Answers a request without a body three times. The first is for a free context, the second for a context after a
 * memory access in its name. The last is right, with the status that memory gave. Right only while it has one request
 * at a time.
 */
export const Liar = module(
  "Liar",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const context = reg(uint(Math.log2(p.contexts))),
      code = reg(uint(8)),
      failure = reg(uint(4)),
      beats = 2;
    const second = reg(uint(1), { init: 0 }),
      left = reg(uint(2), { init: 0 }),
      right = reg(uint(1), { init: 0 });
    const seen = reg(uint(1), { init: 0, mayBeUnread: true });
    const unused = [io.requestData, io.memoryReplyData].flatMap(s => [
      s.valid,
      ...Object.values(s.payload).map(v => v.any()),
    ]);
    seen.set([...unused, io.memoryData.ready].reduce((a, b) => a.xor(b)));
    io.request.ready.set(0);
    io.requestData.ready.set(1);
    io.memoryReplyData.ready.set(1);
    io.memory.valid.set(0);
    io.memoryReply.ready.set(0);
    io.reply.valid.set(0);
    const nobody = context.add(mux(second, constant(2, 2), constant(1, 2)).zext(context.width));
    fsm(
      ["idle", "lie", "data", "ask", "wait", "answer"],
      "idle",
      s => ({
        idle: () => {
          io.request.ready.set(1);
          context.set(io.request.payload.context);
          code.set(io.request.payload.opcode);
          second.set(0);
          when(io.request.valid, () => s.go("lie"));
        },
        lie: () => {
          io.reply.valid.set(1);
          left.set(beats);
          when(io.reply.ready, () => s.go("data"));
        },
        data: () => {
          when(io.replyData.fire, () => {
            left.set(left.sub(1));
            when(left.eq(1), () => {
              s.go("ask");
              when(second, () => {
                s.go("answer");
                right.set(1);
              });
            });
          });
        },
        ask: () => {
          io.memory.valid.set(1);
          when(io.memory.ready, () => s.go("wait"));
        },
        wait: () => {
          io.memoryReply.ready.set(1);
          failure.set(io.memoryReply.payload.status);
          second.set(1);
          when(io.memoryReply.valid, () => s.go("lie"));
        },
        answer: () => {
          io.reply.valid.set(1);
          when(io.reply.ready, () => {
            s.go("idle");
            right.set(0);
          });
        },
      }),
      { name: "state" },
    );
    io.reply.payload.set({
      context: mux(right, context, nobody),
      status: mux(right, failure, 0),
      opcode: mux(right, code.add(1), 0xee),
      length: mux(right, constant(0, 14), p.beatBytes * beats - 5),
      more: 0,
    });
    io.replyData.valid.set(left.any());
    io.replyData.payload.set({ data: constant(0xee, p.beatBytes * 8), last: left.eq(1) });
    io.memory.payload.set({ tag: 7, opcode: opcode.READ, client: 1, context: nobody, va: 0, length: 64, data: 0 });
    io.memoryData.valid.set(0);
    io.memoryData.payload.set({ data: 0, last: 0 });
  },
);

/**
 * Answers requests without a body at once, with their opcode plus 1. Of one with a body it takes the header, and then
 * nothing more, ever.
 */
export const Sticky = module(
  "Sticky",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    const stopped = reg(uint(1), { init: 0 }),
      full = reg(uint(1), { init: 0 }),
      context = reg(uint(Math.log2(p.contexts))),
      code = reg(uint(8));
    const seen = reg(uint(1), { init: 0, mayBeUnread: true });
    const inputs = [
      io.requestData.valid,
      io.memoryReply.valid,
      io.memoryReplyData.valid,
      io.replyData.ready,
      io.memory.ready,
      io.memoryData.ready,
      io.request.payload.pid.any(),
      ...[io.requestData, io.memoryReply, io.memoryReplyData].flatMap(s => Object.values(s.payload).map(v => v.any())),
    ];
    seen.set(inputs.reduce((a, b) => a.xor(b)));
    io.request.ready.set(stopped.or(full).not());
    when(io.reply.fire, () => full.set(0));
    when(io.request.fire, () => {
      context.set(io.request.payload.context);
      code.set(io.request.payload.opcode);
      full.set(io.request.payload.length.any().not());
      stopped.set(io.request.payload.length.any());
    });
    for (const s of [io.requestData, io.memoryReply, io.memoryReplyData]) s.ready.set(0);
    io.reply.valid.set(full);
    io.memory.valid.set(0);
    io.reply.payload.set({ context, status: 0, opcode: code.add(1), length: 0, more: 0 });
    io.memory.payload.set({ tag: 0, opcode: 0, client: 0, context: 0, va: 0, length: 0, data: 0 });
    for (const s of [io.replyData, io.memoryData]) {
      s.valid.set(0);
      s.payload.set({ data: 0, last: 0 });
    }
  },
);
