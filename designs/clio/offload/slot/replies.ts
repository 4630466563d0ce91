/** Replies of the offload to requests. */
import {
  bit,
  bitsFor,
  constant,
  decode,
  mux,
  node,
  reg,
  type Shape,
  type StreamIn,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { collect } from "../collect.ts";
import { gated } from "../slot-reset.ts";
import { beatsOf, bodyLengthBits } from "../types.ts";
import type { Build } from "./ports.ts";

/** A stream of the offload, which says nothing while it is in reset. */
export const own = <S extends Shape>({ closing: { closed } }: Build, s: StreamIn<S>, name: string): StreamIn<S> =>
  gated(s, closed, name);

/**
 * A reply without a request is discarded with its data, to the end: its context may be given to a new request
 * meanwhile.
 */
export function giveReplies(build: Build) {
  const { io, p, used } = build,
    { clear, lost, lostContext } = build.closing,
    contextBits = Math.log2(p.contexts),
    bodyBeats = Math.ceil(p.maxBody / p.beatBytes);
  const answers = collect(own(build, io.reply, "own_reply"), own(build, io.replyData, "own_reply_data"), {
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

  return { answers, between, dropped };
}
