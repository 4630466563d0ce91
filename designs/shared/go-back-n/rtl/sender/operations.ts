/** One operation per cycle is read. */
import {
  arbiter,
  bit,
  type Bit,
  constant,
  type Given,
  mux,
  node,
  reg,
  type Shape,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { sessionBits } from "../types.ts";
import type { GbnSenderParameters, SenderIo } from "./ports.ts";

/** Cycles that the timer's look at a session waits for a cycle that nobody else wants. */
const patience = 64;
export const opKind = { start: 0, heard: 1, step: 2, request: 3, timer: 4 } as const;

const Op = (p: GbnSenderParameters) =>
  struct({ kind: uint(3), session: uint(sessionBits(p)), sequence: uint(p.sequenceBits), flag: bit });
/** `same`: of the session whose state is written in this very cycle. */
const Asked = (p: GbnSenderParameters) => struct({ op: Op(p), same: bit });

/** The registers of the operation, and what asks for the next one. */
function questions(io: SenderIo, p: GbnSenderParameters) {
  const opValid = reg(bit, { init: 0 });
  const op = reg(Op(p));
  const is = (k: number): Bit => opValid.and(op.kind.eq(k));
  // Known for each session that may be chosen, so that no comparison waits for the choice.
  const isWritten = (whose: UInt): Bit => opValid.and(whose.eq(op.session));
  const stepping = reg(bit, { init: 0 });
  const requesting = reg(bit, { init: 0 });
  const kind = (k: number): UInt<3> => constant(k, 3);
  const ops = <S extends Shape>(
    from: StreamIn<S>,
    waits: Bit,
    f: (v: Val<S>) => { readonly session: UInt } & Given<ReturnType<typeof Op>>,
    name: string,
  ): StreamIn<ReturnType<typeof Asked>> => {
    const out = stream(Asked(p), { name });
    const asks = f(from.payload);
    out.valid.set(from.valid.and(waits.not()));
    out.payload.set({ op: asks, same: isWritten(asks.session) });
    from.ready.set(out.ready.and(waits.not()));
    return out;
  };
  // An answer comes before the next question.
  const steps = ops(
    io.step,
    stepping,
    v => ({
      kind: kind(opKind.step),
      session: v.session,
      sequence: v.sequence,
      flag: v.fresh,
    }),
    "steps",
  );
  const requests = ops(
    io.request,
    requesting,
    v => ({ kind: kind(opKind.request), session: v, sequence: constant(0, p.sequenceBits), flag: 0 }),
    "requests",
  );
  const heard = ops(
    io.heard,
    constant(0, 1),
    v => ({ kind: kind(opKind.heard), session: v.session, sequence: v.sequence, flag: v.nack }),
    "acknowledged",
  );
  const asked = arbiter([heard, steps, requests], { name: "asked" });
  // Sooner known than asked.valid, and never 0 when that is 1.
  const wanted = node(heard.valid.or(steps.valid).or(requests.valid));
  return { opValid, op, is, isWritten, stepping, requesting, kind, steps, requests, asked, wanted };
}

/** The start of all sessions and orders to them come first, then who asks in turn, then the timer. */
export function nextOperation(io: SenderIo, p: GbnSenderParameters) {
  const index = uint(sessionBits(p));
  const starting = reg(bit, { init: 1 });
  const cursor = reg(index, { init: 0 });
  const interval = p.timeoutCycles / p.sessions;
  const wait = reg(uint(Math.ceil(Math.log2(interval + patience + 1))), { init: 0 });
  const { opValid, op, is, isWritten, stepping, requesting, kind, steps, requests, asked, wanted } = questions(io, p);
  const due = reg(bit, { init: 0 });
  const urgent = reg(bit, { init: 0 });
  const setUp = node(starting.or(io.control.valid));
  const looks = node(due.and(setUp.not()).and(wanted.not().or(urgent)));
  const most = interval - 2 + patience,
    waited = node(wait.eq(most));
  // With an interval of 2 or less a look is due at once.
  const soon = interval <= 2 ? constant(1, 1).bit(0) : wait.ge(interval - 2);
  due.set(soon.and(starting.not()).and(looks.not()));
  urgent.set(waited.and(looks.not()));
  io.control.ready.set(starting.not());
  asked.ready.set(setUp.not().and(looks.not()));
  when(looks, () => wait.set(0)).elseWhen(waited.not(), () => wait.set(wait.add(1)));
  when(starting.or(looks), () => cursor.set(cursor.add(1)));
  when(cursor.eq(p.sessions - 1), () => starting.set(0));
  const { op: next, same } = asked.payload,
    own = node(starting.or(looks));
  const session = node(mux(own, cursor, mux(io.control.valid, io.control.payload.session, next.session)));
  opValid.set(setUp.or(looks).or(asked.valid));
  stepping.set(steps.fire);
  requesting.set(requests.fire);
  op.set({
    kind: mux(setUp, kind(opKind.start), mux(looks, kind(opKind.timer), next.kind)),
    session,
    sequence: next.sequence,
    flag: mux(setUp, starting.or(io.control.payload.open), next.flag),
  });
  return {
    opValid,
    op,
    /** An operation of that kind is at hand. */
    is,
    /** The session is the one whose state is written. */
    isWritten,
    /** The session that is read; whether it is the timer's or the start's; and `same` of who was chosen. */
    session,
    own,
    cursor,
    same,
    starting,
  };
}
export type Operation = ReturnType<typeof nextOperation>;
