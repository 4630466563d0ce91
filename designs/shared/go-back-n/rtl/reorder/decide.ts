/** What is done with what is looked at. */
import { bit, constant, mux, node, priority, reg, type UInt } from "../../../../../hdl-dsl/index.ts";
import { waitingAction } from "../waiting.ts";
import type { Head, Look } from "./look.ts";
import type { Parts } from "./parts.ts";

export function decide({ io, ways, kept: waits, steps }: Parts, { reply, op }: Look, head: Head) {
  const { plan, outs } = ways,
    { isFree, freeSlot, slot, kept } = waits,
    { at } = steps,
    { now, due, behind, near, far, lost } = head;
  const replies = node(at.decide.and(op.reply)),
    ordered = node(replies.and(reply.ordered)),
    passes = node(reply.ordered.not().or(due).or(behind));
  const stale = node(reply.ordered.and(now.not()));
  const wants = node(passes.or(stale).or(near.and(isFree)));
  // The slot has stood for a cycle and more when it is released.
  const quiet = reg(bit);
  quiet.set(kept.quiet);
  const act = (a: number): UInt<2> => constant(a, 2);
  plan.valid.set(outs.push.ready.and(replies.and(wants).or(at.release.and(quiet.not()))));
  plan.payload.set({
    action: priority(
      [at.release, waitingAction.release],
      [passes, waitingAction.pass],
      [stale, waitingAction.drop],
      act(waitingAction.keep),
    ),
    slot: mux(at.release, slot, freeSlot),
  });
  // Nothing is decided about a reply, nor released, without room for both.
  const sends = node(plan.ready.and(outs.push.ready)),
    done = node(replies.and(sends).and(wants));
  outs.push.valid.set(plan.ready.and(replies.and(passes).or(at.release.and(quiet.not()))));
  outs.push.payload.set(mux(at.release, kept.meta, reply.meta));
  const mutes = node(at.decide.and(op.silent)),
    passed = node(at.decide.and(op.milestone));
  io.reply.ready.set(done);
  io.named.ready.set(
    mutes
      .and(far.not())
      .and(near.not().or(isFree))
      .or(passed.andNot(far.or(lost))),
  );
  io.control.ready.set(at.decide.and(op.control));
  return { ordered, sends, done, mutes, passed, stale, quiet };
}
export type Done = ReturnType<typeof decide>;
