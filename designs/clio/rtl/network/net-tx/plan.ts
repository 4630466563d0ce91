/** From the reply to its header. */
import { bit, connect, node, stage, stream, struct, uint, when } from "../../../../../hdl-dsl/index.ts";
import { BufferJob, slotBits } from "../../../../shared/frame/index.ts";
import { Reply, ReplyContext } from "../../records/records.ts";
import { echoBeats, headerBytes, planReply, replyKind, ReplyKind } from "../reply-frame.ts";
import type { Flow } from "./flow.ts";
import type { Build } from "./ports.ts";

/**
 * Stage 1: the reply, its context at the memory's output. The echo job is made here, so that its data come in time.
 */
export function askStage({ io, p, beatBytes, beatBits }: Build, { askedValid, asked, knownRoom }: Flow) {
  const replies = stage(io.reply, "full");
  const told = replyKind(asked, io.context, io.config);
  const job = stream(BufferJob(p));
  const jobSettled = node(told.echoes.not().or(job.ready));
  const askedMoves = node(askedValid.and(knownRoom).and(jobSettled));
  const askedRoom = node(askedValid.not().or(askedMoves));
  replies.ready.set(askedRoom);
  // The head of the queue is read whether it fires or not, so that the memory's address waits for no decision.
  io.contextRead.set({ en: askedRoom, slot: replies.payload.slot });
  when(askedRoom, () => {
    askedValid.set(replies.valid);
    asked.set(replies.payload);
  });

  job.valid.set(askedValid.and(told.echoes).and(knownRoom));
  job.payload.set({ slot: asked.slot, ...echoBeats(io.context, beatBytes, beatBits) });
  connect(stage(job, "full"), io.echoJob);

  return { told, jobSettled };
}

/** Stage 2: kind of the reply, and the operands of its header. */
export function planStage(
  { io, p, cell, load, laneBits, beatBits }: Build,
  { askedValid, asked, knownValid, knownRoom }: Flow,
  { told, jobSettled }: ReturnType<typeof askStage>,
) {
  io.wordSlot.set(asked.slot);
  const known = cell(struct({ reply: Reply(p), kind: ReplyKind, context: ReplyContext, word: uint(64) }), {
    name: "known",
  });
  load(knownRoom, () => {
    knownValid.set(askedValid.and(jobSettled));
    known.set({ reply: asked, kind: told, context: io.context, word: io.word });
  });
  const plan = planReply(known.kind, known.reply, known.context, known.word, io.waitNs, io.config);
  const lastBeat = node(plan.lastByte.bits(laneBits, beatBits));

  return { known, plan, lastBeat };
}

/** Stage 3: the header but for the end of the checksum, and what the frame takes from where. */
export function buildStage(
  { p, cell, load, laneBits, beatBits }: Build,
  { knownValid, builtValid, builtRoom, sendingRoom }: Flow,
  { known, plan, lastBeat }: ReturnType<typeof planStage>,
) {
  const built = cell(
    struct({
      slot: uint(slotBits(p)),
      header: uint(headerBytes * 8),
      clio: bit,
      sum: uint(20),
      lastBeat: uint(beatBits),
      lastLane: uint(laneBits),
      /** Number of the last byte that is not padding, up to 63. */
      content: uint(6),
      icmp: bit,
      echo: bit,
      data: bit,
    }),
    { name: "built" },
  );
  load(builtRoom, () => {
    builtValid.set(knownValid);
    const { clio, icmp, echoes, data } = known.kind;
    built.set({
      slot: known.reply.slot,
      header: plan.header,
      clio,
      sum: plan.sum,
      lastBeat,
      lastLane: plan.lastByte.bits(0, laneBits),
      content: plan.content,
      icmp,
      echo: echoes,
      data,
    });
  });
  const builtMoves = node(builtValid.and(sendingRoom));

  return { built, builtMoves };
}
export type Built = ReturnType<typeof buildStage>;
