/** The harness of units with one stream in and one out. */
import { sink, source } from "../../types/ports.ts";
import { bitsFor } from "../../types/bits.ts";
import { uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, StreamIn, UInt } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { type Def, module } from "../../build/module.ts";
import { assertAlways, cover, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { connect } from "../../stream/connect.ts";
import { moduleObeys, producerObeys } from "./rules.ts";
import { isQueue } from "./shadow.ts";

export interface StreamUnit {
  /** Bits of the payload. */
  readonly width: number;
  /** Elements that it holds at most. */
  readonly capacity: number;
  /** Cycles that an element may be inside before it is offered, when nothing is before it; default 1. */
  readonly latency?: number;
  /** The payload that must come out for one that went in; unchanged when left out. */
  readonly expected?: (payload: UInt) => UInt;
  /** Payloads that come out at all; all when left out. */
  readonly passes?: (payload: UInt) => Bit;
  /** Further claims, given the number of elements that the unit must hold. */
  readonly also?: (count: UInt) => void;
  readonly build: (from: StreamIn<UIntShape>) => StreamIn<UIntShape>;
}

/**
 * Claims: the stream rules hold at the output; the unit is a queue. An element inside is offered in the next cycle;
 * with room left the unit accepts.
 */
export function streamUnit(name: string, u: StreamUnit): Def {
  return module(
    name,
    () => ({ from: sink(uint(u.width)), to: source(uint(u.width)) }),
    io => {
      connect(u.build(io.from), io.to);
      producerObeys(io.from, "from");
      const waited = moduleObeys(io.to, "to");
      const passes = u.passes?.(io.from.payload) ?? constant(1, 1);
      const { count, empty, full } = isQueue({
        name: "unit",
        capacity: u.capacity,
        offered: io.from.valid.and(passes),
        value: u.expected?.(io.from.payload) ?? io.from.payload,
        push: io.from.fire.and(passes),
        valid: io.to.valid,
        pop: io.to.fire,
        payload: io.to.payload,
      });
      if (u.capacity > 0) {
        if (u.latency === undefined) assertAlways(empty.or(io.to.valid), "unit: what is inside is offered");
        else {
          const late = reg(uint<number>(bitsFor(u.latency)), { init: 0, name: "model_late" });
          when(empty.or(io.to.valid), () => late.set(0)).elseWhen(late.lt(u.latency), () => late.set(late.add(1)));
          assertAlways(late.lt(u.latency), `unit: what is inside is offered after ${u.latency} cycles`);
        }
        assertAlways(full.or(io.from.ready), "unit: with room it accepts");
        cover(full.and(io.to.valid).and(io.to.ready.not()), "full and stalled");
      } else {
        assertAlways(io.from.valid.and(passes).not().or(io.to.valid), "unit: what is at the input is offered");
        if (u.passes !== undefined) {
          assertAlways(io.from.valid.not().or(passes).or(io.from.ready), "unit: what does not pass is taken at once");
          cover(io.from.fire.and(passes.not()), "one is dropped");
        }
      }
      u.also?.(count);
      cover(waited.and(io.to.fire), "one comes out after a stall");
    },
  )();
}
