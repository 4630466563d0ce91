/** Trees of bits under Verilator as it is called here: it folds them, and some of its versions do so wrongly. */
import { expect, test } from "vitest";
import { input, output, uint } from "../../../hdl-dsl/index.ts";
import { fromVerilog, Random, simulate, verilatorBackend } from "../../../sim/index.ts";

const TREES = 100,
  WIDTH = 4;
const bitOf = (r: Random): string =>
  r.chance(0.1) ? `any${r.below(2)}` : `${r.chance() ? "a" : "b"}[${r.below(WIDTH)}]`;
const partOf = (r: Random): string => `(a[${r.chance() ? "1:0" : "3:2"}] & b[${r.chance() ? "1:0" : "3:2"}])`;

/** A random expression of one bit. */
function tree(r: Random, depth: number): string {
  if (depth === 0) return r.chance(0.2) ? `(${["|", "&", "^"][r.below(3)] ?? "|"}${partOf(r)})` : bitOf(r);
  const below = (): string => tree(r, depth - 1);
  if (r.chance(0.2)) return `~${below()}`;
  if (r.chance(0.2)) return `(${below()} ? ${below()} : ${below()})`;
  return `(${below()} ${["&", "&", "|", "^"][r.below(4)] ?? "&"} ${below()})`;
}

/** The lowest bit that a and b have, of which Verilator 5.006 made 2 instead of 3. */
const choice = ["any0 ? ~(a[0] & b[0]) & a[1] & b[1] : ~(a[2] & b[2]) & a[3] & b[3]", "~any0 & any1"];

test.each([1, 2, 3])("the built-in simulator and Verilator have one value of each tree (%i)", async seed => {
  const r = new Random(seed),
    trees = [...choice, ...Array.from({ length: TREES - 2 }, () => tree(r, r.between(2, 4)))];
  const design = fromVerilog(
    "Trees",
    { a: input(uint(WIDTH)), b: input(uint(WIDTH)), z: output(uint(TREES)) },
    [
      `module Trees(input clk, input rst, input [3:0] a, input [3:0] b, output [${TREES - 1}:0] z);`,
      "  wire any0 = |(a[1:0] & b[1:0]), any1 = |(a[3:2] & b[3:2]);",
      `  assign z = {${[...trees].reverse().join(",\n    ")}};`,
      "endmodule\n",
    ].join("\n"),
  );
  using ours = await simulate(design);
  using theirs = await simulate(design, { backend: verilatorBackend });
  for (let n = 0; n < 2 ** (2 * WIDTH); n++) {
    for (const sim of [ours, theirs]) {
      sim.io.a.value = n % 2 ** WIDTH;
      sim.io.b.value = n >> WIDTH;
      sim.settle();
    }
    const { a, b, z } = ours.io;
    if (z.big !== theirs.io.z.big) {
      const at = trees.findIndex((_, i) => (((z.big ^ theirs.io.z.big) >> BigInt(i)) & 1n) === 1n);
      expect.fail(`a = ${a.value}, b = ${b.value}: ${trees[at] ?? ""} is ${(z.big >> BigInt(at)) & 1n} here`);
    }
    if (n >> WIDTH === 12 && a.value === 8) expect(z.big & 3n).toBe(3n);
  }
});
