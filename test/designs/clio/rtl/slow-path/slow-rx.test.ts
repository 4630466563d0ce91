import { describe, expect, test } from "vitest";
import { AxisBeat, BufferWrite, FrameBuffer, Release } from "../../../../../designs/shared/frame/index.ts";
import { SlowRx } from "../../../../../designs/clio/rtl/slow-path/slow-rx.ts";
import { SlowFrame } from "../../../../../designs/clio/rtl/records/records.ts";
import { connect, input, instance, module, output, sink, source } from "../../../../../hdl-dsl/index.ts";
import {
  AxisSink,
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  type Frame,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";

import { afterValid } from "../../../../support/after-valid.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { mtuFrame, toBig } from "../network/net-frames.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const slots = 8;
/** SlowRx with the frame buffer that it reads. */
const HandOver = module(
  "HandOver",
  (p: { slots: number; beatBytes: number; frameBytes: number }) => ({
    frame: sink(SlowFrame(p)),
    socRx: source(AxisBeat(p.beatBytes)),
    release: output(Release(p)),
    bufferWrite: input(BufferWrite(p)),
  }),
  (io, p) => {
    const slow = instance(SlowRx(p)),
      buffer = instance(FrameBuffer(p));
    connect(io.frame, slow.frame);
    connect(slow.job, buffer.slowJob);
    connect(buffer.slowData, slow.beats);
    connect(slow.socRx, io.socRx);
    io.release.set(slow.release);
    buffer.write.set(io.bufferWrite);
    for (const job of [buffer.writeJob, buffer.echoJob]) {
      job.valid.set(0);
      job.payload.set({ slot: 0, first: 0, beats: 0 });
    }
    for (const out of [buffer.writeData, buffer.echoData]) out.ready.set(0);
  },
);
const dut = (beatBytes: number) => HandOver({ slots, beatBytes, frameBytes: mtuFrame });
type Ports = ReturnType<typeof dut>["ports"];

/** Stores frames of the given lengths under free slots, hands them over, and compares what comes out. */
async function handOver(
  b: Bench<Ports>,
  beatBytes: number,
  lengths: readonly number[],
  pause: Pause = never,
  framePause: Pause = never,
) {
  const given = new StreamSource(b.sim, b.io.frame, { pause: framePause }),
    soc = new AxisSink(b.sim, b.io.socRx, { pause });
  const free = Array.from({ length: slots }, (_, i) => i),
    order: number[] = [],
    released: { readonly slot: number; readonly cycle: number }[] = [];
  b.onEdge({
    sample: cycle => {
      if (b.io.release.valid.value === 0) return;
      const slot = Number(b.io.release.slot.value);
      released.push({ slot, cycle });
      free.push(slot);
    },
  });
  const sent = [];
  const frames: Uint8Array[] = [];
  for (const n of lengths) {
    const bytes = b.random.bytes(n);
    await b.until(() => free.length > 0);
    const slot = free.shift() as number;
    for (let k = 0; k * beatBytes < n; k++) {
      poke(b.io.bufferWrite, { en: 1, slot, beat: k, data: toBig(bytes.slice(k * beatBytes, (k + 1) * beatBytes)) });
      await b.risingEdge();
    }
    b.io.bufferWrite.en.value = 0;
    frames.push(bytes);
    order.push(slot);
    sent.push(given.send({ slot, frame: n }));
  }
  const got: Frame[] = [];
  for (const [i, bytes] of frames.entries()) {
    const f = await soc.recv();
    expect(Buffer.from(f.bytes).toString("hex"), `frame ${i} of ${bytes.length} bytes`).toBe(
      Buffer.from(bytes).toString("hex"),
    );
    expect(f.user).toBe(0);
    got.push(f);
  }
  await b.cycles(6);
  expect([soc.frames.length, released.map(r => r.slot)]).toEqual([0, order]);
  return { sent, got, released };
}
const limits = { wave: false, hangCycles: 300 } as const;
const randomLengths = (b: Bench<Ports>, count: number): number[] =>
  Array.from({ length: count }, () =>
    b.random.chance(0.2) ? b.random.between(1, mtuFrame) : b.random.between(1, 160),
  );

/** SlowRx alone, beside a reader of beats that takes its jobs when it likes, also while one is under way. */
async function anyReader(b: Bench<ReturnType<typeof SlowRx>["ports"]>, beatBytes: number, late = false): Promise<void> {
  const { io, random } = b,
    frames = Array.from({ length: 200 }, () => ({
      slot: random.between(0, slots - 1),
      frame: random.between(1, 6 * beatBytes),
    })),
    given = new StreamSource(b.sim, io.frame, { pause: bernoulli(0.2, 1) }),
    jobs = new StreamSink(b.sim, io.job, { pause: late ? afterValid(io.job) : bernoulli(0.4, 2) }),
    beats = new StreamSource(b.sim, io.beats, { pause: bernoulli(0.2, 3) }),
    out = new StreamSink(b.sim, io.socRx, { pause: late ? afterValid(io.socRx) : bernoulli(0.3, 4) }),
    released: number[] = [];
  b.onEdge({ sample: () => void (io.release.valid.value === 1 && released.push(io.release.slot.num)) });
  for (const f of frames) given.send(f);
  for (const [i, f] of frames.entries()) {
    const count = Math.ceil(f.frame / beatBytes),
      data = Array.from({ length: count }, () => random.bits(8 * beatBytes));
    await b.until(() => jobs.received.length > 0);
    expect(jobs.take()?.value, `job ${i}`).toEqual({ slot: f.slot, first: 0, beats: count });
    await b.cycles(random.between(0, 5));
    data.forEach((d, k) => beats.send({ data: d, last: Number(k === count - 1) }));
    await b.until(() => out.received.length === count);
    const came = out.received.splice(0);
    expect(came.map(s => [s.value.data, s.value.last, s.value.user])).toEqual(
      data.map((d, k) => [d, Number(k === count - 1), 0]),
    );
    const kept = came.map(s => BigInt(s.value.keep).toString(2).length).reduce((n, x) => n + x, 0);
    expect(kept, `bytes of frame ${i}`).toBe(f.frame);
  }
  await b.cycles(10);
  expect([jobs.received.length, out.received.length, given.pending, released]).toEqual([
    0,
    0,
    0,
    frames.map(f => f.slot),
  ]);
}

describe("SlowRx", () => {
  for (const beatBytes of [8, 64]) {
    const alone = SlowRx({ slots, beatBytes, frameBytes: mtuFrame });
    bench(`${beatBytes * 8} bits: a reader that takes jobs while one is under way`, alone, {}, b =>
      anyReader(b, beatBytes),
    );
    bench(`${beatBytes * 8} bits: takers that are ready only after a valid`, alone, {}, b =>
      anyReader(b, beatBytes, true),
    );
    test(`${beatBytes * 8} bits: a planted fault is found: a frame is taken beside another`, () =>
      findsFault(
        runBench("beside", plant(alone, /frame_ready = job_ready & ~busy/, "frame_ready = job_ready"), limits, b =>
          anyReader(b, beatBytes),
        ),
      ));
  }
  for (const beatBytes of [8, 16, 32, 64]) {
    bench(
      `${beatBytes * 8} bits: random frames to a slow path that stalls`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        await handOver(
          b,
          beatBytes,
          [...randomLengths(b, 150), mtuFrame],
          bursts({ go: 12, pause: 30 }, b.random.word()),
          bernoulli(0.3, b.random.word()),
        );
      },
    );
    bench(
      `${beatBytes * 8} bits: every length, 2 cycles to the first beat, then without a bubble, released behind the last`,
      dut(beatBytes),
      { seed: 1 },
      async b => {
        const { sent, got, released } = await handOver(
          b,
          beatBytes,
          Array.from({ length: 140 }, (_, i) => i + 1),
        );
        got.forEach((f, i) => {
          expect(f.start - (sent[i]?.cycle as number), `frame ${i}`).toBe(2);
          expect(f.end - f.start + 1).toBe(Math.ceil((i + 1) / beatBytes));
          expect(released[i]?.cycle).toBe(f.end + 1);
        });
      },
    );
    bench(`${beatBytes * 8} bits: 2 idle cycles between frames that wait`, dut(beatBytes), { seed: 1 }, async b => {
      let held = true;
      setTimeoutCycles(b, 600, () => {
        held = false;
      });
      const { got } = await handOver(
        b,
        beatBytes,
        Array.from({ length: 6 }, () => 200),
        never,
        () => held,
      );
      got.forEach((f, i) => {
        if (i > 0) expect(f.start - (got[i - 1]?.end as number)).toBe(3);
      });
    });
  }
  testOfResets(dut(16), {}, b =>
    handOver(b, 16, randomLengths(b, 60), bursts({ go: 12, pause: 12 }, 1), bernoulli(0.3, 2)),
  );
  bench("a reset in the middle of a frame leaves nothing behind", dut(16), {}, async b => {
    b.io.socRx.ready.value = 1;
    poke(b.io.frame.payload, { slot: 2, frame: 300 });
    b.io.frame.valid.value = 1;
    await b.cycles(6);
    b.io.frame.valid.value = 0;
    b.sim.reset();
    await handOver(b, 16, randomLengths(b, 40));
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 40_000 }, async b => {
        await handOver(b, 16, randomLengths(b, 60), bernoulli(0.4, 1));
      });
    test("and nothing without one", async () => {
      await run("no fault", dut(16));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a whole last beat", /last_lane <= [^;]*;/, "last_lane <= 4'd15;"],
      ["one beat too many when the last is whole", /last_byte = [^;]*;/, "last_byte = frame_payload_frame;"],
      ["the slot released before its last beat", /ended = [^;]*;/, "ended = soc_rx_valid & beats_payload_last;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(dut(16), from, to)));
      });
    }
  });
});

/** Calls `f` once, `n` edges from now. */
function setTimeoutCycles(b: Bench<Ports>, n: number, f: () => void): void {
  let left = n;
  const remove = b.onEdge({
    sample: () => {
      if (--left === 0) {
        f();
        remove();
      }
    },
  });
}
