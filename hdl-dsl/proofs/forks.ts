/** Copies of a stream: eager and lazy. */
import { sink, source } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import type { Bit } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { module } from "../build/module.ts";
import { past } from "../build/past.ts";
import { assertAlways, assumeAlways, cover } from "../build/statements.ts";
import { fork } from "../stream/fork.ts";
import { connect } from "../stream/connect.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys } from "./harness/rules.ts";

const ports = (): {
  readonly from: ReturnType<typeof sink<ReturnType<typeof uint<2>>>>;
  readonly to0: ReturnType<typeof source<ReturnType<typeof uint<2>>>>;
  readonly to1: ReturnType<typeof source<ReturnType<typeof uint<2>>>>;
  readonly to2: ReturnType<typeof source<ReturnType<typeof uint<2>>>>;
} => ({ from: sink(uint(2)), to0: source(uint(2)), to1: source(uint(2)), to2: source(uint(2)) });

/** Compared with one bit per output: has it taken the transfer that is at the input? */
const eager = module("EagerForkProof", ports, io => {
  const outs = [io.to0, io.to1, io.to2];
  fork(io.from, 3, "eager", { name: "dut" }).forEach((s, i) => {
    connect(s, outs[i] as typeof io.to0);
  });
  producerObeys(io.from, "from");
  const waited = outs.map((out, i) => moduleObeys(out, `to_${i}`));
  const has = outs.map((out, i) => {
    const had = reg(bit, { init: 0, name: `model_${i}` });
    had.set(io.from.fire.not().and(had.or(out.fire)));
    assertAlways(out.valid.eq(io.from.valid.and(had.not())), `to_${i}: every transfer is offered, and once only`);
    assertAlways(out.valid.not().or(out.payload.eq(io.from.payload)), `to_${i}: the payload is unchanged`);
    return had.or(out.fire);
  });
  assertAlways(
    io.from.fire.eq(io.from.valid.and(has.reduce((a, b) => a.and(b)))),
    "the input moves on when all outputs have it, and at once",
  );
  cover(
    (waited[2] as Bit).and(io.to2.fire).and(io.from.fire).and(io.to0.valid.not()),
    "the last output takes what another had before",
  );
});

/**
 * Outputs keep their ready until they get something, or the others' valid would be withdrawn: the price of
 * having no state.
 */
const lazy = module("LazyForkProof", ports, io => {
  const outs = [io.to0, io.to1, io.to2];
  fork(io.from, 3, "lazy", { name: "dut" }).forEach((s, i) => {
    connect(s, outs[i] as typeof io.to0);
  });
  producerObeys(io.from, "from");
  const waited = outs.map((out, i) => {
    const wasReady = past(out.ready.and(out.fire.not()), 1, { name: `to_${i}_was_ready` });
    assumeAlways(wasReady.not().or(out.ready), `to_${i}: ready stays until something comes`);
    assertAlways(out.fire.eq(io.from.fire), `to_${i}: takes with all the others`);
    assertAlways(
      out.valid.not().or(io.from.valid.and(out.payload.eq(io.from.payload))),
      `to_${i}: what it sees is at the input`,
    );
    return moduleObeys(out, `to_${i}`);
  });
  assertAlways(
    io.from.valid
      .not()
      .or(
        outs
          .map(o => o.ready)
          .reduce((a, b) => a.and(b))
          .not(),
      )
      .or(io.from.fire),
    "when all are ready it moves",
  );
  cover((waited[1] as Bit).and(io.from.fire), "a transfer after a stall");
});

export const forkProofs: readonly Proof[] = [
  {
    module: "fork, eager, 3 outputs",
    harness: eager(),
    faults: [
      {
        what: "one output does not remember that it has it",
        from: "dut_1_done <= from_valid",
        to: "dut_1_done <= 1'b0 & from_valid",
      },
    ],
  },
  {
    module: "fork, lazy, 3 outputs",
    harness: lazy(),
    faults: [
      {
        what: "one output does not wait for another",
        from: /0_valid = from_valid & \w+1_ready/,
        to: "0_valid = from_valid",
      },
    ],
  },
];
