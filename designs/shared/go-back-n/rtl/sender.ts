import {
  arbiter,
  type Bit,
  bit,
  carryEqual,
  cat,
  connect,
  constant,
  fifo,
  type Given,
  input,
  literalOf,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  type Shape,
  sink,
  source,
  stream,
  type StreamIn,
  struct,
  type UInt,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Acknowledgement, sessionBits, SessionControl, type SessionParameters } from "./types.ts";

export interface GbnSenderParameters extends SessionParameters {
  /**
   * Cycles in which every session is looked at once: one that has heard nothing between two looks sends again. A
   * multiple of `sessions`, twice as many or more.
   */
  readonly timeoutCycles: number;
  /** Times that a session sends again on a timeout without hearing anything new; then it is given up. */
  readonly tries: number;
  readonly first: number;
}

/** @throws RangeError when the timer cannot look at every session once in `timeoutCycles` */
function checkTimer({ timeoutCycles, sessions }: GbnSenderParameters): void {
  if (timeoutCycles % sessions === 0 && timeoutCycles >= 2 * sessions) return;
  throw new RangeError(
    `GbnSender: timeoutCycles is ${timeoutCycles} for ${sessions} sessions; choose a multiple of ${sessions}, ${2 * sessions} or more`,
  );
}

/** Cycles that the timer's look at a session waits for a cycle that nobody else wants. */
const patience = 64;
const opKind = { start: 0, heard: 1, step: 2, request: 3, timer: 4 } as const;

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
  (p: GbnSenderParameters) => {
    const index = uint(sessionBits(p)),
      sequence = uint(p.sequenceBits);
    return {
      control: sink(SessionControl(p)),
      heard: sink(Acknowledgement(p)),
      request: sink(index),
      granted: output(struct({ valid: bit, granted: bit, closed: bit, now: bit, sequence })),
      step: sink(struct({ session: index, sequence, fresh: bit })),
      stepped: output(struct({ valid: bit, more: bit, sequence })),
      reading: input(struct({ valid: bit, session: index, sequence })),
      again: source(index),
      failed: source(index),
      /** One went back because of a NACK, because of a timeout. */
      events: output(struct({ nacked: bit, timeouts: bit })),
    };
  },
  (io, p) => {
    checkTimer(p);
    const index = uint(sessionBits(p)),
      sequence = uint(p.sequenceBits),
      window = Math.log2(p.window),
      triesBits = Math.ceil(Math.log2(p.tries + 1));
    const State = struct({
      open: bit,
      acked: sequence,
      sent: sequence,
      progress: bit,
      tries: uint(triesBits),
      again: bit,
      restart: bit,
    });
    const Op = struct({ kind: uint(3), session: index, sequence, flag: bit });
    /** `same`: of the session whose state is written in this very cycle. */
    const Asked = struct({ op: Op, same: bit });
    const before = constant(BigInt.asUintN(p.sequenceBits, BigInt(p.first - 1)), p.sequenceBits);

    // One operation per cycle is read.
    const starting = reg(bit, { init: 1 });
    const cursor = reg(index, { init: 0 });
    const interval = p.timeoutCycles / p.sessions;
    const wait = reg(uint(Math.ceil(Math.log2(interval + patience + 1))), { init: 0 });
    const opValid = reg(bit, { init: 0 });
    const op = reg(Op);
    const is = (k: number): Bit => opValid.and(op.kind.eq(k));
    // Known for each session that may be chosen, so that no comparison waits for the choice.
    const isWritten = (whose: UInt): Bit => opValid.and(whose.eq(op.session));
    const stepping = reg(bit, { init: 0 });
    const requesting = reg(bit, { init: 0 });
    const kind = (k: number): UInt<3> => constant(k, 3);
    const ops = <S extends Shape>(
      from: StreamIn<S>,
      waits: Bit,
      f: (v: Val<S>) => { readonly session: UInt } & Given<typeof Op>,
      name: string,
    ): StreamIn<typeof Asked> => {
      const out = stream(Asked, { name });
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

    const states = ram(State, { depth: p.sessions, collision: "undefined", style: "block" });
    // What is written as it is read goes around the memory.
    const isFresh = reg(bit),
      fresh = reg(State),
      kept = states.readSync(session);
    isFresh.set(mux(own, isWritten(cursor), mux(io.control.valid, isWritten(io.control.payload.session), same)));
    const was = node(mux(isFresh, fresh, kept));
    // After reset the word says nothing.
    const firstRound = reg(bit, { init: 1 });
    firstRound.set(starting);
    const flying = node(was.sent.sub(was.acked).trunc(window + 1));
    // Compared as they stand: no carry is in the way of what hangs on it.
    const some = node(was.sent.trunc(window + 1).ne(was.acked.trunc(window + 1)));

    // A request.
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

    // What was heard.
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

    // The next one to be sent again.
    const passed = node(op.sequence.sub(was.acked));
    const fromStart = node(op.flag.or(was.restart).or(passed.bit(p.sequenceBits - 1)));
    const more = node(was.open.and(mux(fromStart, some, passed.trunc(window + 1).lt(flying))));
    const ends = node(is(opKind.step).and(more.not()));
    io.stepped.set({ valid: is(opKind.step), more, sequence: mux(fromStart, was.acked, op.sequence).add(1) });

    // The timer.
    const failing = stream(index);
    const late = node(is(opKind.timer).and(was.open).and(some).and(was.again.not()).and(was.progress.not()));
    const fails = node(late.and(was.tries.eq(p.tries)));
    failing.valid.set(fails);
    failing.payload.set(op.session);
    const givesUp = node(failing.fire);
    connect(fifo(failing, 16, { style: "distributed", name: "failed_queue" }), io.failed);
    const timesOut = node(late.and(was.tries.ne(p.tries)));

    const start = node(is(opKind.start));
    const back = node(goesBack.or(timesOut));
    const acked = priority([start, before], [moves, op.sequence], [givesUp, was.sent], was.acked);
    const becomes = literalOf(State, {
      open: mux(start, op.flag, was.open.and(givesUp.not())),
      acked,
      sent: mux(start, before, mux(grants, sequel, was.sent)),
      progress: start.not().and(
        moves
          .or(ends)
          .or(grants.and(some.not()))
          .or(was.progress.and(is(opKind.timer).not())),
      ),
      tries: mux(start.or(moves), constant(0, triesBits), mux(timesOut, was.tries.add(1), was.tries)),
      // A session that is opened anew while it waits to send again still waits: `again` holds it once.
      again: firstRound.not().and(ends.not()).and(back.or(was.again)),
      // What is being sent again is an earlier life's when the session is opened anew.
      restart: start.or(back).or(was.restart.and(is(opKind.step).not())),
    });
    states.write(opValid, op.session, becomes);
    fresh.set(becomes);

    // Each session once, so there is always room; one comes out every third cycle, which is sooner than any
    // is sent again.
    const joins = reg(bit, { init: 0 });
    const joining = reg(index);
    joins.set(back.and(was.again.not()));
    joining.set(op.session);
    const waiting = ram(index, { depth: p.sessions, collision: "undefined", style: "block" });
    const joined = reg(uint(sessionBits(p) + 1), { init: 0 });
    const left = reg(uint(sessionBits(p) + 1), { init: 0 });
    waiting.write(joins, joined.trunc(sessionBits(p)), joining);
    when(joins, () => joined.set(joined.add(1)));
    const front = waiting.readSync(left.trunc(sessionBits(p)));
    const fetching = reg(bit, { init: 0 });
    const offered = reg(bit, { init: 0 });
    const offer = reg(index);
    fetching.set(fetching.or(offered).not().and(left.ne(joined)));
    when(fetching, () => {
      offered.set(1);
      offer.set(front);
      left.set(left.add(1));
    }).elseWhen(io.again.ready, () => offered.set(0));
    io.again.valid.set(offered);
    io.again.payload.set(offer);
    const events = reg(struct({ nacked: bit, timeouts: bit }), { init: 0 });
    events.set({ nacked: goesBack, timeouts: timesOut });
    io.events.set(events);
  },
  {
    nameOf: p =>
      `GbnSender_s${p.sessions}_q${p.sequenceBits}_w${p.window}_t${p.timeoutCycles}_n${p.tries}_f${p.first >>> 0}`,
  },
);
