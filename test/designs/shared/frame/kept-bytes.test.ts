import { describe, expect, test } from "vitest";
import { bit, input, module, output, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../sim/index.ts";
import { keptBytes } from "../../../../designs/shared/frame/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const Kept = module(
  "Kept",
  (p: { readonly bytes: number }) => ({
    data: input(uint(8 * p.bytes)),
    keep: input(uint(p.bytes)),
    load: input(bit),
    kept: output(uint(8 * p.bytes)),
  }),
  (io, p) => io.kept.set(keptBytes("kept_q", io.data, io.keep, io.load).is(8 * p.bytes)),
);
type Ports = ReturnType<typeof Kept>["ports"];

/** Bytes that count are there a cycle behind `load`, the others are 0, and all stay until the next one. */
async function loads(b: Bench<Ports>, bytes: number): Promise<void> {
  let wanted: readonly number[] | undefined;
  for (let cycle = 0; cycle < 500; cycle++) {
    const data = [...b.random.bytes(bytes)],
      keep = data.map(() => b.random.chance(0.6)),
      load = b.random.chance(0.5);
    b.io.data.value = data.reduce((v, byte, i) => v | (BigInt(byte) << BigInt(8 * i)), 0n);
    b.io.keep.value = keep.reduce((v, k, i) => v | (k ? 1n << BigInt(i) : 0n), 0n);
    b.io.load.value = load ? 1 : 0;
    b.sim.settle();
    if (wanted) {
      const kept = BigInt(b.io.kept.value);
      expect(wanted.map((_, i) => Number((kept >> BigInt(8 * i)) & 0xffn))).toEqual(wanted);
    }
    await b.risingEdge();
    if (load) wanted = data.map((byte, i) => (keep[i] === true ? byte : 0));
  }
}
const run = (bytes: number, design: Dut<Ports> = Kept({ bytes })): Promise<unknown> =>
  runBench(`${bytes} bytes`, design, { wave: false, seed: 1 }, b => loads(b, bytes));

/** Bytes of a beat. */
const parameterSets = [1, 4, 64];
describe("keptBytes", () => {
  test.each(parameterSets)("%i bytes", async bytes => {
    await run(bytes);
  });
  test.each([
    ["a byte that does not count stays", "keep[2]", "1'b1"],
    ["a byte has its neighbour's keep", "keep[1]", "keep[2]"],
  ] as const)("a planted fault is found: %s", async (_what, from, to) => {
    await findsFault(run(4, plant(Kept({ bytes: 4 }), from, to)));
  });
});
