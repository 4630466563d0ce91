import { emit } from "mnemosyne";
import {
  type Bench,
  bernoulli,
  BuildError,
  type Dut,
  never,
  runBench,
  StreamSink,
  StreamSource,
  withFault,
} from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { Sdram } from "../src/sdram.ts";
import { chip64, type SdramParameters } from "../src/timing.ts";
import { Chip } from "./chip.ts";

/** The chip of `chip64` that is up sooner and refreshed more often, so that a test sees much of both. */
const quick: SdramParameters = { ...chip64, times: { ...chip64.times, powerUp: 100, refresh: 150 } },
  /** Every time is another one, and longer. */
  slow: SdramParameters = {
    rowBits: 13,
    columnBits: 9,
    times: { powerUp: 200, rcd: 3, rp: 4, ras: 8, rfc: 11, mrd: 3, wr: 3, cas: 3, refresh: 300 },
  };
const sdram = Sdram(quick);
type SdramBench = Bench<typeof sdram.ports>;

const run = <T>(dut: Dut<typeof sdram.ports>, seed: number, body: (b: SdramBench) => Promise<T>): Promise<T> =>
  runBench("sdram", dut, { seed, wave: false, hangCycles: 2000 }, body);

function machine(b: SdramBench, p: SdramParameters, pause = 0) {
  const paused = (n: number) => (pause === 0 ? never : bernoulli(pause, b.seed + n)),
    chip = new Chip(b.io, p, b.cycle);
  b.onEdge(chip);
  return {
    chip,
    requests: new StreamSource(b.sim, b.io.request, { pause: paused(1) }),
    answers: new StreamSink(b.sim, b.io.answer, { pause: paused(2) }),
  };
}

/** Reads and writes of few rows in every bank; refreshes come in between. */
const traffic = (
  dut: Dut<typeof sdram.ports>,
  p: SdramParameters,
  seed: number,
  pause: number,
  count = 500,
): Promise<void> =>
  run(dut, seed, async b => {
    const { chip, requests, answers } = machine(b, p, pause);
    const rowWords = 2 ** (p.columnBits - 1),
      words = new Map<number, number>(),
      expected: number[] = [];
    for (let n = 0; n < count; n++) {
      const row = b.random.chance(0.8) ? 5 : b.random.pick([0, 6, 2 ** p.rowBits - 1]),
        word = (row * 4 + b.random.below(4)) * rowWords + b.random.pick([0, 1, 2, rowWords - 1]);
      const write = b.random.chance(0.5),
        data = b.random.below(2 ** 32),
        strobe = b.random.below(16);
      requests.send({ word, write: Number(write), data, strobe });
      const old = words.get(word) ?? 0,
        changed = [0, 1, 2, 3].filter(i => (strobe >> i) % 2 === 1).reduce((m, i) => m | (0xff << (8 * i)), 0);
      if (write) words.set(word, ((old & ~changed) | (data & changed)) >>> 0);
      else expected.push(old);
      if (b.random.chance(0.02)) await b.cycles(b.random.below(400));
      if (b.random.chance(0.1)) await requests.drained();
    }
    for (const [i, e] of expected.entries())
      expect((await answers.recv()).toString(16), `read ${i}`).toBe(e.toString(16));
    await requests.drained();
    await b.cycles(2 * p.times.refresh);
    for (const [word, value] of words)
      expect(((chip.words.get(2 * word + 1) ?? 0) * 65536 + (chip.words.get(2 * word) ?? 0)).toString(16)).toBe(
        value.toString(16),
      );
    expect(answers.received).toEqual([]);
    const late = p.times.ras + p.times.rp + p.times.rcd + p.times.wr + 20;
    expect(chip.longest, "expected refreshes in time").toBeLessThanOrEqual(p.times.refresh + late);
    expect(chip.counts.refresh).toBeGreaterThanOrEqual(Math.floor((b.cycle - p.times.powerUp) / p.times.refresh) - 1);
  });

describe("the controller", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.7],
  ])("random requests, seed %d, pauses %d: every word, every rule of the chip", (seed, pause) =>
    traffic(sdram, quick, seed, pause),
  );
  test("another chip, whose times are all longer", () => traffic(Sdram(slow), slow, 4, 0.3));

  test("latency of reads, of an open row and of another one; one every second cycle", () =>
    run(sdram, 5, async b => {
      const { chip, requests, answers } = machine(b, quick),
        { cas, rp, rcd } = quick.times;
      const read = async (word: number): Promise<{ offered: number; taken: number }> => {
        const from = b.cycle,
          sent = requests.send({ word, write: 0, data: 0, strobe: 0 });
        await answers.recv();
        return { offered: b.cycle - from, taken: b.cycle - (sent.cycle ?? 0) };
      };
      await read(0);
      const before = chip.counts.refresh;
      await b.until(() => chip.counts.refresh > before);
      await b.cycles(20);
      await read(0);
      await b.cycles(10);
      const open = await read(1),
        other = await read(2 ** (quick.columnBits + 1));
      expect([open.taken, other.taken]).toEqual([cas + 3, cas + 3]);
      expect(other.offered - open.offered).toBe(rp + rcd);
      const many = Array.from({ length: 6 }, (_, word) =>
        requests.send({ word: 2 ** (quick.columnBits + 1) + word, write: 0, data: 0, strobe: 0 }),
      );
      await b.until(() => answers.received.length === many.length);
      expect(many.slice(1).map((s, i) => (s.cycle ?? 0) - (many[i]?.cycle ?? 0))).toEqual([2, 2, 2, 2, 2]);
    }));

  test("answers that nobody takes hold reads back, and writes behind them", () =>
    run(sdram, 6, async b => {
      const { requests, answers } = machine(b, quick);
      answers.pause = () => true;
      for (let word = 0; word < 20; word++) requests.send({ word, write: 0, data: 0, strobe: 0 });
      await b.cycles(600);
      expect(20 - requests.pending).toBe(8);
      answers.pause = never;
      await b.until(() => answers.received.length === 20);
    }));

  test("a reset beside traffic: the chip is brought up again", () =>
    run(sdram, 7, async b => {
      const { requests } = machine(b, quick);
      for (let word = 0; word < 8; word++) requests.send({ word: word * 300, write: word % 2, data: word, strobe: 15 });
      await b.cycles(160);
      requests.forget();
      b.sim.reset(1);
      b.io.request.valid.value = 0;
      for (let n = 0; n < quick.times.powerUp - 1; n++) {
        await b.risingEdge();
        expect([b.io.command.value, b.io.dq.enable.value]).toEqual(["nop", 0]);
      }
    }));
  test("times that cannot be are refused", () => {
    expect(() => emit(Sdram({ ...quick, times: { ...quick.times, rcd: 1 } }))).toThrow("rcd = 1: use 2 cycles or more");
  });
});

describe("planted faults are found", () => {
  test.each([
    ["a bank is closed too early after a write", /bank1_left <= 3'd4;/, "bank1_left <= 3'd1;"],
    ["a refresh forgets that rows are closed", /(step_close: begin[^]*?)is_open <= 4'd0;/, "$1"],
    ["a write meets the data of a read", "turn_left <= 3'd5;", "turn_left <= 3'd1;"],
    ["a write's upper bytes are always written", "second[17:16]", "2'd0"],
    ["refreshes are too rare", "age == 8'd149", "age == 8'd255"],
    ["an answer is taken a cycle too early", "came_valid = coming[2]", "came_valid = coming[1]"],
    ["the second refresh at power is left out", "refreshes == 2'd2", "refreshes == 2'd1"],
  ])("a planted fault: %s", async (what, from, to) => {
    const found = traffic(withFault(sdram, { what, from, to }), quick, 1, 0.2);
    await expect(found).rejects.toThrow(/expected|refuses|assertion/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
