import { describe, expect, test } from "vitest";
import { GbnSender, type GbnSenderParameters } from "../../../../../designs/shared/go-back-n/rtl/sender.ts";
import { type Bench, bernoulli, designOf, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { senderFaults } from "./support/sender-faults.ts";
import { type SenderPorts as Ports, SenderRig } from "./support/sender-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets: readonly GbnSenderParameters[] = [
  { sessions: 16, sequenceBits: 8, window: 8, timeoutCycles: 4096, tries: 2, first: 250 },
  { sessions: 32, sequenceBits: 12, window: 8, timeoutCycles: 2048, tries: 3, first: 4090 },
];
/**
 * Requests, ACKs, NACKs, wrong ones, openings and closings. With `pauses`, now and then nothing new for some rounds of
 * the timer, so that sessions send again and are given up: nobody says anything, or old ACKs come without a gap, and
 * whoever sends again may have to wait. With `deaf`, nobody hears of sessions that are given up before the end. At the
 * end everything is acknowledged, and nothing goes on by itself.
 */
async function traffic(
  b: Bench<Ports>,
  p: GbnSenderParameters,
  rounds: number,
  o: { readonly pauses?: boolean; readonly deaf?: boolean } = {},
): Promise<SenderRig> {
  let rattles = false,
    blocks = false,
    deaf = o.deaf === true;
  const pause = (seed: number): Pause => {
    const random = bernoulli(0.2, seed);
    return () => (seed === 5 && blocks) || (!rattles && random());
  };
  const rig = new SenderRig(b, p, { pause, failedPause: () => deaf }),
    r = b.random;
  await b.cycles(p.sessions + 2);
  for (let i = 0; i < rounds; i++) {
    const n = r.chance(0.5) ? 3 : r.between(0, p.sessions - 1),
      s = rig.session(n);
    const kind = r.between(0, 9);
    if (kind < 5) rig.requests.send(n);
    else if (kind < 9) {
      const sequence = r.chance(0.8)
        ? s.acked + r.between(0, rig.inFlight(n))
        : s.acked + r.pick([-1, -7, -100, rig.inFlight(n) + 1, 30]);
      rig.heard.send({ session: n, sequence: rig.wrap(sequence), nack: r.chance(0.3) ? 1 : 0 });
    } else if (r.chance(0.2)) rig.control.send({ session: n, open: r.chance(0.7) ? 1 : 0 });
    await b.until(() => rig.requests.pending + rig.heard.pending + rig.control.pending < 3);
    if (o.pauses !== true || !r.chance(0.02)) continue;
    blocks = r.chance();
    rattles = r.chance(0.2);
    const end = b.cycle + r.between(1, rattles ? 3 * 64 * p.sessions : 12 * p.timeoutCycles);
    while (b.cycle < end) {
      if (rattles) rig.heard.send({ session: n, sequence: s.acked, nack: 0 });
      await b.until(() => rig.heard.pending < 2);
      if (!rattles) await b.cycles(p.sessions);
    }
    blocks = rattles = false;
  }
  deaf = false;
  await settledAndBack(b, rig);
  return rig;
}

/**
 * Whoever is in flight is acknowledged: nothing is sent again for three rounds. Every session can be opened and has its
 * whole window; everything is acknowledged once more.
 */
async function settledAndBack(b: Bench<Ports>, rig: SenderRig): Promise<void> {
  const { p } = rig;
  const acknowledge = async (): Promise<void> => {
    for (let n = 0; n < p.sessions; n++) {
      rig.heard.send({ session: n, sequence: rig.session(n).sent, nack: 0 });
      await b.until(() => rig.heard.pending === 0);
    }
    await b.until(() => rig.quiet);
  };
  await b.until(() => rig.requests.pending + rig.heard.pending + rig.control.pending === 0);
  await acknowledge();
  const { timeouts, failed } = rig.counts;
  await b.cycles(3 * (p.timeoutCycles > 10_000 ? 100 : p.timeoutCycles));
  expect([rig.counts.timeouts, rig.counts.failed], "timeouts when nothing is in flight").toEqual([timeouts, failed]);
  for (let n = 0; n < p.sessions; n++) rig.control.send({ session: n, open: 1 });
  await b.until(() => rig.control.pending === 0);
  const { granted, full } = rig.counts;
  for (let n = 0; n < p.sessions; n++) {
    const before = rig.counts.granted;
    for (let i = 0; i <= p.window; i++) rig.requests.send(n);
    await allBack(b, { what: "numbers", count: p.window, had: () => rig.counts.granted - before, settle: 6 });
    await b.until(() => rig.requests.pending === 0);
    rig.heard.send({ session: n, sequence: rig.session(n).sent, nack: 0 });
    await b.until(() => rig.heard.pending === 0);
  }
  await acknowledge();
  expect([rig.counts.granted - granted, rig.counts.full - full], "numbers granted, and refused, at the end").toEqual([
    p.sessions * p.window,
    p.sessions,
  ]);
}
// The timer looks at a session every `timeoutCycles` cycles, and a session that has made progress is let be.
const limits = { hangCycles: 0, limitCycles: 100_000 };

describe.each(parameterSets)("GbnSender, $sessions sessions, numbers of $sequenceBits bits", p => {
  const calm: GbnSenderParameters = { ...p, timeoutCycles: 2 ** 20 },
    hasty: GbnSenderParameters = { ...p, timeoutCycles: 3 * p.sessions };
  bench(
    "random requests, ACKs, NACKs, wrong ones, openings and closings, with pauses: every answer as the model says",
    GbnSender(calm),
    { seed: 1, ...limits },
    async b => {
      const rig = await traffic(b, calm, 5000);
      for (const name of ["granted", "full", "closed", "again", "back"] as const)
        expect(rig.counts[name], name).toBeGreaterThan(20);
      expect(rig.counts.clash).toBeGreaterThan(0);
      expect(rig.counts.timeouts).toBe(0);
    },
  );
  bench(
    "the same with a short TIMEOUT, beside traffic and in pauses: sent again and given up when the model says",
    GbnSender(hasty),
    { seed: 4, ...limits, limitCycles: 400_000 },
    async b => {
      const rig = await traffic(b, hasty, 2000, { pauses: true });
      expect(Math.min(rig.counts.timeouts, rig.counts.failed, rig.counts.again)).toBeGreaterThan(20);
    },
  );
  testOfResets(GbnSender(hasty), {}, b => traffic(b, hasty, 500, { pauses: true }));
  bench(
    "a number every 2 cycles, the answer in the next one; ACKs in the cycles between",
    GbnSender(calm),
    { seed: 2, ...limits },
    async b => {
      const rig = new SenderRig(b, calm);
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
    "without an ACK: sent again after one round of the timer, so many times, then given up; others are not touched",
    GbnSender(p),
    { seed: 3, ...limits },
    async b => {
      const rig = new SenderRig(b, p);
      await b.cycles(p.sessions + 2);
      for (let i = 0; i < 3; i++) rig.requests.send(5);
      for (let round = 1; round <= p.tries; round++) {
        await b.until(() => rig.counts.timeouts === round);
        await b.until(() => rig.quiet);
        expect(rig.counts.again).toBe(3 * round);
      }
      // Sent again at a look: the next look but one finds that nothing was heard since.
      for (const silence of rig.counts.silences.slice(1)) {
        expect(silence).toBeGreaterThan(2 * p.timeoutCycles - 100);
        expect(silence).toBeLessThanOrEqual(2 * p.timeoutCycles);
      }
      await b.until(() => rig.counts.failed === 1);
      rig.requests.send(5);
      rig.requests.send(6);
      await b.until(() => rig.quiet);
      await b.cycles(3);
      expect([rig.counts.closed, rig.counts.granted]).toEqual([1, 4]);
      await settledAndBack(b, rig);
    },
  );
  bench("all are given up and nobody hears of it: 16 wait, the others go on", GbnSender(hasty), limits, async b => {
    let blocked = true;
    const rig = await allSilent(b, hasty, () => blocked);
    expect([rig.counts.failed, rig.counts.lateAndFull > 0]).toEqual([16, p.sessions > 16]);
    blocked = false;
    await b.until(() => rig.counts.failed === p.sessions && rig.quiet);
    await settledAndBack(b, rig);
  });
  bench("a reset while sessions wait to send again: all are open, nobody sends", GbnSender(hasty), limits, async b => {
    await resetAtWork(b, hasty);
    await traffic(b, hasty, 300);
  });
});

describe("GbnSender: a planted fault is found", () => {
  const p: GbnSenderParameters = { ...(parameterSets[1] as GbnSenderParameters), timeoutCycles: 96 };
  const o = { wave: false, ...limits, limitCycles: 60_000, seed: 5 };
  const finds = async (design: Dut<Ports>): Promise<void> => {
    await runBench("sender planted", design, o, async b => {
      await resetAtWork(b, p);
      await traffic(b, p, 1000, { pauses: true, deaf: true });
    });
    await runBench("sender planted", design, o, b => traffic(b, p, 3000));
  };
  test("and nothing without one", async () => {
    await finds(GbnSender(p));
  });
  for (const [name, from, to] of senderFaults)
    test(name, async () => {
      await findsFault(finds(plant(GbnSender(p), from, to)));
    });
});

test("a timer that cannot look at every session is refused with what may be", () => {
  const p = parameterSets[0] as GbnSenderParameters;
  for (const timeoutCycles of [16, 24, 40])
    expect(() => designOf(GbnSender({ ...p, timeoutCycles }))).toThrow(
      `GbnSender: timeoutCycles is ${timeoutCycles} for 16 sessions; choose a multiple of 16, 32 or more`,
    );
  expect(() => designOf(GbnSender({ ...p, timeoutCycles: 32 }))).not.toThrow();
});

/** Each session sends and hears nothing. */
async function allSilent(b: Bench<Ports>, p: GbnSenderParameters, blocked: () => boolean): Promise<SenderRig> {
  const rig = new SenderRig(b, p, { failedPause: blocked });
  await b.cycles(p.sessions + 2);
  for (let n = 0; n < p.sessions; n++) rig.requests.send(n);
  await b.until(() => rig.counts.failed === Math.min(16, p.sessions));
  await b.cycles(4 * p.timeoutCycles);
  return rig;
}

/** Everything that a reset has to clear is there: sessions that wait to send again, that were given up, questions. */
async function resetAtWork(b: Bench<Ports>, p: GbnSenderParameters): Promise<void> {
  const { io } = b;
  await b.cycles(p.sessions + 2);
  for (let i = 0; i < 4 * p.sessions; i++) {
    io.request.valid.value = 1;
    io.request.payload.value = i % p.sessions;
    await b.until(() => io.request.ready.value === 1);
  }
  io.request.valid.value = 0;
  await b.cycles(3 * p.timeoutCycles);
  b.sim.reset(2);
}
