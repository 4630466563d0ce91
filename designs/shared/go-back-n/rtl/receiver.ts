import {
  assertAlways,
  bit,
  carryEqual,
  constant,
  module,
  mux,
  node,
  priority,
  ram,
  reg,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { gbnVerdict } from "../wire/index.ts";
import { nextOperation } from "./receiver/operations.ts";
import { countBitsOf, receiverPorts, SessionState } from "./receiver/ports.ts";
import { Answer, lifeAfter, lifeBits } from "./types.ts";

export { GbnPacket, type GbnReceiverParameters } from "./receiver/ports.ts";

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
  receiverPorts,
  (io, p) => {
    const countBits = countBitsOf(p),
      { op, session } = nextOperation(io, p);

    const states = ram(SessionState(p), { depth: p.sessions, collision: "new", style: "block" });
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
