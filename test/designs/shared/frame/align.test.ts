import { describe, expect, test } from "vitest";
import { Align } from "../../../../designs/shared/frame/align.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  never,
  type Pause,
  type Random,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { offer } from "../../../support/offer.ts";
import { afterValid } from "../../../support/after-valid.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { resetAnyTime, testOfResets } from "../../../support/reset-any-time.ts";

/** Beats of each width, with tags and lengths of others. */
const parameterSets = {
  8: { tagBits: 9, lengthBits: 14 },
  16: { tagBits: 9 },
  32: { tagBits: 17, lengthBits: 12 },
  64: { tagBits: 9 },
} as const;
type BeatBytes = keyof typeof parameterSets;
const tagBits = 9;
const dut = (beatBytes: BeatBytes) => Align({ beatBytes, ...parameterSets[beatBytes] });
type Ports = ReturnType<typeof dut>["ports"];

interface Job {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly tag: number;
  readonly bytes: Uint8Array;
  readonly input: readonly Uint8Array[];
  readonly bad: readonly boolean[];
}

function randomJob(random: Random, beatBytes: number): Job {
  const from = random.between(0, beatBytes - 1),
    to = random.chance(0.1) ? from : random.between(0, beatBytes - 1);
  const length = random.chance(0.1)
    ? random.between(1, 1466)
    : random.chance(0.2)
      ? random.pick([1, beatBytes - 1, beatBytes, beatBytes + 1, 2 * beatBytes])
      : random.between(1, 4 * beatBytes);
  return jobOf(random, beatBytes, from, to, length);
}
function jobOf(random: Random, beatBytes: number, from: number, to: number, length: number): Job {
  const beats = Math.ceil((from + length) / beatBytes),
    all = random.bytes(beats * beatBytes);
  return {
    from,
    to,
    length,
    tag: random.between(0, 2 ** tagBits - 1),
    bytes: all.subarray(from, from + length),
    input: Array.from({ length: beats }, (_, i) => all.subarray(i * beatBytes, (i + 1) * beatBytes)),
    bad: Array.from({ length: beats }, () => random.chance(0.05)),
  };
}
const outputBeats = (j: Job, beatBytes: number): number => Math.ceil((j.to + j.length) / beatBytes);
export const toBig = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

interface Pauses {
  readonly job: Pause;
  readonly input: Pause;
  readonly output: Pause;
}
const noPauses: Pauses = { job: never, input: never, output: never };

/**
 * Runs jobs through the aligner and holds every output beat against the required place of the job's bytes. @returns
 * edges of first input and last output.
 */
async function run(b: Bench<Ports>, jobs: readonly Job[], beatBytes: number, pauses: Pauses = noPauses) {
  const job = new StreamSource(b.sim, b.io.job, { pause: pauses.job }),
    input = new StreamSource(b.sim, b.io.input, { pause: pauses.input });
  const output = new StreamSink(b.sim, b.io.output, { pause: pauses.output });
  const given = jobs.map(j => job.send({ from: j.from, to: j.to, length: j.length, tag: j.tag }));
  const fed = jobs.flatMap(j => j.input.map((data, i) => input.send({ data: toBig(data), bad: j.bad[i] ? 1 : 0 })));
  const seen: number[] = [];
  for (const [n, j] of jobs.entries()) {
    const beats = outputBeats(j, beatBytes);
    for (let k = 0; k < beats; k++) {
      await b.until(() => output.received.length > 0);
      const { value, cycle } = output.take() as NonNullable<ReturnType<typeof output.take>>;
      seen.push(cycle);
      const keep = BigInt(value.keep);
      let data = BigInt(value.data);
      const context = `job ${n} (from ${j.from} to ${j.to} length ${j.length}) beat ${k}`;
      for (let lane = 0; lane < beatBytes; lane++, data >>= 8n) {
        const at = k * beatBytes + lane - j.to,
          inside = at >= 0 && at < j.length;
        if (((keep >> BigInt(lane)) & 1n) !== (inside ? 1n : 0n))
          expect.fail(`${context}: keep of lane ${lane} is wrong`);
        if (inside && Number(data & 0xffn) !== j.bytes[at])
          expect.fail(`${context}: the byte of lane ${lane} is wrong`);
      }
      expect(value.last, context).toBe(k === beats - 1 ? 1 : 0);
      expect(Number(value.tag), context).toBe(j.tag);
      if (value.last) expect(value.bad, context).toBe(j.bad.includes(true) ? 1 : 0);
    }
  }
  await b.cycles(5);
  expect(output.received).toEqual([]);
  expect([job.pending, input.pending]).toEqual([0, 0]);
  return { jobs: given.map(g => g.cycle as number), inputs: fed.map(f => f.cycle as number), outputs: seen };
}

describe("Align", () => {
  for (const beatBytes of [8, 16, 32, 64] as const) {
    bench(
      `${beatBytes * 8} bits: random jobs under random back-pressure`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const seed = (): number => b.random.word();
        const jobs = Array.from({ length: 600 }, () => randomJob(b.random, beatBytes));
        await run(b, jobs, beatBytes, {
          job: bernoulli(0.3, seed()),
          input: bursts({ go: 20, pause: 6 }, seed()),
          output: bursts({ go: 9, pause: 9 }, seed()),
        });
      },
    );
    bench(
      `${beatBytes * 8} bits: every turn, without a pause, in the cycles stated`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const jobs: Job[] = [];
        for (let from = 0; from < beatBytes; from++)
          for (let to = 0; to < beatBytes; to++)
            jobs.push(jobOf(b.random, beatBytes, from, to, b.random.between(1, 3 * beatBytes)));
        const { inputs, outputs } = await run(b, jobs, beatBytes);
        // Jobs that neither begin nor end with their neighbours cost one more.
        const alone = (j: Job): boolean =>
          j.to < j.from && j.input.length > 1 && j.input.length === outputBeats(j, beatBytes);
        const cycles = jobs.reduce(
          (n, j) => n + Math.max(j.input.length, outputBeats(j, beatBytes)) + (alone(j) ? 1 : 0),
          0,
        );
        expect((outputs.at(-1) as number) - (inputs[0] as number)).toBeLessThanOrEqual(cycles + 1);
      },
    );
    bench(
      `${beatBytes * 8} bits: latency, and single beats at one job per cycle`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const jobs = Array.from({ length: 200 }, () =>
          jobOf(
            b.random,
            beatBytes,
            b.random.between(0, 3),
            b.random.between(0, 3),
            b.random.between(1, beatBytes - 3),
          ),
        );
        const t = await run(b, jobs, beatBytes);
        expect(t.inputs[0]).toBe((t.jobs[0] as number) + 1);
        expect(t.outputs[0]).toBe((t.inputs[0] as number) + 1);
        expect((t.outputs.at(-1) as number) - (t.outputs[0] as number)).toBe(jobs.length - 1);
      },
    );
    bench(
      `${beatBytes * 8} bits: an output beat that needs two input beats comes two cycles after the first`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const t = await run(b, [jobOf(b.random, beatBytes, beatBytes - 1, 0, beatBytes)], beatBytes);
        expect(t.outputs[0]).toBe((t.inputs[0] as number) + 2);
      },
    );
  }
  bench("a reset in the middle of a job leaves nothing behind", dut(16), {}, async b => {
    b.io.output.ready.value = 1;
    await offer(b, b.io.job, { from: 3, to: 9, length: 100, tag: 1 });
    for (let i = 0; i < 4; i++) await offer(b, b.io.input, { data: b.random.bits(128), bad: 1 });
    b.io.output.ready.value = 0;
    await offer(b, b.io.input, { data: 0, bad: 0 }, 3);
    b.sim.reset();
    b.io.input.valid.value = 0;
    await run(
      b,
      Array.from({ length: 50 }, () => randomJob(b.random, 16)),
      16,
    );
  });

  const beside = { input_last: "input_ready" },
    anyJobs = (b: Bench<Ports>) =>
      run(
        b,
        Array.from({ length: 200 }, () => randomJob(b.random, 16)),
        16,
        { job: bernoulli(0.3, 3), input: bernoulli(0.2, 4), output: bernoulli(0.4, 5) },
      );
  bench("a taker that is ready only after a valid", dut(16), {}, async b => {
    const jobs = Array.from({ length: 100 }, () => randomJob(b.random, 16));
    await run(b, jobs, 16, { ...noPauses, output: afterValid(b.io.output) });
  });
  testOfResets(dut(16), { beside }, anyJobs);
  // Two edges of reset, as at the beginning, would clear it.
  test("a planted fault is found: a beat that is left over stays through a reset of one edge", () =>
    findsFault(
      resetAnyTime(plant(dut(16), /\bflush <= 1'b0;/, "flush <= flush & turned_valid;"), { beside }, anyJobs),
      /differs .* after reset/,
    ));

  /** The last output beat, of what a job's only input beat leaves over, waits as the reset comes. */
  const leftOver = async (b: Bench<Ports>): Promise<void> => {
    b.io.output.ready.value = 1;
    await b.cycles(4);
    await offer(b, b.io.job, { from: 0, to: 9, length: 16, tag: 1 });
    b.io.output.ready.value = 0;
    await offer(b, b.io.input, { data: b.random.bits(128), bad: 0 });
    await b.cycles(3);
    b.sim.reset(1);
    b.io.output.ready.value = 1;
    for (let i = 0; i < 6; i++) {
      await b.cycles(1);
      expect(b.io.output.valid.value, "a beat after the reset").toBe(0);
    }
  };
  bench("a reset as the last beat of a job waits leaves nothing behind", dut(16), {}, leftOver);
  test("a planted fault is found: what is left over stays through a reset", () =>
    findsFault(
      runBench("left over", plant(dut(16), /\bflush <= 1'b0;/, ""), { wave: false, hangCycles: 200 }, leftOver),
      /after the reset/,
    ));

  describe("a planted fault is found", () => {
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["no flush of what a beat leaves over", "flush <= done & job_flush", "flush <= 1'b0"],
      ["a flush that does not wait for the output", /advance = ~turned_valid[^;]*;/, "advance = 1'b1;"],
      ["the first lanes kept too", /job_to <= job_payload_to;/, "job_to <= 0;"],
      ["an error forgotten before the last beat", /bad_now = [^;]*;/, "bad_now = input_payload_bad;"],
      ["the beat before not kept", /before_? <= turned_data;/, "before_ <= turned_data >> 8;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(name, plant(dut(16), from, to), { wave: false, hangCycles: 200, limitCycles: 20000 }, async b => {
            await run(
              b,
              Array.from({ length: 100 }, () => randomJob(b.random, 16)),
              16,
              { ...noPauses, output: bernoulli(0.3, 7) },
            );
          }),
        );
      });
    }
  });
});
