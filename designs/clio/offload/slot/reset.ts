/** A reset of the offload alone, and whether it is stuck. */
import { bit, node, orTree, reg } from "../../../../hdl-dsl/index.ts";
import { OffloadControl, sinceUnit } from "../../rtl/index.ts";
import { sinceReply, stuckFor } from "../slot-reset.ts";
import type { Asked, takeReplies } from "./accesses.ts";
import type { Build } from "./ports.ts";
import type { giveReplies } from "./replies.ts";
import type { keepRequests } from "./requests.ts";

interface Inside {
  readonly requests: ReturnType<typeof keepRequests>;
  readonly given: ReturnType<typeof giveReplies>;
  readonly asked: Asked;
  readonly replies: ReturnType<typeof takeReplies>["replies"];
}

/** Memory does not answer an access without its data, so with the replies the data of the accesses are gone, too. */
export function watch({ io, p, used, closing }: Build, { requests, given, asked, replies }: Inside): void {
  const { closed, clear, drained } = closing,
    { answers, between } = given,
    { accesses, next, inside, beatsFree } = asked;
  const accessesGone = node(
    accesses.pending.not().and(next.valid.not()).and(inside.any().not()).and(beatsFree.eq(p.replyBeats)),
  );
  const repliesGone = node(answers.pending.not().and(between));
  drained.set(closed.and(accessesGone).and(repliesGone).and(requests.bodyOwed.any().not()));
  io.inReset.set(closed);
  const moved = orTree(
    [
      io.request,
      io.requestData,
      io.reply,
      io.replyData,
      io.memory,
      io.memoryData,
      io.memoryReply,
      io.memoryReplyData,
    ].map(s => s.fire),
  );
  const hostIsAsked = node(
    answers.pending
      .or(accesses.pending)
      .or(next.valid)
      .or(inside.ne(replies.level.resize(inside.width))),
  );
  const since = sinceReply(
    closed.not().and(used.any()),
    io.answer.fire,
    p.sinceUnit ?? sinceUnit,
    OffloadControl.fields.limit.width,
  );
  const silent = reg(bit, { init: 0, name: "silent" });
  silent.set(io.control.limit.any().and(since.ge(io.control.limit)).and(closed.not()));
  io.state.set({
    held: clear,
    stuck: stuckFor(io.control.patience, closed.not().and(used.any()).and(moved.not()).and(hostIsAsked.not())).or(
      silent,
    ),
    active: used.any(),
    since,
  });
}
