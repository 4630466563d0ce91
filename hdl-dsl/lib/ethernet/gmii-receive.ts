import { input, output } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { crc32Next } from "../codes/index.ts";
import { ethernet, LENGTH_BITS, lineBeat, preamble, Received, verdict } from "./frame.ts";
import { Gmii } from "./gmii-transmit.ts";

/** The longest frame. */
export interface ReceiverParameters {
  /** Bytes of a frame with its check sequence, 64 to 16000; longer ones are bad. */
  readonly longest: number;
}
/** @throws RangeError for a length that is none */
export function checkLongest(what: string, longest: number): void {
  if (!Number.isInteger(longest) || longest < 64 || longest > 16000)
    throw new RangeError(`${what}: longest is ${longest}; choose 64 to 16000 bytes`);
}
const ALL = 0xffffffff,
  /** The register after a frame and its check sequence, when both are right. */
  RESIDUE = 0xdebb20e3;

/**
 * Receives frames from GMII, a byte a cycle, and takes preamble and check sequence off. A frame begins after 0x55 (any
 * number of them, none too) and 0xd5; another byte there spoils it. The last byte comes with the verdict. A frame of
 * less than 5 bytes has no beat, only a verdict.
 *
 * Latency 5 cycles from a byte to its beat, because the last four are the check sequence; 0 from the end of `line.en`
 * to the last beat and `received`. Initiation interval 1. Nothing can make it wait. Reset forgets the frame that comes
 * in; what is left of it is no frame.
 */
export const GmiiReceiver = module(
  "GmiiReceiver",
  (p: ReceiverParameters) => {
    checkLongest("GmiiReceiver", p.longest);
    return { line: input(Gmii), beat: output(lineBeat(1)), received: output(Received) };
  },
  (io, p) => {
    // After reset the line is looked at from its next pause on.
    const quiet = reg(bit, { init: 0 }),
      within = reg(bit, { init: 0 }),
      spoilt = reg(bit, { init: 0 }),
      wrong = reg(bit, { init: 0 }),
      length = reg(uint(LENGTH_BITS)),
      crc = reg(uint(32)),
      // The check sequence, and the byte before it.
      history = Array.from({ length: ethernet.check + 1 }, (_, i) => reg(uint(8), { name: `history_${i}` })),
      filled = reg(uint(3));
    const { en, er, data } = io.line;
    const byte = node(en.and(within)),
      before = node(en.and(quiet).andNot(within.or(spoilt)));
    when(before, () => {
      within.set(er.not().and(data.eq(preamble.start)));
      spoilt.set(er.or(data.ne(preamble.start).and(data.ne(preamble.byte))));
      wrong.set(0);
      length.set(0);
      crc.set(ALL);
      filled.set(0);
    });
    when(en.not(), () => {
      quiet.set(1);
      within.set(0);
      spoilt.set(0);
    });
    const full = node(filled.eq(history.length));
    when(byte, () => {
      history.forEach((h, i) => h.set(history[i - 1] ?? data));
      crc.set(crc32Next(crc.is(32), data));
      when(er, () => wrong.set(1));
      when(length.all().not(), () => length.set(length.add(1)));
      when(full.not(), () => filled.set(filled.add(1)));
    });
    const ends = node(en.not().and(within.or(spoilt)));
    const received = verdict(ends, {
      code: spoilt.or(wrong),
      short: length.lt(ethernet.least + ethernet.check),
      long: length.gt(p.longest),
      check: crc.ne(RESIDUE),
    });
    io.received.set(received);
    io.beat.set({
      valid: within.and(full),
      data: history[ethernet.check] as UInt<8>,
      keep: 1,
      last: en.not(),
      bad: received.good.not(),
    });
  },
);
