/** What each kind of operation leads to. */
import { carryEqual, cat, connect, fifo, mux, node, stream, type UInt, uint } from "../../../../../hdl-dsl/index.ts";
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

/** What was heard. */
export function hear(p: GbnSenderParameters, { op, is }: Operation, { was }: Session) {
  const window = Math.log2(p.window);
  const further = node(op.sequence.sub(was.acked));
  // What is in flight behind it, below 0 when it was never sent: one difference, and not two and a comparison.
  const rest = node(was.sent.sub(op.sequence).trunc(window + 2));
  const believed = node(
    is(opKind.heard)
      .and(was.open)
      .and(
        further
          .shr(window + 1)
          .any()
          .not(),
      )
      .and(rest.bit(window + 1).not()),
  );
  const moves = node(believed.and(further.any()));
  const goesBack = node(believed.and(op.flag).and(rest.any()));
  return { moves, goesBack };
}

/** The next one to be sent again. @returns there is none */
export function stepOn(io: SenderIo, p: GbnSenderParameters, { op, is }: Operation, { was, flying, some }: Session) {
  const window = Math.log2(p.window);
  const passed = node(op.sequence.sub(was.acked));
  const fromStart = node(op.flag.or(was.restart).or(passed.bit(p.sequenceBits - 1)));
  const more = node(was.open.and(mux(fromStart, some, passed.trunc(window + 1).lt(flying))));
  const ends = node(is(opKind.step).and(more.not()));
  io.stepped.set({ valid: is(opKind.step), more, sequence: mux(fromStart, was.acked, op.sequence).add(1) });
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
