/** The LFSR: never stuck at 0, and several steps in a cycle are that many single ones. */
import { input, output } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { assertAlways, cover, mux } from "../build/statements.ts";
import { cat } from "../build/value.ts";
import { Lfsr, lfsrTaps } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";

const WIDTH = 5,
  STEPS = 3;

const harness = module(
  "LfsrProof",
  () => ({ en: input(bit), value: output(uint(WIDTH)) }),
  io => {
    const dut = instance("dut", Lfsr({ width: WIDTH, steps: STEPS }));
    dut.en.set(io.en);
    io.value.set(dut.value.is(WIDTH));
    const taps = lfsrTaps[WIDTH] as readonly number[];
    let next: UInt = io.value;
    for (let i = 0; i < STEPS; i++)
      next = cat(
        next.trunc(WIDTH - 1),
        taps.map(t => next.bit(t - 1)).reduce((a, b) => a.xor(b)),
      );
    const expected = reg(uint(WIDTH), { init: 1, name: "model_expected" });
    expected.set(mux(io.en, next, io.value).is(WIDTH));
    assertAlways(io.value.ne(0), "never 0");
    assertAlways(io.value.eq(expected), `a cycle takes ${STEPS} steps, or none`);
    cover(io.value.eq(2 ** WIDTH - 1), "all ones");
  },
);

export const lfsrProofs: readonly Proof[] = [
  {
    module: `Lfsr, ${WIDTH} bits, ${STEPS} steps`,
    harness: harness(),
    reach: 36,
    faults: [{ what: "it begins with 0", from: "state <= 5'd1", to: "state <= 5'd0" }],
  },
];
