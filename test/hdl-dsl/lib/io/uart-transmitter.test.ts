import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { UartTransmitter } from "../../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, type Pause, runBench, StreamSource } from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { lineBits, type LineFormat, parities } from "./uart-model.ts";

const dut = (dataBits: number) => UartTransmitter({ dataBits });
type Ports = ReturnType<typeof dut>["ports"];

/** The level in every cycle from the first on, and what it must be by the cycles in which characters were taken. */
async function sends(b: Bench<Ports>, f: LineFormat, count: number, pause: Pause): Promise<void> {
  const { io } = b,
    levels: number[] = [];
  io.divisor.value = f.divisor;
  io.parity.value = f.parity;
  io.twoStops.value = f.twoStops ? 1 : 0;
  const busy: number[] = [];
  let from: number | undefined;
  b.onEdge({
    sample: cycle => {
      from ??= cycle;
      levels.push(io.txd.value);
      busy.push(io.busy.value);
    },
    drive: () => undefined,
  });
  const into = new StreamSource(b.sim, io.from, { pause });
  const sent = Array.from({ length: count }, () => into.send(b.random.between(0, 2 ** f.dataBits - 1)));
  await into.drained();
  const length = lineBits(0, f).length * (f.divisor + 1);
  await b.cycles(length + 20);
  const expected = levels.map(() => 1),
    works = levels.map(() => 0);
  sent.forEach(({ value, cycle }, i) => {
    const taken = (cycle as number) - (from as number);
    lineBits(Number(value), f).forEach((level, n) => {
      expected.fill(level, taken + 1 + n * (f.divisor + 1), taken + 1 + (n + 1) * (f.divisor + 1));
    });
    // The last cycle of its stop bits is free for the next one.
    works.fill(1, taken + 1, taken + length);
    const before = sent[i - 1]?.cycle;
    if (before !== undefined && pause === never) expect((cycle as number) - before).toBe(length);
  });
  expect(levels.length).toBeGreaterThan(count * length);
  expect(levels).toEqual(expected);
  expect(busy).toEqual(works);
}

const format = (n: number, more: Partial<LineFormat> = {}): LineFormat => ({
  dataBits: 8,
  divisor: [0, 1, 2, 12][n % 4] as number,
  parity: parities[n % 5] as (typeof parities)[number],
  twoStops: n % 2 === 1,
  ...more,
});

describe("UartTransmitter", () => {
  for (let n = 0; n < 10; n++) {
    const f = format(n, { dataBits: [8, 5, 9, 7][n % 4] as number });
    bench(
      `${f.dataBits} bits, parity ${f.parity}, ${f.twoStops ? 2 : 1} stops, ${f.divisor + 1} cycles a bit`,
      dut(f.dataBits),
      { seed: n },
      b => sends(b, f, 20, n < 5 ? never : bernoulli(0.97, n)),
    );
  }
  const cutOff = async (b: Bench<Ports>): Promise<void> => {
    const { io } = b;
    const f = format(3, { divisor: 9 });
    io.divisor.value = f.divisor;
    for (const after of [1, 15, 97]) {
      expect(await offer(b, io.from, 0)).toBe(true);
      await b.cycles(after);
      b.sim.reset(1);
      b.sim.settle();
      expect([io.txd.value, io.busy.value, io.from.ready.value]).toEqual([1, 0, 1]);
    }
    await sends(b, f, 5, never);
  };
  bench("reset in the middle of a character: the line is idle, and the next one is whole", dut(8), {}, cutOff);

  test.each([
    ["even is odd", "parity[0] ^ counts", "~parity[0] ^ counts"],
    ["mark counts the data", "parity[1] & (^from_payload)", "^from_payload"],
    ["no second stop bit", "{1'b0, two_stops}", "2'd0"],
    ["a bit is a cycle short", "cycles <= divisor;", "cycles <= divisor - 16'd1;"],
    ["a zero follows the last bit", "{1'b1, shift[9:1]}", "{1'b0, shift[9:1]}"],
    [
      "it takes a character in the stop bit",
      "wire free = bit_ends & (left == 4'd0)",
      "wire free = bit_ends & (left <= 4'd1)",
    ],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut(8), from, to);
    const run = (n: number, parity: LineFormat["parity"]): Promise<unknown> =>
      runBench("sends", faulty, { wave: false, hangCycles: 2000, limitCycles: 20_000, seed: n }, b =>
        sends(b, format(n, { divisor: 4, parity }), 10, bernoulli(0.9, n)),
      );
    return findsFault(
      run(0, "mark").then(() => run(3, "even")),
      /./,
    );
  });
  test("planted fault: reset leaves the line as it is", () =>
    findsFault(
      runBench("cut off", plant(dut(8), "shift <= 10'd1023; left", "left"), { wave: false, hangCycles: 500 }, cutOff),
      /./,
    ));
  test("planted fault: reset leaves the count of bits", () =>
    findsFault(
      runBench(
        "cut off",
        plant(dut(8), "shift <= 10'd1023; left <= 4'd0;", "shift <= 10'd1023;"),
        { wave: false, hangCycles: 500 },
        cutOff,
      ),
      /./,
    ));
});

test.each([4, 10, 6.5])("%d data bits are refused", dataBits =>
  expect(() => UartTransmitter({ dataBits })).toThrow(`UART: dataBits is ${dataBits}; choose 5 to 9`),
);
