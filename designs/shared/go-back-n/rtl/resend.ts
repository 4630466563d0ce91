import {
  assertAlways,
  bit,
  fsm,
  input,
  module,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { FramePlace, type GbnStoreParameters, writtenBits } from "./store.ts";
import { sessionBits } from "./types.ts";

/**
 * Sends a session's frames again, one session after another, frame by frame as the session table says
 * (go-back-n/rtl/sender.ts `step`). A frame is read when all frames given a number before (`given`) are in memory
 * (`written`); while it is read, `busy` names it, so that its place is not written over. Per frame: 4 cycles, the
 * memory's latency, and its beats; the frames of a session leave in order.
 */
export const GbnResend = module(
  "GbnResend",
  (p: GbnStoreParameters) => {
    const session = uint(sessionBits(p)),
      sequence = uint(p.sequenceBits);
    return {
      again: sink(session),
      step: source(struct({ session, sequence, fresh: bit })),
      stepped: input(struct({ valid: bit, more: bit, sequence })),
      given: input(uint(writtenBits)),
      written: input(uint(writtenBits)),
      read: source(FramePlace(p)),
      reading: input(bit),
      busy: output(struct({ valid: bit, session, sequence })),
    };
  },
  (io, p) => {
    const session = reg(uint(sessionBits(p))),
      sequence = reg(uint(p.sequenceBits)),
      target = reg(uint(writtenBits)),
      fresh = reg(bit),
      busy = reg(bit, { init: 0 });
    const settled = node(
      io.written
        .sub(target)
        .bit(writtenBits - 1)
        .not(),
    );
    const state = fsm(["idle", "ask", "answer", "settle", "fetch", "reading"], "idle", m => ({
      idle: () => {
        session.set(io.again.payload);
        fresh.set(1);
        when(io.again.valid, () => m.go("ask"));
      },
      ask: () => when(io.step.ready, () => m.go("answer")),
      answer: () => {
        sequence.set(io.stepped.sequence);
        target.set(io.given);
        fresh.set(0);
        busy.set(io.stepped.more);
        when(io.stepped.more, () => m.go("settle")).otherwise(() => m.go("idle"));
      },
      settle: () => when(settled, () => m.go("fetch")),
      fetch: () => when(io.read.ready, () => m.go("reading")),
      reading: () =>
        when(io.reading.not(), () => {
          busy.set(0);
          m.go("ask");
        }),
    }));
    io.again.ready.set(state.is("idle"));
    io.step.valid.set(state.is("ask"));
    io.step.payload.set({ session, sequence, fresh });
    io.read.valid.set(state.is("fetch"));
    io.read.payload.set({ session, place: sequence.trunc(Math.log2(p.window)) });
    io.busy.set({ valid: busy, session, sequence });
    assertAlways(state.is("answer").not().or(io.stepped.valid), "a question is answered in the next cycle");
  },
  { nameOf: p => `GbnResend_s${p.sessions}_q${p.sequenceBits}_w${p.window}` },
);
