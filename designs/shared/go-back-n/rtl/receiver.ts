import {
  assertAlways,
  bit,
  carryEqual,
  constant,
  input,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  struct,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { gbnVerdict } from "../wire/index.ts";
import {
  Answer,
  lifeAfter,
  lifeBits,
  Peer,
  type PeerWidths,
  sessionBits,
  SessionControl,
  type SessionParameters,
} from "./types.ts";

export interface GbnReceiverParameters extends SessionParameters, PeerWidths {
  /** Packets in order after which an ACK is sent at the latest. */
  readonly ackEvery: number;
  /**
   * Cycles in which every session is looked at once: the ACK of a packet in order waits for no longer. A
   * multiple of `sessions`.
   */
  readonly ackCycles: number;
  /** Number of the first packet of a session. */
  readonly first: number;
}

/** A packet at the table: DATA, or (`control`) an ACK or NACK, of which only the sender is looked at. */
export const GbnPacket = (p: GbnReceiverParameters) =>
  struct({
    session: uint(sessionBits(p)),
    sequence: uint(p.sequenceBits),
    control: bit,
    peer: Peer(p),
  });

/** Cycles that the timer's look at a session waits for a cycle without a packet. */
const patience = 64;

/**
 * The receiving half of the Go-Back-N sessions: which packets are in order (wire-format.md "Go-Back-N build").
 *
 * Per session in block memory: whether it is open, its peer, the next number, whether a NACK is out, and how many
 * packets in order are not acknowledged. DATA with the next number is accepted, and acknowledged when it is the
 * `ackEvery`th or when the timer comes by (each session once in `ackCycles`; one more round when no answer fits). DATA
 * behind it is acknowledged again, up to the last in order. The first one ahead of it is answered with a NACK (the last
 * number in order), the following ones with nothing until one is in order. Ahead and behind are told by half a round of
 * the numbers. The first packet in order of an open session makes its sender the session's peer; packets from anybody
 * else are strangers' and change nothing. Each opening begins another life of the session (types.ts), the first is 0.
 *
 * Latency 2 cycles from `packet` to `verdict` (and `answer`); initiation interval 1, also for packets of one session in
 * every cycle: a word that is read while it is written comes out as written. `control` goes before packets; the timer
 * takes cycles without a packet, and one in 64 if there are none.
 * Full: what needs an answer while `answer_room` is 0 is refused and changes nothing; nothing waits for room.
 * Reset: for one cycle per session nothing is taken, then all sessions are open, without peer, at `first`.
 */
export const GbnReceiver = module(
  "GbnReceiver",
  (p: GbnReceiverParameters) => ({
    packet: sink(GbnPacket(p)),
    control: sink(SessionControl(p)),
    /** There is room for two answers. */
    answerRoom: input(bit),
    /** `life`: of the session, when the packet was judged. */
    verdict: output(struct({ valid: bit, what: uint(3), life: uint(lifeBits) })),
    answer: output(struct({ valid: bit, answer: Answer(p) })),
  }),
  (io, p) => {
    const index = uint(sessionBits(p)),
      sequence = uint(p.sequenceBits),
      countBits = Math.ceil(Math.log2(p.ackEvery + 1));
    const State = struct({
      open: bit,
      life: uint(lifeBits),
      bound: bit,
      nacked: bit,
      expected: sequence,
      unacked: uint(countBits),
      peer: Peer(p),
    });
    const Op = struct({
      reset: bit,
      start: bit,
      open: bit,
      timer: bit,
      control: bit,
      packet: bit,
      session: index,
      sequence,
      peer: Peer(p),
    });

    // One operation per cycle is read: the start of all sessions, then whoever asks.
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
    const op = reg(Op, { init: 0 });
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

    const states = ram(State, { depth: p.sessions, collision: "new", style: "block" });
    const was = states.readSync(session);

    // Where the packet stands, from the numbers and from whose it is.
    const known = node(was.open.and(was.bound.not().or(carryEqual(op.peer.identity, was.peer.identity))));
    const gap = node(op.sequence.sub(was.expected));
    const next = node(carryEqual(op.sequence, was.expected)),
      behind = node(gap.bit(p.sequenceBits - 1));
    const data = node(op.packet.and(op.control.not()).and(known));
    const fullCount = node(was.unacked.eq(p.ackEvery - 1));
    const wanting = node(was.unacked.any());

    // What it leads to.
    const inOrder = node(data.and(next).and(fullCount.not().or(io.answerRoom)));
    const again = node(data.and(next.not()).and(behind).and(was.bound));
    const ahead = node(data.and(next.not()).and(behind.not()).and(was.bound));
    const asks = node(ahead.and(was.nacked.not()));
    const timed = node(op.timer.and(wanting));
    const answers = node(io.answerRoom.and(again.or(asks).or(timed)).or(inOrder.and(fullCount)));
    const last = node(mux(inOrder, was.expected, was.expected.sub(1)));

    // Who is answered or taken is the session's peer, or becomes it: only the timer looks without being asked.
    const peer = {
      identity: mux(op.timer, was.peer.identity, op.peer.identity),
      address: mux(inOrder, op.peer.address, was.peer.address),
    };
    const changes = node(op.start.or(inOrder).or(answers));
    states.write(changes, op.session, {
      open: mux(op.start, op.open, was.open),
      life: lifeAfter(was.life, op.reset, op.start.and(op.open)),
      bound: op.start.not().and(was.bound.or(inOrder)),
      nacked: op.start.not().and(mux(inOrder, constant(0, 1), was.nacked.or(asks))),
      expected: mux(
        op.start,
        constant(BigInt.asUintN(p.sequenceBits, BigInt(p.first)), p.sequenceBits),
        mux(inOrder, was.expected.add(1), was.expected),
      ),
      unacked: mux(op.start.or(answers), constant(0, countBits), was.unacked.add(1)),
      peer,
    });

    const verdict = reg(struct({ valid: bit, what: uint(3), life: uint(lifeBits) }), { init: 0 });
    const lacks = node(data.and(io.answerRoom.not()).and(again.or(asks).or(next)));
    const what = (v: number): UInt<3> => constant(v, 3);
    verdict.set({
      valid: op.packet,
      what: priority(
        [known.not().or(was.bound.not().and(op.control.or(next.not()))), gbnVerdict.stranger],
        [op.control.or(inOrder), gbnVerdict.accepted],
        [lacks, gbnVerdict.refused],
        [behind, gbnVerdict.duplicate],
        what(gbnVerdict.ahead),
      ),
      life: was.life,
    });
    io.verdict.set(verdict);
    const answer = reg(Answer(p));
    const answerValid = reg(bit, { init: 0 });
    answerValid.set(answers);
    answer.set({
      session: op.session,
      sequence: last,
      nack: asks,
      peer,
    });
    io.answer.valid.set(answerValid);
    io.answer.answer.set(answer);
    assertAlways(op.packet.and(op.timer).not(), "one operation at a time");
  },
  {
    nameOf: p =>
      `GbnReceiver_s${p.sessions}_q${p.sequenceBits}_i${p.identityBits}_a${p.addressBits}_e${p.ackEvery}_c${p.ackCycles}_f${p.first >>> 0}`,
  },
);
