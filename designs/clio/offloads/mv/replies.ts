import {
  bit,
  bitsFor,
  cat,
  connect,
  Fifo,
  fsm,
  instance,
  module,
  node,
  output,
  reg,
  sink,
  source,
  stage,
  stream,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { mvBody } from "../../wire/index.ts";
import { beatsOf, BodyBeat, OffloadReply } from "../../offload/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { bodyBeats, headBytes, type MultiVersionParameters, MvAnswer } from "./types.ts";

/**
 * Makes replies: object and version, and behind them the value as memory brings it, 8 bytes further up. `copied` pulses
 * when the last beat of a value has been taken.
 *
 * Latency: 2 cycles from `answer` to `reply`, 1 more to the first beat; a value passes in one cycle.
 * Initiation interval: 2 cycles and the beats of the reply. Never full: there is room for one of each context.
 * Reset drops all replies.
 */
export const MvReplies = module(
  "MvReplies",
  (p: MultiVersionParameters) => ({
    answer: sink(MvAnswer(p)),
    value: sink(BodyBeat(p)),
    copied: output(bit),
    reply: source(OffloadReply(p)),
    replyData: source(BodyBeat(p)),
  }),
  (io, p) => {
    const width = p.beatBytes * 8,
      headBits = headBytes * 8;
    const queue = instance("queue", Fifo({ shape: MvAnswer(p), depth: p.contexts, style: "distributed" }));
    connect(io.answer, queue.push);
    const a = reg(MvAnswer(p));
    const headerDue = reg(bit, { init: 0 });
    const left = reg(uint(bitsFor(bodyBeats(p) + 1)));
    const carry = reg(uint(headBits));
    // Beats of the value still to come.
    const coming = reg(bit);

    const out = stream(BodyBeat(p));
    const sending = node(left.any());
    const s = fsm(
      ["idle", "send"],
      "idle",
      go => ({
        idle: () => {
          const given = queue.pop.payload;
          a.set(given);
          left.set(beatsOf(given.length, p).resize(left.width));
          carry.set(joinFields(mvBody, { object: given.object, version: given.version }));
          coming.set(given.value);
          when(queue.pop.valid, () => {
            headerDue.set(1);
            go.go("send");
          });
        },
        send: () => {
          when(out.fire, () => {
            left.set(left.sub(1));
            carry.set(io.value.payload.data.bits(width - headBits, headBits));
            when(io.value.payload.last, () => coming.set(0));
          });
          when(
            headerDue
              .not()
              .or(io.reply.ready)
              .and(left.eq(0).or(left.eq(1).and(out.fire))),
            () => go.go("idle"),
          );
        },
      }),
      { name: "state" },
    );
    queue.pop.ready.set(s.is("idle"));
    when(io.reply.fire, () => headerDue.set(0));
    io.reply.valid.set(headerDue);
    io.reply.payload.set({ context: a.context, status: a.status, opcode: a.opcode, length: a.length, more: 0 });

    out.valid.set(s.is("send").and(sending).and(coming.not().or(io.value.valid)));
    out.payload.set({
      data: p.beatBytes === headBytes ? carry : cat(io.value.payload.data.trunc(width - headBits), carry),
      last: left.eq(1),
    });
    io.value.ready.set(s.is("send").and(sending).and(coming).and(out.ready));
    io.copied.set(io.value.fire.and(io.value.payload.last));
    connect(stage(out, "full"), io.replyData);
  },
  { nameOf: p => `MvReplies_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_i${p.idBits}_v${p.versions}` },
);
