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
import { Systolic } from "../src/systolic.ts";

const size = 4,
  width = 8,
  sumWidth = 32,
  array = Systolic({ size, width, sumWidth });
type ArrayBench = Bench<typeof array.ports>;
type Matrix = readonly (readonly number[])[];

interface Product {
  /** K columns of A, K rows of B. */
  readonly a: Matrix;
  readonly b: Matrix;
}

/** The product by its definition, its sums wrapped to `bits`. */
const reference = ({ a, b }: Product, n: number, bits: number): Matrix =>
  Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_x, j) => {
      const sum = a.reduce((s, column, k) => s + BigInt(column[i] ?? 0) * BigInt(b[k]?.[j] ?? 0), 0n);
      return Number(BigInt.asIntN(bits, sum));
    }),
  );

function randomProduct(b: ArrayBench, steps: number, n = size, bits = width): Product {
  const most = 2 ** (bits - 1);
  const value = (): number =>
    b.random.chance(0.2) ? b.random.pick([-most, most - 1, 0]) : b.random.between(-most, most - 1);
  const matrix = (): Matrix => Array.from({ length: steps }, () => Array.from({ length: n }, value));
  return { a: matrix(), b: matrix() };
}

const run = <T>(dut: Dut<typeof array.ports>, seed: number, body: (b: ArrayBench) => Promise<T>): Promise<T> =>
  runBench("systolic", dut, { seed, wave: false, hangCycles: 1000 }, body);

function send(steps: StreamSource<(typeof array.ports)["steps"]["shape"]>, p: Product) {
  return p.a.map((a, k) => steps.send({ a: [...a], b: [...(p.b[k] ?? [])], last: Number(k === p.a.length - 1) }));
}

/** Products of one step to twenty, one right behind the other. */
const traffic = (
  dut: Dut<typeof array.ports>,
  seed: number,
  pause: number,
  n = size,
  bits = width,
  sums = sumWidth,
): Promise<void> =>
  run(dut, seed, async b => {
    const paused = (s: number) => (pause === 0 ? never : bernoulli(pause, b.seed + s));
    const steps = new StreamSource(b.sim, b.io.steps, { pause: paused(1) }),
      rows = new StreamSink(b.sim, b.io.rows, { pause: paused(2) });
    const products = Array.from({ length: 40 }, (_, i) =>
      randomProduct(b, i < 8 ? i + 1 : b.random.pick([1, 2, 3, n, 2 * n - 1, 2 * n, b.random.between(1, 20)]), n, bits),
    );
    for (const p of products) send(steps, p);
    for (const [i, p] of products.entries())
      for (const [r, row] of reference(p, n, sums).entries())
        expect(await rows.recv(), `product ${i} of ${p.a.length} steps, row ${r}`).toEqual(row);
    await b.cycles(8 * n);
    expect([rows.received.length, b.io.rows.valid.value], "nothing is left").toEqual([0, 0]);
  });

describe("the array", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])("random products, seed %d, pauses %d", (seed, pause) => traffic(array, seed, pause));
  test("another size, whose sums wrap", () => traffic(Systolic({ size: 3, width: 5, sumWidth: 10 }), 4, 0.3, 3, 5, 10));

  test("latency size + 2, a step a cycle, a row every second cycle", () =>
    run(array, 5, async b => {
      const steps = new StreamSource(b.sim, b.io.steps),
        rows = new StreamSink(b.sim, b.io.rows);
      const many = Array.from({ length: 10 }, () => send(steps, randomProduct(b, 12)));
      const sent = many.flat();
      await b.until(() => rows.received.length === 10 * size);
      expect((sent.at(-1)?.cycle ?? 0) - (sent[0]?.cycle ?? 0), "all steps without a pause").toBe(sent.length - 1);
      for (const [i, s] of many.entries())
        for (let r = 0; r < size; r++)
          expect((rows.received[size * i + r]?.cycle ?? 0) - (s.at(-1)?.cycle ?? 0)).toBe(size + 2 + 2 * r);
      rows.received.splice(0);
      const short = Array.from({ length: 10 }, () => send(steps, randomProduct(b, 1))).flat();
      await b.until(() => rows.received.length === 10 * size);
      const apart = short.slice(1).map((s, i) => (s.cycle ?? 0) - (short[i]?.cycle ?? 0));
      expect(new Set(apart)).toEqual(new Set([2 * size - 1]));
    }));

  test("a reset in the middle of a product leaves nothing of it", () =>
    run(array, 6, async b => {
      const steps = new StreamSource(b.sim, b.io.steps),
        rows = new StreamSink(b.sim, b.io.rows);
      send(steps, randomProduct(b, 30));
      send(steps, randomProduct(b, 3));
      await b.cycles(b.random.between(5, 20));
      steps.forget();
      b.sim.reset(1);
      const p = randomProduct(b, 5);
      send(steps, p);
      for (const row of reference(p, size, sumWidth)) expect(await rows.recv()).toEqual(row);
      await b.cycles(40);
      expect(rows.received).toEqual([]);
    }));
  test("a size that cannot be is refused", () => {
    expect(() => emit(Systolic({ size: 1, width, sumWidth }))).toThrow("size = 1: use 2 or more");
  });
});

describe("planted faults are found", () => {
  test.each([
    ["last steps come too close to one another", "apart <= 4'd6", "apart <= 4'd4"],
    ["a sum goes on from the product before", "(cell12_r_2 ? 32'sd0 : cell12_sum)", "cell12_sum"],
    ["the array moves while a row waits", "moves = ~row_comes | rows_ready", "moves = 1'b1"],
    ["a product loses its sign", "{{16{cell30_r[15]}}, cell30_r}", "{16'd0, cell30_r}"],
    ["what is between two steps counts", "if (moves & cell21_r_1)", "if (moves)"],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(array, { what, from, to });
    const all = async (): Promise<void> => {
      for (const [seed, pause] of [
        [1, 0],
        [2, 0.3],
      ] as const)
        await traffic(faulty, seed, pause);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|dropped valid/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
