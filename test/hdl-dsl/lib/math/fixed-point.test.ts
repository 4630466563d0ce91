import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { Fir, firResultBits, MultiplyAdd, type MultiplyAddParameters } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench, StreamSink, StreamSource } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { everyPressure, pressures } from "../../support/pressures.ts";

type Side = () => { readonly pause: () => boolean };
const never: Side = () => ({ pause: () => false });
const among = (pause: (typeof pressures)[number]) =>
  [() => ({ pause: pause[1](1) }), () => ({ pause: pause[2](2) })] as const;

const small: MultiplyAddParameters = { aBits: 8, bBits: 6, cBits: 12, shift: 4, resultBits: 9 };
const wide: MultiplyAddParameters = { aBits: 18, bBits: 25, cBits: 43, shift: 17, resultBits: 24 };
const exact: MultiplyAddParameters = { aBits: 4, bBits: 4, cBits: 8, shift: 0, resultBits: 9 };

/** The nearest number, halves up, within the result's range. */
function reference(p: MultiplyAddParameters, a: bigint, b: bigint, c: bigint): bigint {
  const sum = a * b + c,
    unit = 2n ** BigInt(p.shift),
    rounded = (sum + unit / 2n) >> BigInt(p.shift),
    top = 2n ** BigInt(p.resultBits - 1);
  return rounded >= top ? top - 1n : rounded < -top ? -top : rounded;
}
const ma = (p: MultiplyAddParameters) => MultiplyAdd(p);
type MaPorts = ReturnType<typeof ma>["ports"];
async function multiplies(
  b: Bench<MaPorts>,
  p: MultiplyAddParameters,
  from: Side,
  to: Side,
  count = 300,
): Promise<void> {
  const r = b.random;
  const signed = (bits: number): number => {
    const top = 2 ** (bits - 1);
    return r.chance(0.25) ? [-top, top - 1, 0, -1][r.below(4)]! : Number(r.bits(bits)) - top;
  };
  const into = new StreamSource(b.sim, b.io.request, from()),
    out = new StreamSink(b.sim, b.io.result, to());
  const sent = Array.from({ length: count }, () =>
    into.send({ a: signed(p.aBits), b: signed(p.bBits), c: signed(p.cBits) }),
  );
  await b.until(() => out.received.length === count);
  expect(out.received.map(x => Number(x.value.value))).toEqual(
    sent.map(({ value: v }) => Number(reference(p, BigInt(v.a), BigInt(v.b), BigInt(v.c)))),
  );
  if (from === never)
    out.received.forEach((x, i) =>
      expect([x.cycle - sent[i]!.cycle!, x.cycle]).toEqual([4, out.received[0]!.cycle + i]),
    );
  await b.cycles(5);
  expect([b.io.result.valid.value, b.io.request.ready.value]).toEqual([0, 1]);
}

describe("MultiplyAdd", () => {
  bench("latency 4, a result every cycle", ma(small), {}, b => multiplies(b, small, never, never));
  everyPressure("18 by 25 bits", ma(wide), {}, (b, from, to) => multiplies(b, wide, from, to, 150));
  bench("nothing is rounded, everything fits", ma(exact), {}, b => multiplies(b, exact, never, never));
  bench("reset empties all stages", ma(small), {}, async b => {
    b.io.request.valid.value = 1;
    await b.cycles(6);
    b.io.request.valid.value = 0;
    b.sim.reset(1);
    for (let i = 0; i < 6; i++) {
      await b.risingEdge();
      expect(b.io.result.valid.value).toBe(0);
    }
    await multiplies(b, small, never, never, 20);
  });
  test.each([
    ["halves go down", "16'sd8", "16'sd7"],
    ["it wraps at the top", /value <= [^;]*;/, "value <= operands_s4_value_shifted[8:0];"],
  ] as const)("planted fault: %s", (_what, from, to) =>
    findsFault(
      runBench("multiplies", plant(ma(small), from, to), { wave: false }, b => multiplies(b, small, never, never)),
      /./,
    ),
  );
});

const taps = [3, -7, 0, 20, 20, -1, 7];
const fir = (coefficients: readonly number[], dataBits: number) => Fir({ coefficients, dataBits });
type FirPorts = ReturnType<typeof fir>["ports"];
async function filters(
  b: Bench<FirPorts>,
  c: readonly number[],
  bits: number,
  from: Side,
  to: Side,
  count = 200,
): Promise<void> {
  const r = b.random,
    top = 2 ** (bits - 1);
  const into = new StreamSource(b.sim, b.io.from, from()),
    out = new StreamSink(b.sim, b.io.to, to());
  // The largest sum that there is in each direction comes first.
  const worst = [...c].reverse().map(x => (x < 0 ? -top : top - 1));
  const samples = [
    ...worst,
    ...worst.map(x => -1 - x),
    ...Array.from({ length: count }, () =>
      r.chance(0.2) ? (r.chance(0.5) ? top - 1 : -top) : r.between(-top, top - 1),
    ),
  ];
  const sent = samples.map(s => into.send(s));
  await b.until(() => out.received.length === samples.length);
  expect(out.received.map(x => Number(x.value))).toEqual(
    samples.map((_, n) => c.reduce((sum, k, i) => sum + k * (samples[n - i] ?? 0), 0)),
  );
  if (from === never)
    out.received.forEach((x, i) =>
      expect([x.cycle - sent[i]!.cycle!, x.cycle]).toEqual([3, out.received[0]!.cycle + i]),
    );
  await b.cycles(4);
  expect([b.io.to.valid.value, b.io.from.ready.value]).toEqual([0, 1]);
}
describe("Fir", () => {
  bench("latency 3, a result for each sample", fir(taps, 8), {}, b => filters(b, taps, 8, never, never));
  everyPressure("seven taps", fir(taps, 8), {}, (b, from, to) => filters(b, taps, 8, from, to, 80));
  bench("one tap of -1, samples of 12 bits", fir([-1], 12), {}, b => filters(b, [-1], 12, never, never));
  bench("reset clears the samples that were", fir(taps, 8), {}, async b => {
    b.io.from.valid.value = 1;
    b.io.from.payload.value = 99;
    b.io.to.ready.value = 1;
    await b.cycles(9);
    b.io.from.valid.value = 0;
    b.sim.reset(1);
    await filters(b, taps, 8, never, never, 20);
  });
  test("its result is as wide as its largest sum needs", () => {
    expect([
      firResultBits({ coefficients: [1], dataBits: 8 }),
      firResultBits({ coefficients: taps, dataBits: 8 }),
    ]).toEqual([8, 14]);
    expect(() => fir([0, 0], 8)).toThrow("Fir: coefficients are whole numbers, one or more of them not 0");
  });
  test.each([
    ["a tap is left out", /sum_5 <= ([^;]*);/, "sum_5 <= sum_6;"],
    ["a sample counts while nothing comes", "if (moves & multiplied)", "if (moves)"],
    ["the samples stay over a reset", "sum_3 <= 14'sd0; ", ""],
    ["a result that is not taken moves on", "wire moves = ~summed | to_ready", "wire moves = 1'b1"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(fir(taps, 8), from, to);
    const [one, other] = among(pressures[1]!);
    return findsFault(
      runBench("filters", faulty, { wave: false }, async b => {
        if (to === "") {
          b.io.from.valid.value = 1;
          b.io.from.payload.value = 99;
          b.io.to.ready.value = 1;
          await b.cycles(9);
          b.io.from.valid.value = 0;
          b.sim.reset(1);
        }
        await filters(b, taps, 8, one, other);
      }),
      /./,
    );
  });
});
