import { input, output, sink } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import { bitsFor } from "../../types/bits.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { Parity, ruleOf } from "./parity.ts";

/** Widths of a UART. */
export interface UartParameters {
  /** Bits of a character, 5 to 9. */
  readonly dataBits: number;
  /** Bits of the divisor; 16 when left out. */
  readonly divisorBits?: number;
}
/** Bits of the divisor. @throws RangeError for characters that no UART has */
export function divisorBitsOf(p: UartParameters): number {
  if (!Number.isInteger(p.dataBits) || p.dataBits < 5 || p.dataBits > 9)
    throw new RangeError(`UART: dataBits is ${p.dataBits}; choose 5 to 9`);
  return p.divisorBits ?? 16;
}

/**
 * Sends characters over an asynchronous serial line: a start bit, `dataBits` data bits (the lowest first), a parity bit
 * unless `parity` is `none`, one stop bit or, with `twoStops`, two. A bit takes `divisor` + 1 cycles.
 *
 * Latency 1 cycle from a character to its start bit. Initiation interval: its bits, without a gap between characters.
 * Full (a character is being sent): `from.ready` is 0 until the last cycle of its stop bits. Idle: `txd` is 1, `busy`
 * 0. Parity and stops are those of the cycle in which the character is taken; `divisor` changes only while not `busy`.
 * After reset the line is idle, also in the middle of a character.
 */
export const UartTransmitter = module(
  "UartTransmitter",
  (p: UartParameters) => ({
    divisor: input(uint(divisorBitsOf(p))),
    parity: input(Parity),
    twoStops: input(bit),
    from: sink(uint(p.dataBits)),
    txd: output(bit),
    busy: output(bit),
  }),
  (io, p) => {
    const counted = uint<number>(bitsFor(p.dataBits + 3)),
      rule = ruleOf(io.parity);
    // The start bit, the data and the parity bit; ones follow, which are stop bits and then the idle line.
    const shift = reg(uint<number>(p.dataBits + 2), { init: 2 ** (p.dataBits + 2) - 1 }),
      left = reg(counted, { init: 0 }),
      cycles = reg(uint<number>(divisorBitsOf(p)), { init: 0 });
    const bitEnds = node(cycles.eq(0)),
      free = node(bitEnds.and(left.eq(0))),
      loads = node(free.and(io.from.valid));
    io.from.ready.set(free);
    when(bitEnds.not(), () => cycles.set(cycles.sub(1))).elseWhen(loads.or(left.any()), () => cycles.set(io.divisor));
    const counts = node(rule.counts.and(io.from.payload.parity())),
      check = rule.enabled.not().or(rule.sum.xor(counts)),
      stops = rule.enabled.addGrow(io.twoStops);
    when(loads, () => {
      shift.set(cat(check, io.from.payload, constant(0, 1)));
      left.set(stops.zext(counted.width).add(p.dataBits + 1));
    }).elseWhen(bitEnds, () => {
      shift.set(cat(constant(1, 1), shift.bits(1, p.dataBits + 1)));
      when(left.any(), () => left.set(left.sub(1)));
    });
    io.txd.set(shift.bit(0));
    io.busy.set(free.not());
  },
);
