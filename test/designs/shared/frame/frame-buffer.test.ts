import { describe, expect, test } from "vitest";
import { FrameBuffer } from "../../../../designs/shared/frame/frame-buffer.ts";
import { slotBeats } from "../../../../designs/shared/frame/slots.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  never,
  type Pause,
  poke,
  runBench,
  type Sent,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { offer } from "../../../support/offer.ts";

import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

/** Slots and bytes of a frame by bytes of a beat. */
const parameterSets = {
  8: { slots: 8, frameBytes: 128 },
  16: { slots: 8, frameBytes: 256 },
  32: { slots: 16, frameBytes: 200 },
  64: { slots: 8, frameBytes: 1536 },
} as const;
type BeatBytes = keyof typeof parameterSets;
const parameters = (beatBytes: BeatBytes) => ({ beatBytes, ...parameterSets[beatBytes] });
const dut = (beatBytes: BeatBytes) => FrameBuffer(parameters(beatBytes));
type Ports = ReturnType<typeof dut>["ports"];
interface Job {
  readonly slot: number;
  readonly first: number;
  readonly beats: number;
}
const readers = ["write", "echo", "slow"] as const;

/** The three readers, and what each beat of the memory holds. */
class Surroundings {
  readonly jobs: readonly StreamSource<Ports["writeJob"]["shape"]>[];
  readonly outs: readonly StreamSink<Ports["writeData"]["shape"]>[];
  readonly beats: number;
  readonly #memory = new Map<number, bigint>();
  readonly #b: Bench<Ports>;
  readonly #expected: { readonly data: bigint; readonly last: number }[][] = [[], [], []];
  readonly #bits: number;

  constructor(b: Bench<Ports>, beatBytes: BeatBytes, pauses: readonly Pause[] = [], jobPause: Pause = never) {
    this.#b = b;
    this.#bits = beatBytes * 8;
    this.beats = slotBeats(parameters(beatBytes));
    this.jobs = [b.io.writeJob, b.io.echoJob, b.io.slowJob].map(
      port => new StreamSource(b.sim, port, { pause: jobPause }),
    );
    this.outs = [b.io.writeData, b.io.echoData, b.io.slowData].map(
      (port, i) => new StreamSink(b.sim, port, { pause: pauses[i] ?? never }),
    );
  }
  async write(slot: number, beat: number, data = this.#b.random.bits(this.#bits)): Promise<void> {
    poke(this.#b.io.write, { en: 1, slot, beat, data });
    await this.#b.risingEdge();
    this.#b.io.write.en.value = 0;
    this.#memory.set(slot * this.beats + beat, data);
  }
  async fill(slots = 8): Promise<void> {
    for (let s = 0; s < slots; s++) for (let k = 0; k < this.beats; k++) await this.write(s, k);
  }
  read(reader: number, job: Job): Sent<unknown> {
    for (let k = 0; k < job.beats; k++) {
      const data = this.#memory.get(job.slot * this.beats + job.first + k) as bigint;
      this.#expected[reader]?.push({ data, last: k === job.beats - 1 ? 1 : 0 });
    }
    return (this.jobs[reader] as (typeof this.jobs)[number]).send(job);
  }
  /** Waits for all beats of one reader and compares them. @returns the cycle of each. */
  async check(reader: number): Promise<number[]> {
    const out = this.outs[reader] as (typeof this.outs)[number],
      expected = this.#expected[reader] ?? [];
    await this.#b.until(() => out.received.length >= expected.length);
    await this.#b.cycles(6);
    const got = out.received.splice(0);
    expect(got.length, `beats for ${String(readers[reader])}`).toBe(expected.length);
    got.forEach((g, i) => {
      const right = BigInt(g.value.data) === expected[i]?.data && g.value.last === expected[i].last;
      if (!right) expect.fail(`beat ${i} for ${String(readers[reader])} is wrong`);
    });
    expected.splice(0);
    return got.map(g => g.cycle);
  }
  job(): Job {
    const r = this.#b.random,
      first = r.between(0, this.beats - 1);
    return { slot: r.between(0, 7), first, beats: r.chance(0.3) ? 1 : r.between(1, this.beats - first) };
  }
}

async function randomJobs(
  b: Bench<Ports>,
  beatBytes: BeatBytes,
  count: number,
  pauses: readonly Pause[],
): Promise<void> {
  const s = new Surroundings(b, beatBytes, pauses, bernoulli(0.3, b.random.word()));
  await s.fill();
  for (let i = 0; i < count; i++) s.read(b.random.between(0, 2), s.job());
  // Slots that nobody reads are written meanwhile.
  for (const reader of [0, 1, 2]) await s.check(reader);
}

/** Jobs of one beat: as many are taken as their reader's queue holds, and all come out afterwards. */
async function room(b: Bench<Ports>): Promise<void> {
  const s = new Surroundings(b, 16, [() => true, () => true, () => true]);
  await s.fill(1);
  for (const reader of [0, 1, 2]) {
    for (let i = 0; i < 20; i++) s.read(reader, { slot: 0, first: i % 16, beats: 1 });
    await b.cycles(40);
    expect(20 - s.jobs[reader]!.pending, `beats for ${String(readers[reader])} that nobody takes`).toBe(16);
    s.outs[reader]!.pause = never;
    await s.check(reader);
  }
}

describe("FrameBuffer", () => {
  for (const beatBytes of [8, 16, 32, 64] as const) {
    bench(
      `${beatBytes * 8} bits: random jobs of three readers under random back-pressure`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const p = (): Pause => bursts({ go: 12, pause: 12 }, b.random.word());
        await randomJobs(b, beatBytes, 400, [p(), p(), p()]);
      },
    );
    bench(
      `${beatBytes * 8} bits: 2 cycles to the first beat, then a beat per cycle, jobs back to back`,
      dut(beatBytes),
      { seed: 1 },
      async b => {
        const s = new Surroundings(b, beatBytes);
        await s.fill();
        for (const reader of [0, 1, 2]) {
          const jobs = Array.from({ length: 40 }, () => s.job()),
            sent = jobs.map(j => s.read(reader, j)),
            cycles = await s.check(reader);
          expect(cycles[0]).toBe((sent[0]?.cycle as number) + 2);
          expect((cycles.at(-1) as number) - (cycles[0] as number)).toBe(jobs.reduce((n, j) => n + j.beats, 0) - 1);
        }
      },
    );
  }
  bench("readers that do not take their beats cost the others nothing", dut(16), { seed: 2 }, async b => {
    const s = new Surroundings(b, 16, [() => true, never, () => true]);
    await s.fill();
    for (const stuck of [0, 2]) for (let i = 0; i < 10; i++) s.read(stuck, { slot: i % 8, first: 0, beats: 16 });
    await b.cycles(100);
    for (let i = 0; i < 20; i++) s.read(1, s.job());
    const cycles = await s.check(1);
    expect((cycles.at(-1) as number) - (cycles[0] as number)).toBe(cycles.length - 1);
    for (const out of s.outs) out.pause = never;
    for (const stuck of [0, 2]) await s.check(stuck);
  });
  bench("each reader has room for 16 beats while nobody takes them", dut(16), { seed: 2 }, room);
  bench("the write engine goes first, then the echo, then the slow path", dut(16), { seed: 3 }, async b => {
    const s = new Surroundings(b, 16);
    await s.fill();
    for (const reader of [2, 1, 0]) s.read(reader, { slot: reader, first: 0, beats: 10 });
    const cycles = [await s.check(0), await s.check(1), await s.check(2)] as const;
    expect(cycles[1][0]).toBe((cycles[0].at(-1) as number) + 1);
    expect(cycles[2][0]).toBe((cycles[1].at(-1) as number) + 1);
  });
  bench("a beat can be read in the cycle after it was written", dut(16), { seed: 3 }, async b => {
    const s = new Surroundings(b, 16);
    for (let i = 0; i < 20; i++) {
      await s.write(i % 8, i % 16);
      s.read(i % 3, { slot: i % 8, first: i % 16, beats: 1 });
      await s.check(i % 3);
    }
  });
  testOfResets(dut(16), {}, b => randomJobs(b, 16, 100, [bernoulli(0.4, 1), bernoulli(0.4, 2), bernoulli(0.4, 3)]));
  bench("a reset in the middle of jobs leaves nothing behind", dut(16), { seed: 4 }, async b => {
    for (const job of [b.io.writeJob, b.io.echoJob, b.io.slowJob])
      await offer(b, job, { slot: 1, first: 2, beats: 14 });
    await b.cycles(7);
    b.sim.reset();
    await randomJobs(b, 16, 60, []);
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 300, limitCycles: 40_000, seed: 2 }, async b => {
        const p = (): Pause => bursts({ go: 12, pause: 40 }, b.random.word());
        await randomJobs(b, 16, 200, [p(), p(), p()]);
      });
    test("and nothing without one", async () => {
      await run("no fault", dut(16));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "a queue that is read past its room",
        /writer_wants = [^;]*;/,
        "writer_wants = writer_running | write_job_valid;",
      ],
      ["one beat too few", /echo_final = [^;]*;/, "echo_final = echo_now_left <= 2;"],
      [
        "a queue that looks empty when it is full",
        /slow_data_valid = [^;]*;/,
        "slow_data_valid = slow_head != slow_tail;",
      ],
      ["a beat for the wrong reader", /slow_reading <= [^;]*;/, "slow_reading <= granted[1];"],
      [
        "room claimed twice as fast as it is used",
        /writer_claimed <= writer_claimed \+ 5'd1;/,
        "writer_claimed <= writer_claimed + 5'd2;",
      ],
    ];
    test("half of a queue's room is not used", () =>
      findsFault(
        runBench("room", plant(dut(16), "writer_claimed[4]", "writer_claimed[3]"), { wave: false }, room),
        /beats for write that nobody takes/,
      ));
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(dut(16), from, to)));
      });
    }
  });
});
