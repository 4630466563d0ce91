import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { SpiMaster } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  never,
  type Pause,
  poke,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { type Mode, modes, SlaveModel } from "./spi-model.ts";

const dut = (width: number, slaves: number) => SpiMaster({ width, slaves });
type Ports = ReturnType<typeof dut>["ports"];

interface Traffic {
  readonly mode: Mode;
  readonly divisor: number;
  readonly width: number;
  readonly slaves: number;
  readonly pauses: readonly [Pause, Pause];
}
/** Selections of one to four words each, with a model of each slave at the lines. */
async function talks(b: Bench<Ports>, t: Traffic, count = 25): Promise<void> {
  const { io } = b,
    r = b.random,
    word = (): number => r.between(0, 2 ** t.width - 1);
  io.cpol.value = t.mode.cpol;
  io.cpha.value = t.mode.cpha;
  io.divisor.value = t.divisor;
  io.miso.value = 0;
  await b.cycles(2);
  const shown: number[][] = Array.from({ length: t.slaves }, () => []);
  const models = shown.map(
    words =>
      new SlaveModel(t.mode, t.width, () => {
        const v = word();
        words.push(v);
        return v;
      }),
  );
  let high = 0;
  const edges: number[] = [],
    gaps: number[] = [];
  let sck = t.mode.cpol as number,
    miso = 0;
  b.onEdge({
    sample: cycle => {
      const selected = (2 ** t.slaves - 1) & ~io.csN.num;
      expect(selected & (selected - 1)).toBe(0);
      if (selected === 0) {
        if (high === 0 && edges.length > 0)
          expect(cycle - (edges.at(-1) as number)).toBeGreaterThanOrEqual(t.divisor + 1);
        high++;
        expect(io.sck.value).toBe(t.mode.cpol);
      } else {
        if (high > 0) gaps.push(high);
        high = 0;
      }
      if (io.sck.value !== sck) edges.push(cycle);
      sck = io.sck.value;
      miso = 0;
      models.forEach((m, i) => (miso |= m.cycle((io.csN.num >> i) & 1, io.sck.value, io.mosi.value)));
    },
    drive: () => {
      io.miso.value = miso;
    },
  });
  const command = new StreamSource(b.sim, io.command, { pause: t.pauses[0] }),
    reply = new StreamSink(b.sim, io.reply, { pause: t.pauses[1] });
  const expected: number[][][] = Array.from({ length: t.slaves }, () => []),
    order: number[] = [];
  const sent = Array.from({ length: count }, () => {
    const slave = r.between(0, t.slaves - 1),
      words = Array.from({ length: r.between(1, 4) }, word);
    (expected[slave] as number[][]).push(words);
    return words.map((data, i) => {
      order.push(slave);
      return command.send({ data, slave, last: i === words.length - 1 ? 1 : 0 });
    });
  }).flat();
  await b.until(() => reply.received.length === sent.length);
  await b.cycles(3 * (t.divisor + 1) + 5);
  expect(io.csN.value).toBe(2 ** t.slaves - 1);
  expect(models.map(m => m.selections)).toEqual(expected);
  // Each reply is what the slave that was spoken to showed. Without `cpha` a slave shows one word too many before it
  // learns that the selection ends.
  const left = shown.map((words, s) => {
    if (t.mode.cpha === 1) return [...words];
    let at = 0;
    return (expected[s] as number[][]).flatMap(selection => {
      const own = words.slice(at, at + selection.length);
      at += selection.length + 1;
      return own;
    });
  });
  expect(reply.received.map(x => x.value)).toEqual(order.map(s => (left[s] as number[]).shift()));
  expect(edges.length).toBe(sent.length * 2 * t.width);
  const half = t.divisor + 1;
  edges.forEach((e, i) => {
    if (i % (2 * t.width) !== 0) expect(e - (edges[i - 1] as number)).toBe(half);
  });
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(half);
  if (t.pauses[0] === never && t.pauses[1] === never)
    reply.received.forEach((x, i) => expect(x.cycle - (sent[i]?.cycle as number)).toBe(2 * t.width * half + 1));
}
const traffic = (n: number, more: Partial<Traffic> = {}): Traffic => ({
  mode: modes[n % 4] as Mode,
  divisor: [1, 2, 5, 3][(n >> 2) % 4] as number,
  width: 8,
  slaves: 3,
  pauses: [never, never],
  ...more,
});

/** Half periods down to one cycle, each given in the very cycle of its command, while all chip selects are high. */
async function divisors(b: Bench<Ports>): Promise<void> {
  const { io } = b,
    width = 8,
    data = 0xa5;
  io.cpol.value = 0;
  io.cpha.value = 0;
  io.miso.value = 1;
  io.reply.ready.value = 1;
  for (const divisor of [4, 0, 2, 0, 7]) {
    await b.cycles(30);
    io.divisor.value = divisor;
    poke(io.command.payload, { data, slave: 1, last: 1 });
    io.command.valid.value = 1;
    let cycles = 0,
      sck = 0,
      shown = 0;
    do {
      await b.cycles(1);
      io.command.valid.value = 0;
      if (sck === 0 && io.sck.value === 1) shown = shown * 2 + io.mosi.value;
      sck = io.sck.value;
      cycles++;
    } while (io.reply.valid.value === 0);
    // The first edge takes the command.
    expect({ divisor, shown, cycles: cycles - 1 }).toEqual({
      divisor,
      shown: data,
      cycles: 2 * width * (divisor + 1) + 1,
    });
    expect(io.reply.payload.value).toBe(255);
  }
}

describe("SpiMaster", () => {
  bench("half periods down to one cycle, changed with a command", dut(8, 3), {}, divisors);
  test("planted fault: the first half period is a cycle longer", () =>
    findsFault(
      runBench(
        "divisors",
        plant(dut(8, 3), "cycles <= divisor;", "cycles <= divisor + 8'd1;"),
        { wave: false },
        divisors,
      ),
      /cycles/,
    ));
  for (let n = 0; n < 4; n++) {
    const { cpol, cpha } = modes[n] as Mode;
    bench(`cpol ${cpol}, cpha ${cpha}, nothing stalls`, dut(8, 3), { seed: n }, b => talks(b, traffic(n)));
    bench(`cpol ${cpol}, cpha ${cpha}, both sides stall`, dut(8, 3), { seed: n }, b =>
      talks(b, traffic(n + 4, { pauses: [bernoulli(0.9, n), bernoulli(0.97, n + 9)] })),
    );
  }
  bench("words of 5 bits, one slave", dut(5, 1), {}, b => talks(b, traffic(11, { width: 5, slaves: 1 })));
  const cutOff = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b;
    io.divisor.value = 3;
    for (const after of [3, 20, 66, 70]) {
      expect(await offer(b, io.command, { data: 0xff, slave: 1, last: 1 })).toBe(true);
      await b.cycles(after);
      b.sim.reset(1);
      b.sim.settle();
      expect([io.csN.value, io.sck.value, io.reply.valid.value]).toEqual([7, io.cpol.value, 0]);
    }
    await talks(b, traffic(1), 5);
  };
  bench("reset in the middle of a word: all chip selects high, the next word is whole", dut(8, 3), {}, cutOff);

  test.each([
    ["the first bit of a word is passed over", "~(cpha & (left == 4'd15))", "1'b1"],
    ["mode 2 samples as mode 0 does", "assign sck = sck_q ^ cpol", "assign sck = sck_q"],
    ["a word is a bit short", "left <= 4'd15", "left <= 4'd13"],
    ["the chip select rises with the last edge", "phase_hold: begin", "phase_hold: begin cs_n_q <= 3'd7;"],
    ["the chip select is high for a cycle only", "phase_gap: if (tick) phase", "phase_gap: phase"],
    [
      "every word ends its selection",
      "if (last) phase <= phase_hold;\n              else phase <= phase_idle;",
      "phase <= phase_hold;",
    ],
    ["a reply that waits is written over", "(phase == phase_idle) & ~answered", "phase == phase_idle"],
    ["reset leaves the clock", "sck_q <= 1'b0; ", ""],
    ["reset leaves a slave selected", "cs_n_q <= 3'd7; ", ""],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut(8, 3), from, to),
      o = { wave: false, hangCycles: 3000, limitCycles: 60_000 } as const;
    return findsFault(
      runBench("talks", faulty, o, b =>
        talks(b, traffic(3, { divisor: 5, pauses: [bernoulli(0.3, 1), bernoulli(0.99, 2)] }), 10),
      )
        .then(() => runBench("talks", faulty, { ...o, seed: 5 }, b => talks(b, traffic(2), 5)))
        .then(() => runBench("cut off", faulty, o, cutOff)),
      /./,
    );
  });
});
