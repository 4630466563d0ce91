/** The timer within its limit: matches and rounds, whatever is started, stopped and set. */
import { bit, uint } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { past } from "../../build/past.ts";
import { assertAlways, cover, when } from "../../build/statements.ts";
import { CompareTimer } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";

const harness = around("CompareTimerProof", CompareTimer({ width: 3, prescaleBits: 2, channels: 1 }), io => {
  // Cycles since the last step or start.
  const since = reg(uint(2), { name: "model_since" }),
    steps = node(io.running.and(since.ge(io.prescale)), { name: "model_steps" });
  since.set(since.add(1));
  when(steps.or(io.start), () => since.set(0));
  const before = reg(bit, { init: 0, name: "model_ran" });
  before.set(io.running);
  assertAlways(io.wrapped.eq(steps.and(io.count.ge(io.limit))), "a round ends with a step from the limit or beyond");
  const compare = io.compare.at(0);
  assertAlways(io.matched.eq(steps.and(io.count.eq(compare))), "a match is told with the step from it");
  assertAlways(past(io.wrapped).not().or(io.count.eq(0)), "a new round begins at 0");
  assertAlways(past(io.start).not().or(io.count.eq(0)), "a start begins at 0");
  assertAlways(past(io.stop).not().or(io.running.not()), "a stop stops");
  assertAlways(io.running.not().or(before).or(past(io.start)), "only a start sets it running");
  const level = node(past(io.running.and(io.count.lt(compare))), { name: "model_level" });
  assertAlways(io.level.eq(level), "the level is 1 while it runs below the compare value");
  cover(io.wrapped.and(io.start), "a start at the end of a round");
  cover(io.wrapped.and(io.oneShot).and(past(io.wrapped)), "a round of one cycle ends for good");
});

export const timerProof: Proof = {
  module: "CompareTimer, 3 bits",
  harness,
  faults: [{ what: "a lowered limit is run past", from: "count_q >= limit", to: "count_q == limit" }],
};
