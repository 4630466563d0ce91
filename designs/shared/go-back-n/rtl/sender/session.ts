/** The session of the operation at hand. */
import { bit, mux, node, ram, reg, struct, uint } from "../../../../../hdl-dsl/index.ts";
import type { Operation } from "./operations.ts";
import type { GbnSenderParameters, SenderIo } from "./ports.ts";

export const triesBitsOf = (p: GbnSenderParameters): number => Math.ceil(Math.log2(p.tries + 1));
/** What is kept of a session. */
export const SessionState = (p: GbnSenderParameters) =>
  struct({
    open: bit,
    acked: uint(p.sequenceBits),
    sent: uint(p.sequenceBits),
    progress: bit,
    tries: uint(triesBitsOf(p)),
    again: bit,
    restart: bit,
  });

export function sessionOf(io: SenderIo, p: GbnSenderParameters, now: Operation) {
  const { session, own, cursor, same, starting, isWritten } = now,
    window = Math.log2(p.window);
  const states = ram(SessionState(p), { depth: p.sessions, collision: "undefined", style: "block" });
  // What is written as it is read goes around the memory.
  const isFresh = reg(bit),
    fresh = reg(SessionState(p)),
    kept = states.readSync(session);
  isFresh.set(mux(own, isWritten(cursor), mux(io.control.valid, isWritten(io.control.payload.session), same)));
  const was = node(mux(isFresh, fresh, kept));
  // After reset the word says nothing.
  const firstRound = reg(bit, { init: 1 });
  firstRound.set(starting);
  const flying = node(was.sent.sub(was.acked).trunc(window + 1));
  // Compared as they stand: no carry is in the way of what hangs on it.
  const some = node(was.sent.trunc(window + 1).ne(was.acked.trunc(window + 1)));
  return {
    states,
    fresh,
    was,
    /** The word is the first one since reset. */
    firstRound,
    /** Packets that are not acknowledged; whether there are some. */
    flying,
    some,
  };
}
export type Session = ReturnType<typeof sessionOf>;
