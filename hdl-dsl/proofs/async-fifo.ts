/** The FIFO between clocks: elements come out numbered as they went in, whatever the two clocks do. */
import { input, source } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import { clockDomain, inDomain } from "../build/clock-domain.ts";
import { reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { assertAlways, cover, when } from "../build/statements.ts";
import { AsyncFifo } from "../lib/index.ts";
import { connect } from "../stream/connect.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys } from "./harness/rules.ts";

const DEPTH = 2,
  BITS = 3;

/**
 * Elements are numbers that count up: one lost, doubled or overtaken breaks the count (counted modulo 8, which is more
 * than the FIFO holds). Edges of the clocks come in any order and number, or at once. A register between the clocks
 * takes the old or the new pointer whole. That no mixture of the two is possible is the Gray code's claim, proved of
 * the code (encoders.ts).
 */
const harness = module(
  "AsyncFifoProof",
  () => ({ offer: input(bit, { domain: "push" }), pop: source(uint(BITS), { domain: "pop" }) }),
  io => {
    const pushing = clockDomain("push"),
      popping = clockDomain("pop");
    const dut = instance("dut", AsyncFifo({ shape: uint(BITS), depth: DEPTH }), {
      domains: { push: pushing, pop: popping },
    });
    connect(dut.pop, io.pop);
    inDomain(pushing, () => {
      const nextIn = reg(uint(BITS), { init: 0 });
      dut.push.valid.set(io.offer);
      dut.push.payload.set(nextIn);
      when(dut.push.fire, () => nextIn.set(nextIn.add(1)));
      cover(io.offer.and(dut.push.ready.not()), "full");
    });
    inDomain(popping, () => {
      const waited = moduleObeys(io.pop, "pop");
      const nextOut = reg(uint(BITS), { init: 0 });
      when(io.pop.fire, () => nextOut.set(nextOut.add(1)));
      assertAlways(
        io.pop.valid.not().or(io.pop.payload.eq(nextOut)),
        "elements come out in their order, none lost or doubled",
      );
      cover(waited.and(io.pop.fire), "one comes out after a stall");
      cover(nextOut.eq(3), "three have come out");
    });
  },
);

export const asyncFifoProofs: readonly Proof[] = [
  {
    module: `AsyncFifo, depth ${DEPTH}, any two clocks`,
    long: true,
    harness: harness(),
    reach: 40,
    faults: [{ what: "a pointer crosses without its code", from: /next_tail \^ \(next_tail >> 1\)/, to: "next_tail" }],
  },
];
