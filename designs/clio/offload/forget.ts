/** How what an offload keeps for a process is removed with the process. */
import {
  assignView,
  bit,
  type Bit,
  node,
  reg,
  stream,
  type StreamIn,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../hdl-dsl/index.ts";
import type { OffloadReply } from "./types.ts";

type Answers = StreamIn<ReturnType<typeof OffloadReply>>;

/** A removal in a slot: the host asks the offload (`forgetOpcode`), and takes the reply. */
export interface Forgetting {
  /** The offload is to be asked; `pid` stands as long. The request side lets it fall as it asks. */
  readonly pending: Var<typeof bit>;
  readonly pid: UInt;
  /** The name of the host's request, which the request side sets as it asks. */
  readonly context: Var<ReturnType<typeof uint>>;
  /** The removal is under way; it is over, since `seen` was last 1; memory refused it. */
  readonly active: Bit;
  readonly over: Bit;
  readonly failed: Bit;
  /** The slot's answers to requests of the network. */
  readonly answer: Answers;
}

/**
 * @param start a removal begins: for a cycle, with `pid` @param seen software knows that the last one is over
 * @param lost the slot's answer is to a request that its offload was reset from: with it all that it kept is gone
 */
export function forgetting(
  slot: { readonly answer: Answers; readonly lost: Bit },
  start: { readonly valid: Bit; readonly pid: UInt },
  seen: Bit,
  name: string,
): Forgetting {
  const pending = reg(bit, { init: 0, name: `${name}_pending` }),
    active = reg(bit, { init: 0, name: `${name}_active` }),
    over = reg(bit, { init: 0, name: `${name}_over` }),
    failed = reg(bit, { init: 0, name: `${name}_failed` });
  const pid = reg(uint(16), { name: `${name}_pid` }),
    context = reg(uint(slot.answer.payload.context.width), { name: `${name}_context` });
  const own = node(active.and(pending.not()).and(slot.answer.payload.context.eq(context)), { name: `${name}_own` });
  const answer = stream(slot.answer.shape, { name: `${name}_others` });
  answer.valid.set(slot.answer.valid.and(own.not()));
  assignView(answer.payload, slot.answer.payload, "others");
  slot.answer.ready.set(own.or(answer.ready));
  when(seen, () => over.set(0));
  when(start.valid.and(active.not()), () => {
    pending.set(1);
    active.set(1);
    over.set(0);
    pid.set(start.pid);
  });
  when(slot.answer.valid.and(own), () => {
    active.set(0);
    over.set(1);
    failed.set(slot.lost.not().and(slot.answer.payload.status.any()));
  });
  return { pending, pid, context, active, over, failed, answer };
}
