import { describe, expect, test } from "vitest";
import { GbnResend } from "../../../../../designs/shared/go-back-n/rtl/resend.ts";
import type { GbnStoreParameters } from "../../../../../designs/shared/go-back-n/rtl/store.ts";
import { type Bench, bernoulli, never, type Pause, poke, runBench, StreamSource } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const memory = { beatBytes: 16, frameBytes: 512, addressBits: 20, idBits: 1, base: 0 };
const parameterSets: readonly GbnStoreParameters[] = [
  { ...memory, sessions: 4, sequenceBits: 8, window: 4 },
  { ...memory, sessions: 64, sequenceBits: 16, window: 32 },
];
type Ports = ReturnType<typeof GbnResend>["ports"];

/**
 * A session table that tells which frames are to be sent again, a store that writes late and reads slowly. Every frame
 * is read once, in order, after all given before it are written, and its place is busy while it is read.
 */
async function run(b: Bench<Ports>, p: GbnStoreParameters, count: number, pause: Pause): Promise<void> {
  const { io } = b,
    again = new StreamSource(b.sim, io.again, { pause }),
    wanted: { readonly session: number; readonly sequence: number }[] = [];
  const jobs = Array.from({ length: count }, () => ({
    session: b.random.between(1, p.sessions - 1),
    first: b.random.between(0, 2 ** p.sequenceBits - 1),
    frames: b.random.between(0, p.window),
  }));
  for (const j of jobs)
    for (let i = 0; i < j.frames; i++)
      wanted.push({ session: j.session, sequence: (j.first + i) % 2 ** p.sequenceBits });
  let job = 0,
    left = jobs[0]?.frames ?? 0,
    asked = false,
    fresh = true,
    given = 0,
    written = 0,
    readsLeft = 0,
    done = 0,
    read = 0;
  io.step.ready.value = 1;
  const answer = { valid: 0, more: 0, sequence: 0 };
  b.onEdge({
    sample: cycle => {
      const target = given;
      // The frame that is read: the next one wanted, all before it written, and named busy.
      if (io.read.valid.value === 1 && io.read.ready.value === 1) {
        const w = wanted[read] as (typeof wanted)[number];
        expect(
          [io.read.payload.session.num, io.read.payload.place.num],
          `frame ${read}, read in cycle ${cycle}`,
        ).toEqual([w.session, w.sequence % p.window]);
        expect((written - target) & 0xffff, `frames before frame ${read} that are not written`).toBeLessThan(0x8000);
        readsLeft = b.random.between(1, 6);
        read++;
      } else if (readsLeft > 0) readsLeft--;
      if (readsLeft > 0 && io.busy.valid.value === 1)
        expect(io.busy.sequence.num, "the frame that is busy").toBe(
          (wanted[read - 1] as { sequence: number }).sequence,
        );
      if (readsLeft > 0)
        expect(io.busy.valid.value, `busy in cycle ${cycle}`).toBe(
          read > 0 && answer.valid === 0 ? 1 : io.busy.valid.value,
        );
      asked = io.step.valid.value === 1 && io.step.ready.value === 1;
      if (asked) {
        const j = jobs[job] as (typeof jobs)[number];
        expect([io.step.payload.session.num, io.step.payload.fresh.value], `question in cycle ${cycle}`).toEqual([
          j.session,
          +fresh,
        ]);
      }
      if (b.random.chance(0.3) && written !== given) written = (written + 1) & 0xffff;
    },
    drive: () => {
      Object.assign(answer, { valid: +asked, more: 0, sequence: 0 });
      if (asked) {
        const j = jobs[job] as (typeof jobs)[number];
        fresh = left === 0;
        if (left > 0) {
          Object.assign(answer, { more: 1, sequence: (j.first + j.frames - left) % 2 ** p.sequenceBits });
          left--;
          given = (given + b.random.between(0, 2)) & 0xffff;
        } else {
          done++;
          left = jobs[++job]?.frames ?? 0;
        }
      }
      poke(io.stepped, answer);
      io.given.value = given;
      io.written.value = written;
      io.read.ready.value = +(pause === never || b.random.chance(0.6));
      io.reading.value = +(readsLeft > 0);
      io.step.ready.value = +(pause === never || b.random.chance(0.6));
    },
  });
  for (const j of jobs) again.send(j.session);
  await b.until(() => done === count);
  await b.cycles(5);
  expect(read, "frames read").toBe(wanted.length);
  expect(io.busy.valid.value, "busy at the end").toBe(0);
}
describe.each(parameterSets)("GbnResend, $sessions sessions, window $window", p => {
  const dut = GbnResend(p);
  test("frames in order, under back-pressure", () =>
    runBench("resend", dut, { hangCycles: 2000 }, b => run(b, p, 120, bernoulli(0.3, 1))));
  testOfResets(dut, { beside: { step_payload_sequence: "" } }, b => run(b, p, 40, bernoulli(0.3, 1)));
  test("without back-pressure, after a reset in the middle", () =>
    runBench("resend", dut, { hangCycles: 2000 }, async b => {
      b.io.again.payload.value = 1;
      b.io.again.valid.value = 1;
      await b.cycles(3);
      b.io.again.valid.value = 0;
      b.sim.reset(1);
      await run(b, p, 60, never);
    }));
  test("a planted fault is found: a frame is read before it is written", () =>
    findsFault(
      runBench(
        "resend planted",
        plant(dut, /settled = [^;]*;/, "settled = 1'b1;"),
        { wave: false, hangCycles: 500 },
        b => run(b, p, 120, bernoulli(0.3, 1)),
      ),
      /not written/,
    ));
});
