import { emit } from "mnemosyne";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  BuildError,
  type Dut,
  legalMemories,
  never,
  runBench,
  StreamSink,
  StreamSource,
  withFault,
} from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { Dma } from "../src/dma.ts";

const sizes = { addressBits: 32, beatBytes: 8, lengthBits: 16, longest: 16, depth: 64 },
  dma = Dma(sizes);
type DmaBench = Bench<typeof dma.ports>;
interface Job {
  readonly source: number;
  readonly destination: number;
  readonly bytes: number;
}

const run = <T>(dut: Dut<typeof dma.ports>, seed: number, body: (b: DmaBench) => Promise<T>): Promise<T> =>
  runBench("dma", dut, { seed, wave: false, hangCycles: 2000, limitCycles: 60_000 }, body);

function machine(b: DmaBench, options: AxiRamOptions = { latency: 10 }, pause = 0) {
  const paused = (n: number) => (pause === 0 ? never : bernoulli(pause, b.seed + n));
  const ram = new AxiRam(b.sim, axiPorts(b.io, "m"), {
      pause: { aw: paused(1), w: paused(2), b: paused(3), ar: paused(4), r: paused(5) },
      ...options,
    }),
    jobs = new StreamSource(b.sim, b.io.job),
    done = new StreamSink(b.sim, b.io.done, { pause: paused(6) });
  return {
    ram,
    jobs,
    done,
    /** Copies, and looks at the destination and 64 bytes on both sides of it. */
    async copy(job: Job): Promise<{ cycles: number }> {
      const from = job.destination - 64,
        around = ram.read(from, job.bytes + 128);
      around.set(ram.read(job.source, job.bytes), 64);
      const sent = jobs.send(job),
        { error } = await done.recv(),
        cycles = b.cycle - (sent.cycle ?? 0);
      expect(error, "no error was expected").toBe(0);
      const is = ram.read(from, job.bytes + 128),
        wrong = is.findIndex((v, i) => v !== around[i]);
      expect(wrong < 0 ? "copied" : `byte ${wrong - 64}`, JSON.stringify(job)).toBe("copied");
      expect([ram.idle, b.io.mR.valid.value], "nothing is under way").toEqual([true, 0]);
      return { cycles };
    },
  };
}

const source = 0x1_0000,
  destination = 0x8_0000;
/** Every pair of lanes with short lengths, then random ones that cross bursts and 4 KB. */
const traffic = (
  dut: Dut<typeof dma.ports>,
  seed: number,
  options?: AxiRamOptions,
  pause = 0,
  random = 30,
): Promise<void> =>
  run(dut, seed, async b => {
    const m = machine(b, options, pause);
    m.ram.write(source - 64, b.random.bytes(12_000));
    m.ram.write(destination - 64, b.random.bytes(12_000));
    for (let s = 0; s < 8; s++)
      for (let d = 0; d < 8; d += pause === 0 ? 1 : 3)
        await m.copy({
          source: source + s,
          destination: destination + d,
          bytes: b.random.pick([1, 2, 7, 8, 9, 15, 17, 25]),
        });
    for (let n = 0; n < random; n++)
      await m.copy({
        source: source + b.random.below(5000),
        destination: destination + b.random.below(5000),
        bytes: b.random.pick([0, b.random.between(1, 40), 128, 256, b.random.between(100, 1200)]),
      });
  });

const refused = (dut: Dut<typeof dma.ports>): Promise<void> =>
  run(dut, 7, async b => {
    const m = machine(b),
      bytes = 600;
    m.ram.write(source, b.random.bytes(2000));
    for (const at of [source + 300, destination + 400]) {
      m.ram.failAt({ from: at, to: at + 1 });
      m.jobs.send({ source, destination, bytes });
      expect((await m.done.recv()).error, `memory refuses ${at}`).toBe(1);
      // The next job is not touched by it.
      await m.copy({ source: source + 1000, destination: destination + 1003, bytes: 50 });
      m.ram.failAt({ from: at, to: at + 1 });
    }
  });

describe("the engine", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])("every alignment, seed %d, pauses %d", (seed, pause) => traffic(dma, seed, undefined, pause));
  test.each(Object.entries(legalMemories))("memory of every legal order: %s", (_name, options) =>
    traffic(dma, 4, { latency: 8, ...options }, 0.2, 10),
  );
  test("other sizes: 16 bytes a beat, bursts of 4", () =>
    traffic(Dma({ ...sizes, beatBytes: 16, longest: 4, depth: 8 }), 5));
  test("what memory refuses is told, with the job that it belongs to", () => refused(dma));

  test("a beat a cycle: a job of 512 beats takes its beats, one latency and 20 cycles at most", () =>
    run(dma, 6, async b => {
      const latency = 10,
        m = machine(b, { latency });
      m.ram.write(source, b.random.bytes(4200));
      for (const lane of [0, 3]) {
        const { cycles } = await m.copy({ source, destination: destination + lane, bytes: 4096 });
        expect(cycles).toBeGreaterThan(512);
        expect(cycles).toBeLessThanOrEqual(512 + 2 * latency + 20);
      }
    }));

  test("a reset in the middle of a job: the next one is whole", () =>
    run(dma, 8, async b => {
      b.io.job.valid.value = 1;
      b.io.job.payload.bytes.value = 3000;
      b.io.mAr.ready.value = 1;
      await b.cycles(25);
      b.io.job.valid.value = 0;
      b.sim.reset(1);
      const m = machine(b);
      m.ram.write(source, b.random.bytes(1000));
      await m.copy({ source: source + 5, destination: destination + 2, bytes: 777 });
      await b.cycles(50);
      expect(m.done.received).toEqual([]);
    }));
  test("sizes that cannot be are refused", () => {
    expect(() => emit(Dma({ ...sizes, longest: 1024, depth: 4096 }))).toThrow(
      "longest = 1024: a burst has 4 KB at most",
    );
    expect(() => emit(Dma({ ...sizes, depth: 16 }))).toThrow("depth = 16: two bursts have room, 32 beats or more");
  });
});

describe("planted faults are found", () => {
  test.each([
    ["bytes before the destination are written", "first <= 1'b1", "first <= 1'b0"],
    ["a job is done before memory has answered", "~writes_busy & (open == 4'd0)", "~writes_busy"],
    ["the last beat waits for one that does not come", " | (reads_left == 14'd0)", ""],
    ["an error stays for the next job", /failed <= 1'b0;\s+step <= step_start/, "step <= step_start"],
    [
      "bursts cross their bounds",
      "(left <= {9'd0, beat_diff}) ? left[4:0] : beat_diff",
      "(left <= 14'd16) ? left[4:0] : 5'd16",
    ],
    ["an address is offered again", "m_aw_valid = bounded_valid & ~forked_0_done", "m_aw_valid = bounded_valid"],
    [
      "bytes come from one lane beside",
      "{came_pop_payload[23:0], before_[63:24]}",
      "{came_pop_payload[15:0], before_[63:16]}",
    ],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(dma, { what, from, to });
    const all = async (): Promise<void> => {
      await traffic(faulty, 1);
      await traffic(faulty, 2, undefined, 0.3);
      await refused(faulty);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|burst|has not ended|4 KB/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
