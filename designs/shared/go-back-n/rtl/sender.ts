import { bit, constant, literalOf, module, mux, node, priority, reg, struct } from "../../../../hdl-dsl/index.ts";
import { queueAgain } from "./sender/again.ts";
import { grant, hear, lookLate, stepOn } from "./sender/answers.ts";
import { nextOperation, opKind } from "./sender/operations.ts";
import { checkTimer, senderPorts } from "./sender/ports.ts";
import { sessionOf, SessionState, triesBitsOf } from "./sender/session.ts";

export type { GbnSenderParameters } from "./sender/ports.ts";

/**
 * The sending half of the Go-Back-N sessions: numbers, window, and when to go back (wire-format.md "Go-Back-N build").
 *
 * `request` asks for the next number of a session; `granted` answers in the next cycle: the number, and whether the
 * packet may be sent at once (`now`: not while the session is sending again, which then comes to it in turn); `full`
 * when `window` packets are unacknowledged, or when the one that lies at the new one's place is just being read
 * (`reading`): ask again; `closed`: there is no such session. `heard` takes ACKs and NACKs: both free what they
 * acknowledge, a NACK makes the session go back. Numbers that were not sent or are acknowledged already change nothing,
 * but a NACK for the last one acknowledged goes back too. A session that has to send again comes out on `again`, once
 * until its last `step`. `step` asks, from a packet of that session, for the next one to be sent again: `stepped` in
 * the next cycle with its number, or that there is none (`more` 0), which ends it; after a new NACK or timeout (and
 * with `fresh`) it is the first unacknowledged one. A session is given up after `tries` timeouts without any progress:
 * it is closed and comes out on `failed`.
 *
 * Latency 1 cycle from `request` and `step` to their answers. Initiation interval: one operation per cycle of all kinds
 * together, in turn, also of one session; `request` and `step` every second cycle (their answer first). `control` goes
 * before them, the timer takes cycles that nobody wants, one in 64 if there are none.
 * Full: `again` holds every session; a session is not given up while 16 wait in `failed`. Reset: for one cycle per
 * session nothing is taken, then all are open.
 */
export const GbnSender = module(
  "GbnSender",
  senderPorts,
  (io, p) => {
    checkTimer(p);

    const now = nextOperation(io, p),
      { op, opValid, is } = now,
      session = sessionOf(io, p, now),
      { was, some } = session;

    const { grants, sequel } = grant(io, p, now, session),
      { moves, goesBack } = hear(p, now, session),
      ends = stepOn(io, p, now, session),
      { givesUp, timesOut } = lookLate(io, p, now, session);

    // What becomes of the session.

    const before = constant(BigInt.asUintN(p.sequenceBits, BigInt(p.first - 1)), p.sequenceBits);
    const start = node(is(opKind.start));
    const back = node(goesBack.or(timesOut));
    const acked = priority([start, before], [moves, op.sequence], [givesUp, was.sent], was.acked);
    const becomes = literalOf(SessionState(p), {
      open: mux(start, op.flag, was.open.and(givesUp.not())),
      acked,
      sent: mux(start, before, mux(grants, sequel, was.sent)),
      progress: start.not().and(
        moves
          .or(ends)
          .or(grants.and(some.not()))
          .or(was.progress.and(is(opKind.timer).not())),
      ),
      tries: mux(start.or(moves), constant(0, triesBitsOf(p)), mux(timesOut, was.tries.add(1), was.tries)),
      // A session that is opened anew while it waits to send again still waits: `again` holds it once.
      again: session.firstRound.not().and(ends.not()).and(back.or(was.again)),
      // What is being sent again is an earlier life's when the session is opened anew.
      restart: start.or(back).or(was.restart.and(is(opKind.step).not())),
    });
    session.states.write(opValid, op.session, becomes);
    session.fresh.set(becomes);

    queueAgain(io, p, { back, again: was.again, session: op.session });
    const events = reg(struct({ nacked: bit, timeouts: bit }), { init: 0 });
    events.set({ nacked: goesBack, timeouts: timesOut });
    io.events.set(events);
  },
  {
    nameOf: p =>
      `GbnSender_s${p.sessions}_q${p.sequenceBits}_w${p.window}_t${p.timeoutCycles}_n${p.tries}_f${p.first >>> 0}`,
  },
);
