import { expect } from "vitest";
import type { GbnSender, GbnSenderParameters } from "../../../../../../designs/shared/go-back-n/rtl/sender.ts";
import { type Bench, never, type Pause, poke, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

export type SenderPorts = ReturnType<typeof GbnSender>["ports"];

export interface SenderRigOptions {
  /** Pauses of each stream, by number. */
  readonly pause?: (seed: number) => Pause;
  /** Pauses of whoever hears of sessions that are given up. */
  readonly failedPause?: Pause;
}

/** A session as the table has it. */
export interface Session {
  open: boolean;
  acked: number;
  sent: number;
  again: boolean;
  restart: boolean;
  /** Something was heard, or is to be heard for the first time, since the timer's last look. */
  progress: boolean;
  tries: number;
  /** The cycle of the last progress. */
  since: number;
}
interface Op {
  readonly kind: "control" | "heard" | "request" | "step" | "timer";
  readonly session: number;
  readonly sequence: number;
  readonly flag: boolean;
}

/** Cycles that a look of the timer waits for a free one. */
const patience = 64;
/** Sessions that wait to be reported as given up. */
const failedDepth = 16;

/** The timer: it looks at each session in turn, in cycles that nobody else wants, or after `patience` of them. */
class Timer {
  cursor = 0;
  readonly #sessions: number;
  readonly #interval: number;
  /** Cycles since the last look. */
  #wait = 0;
  #starting = true;
  constructor({ sessions, timeoutCycles }: GbnSenderParameters) {
    this.#sessions = sessions;
    this.#interval = timeoutCycles / sessions;
  }
  /**
   * @returns the session that is looked at in this cycle.
   * @param starting the table is being set up: nobody looks then, nor in the cycle after.
   */
  look(starting: boolean, control: boolean, wanted: boolean): number | undefined {
    const wait = this.#wait++,
      started = !this.#starting;
    this.#starting = starting;
    if (!started || control || wait < this.#interval - 1 || (wanted && wait < this.#interval - 1 + patience))
      return undefined;
    this.#wait = 0;
    const session = this.cursor;
    this.cursor = (session + 1) % this.#sessions;
    return session;
  }
}

/**
 * The session table beside its model, with time: operations are done in the order in which they are taken, one a cycle
 * later, the timer's looks among them. The block that sends again is played here, as resend.ts does it.
 */
export class SenderRig {
  readonly p: GbnSenderParameters;
  readonly model: Session[];
  readonly requests: StreamSource<SenderPorts["request"]["shape"]>;
  readonly heard: StreamSource<SenderPorts["heard"]["shape"]>;
  readonly control: StreamSource<SenderPorts["control"]["shape"]>;
  readonly steps: StreamSource<SenderPorts["step"]["shape"]>;
  readonly again: StreamSink<SenderPorts["again"]["shape"]>;
  readonly failed: StreamSink<SenderPorts["failed"]["shape"]>;
  /** Sessions that went back, in order, not yet seen on `again`. */
  readonly waiting: number[] = [];
  readonly counts = {
    granted: 0,
    full: 0,
    clash: 0,
    closed: 0,
    again: 0,
    back: 0,
    timeouts: 0,
    failed: 0,
    lateAndFull: 0,
    grantedCycles: [] as number[],
    /** Cycles from the last progress to a timeout. */
    silences: [] as number[],
  };
  readonly #b: Bench<SenderPorts>;
  #doing: Op | undefined;
  #resending: { readonly session: number; last: number } | undefined;
  #reading: { readonly session: number; readonly sequence: number } | undefined;
  #readFor = 0;
  /** Sessions that were given up, in order, not yet seen on `failed`. */
  readonly #failing: number[] = [];
  readonly #timer: Timer;
  #stepping = false;
  #requesting = false;
  /** What the events are to say in this cycle, and in the next. */
  #events = { nacked: 0, timeouts: 0 };
  constructor(b: Bench<SenderPorts>, p: GbnSenderParameters, o: SenderRigOptions = {}) {
    const pause = o.pause ?? ((): Pause => never);
    this.#b = b;
    this.p = p;
    this.#timer = new Timer(p);
    this.model = Array.from({ length: p.sessions }, () => ({
      open: true,
      acked: this.wrap(this.p.first - 1),
      sent: this.wrap(this.p.first - 1),
      again: false,
      restart: false,
      progress: false,
      tries: 0,
      since: 0,
    }));
    this.requests = new StreamSource(b.sim, b.io.request, { pause: pause(1) });
    this.heard = new StreamSource(b.sim, b.io.heard, { pause: pause(2) });
    this.control = new StreamSource(b.sim, b.io.control, { pause: pause(3) });
    this.steps = new StreamSource(b.sim, b.io.step, { pause: pause(4) });
    this.again = new StreamSink(b.sim, b.io.again, { pause: pause(5) });
    this.failed = new StreamSink(b.sim, b.io.failed, { pause: o.failedPause ?? never });
    b.onEdge({
      sample: cycle => {
        this.#check(cycle);
        this.#resend();
      },
    });
  }
  get numbers(): number {
    return 2 ** this.p.sequenceBits;
  }
  wrap(n: number): number {
    return ((n % this.numbers) + this.numbers) % this.numbers;
  }
  session(n: number): Session {
    return this.model[n] as Session;
  }
  inFlight(n: number): number {
    const s = this.session(n);
    return this.wrap(s.sent - s.acked);
  }
  get quiet(): boolean {
    return (
      this.requests.pending + this.heard.pending + this.steps.pending + this.control.pending === 0 &&
      this.waiting.length + this.#failing.length === 0 &&
      this.#resending === undefined
    );
  }

  #back(n: number): void {
    const s = this.model[n] as Session;
    this.counts.back++;
    if (!s.again) this.waiting.push(n);
    s.again = s.restart = true;
  }
  #check(cycle: number): void {
    const { io } = this.#b,
      op = this.#doing,
      s = op && (this.model[op.session] as Session);
    const events = [io.events.nacked.value, io.events.timeouts.value],
      { nacked, timeouts } = this.#events;
    if (events[0] !== nacked || events[1] !== timeouts)
      throw new Error(
        `cycle ${cycle}: events ${events.join()} (back by a NACK, by a timeout), not ${nacked},${timeouts}`,
      );
    this.#events = { nacked: 0, timeouts: 0 };
    if (io.granted.valid.value !== +(op?.kind === "request") || io.stepped.valid.value !== +(op?.kind === "step"))
      throw new Error(`cycle ${cycle}: an answer that was not asked for, or none to ${op?.kind}`);
    if (op !== undefined && s !== undefined) {
      const n = op.session,
        what = `${op.kind} of session ${n} at cycle ${cycle}: ${JSON.stringify(s)}`;
      if (op.kind === "control")
        Object.assign(s, {
          open: op.flag,
          acked: this.wrap(this.p.first - 1),
          sent: this.wrap(this.p.first - 1),
          restart: true,
          progress: false,
          tries: 0,
        });
      if (op.kind === "request") {
        const next = this.wrap(s.sent + 1),
          r = this.#reading,
          clash = r?.session === n && (r.sequence - next) % this.p.window === 0,
          full = this.inFlight(n) === this.p.window;
        const grants = s.open && !full && !clash,
          got = io.granted;
        expect([got.granted.value, got.closed.value], what).toEqual([grants ? 1 : 0, s.open ? 0 : 1]);
        if (grants) expect([Number(got.sequence.value), got.now.value], what).toEqual([next, s.again ? 0 : 1]);
        if (grants) {
          if (this.inFlight(n) === 0) this.#progress(s, cycle);
          s.sent = next;
          this.counts.granted++;
          this.counts.grantedCycles.push(cycle);
        } else this.counts[!s.open ? "closed" : full ? "full" : "clash"]++;
      }
      if (op.kind === "heard" && s.open && this.wrap(op.sequence - s.acked) <= this.inFlight(n)) {
        if (s.acked !== op.sequence) {
          this.#progress(s, cycle);
          s.tries = 0;
        }
        s.acked = op.sequence;
        if (op.flag && s.acked !== s.sent) {
          this.#back(n);
          this.#events.nacked = 1;
        }
      }
      if (op.kind === "timer") this.#look(op.session, s, cycle);
      if (op.kind === "step") {
        const from =
            op.flag || s.restart || this.wrap(op.sequence - s.acked) >= this.numbers / 2 ? s.acked : op.sequence,
          more = s.open && from !== s.sent;
        expect(io.stepped.more.value, what).toBe(more ? 1 : 0);
        s.restart = false;
        if (more) {
          expect(Number(io.stepped.sequence.value), what).toBe(this.wrap(from + 1));
          this.#reading = { session: n, sequence: this.wrap(from + 1) };
          this.#readFor = this.#b.random.between(0, 12);
          this.counts.again++;
          if (this.#resending !== undefined) this.#resending.last = this.wrap(from + 1);
        } else {
          s.again = false;
          this.#progress(s, cycle);
          this.#resending = undefined;
          this.#reading = undefined;
        }
      }
    }
    // What leaves the queue in this cycle stands in it for this cycle's look.
    for (let f = this.failed.take(); f; f = this.failed.take())
      expect(Number(f.value), `the session given up, cycle ${cycle}`).toBe(this.#failing.shift());
    const fires = (x: {
      readonly valid: { readonly value: number };
      readonly ready: { readonly value: number };
    }): boolean => x.valid.value === 1 && x.ready.value === 1;
    const { control, heard, request, step } = io,
      taken: Op[] = [];
    const wanted =
      heard.valid.value === 1 ||
      (step.valid.value === 1 && !this.#stepping) ||
      (request.valid.value === 1 && !this.#requesting);
    const looked = this.#timer.look(control.ready.value === 0, control.valid.value === 1, wanted);
    if (looked !== undefined) taken.push({ kind: "timer", session: looked, sequence: 0, flag: false });
    this.#stepping = fires(step);
    this.#requesting = fires(request);
    if (fires(control))
      taken.push({
        kind: "control",
        session: Number(control.payload.session.value),
        sequence: 0,
        flag: control.payload.open.value === 1,
      });
    if (fires(heard))
      taken.push({
        kind: "heard",
        session: Number(heard.payload.session.value),
        sequence: Number(heard.payload.sequence.value),
        flag: heard.payload.nack.value === 1,
      });
    if (fires(request))
      taken.push({ kind: "request", session: Number(request.payload.value), sequence: 0, flag: false });
    if (fires(step))
      taken.push({
        kind: "step",
        session: Number(step.payload.session.value),
        sequence: Number(step.payload.sequence.value),
        flag: step.payload.fresh.value === 1,
      });
    expect(taken.length, `operations taken at cycle ${cycle}`).toBeLessThan(2);
    this.#doing = taken[0];
  }
  /** As go-back-n/rtl/resend.ts: a frame is read for some cycles, then the next one is asked for. */
  #resend(): void {
    const ask = (session: number, sequence: number, fresh: number): void => {
      this.steps.send({ session, sequence, fresh });
    };
    if (this.#resending === undefined && this.steps.pending === 0 && this.#doing?.kind !== "step") {
      const next = this.again.take();
      if (next !== undefined) {
        expect(Number(next.value), "the session that sends again").toBe(this.waiting.shift());
        this.#resending = { session: Number(next.value), last: 0 };
        ask(Number(next.value), 0, 1);
      }
    } else if (this.#reading !== undefined && this.#resending !== undefined && this.#readFor-- === 0) {
      ask(this.#resending.session, this.#resending.last, 0);
      this.#reading = undefined;
    }
    poke(
      this.#b.io.reading,
      this.#reading === undefined ? { valid: 0, session: 0, sequence: 0 } : { valid: 1, ...this.#reading },
    );
  }
  #progress(s: Session, cycle: number): void {
    s.progress = true;
    s.since = cycle;
  }
  /** The timer looks: a session that has frames in flight and has heard nothing since its last look sends again. */
  #look(n: number, s: Session, cycle: number): void {
    const { p, counts } = this,
      { progress } = s;
    s.progress = false;
    if (!s.open || this.inFlight(n) === 0 || s.again || progress) return;
    const silent = cycle - s.since;
    expect(silent, `cycles of silence before a timeout of session ${n}`).toBeGreaterThanOrEqual(p.timeoutCycles);
    expect(silent, `cycles of silence before a timeout of session ${n}`).toBeLessThanOrEqual(
      2 * (p.timeoutCycles + p.sessions * patience),
    );
    if (s.tries < p.tries) {
      s.tries++;
      this.#back(n);
      this.#events.timeouts = 1;
      counts.timeouts++;
      counts.silences.push(silent);
      s.since = cycle;
    } else if (this.#failing.length < failedDepth) {
      this.#failing.push(n);
      counts.failed++;
      s.open = false;
      s.acked = s.sent;
    } else {
      counts.lateAndFull++;
      s.since = cycle;
    }
  }
}
