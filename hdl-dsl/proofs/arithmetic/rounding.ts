/** Rounding and saturation against comparisons that do neither. */
import { input, output } from "../../types/ports.ts";
import { sint } from "../../types/shape.ts";
import { module } from "../../build/module.ts";
import { assertAlways, cover } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { roundOff, saturate } from "../../lib/index.ts";
import type { Proof } from "../harness/proof.ts";

const FROM = 7,
  OFF = 2,
  TO = 4,
  WIDE = 10;
const harness = module(
  "RoundingProof",
  () => ({ v: input(sint(FROM)), r: output(sint(TO)) }),
  io => {
    const rounded = roundOff(io.v, OFF),
      result = saturate(rounded, TO).is(TO);
    io.r.set(result);
    // Twice the number less twice what it was rounded to: within -unit and unit - 1, in quarters.
    const unit = 2 ** OFF,
      twice = io.v.sext(WIDE).shl(1),
      back = rounded.sext(WIDE).shl(OFF + 1),
      distance = twice.sub(back);
    assertAlways(
      distance.ge(constant(-unit, WIDE).asSint()).and(distance.lt(unit)),
      "rounded to the nearest, halves up",
    );
    const top = 2 ** (TO - 1) - 1,
      wide = rounded.sext(WIDE),
      above = wide.gt(top),
      below = wide.lt(constant(-top - 1, WIDE).asSint()),
      shown = result.sext(WIDE);
    assertAlways(above.not().or(shown.eq(top)), "what is too large is the largest");
    assertAlways(below.not().or(shown.eq(constant(-top - 1, WIDE).asSint())), "what is too small is the least");
    assertAlways(above.or(below).or(shown.eq(wide)), "what fits stays");
    cover(above.and(io.v.lt(32)), "rounding alone goes beyond the end");
  },
);

export const roundingProof: Proof = {
  module: `MultiplyAdd, its rounding from ${FROM} to ${TO} bits`,
  harness: harness(),
  faults: [{ what: "halves go down", from: "8'sd2", to: "8'sd1" }],
};
