/** One operation per cycle is read: the start of all sessions, then whoever asks. */
import { bit, mux, node, reg, struct, uint, when } from "../../../../../hdl-dsl/index.ts";
import { Peer, sessionBits } from "../types.ts";
import type { GbnReceiverParameters, ReceiverIo } from "./ports.ts";

/** Cycles that the timer's look at a session waits for a cycle without a packet. */
const patience = 64;

const Op = (p: GbnReceiverParameters) =>
  struct({
    reset: bit,
    start: bit,
    open: bit,
    timer: bit,
    control: bit,
    packet: bit,
    session: uint(sessionBits(p)),
    sequence: uint(p.sequenceBits),
    peer: Peer(p),
  });

export function nextOperation(io: ReceiverIo, p: GbnReceiverParameters) {
  const index = uint(sessionBits(p));
  const starting = reg(bit, { init: 1 });
  const cursor = reg(index, { init: 0 });
  const interval = p.ackCycles / p.sessions;
  const wait = reg(uint(Math.ceil(Math.log2(interval + patience + 1))), { init: 0 });
  const due = node(wait.ge(interval - 1).and(starting.not()));
  const urgent = node(wait.eq(interval - 1 + patience));
  const asked = node(starting.or(io.control.valid));
  io.control.ready.set(starting.not());
  const looks = node(due.and(asked.not()).and(io.packet.valid.not().or(urgent)));
  io.packet.ready.set(asked.not().and(looks.not()));
  when(looks, () => wait.set(0)).elseWhen(urgent.not(), () => wait.set(wait.add(1)));
  when(starting.or(looks), () => cursor.set(cursor.add(1)));
  when(cursor.eq(p.sessions - 1), () => starting.set(0));

  const packet = io.packet.payload;
  const session = node(
    mux(starting.or(looks), cursor, mux(io.control.valid, io.control.payload.session, packet.session)),
  );
  const op = reg(Op(p), { init: 0 });
  op.set({
    reset: starting,
    start: asked,
    open: starting.or(io.control.payload.open),
    timer: looks,
    control: packet.control,
    packet: io.packet.fire,
    session,
    sequence: packet.sequence,
    peer: packet.peer,
  });
  return {
    /** The operation, a cycle after it was chosen; and the session that is read in this one. */
    op,
    session,
  };
}
