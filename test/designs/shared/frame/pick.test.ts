import { describe, expect, test } from "vitest";
import { input, module, output, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { pickOf } from "../../../../designs/shared/frame/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

interface Sizes {
  /** How many values there are, and the bits of a number. */
  readonly values: number;
  readonly bits: number;
}
const width = 8;
const Pick = module(
  "Pick",
  (p: Sizes) => ({ which: input(uint(p.bits)), all: input(uint(width * p.values)), one: output(uint(width)) }),
  (io, p) =>
    io.one.set(
      pickOf(
        io.which,
        Array.from({ length: p.values }, (_, i) => io.all.bits(width * i, width)),
      ).is(width),
    ),
);
type Ports = ReturnType<typeof Pick>["ports"];

/** Every number, with random values: its own value, or 0 where it has none. */
async function everyNumber(b: Bench<Ports>, { values, bits }: Sizes): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    const all = Array.from({ length: values }, () => b.random.between(1, 255));
    b.io.all.value = all.reduce((v, byte, i) => v | (BigInt(byte) << BigInt(width * i)), 0n);
    for (let which = 0; which < 2 ** bits; which++) {
      b.io.which.value = which;
      b.sim.settle();
      expect(b.io.one.num, `value ${which} of ${values}`).toBe(all[which] ?? 0);
      await b.risingEdge();
    }
  }
}
const run = (sizes: Sizes, design: Dut<Ports> = Pick(sizes)): Promise<unknown> =>
  runBench("a value by its number", design, { wave: false, seed: 1 }, b => everyNumber(b, sizes));

const parameterSets: readonly Sizes[] = [
  { values: 2, bits: 1 },
  { values: 4, bits: 2 },
  { values: 6, bits: 3 },
  { values: 16, bits: 4 },
  { values: 17, bits: 6 },
];
describe("pickOf", () => {
  test.each(parameterSets)("of $values values, by $bits bits", async sizes => {
    await run(sizes);
  });
  test("a planted fault is found: a part of four has its neighbour's number", async () => {
    const sizes: Sizes = { values: 6, bits: 3 };
    await findsFault(run(sizes, plant(Pick(sizes), "which[1:0]", "{which[1], which[1]}")));
  });
});
