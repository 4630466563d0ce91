import {
  arbiter,
  connect,
  constant,
  fsm,
  module,
  mux,
  node,
  reg,
  stream,
  uint,
  type UInt,
  when,
} from "../../hdl-dsl/index.ts";
import { big, layout, num } from "../../designs/shared/wire/index.ts";
import { opcode, replyCode, status } from "../../designs/clio/wire/index.ts";
import {
  BodyBeat,
  bodyLengthBits,
  type Offload,
  type OffloadParameters,
  offloadPorts,
  OffloadReply,
  OffloadRequest,
} from "../../designs/clio/offload/index.ts";
import { cutFields } from "../../designs/shared/frame/index.ts";

/** What stands behind the Clio header of a request. */
export const wordSumBody = layout("wordSum", "WIC program 0", "le", {
  program: num(16, "0"),
  va: big(64, "first word"),
  length: num(32, "bytes"),
});

/**
 * Adds up the 64-bit words of `length` bytes at `va` in the client's memory, modulo 2^64. MALFORMED: another program, a
 * length that is no multiple of 8, 0, or more than one READ brings.
 *
 * Latency: 1 cycle + the body's beats from `request` to the READ, 1 + the data's beats from its reply to `reply`.
 * Initiation interval: the body's beats and 2 cycles, or the data's and 3. As many requests go on at once as there are
 * contexts. Full: one request and one reply are at hand, the others wait. Reset forgets them.
 */
export const WordSum = module(
  "WordSum",
  (p: OffloadParameters) => offloadPorts(p),
  (io, p) => {
    // ---- Requests: the header, the beats of the body, then a READ or a refusal.
    const beats = Math.ceil(wordSumBody.bytes / p.beatBytes),
      width = p.beatBytes * 8;
    const request = reg(OffloadRequest(p));
    const body = reg(uint(beats * width));
    const asked = cutFields(wordSumBody, body);
    const sized = node(asked.length.ge(8).and(asked.length.le(p.maxData)).and(asked.length.bits(0, 3).eq(0)));
    const right = node(sized.and(asked.program.eq(0)).and(request.length.eq(wordSumBody.bytes)));
    const refused = stream(OffloadReply(p));
    io.request.ready.set(0);
    io.requestData.ready.set(0);
    io.memory.valid.set(0);
    refused.valid.set(0);
    fsm(
      ["idle", "body", "start"],
      "idle",
      s => ({
        idle: () => {
          io.request.ready.set(1);
          request.set(io.request.payload);
          when(io.request.valid, () => {
            s.go("body");
            when(io.request.payload.length.eq(0), () => s.go("start"));
          });
        },
        body: () => {
          io.requestData.ready.set(1);
          when(io.requestData.valid, () => {
            // The first beat ends up lowest when all have come.
            const { data, last } = io.requestData.payload;
            body.set(beats === 1 ? data : body.shr(width).or(data.zext(beats * width).shl((beats - 1) * width)));
            when(last, () => s.go("start"));
          });
        },
        start: () => {
          io.memory.valid.set(right);
          refused.valid.set(right.not());
          when(mux(right, io.memory.ready, refused.ready), () => s.go("idle"));
        },
      }),
      { name: "request_state" },
    );
    // The tag comes back with the reply: the context is all that has to be known of a request.
    io.memory.payload.set({
      tag: request.context.zext(8),
      opcode: opcode.READ,
      client: 1,
      context: request.context,
      va: asked.va,
      length: asked.length,
      data: 0,
    });
    refused.payload.set({ context: request.context, status: status.MALFORMED, opcode: opcode.WIC, length: 0, more: 0 });

    // ---- Replies: the words added up as they come; then the answer, its sum or the status of the READ.
    const context = reg(uint(Math.log2(p.contexts)));
    const failure = reg(uint(4));
    const left = reg(uint(bodyLengthBits));
    const sum = reg(uint(64));
    const data = io.memoryReplyData.payload;
    const words = Array.from({ length: p.beatBytes / 8 }, (_, i): UInt<64> =>
      mux(left.gt(8 * i), data.data.bits(64 * i, 64), constant(0, 64)).is(64),
    );
    const answered = stream(OffloadReply(p));
    io.memoryReply.ready.set(0);
    io.memoryReplyData.ready.set(0);
    answered.valid.set(0);
    io.replyData.valid.set(0);
    fsm(
      ["idle", "add", "answer", "give"],
      "idle",
      s => ({
        idle: () => {
          io.memoryReply.ready.set(1);
          const reply = io.memoryReply.payload;
          context.set(reply.tag.trunc(context.width));
          failure.set(reply.status);
          left.set(reply.data);
          sum.set(0);
          when(io.memoryReply.valid, () => {
            s.go("answer");
            when(reply.status.eq(status.OK), () => s.go("add"));
          });
        },
        add: () => {
          io.memoryReplyData.ready.set(1);
          when(io.memoryReplyData.valid, () => {
            sum.set(words.reduce((a, b) => a.add(b), sum));
            left.set(left.sub(p.beatBytes));
            when(data.last, () => s.go("answer"));
          });
        },
        answer: () => {
          answered.valid.set(1);
          when(answered.ready, () => {
            s.go("idle");
            when(failure.eq(status.OK), () => s.go("give"));
          });
        },
        give: () => {
          io.replyData.valid.set(1);
          when(io.replyData.ready, () => s.go("idle"));
        },
      }),
      { name: "reply_state" },
    );
    answered.payload.set({
      context,
      status: failure,
      opcode: replyCode(opcode.WIC),
      length: mux(failure.eq(status.OK), constant(8, bodyLengthBits), 0),
      more: 0,
    });
    io.replyData.payload.set({ data: sum.zext(width), last: 1 });
    connect(arbiter([answered, refused]), io.reply);

    // ---- Nothing is written.
    const nothing = stream(BodyBeat(p));
    nothing.valid.set(0);
    nothing.payload.set({ data: 0, last: 0 });
    connect(nothing, io.memoryData);
  },
);

/** As a build names it. */
export const wordSum: Offload = { name: "word_sum", opcodes: [opcode.WIC], build: p => WordSum(p) };
