/** A serial line, 8N1: a start bit, eight data bits from the lowest, a stop bit; idle is 1. */
import {
  assertAlways,
  bit,
  bitsFor,
  cat,
  constant,
  fsm,
  input,
  module,
  output,
  reg,
  sink,
  source,
  synchronise,
  uint,
  when,
} from "mnemosyne";

export interface LineParameters {
  /** Clock cycles of a bit: 4 or more. */
  readonly divisor: number;
}

/**
 * Bytes from a line. Each bit is looked at in its middle; a start bit that is over by then was a disturbance. A byte
 * is offered `divisor` / 2 cycles before its stop bit ends, two to three cycles of synchroniser later. `broken` pulses
 * for a byte without a stop bit, `lost` for one that ended while the one before was still offered; both are dropped.
 */
export const UartReceiver = module(
  "UartReceiver",
  (_p: LineParameters) => ({ line: input(bit), byte: source(uint(8)), broken: output(bit), lost: output(bit) }),
  (io, p) => {
    const line = synchronise(io.line, { init: 1 });
    const left = reg(uint(bitsFor(p.divisor)), { init: 0 }),
      count = reg(uint(3), { init: 0 }),
      bits = reg(uint(8)),
      byte = reg(uint(8)),
      offered = reg(bit, { init: 0 });
    const due = left.eq(0);
    const full = offered.and(io.byte.ready.not());

    io.broken.set(0);
    io.lost.set(0);
    when(io.byte.fire, () => offered.set(0));
    when(due.not(), () => left.set(left.sub(1)));
    fsm(["Idle", "Start", "Data", "Stop", "Low"], "Idle", s => ({
      Idle: () => {
        left.set(Math.floor(p.divisor / 2) - 1);
        when(line.not(), () => s.go("Start"));
      },
      Start: () => {
        when(due, () => {
          left.set(p.divisor - 1);
          s.go("Data");
          when(line, () => s.go("Idle"));
        });
      },
      Data: () => {
        when(due, () => {
          left.set(p.divisor - 1);
          bits.set(cat(line, bits.bits(1, 7)));
          count.set(count.add(1));
          when(count.eq(7), () => s.go("Stop"));
        });
      },
      Stop: () => {
        when(due, () => {
          s.go("Idle");
          when(line.not(), () => {
            io.broken.set(1);
            s.go("Low");
          })
            .elseWhen(full, () => io.lost.set(1))
            .otherwise(() => {
              byte.set(bits);
              offered.set(1);
            });
        });
      },
      Low: () => when(line, () => s.go("Idle")),
    }));
    io.byte.valid.set(offered);
    io.byte.payload.set(byte);
  },
);

/**
 * Bytes to a line. The start bit begins in the cycle after a byte was taken; bytes that wait follow one another without
 * a pause, 10 `divisor` cycles each. Reset leaves the line at 1.
 */
export const UartTransmitter = module(
  "UartTransmitter",
  (_p: LineParameters) => ({ byte: sink(uint(8)), line: output(bit) }),
  (io, p) => {
    const left = reg(uint(bitsFor(p.divisor)), { init: 0 }),
      count = reg(uint(4), { init: 0 }),
      bits = reg(uint(9), { init: 0x1ff });
    const due = left.eq(0),
      ends = due.and(count.eq(0));
    io.byte.ready.set(ends);
    when(due.not(), () => left.set(left.sub(1)));
    when(due.and(count.ne(0)), () => {
      bits.set(cat(constant(1, 1), bits.bits(1, 8)));
      count.set(count.sub(1));
      left.set(p.divisor - 1);
    });
    when(io.byte.fire, () => {
      bits.set(cat(io.byte.payload, constant(0, 1)));
      count.set(9);
      left.set(p.divisor - 1);
    });
    io.line.set(bits.bit(0));
    assertAlways(count.le(9), "a byte has ten bits");
  },
);
