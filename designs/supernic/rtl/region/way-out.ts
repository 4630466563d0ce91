import {
  assignView,
  type Bit,
  bit,
  mux,
  node,
  reg,
  type Shape,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";

/**
 * Packets on the way past a task, at most. The first slot has more, so that a region can say early that it accepts no
 * more.
 */
export const pastPlaces = (slot: number): number => (slot === 0 ? 16 : 8);
/** Packets that may still be sent to a region when it has said that it accepts no more. */
export const sentLate = 6;
export const pastLevelBits = (slot: number): number => Math.log2(pastPlaces(slot)) + 1;

/** An answer that wants to leave; `taken` tells when it does. */
interface Answered<S extends Shape> {
  readonly valid: Bit;
  readonly payload: Val<S>;
}

/**
 * Behind a slot: what was there first leaves first, from the task or from the way past it, of two at once the latter
 * (rule 6 of docs/supernic/scheduler.md). `there`: packets that are there from the way past in this cycle, the first of
 * them offered by `past`. An answer waits for at most these; one that is withdrawn begins anew. Gives whether an
 * answer could leave now, and whether one does.
 */
export function wayOut<S extends Shape>(
  past: StreamIn<S>,
  there: Val<ReturnType<typeof uint>>,
  answered: Answered<S>,
  leave: StreamOut<S>,
): { readonly mayLeave: Bit; readonly leaves: Bit; readonly waited: Bit; readonly before: UInt } {
  const waited = reg(bit, { init: 0, name: "answer_waited" }),
    before = reg(uint(there.width), { init: 0, name: "before_answer" });
  const mayGo = node(mux(waited, before.any(), past.valid).not(), { name: "answer_may_go" }),
    chosen = node(answered.valid.and(mayGo), { name: "answer_goes" });
  // An answer's turn is its own, also in the cycle in which it is withdrawn: who passes is known early.
  const itsTurn = node(waited.andNot(before.any()), { name: "answer_turn" });
  leave.valid.set(past.valid.andNot(itsTurn).or(answered.valid));
  // Both are of the one shape, which is a parameter: their widths are checked at elaboration.
  assignView(leave.payload, mux<unknown, unknown>(chosen, answered.payload, past.payload), "payload");
  past.ready.set(leave.ready.andNot(itsTurn));
  const leaves = node(chosen.and(leave.ready), { name: "answer_leaves" }),
    passes = node(past.fire, { name: "past_leaves" });
  waited.set(answered.valid.andNot(leaves));
  before.set(mux(waited, before, there).sub(passes.zext(there.width)));
  when(answered.valid.not(), () => before.set(0));
  return { mayLeave: node(mayGo.and(leave.ready), { name: "answer_may_leave" }), leaves, waited, before };
}
