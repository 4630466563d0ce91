import { beforeEach, describe, expect, test } from "vitest";
import { GbnSender, type GbnSenderParameters } from "../../../../../designs/shared/go-back-n/rtl/sender.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const parameterSets: readonly GbnSenderParameters[] = [
  { sessions: 16, sequenceBits: 8, window: 8, timeoutCycles: 4096, tries: 2, first: 250 },
  { sessions: 32, sequenceBits: 12, window: 8, timeoutCycles: 2048, tries: 3, first: 4090 },
];
/** The set at hand. */
let p = parameterSets[0] as GbnSenderParameters;
type Ports = ReturnType<typeof GbnSender>["ports"];
const numbers = (): number => 2 ** p.sequenceBits,
  wrap = (n: number): number => ((n % numbers()) + numbers()) % numbers();

interface Session {
  open: boolean;
  acked: number;
  sent: number;
  again: boolean;
  restart: boolean;
}
interface Op {
  readonly kind: "control" | "heard" | "request" | "step";
  readonly session: number;
  readonly sequence: number;
  readonly flag: boolean;
}

/**
 * The session table beside its model: operations are done in the order in which they are taken, one a cycle later. The
 * block that sends again is played here, as resend.ts does it.
 */
class Rig {
  readonly model: Session[] = Array.from({ length: p.sessions }, () => ({
    open: true,
    acked: wrap(p.first - 1),
    sent: wrap(p.first - 1),
    again: false,
    restart: false,
  }));
  readonly requests: StreamSource<Ports["request"]["shape"]>;
  readonly heard: StreamSource<Ports["heard"]["shape"]>;
  readonly control: StreamSource<Ports["control"]["shape"]>;
  readonly steps: StreamSource<Ports["step"]["shape"]>;
  readonly again: StreamSink<Ports["again"]["shape"]>;
  readonly failed: StreamSink<Ports["failed"]["shape"]>;
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
    grantedCycles: [] as number[],
  };
  readonly #b: Bench<Ports>;
  #doing: Op | undefined;
  #resending: { readonly session: number; last: number } | undefined;
  #reading: { readonly session: number; readonly sequence: number } | undefined;
  #readFor = 0;
  constructor(b: Bench<Ports>, pause: (seed: number) => Pause = () => never) {
    this.#b = b;
    this.requests = new StreamSource(b.sim, b.io.request, { pause: pause(1) });
    this.heard = new StreamSource(b.sim, b.io.heard, { pause: pause(2) });
    this.control = new StreamSource(b.sim, b.io.control, { pause: pause(3) });
    this.steps = new StreamSource(b.sim, b.io.step, { pause: pause(4) });
    this.again = new StreamSink(b.sim, b.io.again, { pause: pause(5) });
    this.failed = new StreamSink(b.sim, b.io.failed);
    b.onEdge({
      sample: cycle => {
        this.#check(cycle);
        this.#resend();
      },
    });
  }
  inFlight(n: number): number {
    const s = this.model[n] as Session;
    return wrap(s.sent - s.acked);
  }
  get quiet(): boolean {
    return (
      this.requests.pending + this.heard.pending + this.steps.pending + this.control.pending === 0 &&
      this.waiting.length === 0 &&
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
    this.counts.timeouts += io.events.timeouts.value;
    expect([io.granted.valid.value, io.stepped.valid.value], `answers at cycle ${cycle}`).toEqual([
      op?.kind === "request" ? 1 : 0,
      op?.kind === "step" ? 1 : 0,
    ]);
    if (op !== undefined && s !== undefined) {
      const n = op.session,
        what = `${op.kind} of session ${n} at cycle ${cycle}: ${JSON.stringify(s)}`;
      if (op.kind === "control")
        Object.assign(s, { open: op.flag, acked: wrap(p.first - 1), sent: wrap(p.first - 1), restart: true });
      if (op.kind === "request") {
        const next = wrap(s.sent + 1),
          r = this.#reading,
          clash = r?.session === n && (r.sequence - next) % p.window === 0,
          full = this.inFlight(n) === p.window;
        const grants = s.open && !full && !clash,
          got = io.granted;
        expect([got.granted.value, got.closed.value], what).toEqual([grants ? 1 : 0, s.open ? 0 : 1]);
        if (grants) expect([Number(got.sequence.value), got.now.value], what).toEqual([next, s.again ? 0 : 1]);
        if (grants) {
          s.sent = next;
          this.counts.granted++;
          this.counts.grantedCycles.push(cycle);
        } else this.counts[!s.open ? "closed" : full ? "full" : "clash"]++;
      }
      if (op.kind === "heard" && s.open && wrap(op.sequence - s.acked) <= this.inFlight(n)) {
        s.acked = op.sequence;
        if (op.flag && s.acked !== s.sent) this.#back(n);
      }
      if (op.kind === "step") {
        const from = op.flag || s.restart || wrap(op.sequence - s.acked) >= numbers() / 2 ? s.acked : op.sequence,
          more = s.open && from !== s.sent;
        expect(io.stepped.more.value, what).toBe(more ? 1 : 0);
        s.restart = false;
        if (more) {
          expect(Number(io.stepped.sequence.value), what).toBe(wrap(from + 1));
          this.#reading = { session: n, sequence: wrap(from + 1) };
          this.#readFor = this.#b.random.between(0, 12);
          this.counts.again++;
          if (this.#resending !== undefined) this.#resending.last = wrap(from + 1);
        } else {
          s.again = false;
          this.#resending = undefined;
          this.#reading = undefined;
        }
      }
    }
    const fires = (x: {
      readonly valid: { readonly value: number };
      readonly ready: { readonly value: number };
    }): boolean => x.valid.value === 1 && x.ready.value === 1;
    const { control, heard, request, step } = io,
      taken: Op[] = [];
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
  /** A timeout that the bench has seen. */
  timedOut(n: number): void {
    this.#back(n);
  }
}

async function traffic(b: Bench<Ports>, rounds: number, pause?: (seed: number) => Pause): Promise<Rig> {
  const rig = new Rig(b, pause),
    r = b.random;
  await b.cycles(p.sessions + 2);
  for (let i = 0; i < rounds; i++) {
    const n = r.chance(0.5) ? 3 : r.between(0, p.sessions - 1),
      s = rig.model[n] as Session;
    const kind = r.between(0, 9);
    if (kind < 5) rig.requests.send(n);
    else if (kind < 9) {
      const sequence = r.chance(0.8)
        ? s.acked + r.between(0, rig.inFlight(n))
        : s.acked + r.pick([-1, -7, -100, rig.inFlight(n) + 1, 30]);
      rig.heard.send({ session: n, sequence: wrap(sequence), nack: r.chance(0.3) ? 1 : 0 });
    } else if (r.chance(0.2)) rig.control.send({ session: n, open: r.chance(0.7) ? 1 : 0 });
    await b.until(() => rig.requests.pending + rig.heard.pending + rig.control.pending < 3);
  }
  await b.until(() => rig.quiet);
  return rig;
}
// The timer looks at a session every `timeoutCycles` cycles, and a session that has made progress is let be.
const limits = { hangCycles: 0, limitCycles: 100_000 };

describe.each(parameterSets)("GbnSender, $sessions sessions, numbers of $sequenceBits bits", set => {
  const calm: GbnSenderParameters = { ...set, timeoutCycles: 2 ** 20 };
  beforeEach(() => {
    p = set;
  });
  bench(
    "random requests, ACKs, NACKs, wrong ones, openings and closings, with pauses: every answer as the model says",
    GbnSender(calm),
    { seed: 1, ...limits },
    async b => {
      const rig = await traffic(b, 5000, seed => bernoulli(0.2, seed));
      for (const name of ["granted", "full", "closed", "again", "back"] as const)
        expect(rig.counts[name], name).toBeGreaterThan(20);
      expect(rig.counts.clash).toBeGreaterThan(0);
      expect(rig.counts.timeouts).toBe(0);
    },
  );
  bench(
    "a number every 2 cycles, the answer in the next one; ACKs in the cycles between",
    GbnSender(calm),
    { seed: 2, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(p.sessions + 2);
      for (let i = 0; i < 40; i++) rig.requests.send(i % 8);
      for (let i = 0; i < 40; i++) rig.heard.send({ session: 8 + (i % 8), sequence: 0, nack: 0 });
      const from = b.cycle;
      await b.until(() => rig.quiet);
      await b.cycles(2);
      const at = rig.counts.grantedCycles;
      expect(at.length).toBe(40);
      expect((at.at(-1) as number) - (at[0] as number)).toBe(39 * 2);
      expect(b.cycle - from).toBeLessThan(90);
    },
  );
  bench(
    "without an ACK: sent again after one round of the timer or two, so many times, then given up; others are not touched",
    GbnSender(set),
    { seed: 3, ...limits },
    async b => {
      const rig = new Rig(b);
      await b.cycles(p.sessions + 2);
      for (let i = 0; i < 3; i++) rig.requests.send(5);
      for (let round = 1; round <= p.tries; round++) {
        const from = b.cycle;
        await b.until(() => rig.counts.timeouts === round);
        expect(b.cycle - from, `timeout ${round}`).toBeLessThanOrEqual(2 * p.timeoutCycles + 100);
        rig.timedOut(5);
        await b.until(() => rig.quiet);
        expect(rig.counts.again).toBe(3 * round);
      }
      await b.until(() => rig.failed.received.length === 1);
      expect(Number(rig.failed.take()?.value)).toBe(5);
      (rig.model[5] as Session).open = false;
      rig.requests.send(5);
      rig.requests.send(6);
      await b.until(() => rig.quiet);
      await b.cycles(3);
      expect([rig.counts.closed, rig.counts.granted]).toEqual([1, 4]);
    },
  );

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, ...limits, limitCycles: 20_000, seed: 5 }, b =>
        traffic(b, 1500, seed => bernoulli(0.2, seed)),
      );
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["ACKs of numbers never sent are believed", "(further[3:0] <= flying)", "1'b1"],
      ["a frame that is being read is written over", "clash = &{", "clash = 1'b0 & &{"],
      ["a NACK while it sends again changes nothing", /from_start = op_flag \| was_restart/, "from_start = op_flag"],
    ];
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(run(name, plant(GbnSender(calm), from, to)));
      });
  });
});
