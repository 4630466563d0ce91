/** What each kind of operation leads to. */
import {
  carryEqual,
  cat,
  connect,
  fifo,
  isBefore,
  isNext,
  mux,
  node,
  stream,
  type UInt,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { sessionBits } from "../types.ts";
import { type Operation, opKind } from "./operations.ts";
import type { GbnSenderParameters, SenderIo } from "./ports.ts";
import type { Session } from "./session.ts";

/** A request is granted, or not. */
export function grant(io: SenderIo, p: GbnSenderParameters, { op, is }: Operation, { was, flying }: Session) {
  const window = Math.log2(p.window);
  const place = (v: UInt): UInt => v.trunc(window);
  const sequel = node(was.sent.add(1));
  const clash = node(
    cat(
      io.reading.valid,
      carryEqual(io.reading.session, op.session),
      carryEqual(place(io.reading.sequence), place(sequel)),
    ).all(),
  );
  const grants = node(is(opKind.request).and(was.open).and(flying.bit(window).not()).and(clash.not()));
  io.granted.set({
    valid: is(opKind.request),
    granted: grants,
    closed: was.open.not(),
    now: was.again.not(),
    sequence: sequel,
  });
  return { grants, sequel };
}

/** The lowest bits of a number, and the others. */
const split = (v: UInt, low: number): { readonly low: UInt; readonly high: UInt } => ({
  low: v.bits(0, low),
  high: v.bits(low, v.width - low),
});

/** What was heard. */
export function hear(p: GbnSenderParameters, { op, is }: Operation, { was, ofBoth }: Session) {
  const window = Math.log2(p.window),
    low = window + 1;
  const asked = split(op.sequence, low);
  // What is in flight behind it, below 0 when it was never sent: one difference, and not two and a comparison.
  const restOf = (sent: UInt): UInt => sent.sub(op.sequence).trunc(window + 2);
  const inReach = node(
    ofBoth(state => {
      // Less than two windows further: the upper parts are the same, or follow one another.
      const acked = split(state.acked, low);
      return mux(asked.low.lt(acked.low), isNext(asked.high, acked.high), asked.high.eq(acked.high));
    }),
  );
  const isSent = node(
      ofBoth(state =>
        restOf(state.sent)
          .bit(window + 1)
          .not(),
      ),
    ),
    further = node(ofBoth(state => op.sequence.ne(state.acked))),
    isLast = node(ofBoth(state => op.sequence.trunc(window + 2).eq(state.sent.trunc(window + 2))));
  const believed = node(is(opKind.heard).and(was.open).and(inReach).and(isSent));
  const moves = node(believed.and(further));
  const goesBack = node(believed.and(op.flag).andNot(isLast));
  return { moves, goesBack };
}

/** The next one to be sent again. @returns there is none */
export function stepOn(
  io: SenderIo,
  p: GbnSenderParameters,
  { op, is, sequel }: Operation,
  { was, ofBoth, some }: Session,
) {
  const window = Math.log2(p.window),
    few = (v: UInt): UInt => v.trunc(window + 1);
  const isPast = node(ofBoth(state => isBefore(op.sequence, state.acked))),
    isLeft = node(ofBoth(({ acked, sent }) => few(op.sequence.sub(acked)).lt(few(sent.sub(acked)))));
  const fromStart = node(op.flag.or(was.restart).or(isPast));
  const more = node(was.open.and(mux(fromStart, some, isLeft)));
  const ends = node(is(opKind.step).and(more.not()));
  io.stepped.set({ valid: is(opKind.step), more, sequence: mux(fromStart, was.acked.add(1), sequel) });
  return ends;
}

/** The timer. */
export function lookLate(io: SenderIo, p: GbnSenderParameters, { op, is }: Operation, { was, some }: Session) {
  const index = uint(sessionBits(p));
  const failing = stream(index);
  const late = node(is(opKind.timer).and(was.open).and(some).and(was.again.not()).and(was.progress.not()));
  const fails = node(late.and(was.tries.eq(p.tries)));
  failing.valid.set(fails);
  failing.payload.set(op.session);
  const givesUp = node(failing.fire);
  connect(fifo(failing, 16, { style: "distributed", name: "failed_queue" }), io.failed);
  const timesOut = node(late.and(was.tries.ne(p.tries)));
  return { givesUp, timesOut };
}
