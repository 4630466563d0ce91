/** What leaves the engine behind its memory requests: wishes for slots, blocks that go back, replies. */
import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  Fifo,
  instance,
  map,
  mux,
  node,
  struct,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../../shared/frame/index.ts";
import { bodyLengthBits } from "../../../offload/index.ts";
import { kvReplyBody, opcode, statusBits } from "../../../wire/index.ts";
import { Give, Take } from "../allocator/ports.ts";
import { hasBody } from "../layout.ts";
import { ReplyBeat } from "../merged.ts";
import { type KvParameters, sizeBits } from "../parameters.ts";
import type { Parts } from "./parts.ts";
import { what } from "./records.ts";

/** A slot for a chain that grows. */
export function wishForSlots({ io, p, state: { context }, orders: { growing } }: Parts) {
  const takes = instance(
    "takes",
    Fifo({ shape: uint(Math.log2(p.contexts)), depth: p.contexts, style: "distributed" }),
  );
  takes.push.valid.set(growing);
  takes.push.payload.set(context);
  connect(
    map(takes.pop, Take(p), v => ({ table: 0, slot: 1, kind: 0, context: v }), { name: "taking" }),
    io.take,
  );

  return takes;
}

/** Blocks that are not needed any more. @returns whether there are some */
export function giveBack({ io, p, state: { request, progress }, orders: { end, ending } }: Parts) {
  const gives = node(end.givesNew.or(end.givesOld).or(end.givesSlot).or(end.givesOther));
  const giving = instance("giving", Fifo({ shape: Give, depth: p.contexts, style: "distributed" }));
  giving.push.valid.set(ending.and(gives));
  giving.push.payload.set({
    value: end.givesNew.or(end.givesOld),
    block: mux(end.givesNew, request.block, progress.found.block),
    size: mux(end.givesNew, request.size, progress.found.size),
    slot: end.givesSlot.or(end.givesOther),
    slotBlock: mux(end.givesSlot, progress.slot, progress.other.slot),
  });
  connect(giving.pop, io.give);

  return { gives, giving };
}

const KvAnswer = (p: KvParameters) =>
  struct({
    context: uint(Math.log2(p.contexts)),
    kind: uint(2),
    user: uint(8),
    size: uint(sizeBits),
    code: uint(4),
    bare: bit,
  });

/** The replies of what has ended, but for a read's value. */
export function reply({ io, p, state: { request, context }, orders: { end, ending } }: Parts) {
  const answers = instance("answers", Fifo({ shape: KvAnswer(p), depth: p.contexts, style: "distributed" }));
  answers.push.valid.set(ending.and(end.silent.not()).and(request.any.not()));
  answers.push.payload.set({
    context,
    kind: request.kind,
    user: request.user,
    size: mux(end.code.any(), constant(0, sizeBits), request.size),
    code: end.code,
    bare: hasBody(end.code).not(),
  });
  connect(
    map(
      answers.pop,
      ReplyBeat(p),
      v => ({
        head: {
          context: v.context,
          status: v.code,
          opcode: cat(constant(opcode.KV_READ >> 3, 5), v.kind, constant(1, 1)),
          length: mux(v.bare, constant(0, bodyLengthBits), kvReplyBody.bytes),
        },
        bare: v.bare,
        data: joinFields(kvReplyBody, { user: v.user, keySize: 8, valueSize: v.size.zext(16) }).zext(p.beatBytes * 8),
        last: 1,
      }),
      { name: "answering" },
    ),
    io.reply,
  );

  return answers;
}

/** Memory's reply is over; that of a read goes out as it comes in, behind its head. */
export function tellReplies({ io, state: { request, progress, kind, context }, verdict }: Parts, acting: Bit): void {
  const { searching, hits, reads } = verdict;
  const head = { user: request.user, keySize: 8, valueSize: progress.found.size.zext(16) };
  const is = (k: number): Bit => kind.eq(k);
  io.done.set({
    valid: acting.and(searching.or(is(what.block)).or(is(what.commit)).or(is(what.newSlot))),
    forward: hits.and(reads),
    head: {
      context,
      status: statusBits.OK,
      opcode: constant(opcode.KV_READ + 1, 8),
      length: progress.found.size.zext(bodyLengthBits).add(kvReplyBody.bytes),
    },
    front: joinFields(kvReplyBody, head),
  });
}
