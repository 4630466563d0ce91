/** What the intake sends: pairs to memory, and replies. */
import { type Bit, cat, constant, mux, node } from "../../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../../shared/frame/index.ts";
import { bodyLengthBits } from "../../../offload/index.ts";
import { kvReplyBody, opcodeBits, statusBits } from "../../../wire/index.ts";
import { addressOf, hasBody } from "../layout.ts";
import { addressBits } from "../parameters.ts";
import { purpose, tagOf } from "../replies.ts";
import type { Parts } from "./parts.ts";

/** The pair as it came, but for the first two bytes, which are its owner's. */
export function writePair({ io, p, state, form: { pairBytes }, begins }: Parts, sends: Bit): void {
  const { request, asked, bytes, waiting, held, writeBeats } = state,
    beat = p.beatBytes * 8,
    data = bytes.payload.data;
  const pairBeat = node(waiting === undefined ? data : mux(held, waiting.first, data), { name: "pair_beat" });
  io.memory.valid.set(sends.and(held.or(bytes.valid)));
  io.memory.payload.set({
    head: {
      tag: tagOf(purpose.block, request.context),
      opcode: opcodeBits.WRITE,
      va: addressOf(asked.block).trunc(addressBits),
      length: pairBytes.zext(32),
      data: pairBytes,
    },
    bare: 0,
    data: cat(pairBeat.bits(16, beat - 16), mux(begins, request.pid, pairBeat.bits(0, 16))),
    last: writeBeats.eq(1),
  });
}

/** The reply of a request that ends here. */
export function answer({ io, p, state, form: { code }, walk: { alone } }: Parts, answers: Bit): void {
  const { request, asked, failure } = state;
  const bare = node(hasBody(failure).not().or(alone));
  const answerOpcode = mux(failure.eq(statusBits.MALFORMED), code, code.or(1));
  const front = joinFields(kvReplyBody, { user: asked.user, keySize: 8, valueSize: 0 });
  io.reply.valid.set(answers);
  io.reply.payload.set({
    head: {
      context: request.context,
      status: failure,
      opcode: answerOpcode,
      length: mux(bare, constant(0, bodyLengthBits), kvReplyBody.bytes),
    },
    bare,
    data: front.zext(p.beatBytes * 8),
    last: 1,
  });
}
