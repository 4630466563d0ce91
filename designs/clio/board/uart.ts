import {
  assertAlways,
  bit,
  bitsFor,
  cat,
  constant,
  input,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  struct,
  synchronise,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";

/**
 * A byte that came over a serial line: there is no ready, the line does not wait. `broken`: its stop bit was not there.
 */
export const LineByte = struct({ valid: bit, data: uint(8), broken: bit });

export interface UartParameters {
  /** Clock cycles of a bit: 4 or more. */
  readonly divider: number;
}
function checkDivider(p: UartParameters): void {
  if (!Number.isInteger(p.divider) || p.divider < 4)
    throw new RangeError(
      `Uart: a divider of ${p.divider} does not sample a bit in its middle; use a whole number of 4 or more`,
    );
}

/**
 * Serial receiver: 8 data bits, lowest first, no parity, one stop bit, the line high at rest. Every bit is sampled once
 * in its middle, counted from the start bit's edge, so the two ends' clocks may differ by 4 %. A start bit that is gone
 * by its middle was a glitch. Latency: 2 cycles of synchroniser, then `byte` is 1 cycle wide in the middle of the stop
 * bit. Reset: waits for the line to be at rest.
 */
export const UartRx = module(
  "UartRx",
  (p: UartParameters) => {
    checkDivider(p);
    return { line: input(bit), byte: output(LineByte) };
  },
  (io, p) => {
    const width = bitsFor(p.divider - 1);
    // Low until the line is seen: a line that is low at a reset must not look as if it had been at rest.
    const level = synchronise(io.line, { init: 0, name: "line" });
    const running = reg(bit, { init: 0 });
    // Bits seen of the ten.
    const seen = reg(uint(4));
    const timer = reg(uint(width));
    const shift = reg(uint(8));
    const out = reg(LineByte, { init: 0 });
    const rested = reg(bit, { init: 0 });
    const sample = node(running.and(timer.eq(0)));
    out.valid.set(0);
    when(running.not(), () => {
      when(level, () => rested.set(1));
      when(level.not().and(rested), () => {
        running.set(1);
        seen.set(0);
        timer.set((p.divider >> 1) - 1);
      });
    }).otherwise(() => timer.set(mux(sample, constant(p.divider - 1, width), timer.sub(1))));
    when(sample, () => {
      seen.set(seen.add(1));
      when(seen.eq(0), () => when(level, () => running.set(0)))
        .elseWhen(seen.eq(9), () => {
          running.set(0);
          // Without its stop bit the line is not at rest: the next start bit is an edge after it was.
          rested.set(level);
          out.set({ valid: 1, data: shift, broken: level.not() });
        })
        .otherwise(() => shift.set(cat(level, shift.bits(1, 7))));
    });
    io.byte.set(out);
  },
);

/**
 * Serial sender, 8 data bits, one stop bit: the line is high at rest. A byte is taken when the one before has ended;
 * its start bit begins in the next cycle.
 * Initiation interval: 10 bits. Full: `byte.ready` is 0 while a byte is on the line. Reset: the line at rest.
 */
export const UartTx = module(
  "UartTx",
  (p: UartParameters) => {
    checkDivider(p);
    return { byte: sink(uint(8)), line: output(bit) };
  },
  (io, p) => {
    const width = bitsFor(p.divider - 1);
    const timer = reg(uint(width), { init: 0 });
    const left = reg(uint(4), { init: 0 });
    const shift = reg(uint(9), { init: 0x1ff });
    const idle = node(left.eq(0));
    io.byte.ready.set(idle);
    when(io.byte.fire, () => {
      shift.set(cat(io.byte.payload, constant(0, 1)));
      left.set(10);
      timer.set(p.divider - 1);
    }).elseWhen(idle.not(), () => {
      timer.set(timer.sub(1));
      when(timer.eq(0), () => {
        timer.set(p.divider - 1);
        left.set(left.sub(1));
        shift.set(cat(constant(1, 1), shift.bits(1, 8)));
      });
    });
    io.line.set(shift.bit(0));
    assertAlways(left.le(10), "a byte has ten bits");
  },
);
