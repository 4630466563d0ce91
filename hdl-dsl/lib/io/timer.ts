import { input, output } from "../../types/ports.ts";
import { bit, uint, vec } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { fromBits } from "../../vectors/index.ts";

/** Widths of a timer, and its number of compare channels. */
export interface CompareTimerParameters {
  /** Bits of the count; 32 when left out. */
  readonly width?: number;
  /** Bits of the prescaler; 16 when left out. */
  readonly prescaleBits?: number;
  /** Compare channels, 1 or more. */
  readonly channels: number;
}
const sizes = (p: CompareTimerParameters) => ({ width: p.width ?? 32, prescaleBits: p.prescaleBits ?? 16 });

/**
 * Counts from 0 to `limit` and begins again, one step in `prescale` + 1 cycles. `start` (one cycle) begins at 0 and
 * sets `running`; `stop` ends it where it is, and wins over `start`. With `oneShot` the timer stops at the end, at 0.
 *
 * `wrapped` is 1 in the cycle of the step from the end to 0. Bit c of `matched` is 1 in the cycle of the step from
 * `compare[c]` on, so once a round, and never for a compare value beyond the limit. Bit c of `level` is 1 while the
 * count is below `compare[c]` and the timer runs: a pulse width, registered, one cycle later. A round takes (`limit`
 * + 1) × (`prescale` + 1) cycles, initiation interval 1. A limit that is set below the count ends the round with the
 * next step. `limit`, `prescale` and `compare` count from the cycle in which they change. After reset the timer
 * stands at 0.
 */
export const CompareTimer = module(
  "CompareTimer",
  (p: CompareTimerParameters) => {
    const { width, prescaleBits } = sizes(p);
    return {
      start: input(bit),
      stop: input(bit),
      oneShot: input(bit),
      prescale: input(uint(prescaleBits)),
      limit: input(uint(width)),
      compare: input(vec(uint(width), p.channels)),
      count: output(uint(width)),
      running: output(bit),
      wrapped: output(bit),
      matched: output(uint(p.channels)),
      level: output(uint(p.channels)),
    };
  },
  (io, p) => {
    const { width, prescaleBits } = sizes(p);
    const count = reg(uint<number>(width), { init: 0 }),
      waited = reg(uint<number>(prescaleBits)),
      running = reg(bit, { init: 0 }),
      level = reg(uint<number>(p.channels), { init: 0 });
    const step = node(running.and(waited.ge(io.prescale))),
      ends = node(step.and(count.ge(io.limit)));
    // It runs while the timer stands, too: a start clears it.
    waited.set(mux(step.or(io.start), constant(0, prescaleBits), waited.add(1)));
    when(step, () => count.set(count.add(1)));
    when(ends.or(io.start), () => count.set(0));
    when(io.stop.or(ends.and(io.oneShot).andNot(io.start)), () => running.set(0)).elseWhen(io.start, () =>
      running.set(1),
    );
    const values = io.compare.toArray();
    level.set(fromBits(values.map(v => running.and(count.lt(v)))));
    io.count.set(count);
    io.running.set(running);
    io.wrapped.set(ends);
    io.matched.set(fromBits(values.map(v => step.and(count.eq(v)))));
    io.level.set(level);
  },
);
