import { input, output, source } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { bitsFor } from "../../types/bits.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { cat } from "../../build/value.ts";
import { edgesOf, filteredLine } from "./line.ts";
import { Parity, type ParityRule, ruleOf } from "./parity.ts";
import { divisorBitsOf, type UartParameters } from "./uart-transmitter.ts";

/** A character from the line, and what was wrong with it. */
export type UartCharacter = StructShape<{
  readonly data: UIntShape;
  /** The parity bit does not fit. */
  readonly parityError: UIntShape<1>;
  /** The stop bit is 0: with data of 0 that is a break. */
  readonly framingError: UIntShape<1>;
}>;
/** The shape of a received character of so many bits. */
export const uartCharacter = (dataBits: number): UartCharacter =>
  struct({ data: uint(dataBits), parityError: bit, framingError: bit });

/** When the line is looked at: 1 in the cycle of a sample, and which bit of the character it is. */
interface Sampling {
  readonly data: Bit;
  readonly parity: Bit;
  readonly stop: Bit;
}

/** Finds start bits, and the middle of each bit after them. */
function sampling(line: Bit, divisor: UInt, dataBits: number, rule: ParityRule): Sampling {
  const busy = reg(bit, { init: 0 }),
    starting = reg(bit),
    left = reg(uint<number>(bitsFor(dataBits + 1))),
    cycles = reg(uint<number>(divisor.width));
  const { fell } = edgesOf(line, "line");
  const sample = node(busy.and(cycles.eq(0)));
  when(busy.not(), () => {
    // Half a bit from its edge to the middle of the start bit. A line that stays 0 after a break begins nothing.
    when(fell, () => busy.set(1));
    starting.set(1);
    left.set(rule.enabled.zext(left.width).add(dataBits));
    cycles.set(divisor.shr(1));
  }).otherwise(() => {
    when(cycles.any(), () => cycles.set(cycles.sub(1))).otherwise(() => {
      cycles.set(divisor);
      starting.set(0);
      // A start bit that is over in its middle was none; the stop bit's middle is the end.
      when(starting, () => {
        when(line, () => busy.set(0));
      }).otherwise(() => {
        left.set(left.sub(1));
        when(left.eq(0), () => busy.set(0));
      });
    });
  });
  const within = node(sample.andNot(starting)),
    parity = node(rule.enabled.and(left.eq(1))),
    stop = node(left.eq(0));
  return { data: within.andNot(parity.or(stop)), parity: within.and(parity), stop: within.and(stop) };
}

/**
 * Receives characters from an asynchronous serial line, as `UartTransmitter` sends them; a bit takes `divisor` + 1
 * cycles, `divisor` at least 7. The line goes through two registers and the majority of three cycles, so that a
 * disturbance of one cycle is not seen. Each bit is looked at in its middle. A start bit that is over by its middle
 * is forgotten. The first stop bit is looked at, the second is not waited for.
 *
 * Latency 5 cycles from the middle of the stop bit to `to`; a character each time the line brings one. Full (a
 * character waits and the next one is complete): the new one is lost, and `overrun` is 1 in that cycle. Taken and
 * complete in one cycle: both happen. A break (the line at 0 for a whole character) is one character of 0 with
 * `framingError`; nothing more comes until the line has been 1. The sender's speed may be 3 % off. Change `divisor`
 * and `parity` only while the line is idle. Reset forgets the character that is coming in and the one that waits.
 */
export const UartReceiver = module(
  "UartReceiver",
  (p: UartParameters) => ({
    rxd: input(bit),
    divisor: input(uint(divisorBitsOf(p))),
    parity: input(Parity),
    to: source(uartCharacter(p.dataBits)),
    overrun: output(bit),
  }),
  (io, p) => {
    const line = filteredLine(io.rxd, "rxd"),
      rule = ruleOf(io.parity);
    const at = sampling(line, io.divisor, p.dataBits, rule);
    const shift = reg(uint<number>(p.dataBits)),
      sum = reg(bit, { init: 0 });
    when(at.data, () => shift.set(cat(line, shift.bits(1, p.dataBits - 1))));
    // Of mark and space the last bit alone counts: the parity bit itself.
    when(at.data.or(at.parity), () => sum.set(line.xor(sum.and(rule.counts)))).elseWhen(at.stop, () => sum.set(0));
    const full = reg(bit, { init: 0 }),
      held = reg(uartCharacter(p.dataBits));
    const room = node(full.not().or(io.to.ready));
    when(room, () => full.set(at.stop));
    when(at.stop.and(room), () => {
      held.set({ data: shift, parityError: rule.enabled.and(sum.xor(rule.sum)), framingError: line.not() });
    });
    io.to.valid.set(full);
    io.to.payload.set(held);
    io.overrun.set(at.stop.andNot(room));
  },
);
