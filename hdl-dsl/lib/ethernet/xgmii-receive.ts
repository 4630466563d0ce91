import { input, output } from "../../types/ports.ts";
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, Given, UInt, Val } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { instance, module } from "../../build/module.ts";
import { assertAlways, mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { encodeOnehot, lowestFlat } from "../../vectors/index.ts";
import { Crc32 } from "../codes/index.ts";
import { ethernet, LENGTH_BITS, lineBeat, preamble, Received, verdict } from "./frame.ts";
import { checkLongest, type ReceiverParameters } from "./gmii-receive.ts";
import { idleWord, Xgmii, xgmiiCode } from "./xgmii.ts";

const BYTES = 8,
  /** CRC-32 of a frame with its check sequence behind it. */
  RIGHT = 0x2144df1c;
/** Cycles until the CRC of a frame is known, from its last beat on. */
const LATE = 4;
const ones = (n: UInt): UInt<8> => constant(0xff, 8).shl(n).not();

/**
 * The line with frames of lane 4 moved to lane 0: the word, its lanes that have the end's character, and whether a
 * frame begins. Characters are looked at before words are moved: behind it their paths would be the longest.
 */
function aligned(line: Val<typeof Xgmii>, busy: Bit) {
  const last = reg(Xgmii, { init: idleWord, name: "last" }),
    half = reg(bit, { init: 0, name: "half" }),
    begin = reg(struct({ at0: bit, at4: bit }), { init: { at0: 0, at4: 0 }, name: "begin" }),
    lastEnds = reg(uint(BYTES), { init: 0, name: "last_ends" });
  const has = (lane: number, code: number): Bit => line.data.bits(8 * lane, 8).eq(code),
    begins = (lane: number): Bit => line.control.bit(lane).and(has(lane, xgmiiCode.start)),
    ends = node(cat(...Array.from({ length: BYTES }, (_, i) => has(BYTES - 1 - i, xgmiiCode.terminate))).is(BYTES), {
      name: "line_ends",
    });
  last.set(line);
  begin.set({ at0: begins(0), at4: begins(4) });
  lastEnds.set(ends);
  const moved = node(mux(busy, half, begin.at0.not()), { name: "moved" });
  when(busy.not(), () => half.set(begin.at0.not()));
  const lanes = (now: UInt, before: UInt, bits: number, name: string): UInt =>
    node(mux(moved, cat(now.bits(0, 4 * bits), before.bits(4 * bits, 4 * bits)), before), { name });
  return {
    data: lanes(line.data, last.data, 8, "word"),
    control: lanes(line.control, last.control, 1, "control"),
    ends: lanes(ends, lastEnds, 1, "word_ends"),
    begins: node(begin.at0.or(begin.at4).andNot(busy), { name: "begins" }),
  };
}

/**
 * Receives frames from XGMII, 10 Gbit/s with 8 lanes and a clock of 156.25 MHz. A frame begins in lane 0 or 4 and ends
 * in any. Preamble and check sequence are taken off. A control character within a frame other than the end spoils it
 * and ends it there. A frame of less than 8 bytes has no beat, only a verdict. At least five characters stand between
 * frames, the end among them.
 *
 * Latency 6 cycles from a word to its beat; the last beat of a frame may be one more cycle behind. `received` comes
 * with the last beat. Initiation interval 1. Nothing can make it wait. Reset forgets the frame that comes in; the rest
 * of it is no frame.
 */
export const XgmiiReceiver = module(
  "XgmiiReceiver",
  (p: ReceiverParameters) => {
    checkLongest("XgmiiReceiver", p.longest);
    return { line: input(Xgmii), beat: output(lineBeat(BYTES)), received: output(Received) };
  },
  (io, p) => {
    const busy = reg(bit, { init: 0 }),
      held = reg(bit, { init: 0 }),
      hold = reg(uint(64)),
      length = reg(uint(LENGTH_BITS));
    const word = aligned(io.line, busy);
    const starts = node(word.control.eq(1).and(word.data.bits(56, 8).eq(preamble.start)));
    // The first control character of a word ends the frame; any but the one for it is an error.
    const first = node(lowestFlat(word.control)),
      count = node(encodeOnehot(first).is(3)),
      ends = node(busy.and(word.control.any())),
      ended = node(word.ends.and(first).any().and(ends)),
      broken = node(ends.andNot(ended));
    when(busy.not(), () => {
      busy.set(word.begins.and(starts));
      held.set(0);
      length.set(0);
    });
    when(busy, () => {
      hold.set(word.data);
      held.set(ends.not());
      when(ends, () => busy.set(0)).elseWhen(
        length
          .bits(3, LENGTH_BITS - 3)
          .all()
          .not(),
        () => length.set(length.add(BYTES)),
      );
    });

    // What the last word has beyond what belongs to the held one goes one cycle later.
    const more = node(ended.and(count.any()).and(held)),
      rest = reg(Rest, { init: { valid: 0, data: 0, count: 0 } });
    rest.set({ valid: more, data: word.data, count });
    const restKept = node(rest.valid.and(rest.count.gt(ethernet.check))),
      part = node(busy.and(held)),
      closes = node(ends.and(more.and(count.gt(ethernet.check)).not()));
    // A start without its delimiter, a cycle later: then nothing else is told.
    const refused = reg(bit, { init: 0 });
    refused.set(word.begins.andNot(starts));

    const bytes = node(length.add(count.zext(LENGTH_BITS)));
    const found = reg(Found, { name: "found" });
    when(ends, () => found.set({ code: broken, bytes, summed: held }));
    // A held word with up to four bytes behind it: those are of the check sequence.
    const endKeep = mux(count.bit(2), constant(0xff, 8), ones(count.or(4)));
    const late = delayed({
      valid: part.or(restKept),
      data: mux(rest.valid, rest.data, hold),
      keep: mux(rest.valid, ones(rest.count.sub(ethernet.check)), mux(ends, endKeep, constant(0xff, 8))),
      last: rest.valid.or(closes),
      ends: closes.or(restKept).or(refused),
      code: mux(rest.valid, found.code, broken).or(refused),
      bytes: mux(rest.valid, found.bytes, bytes),
      summed: mux(rest.valid, found.summed, held).andNot(refused),
    });
    // What is summed, a cycle later: it comes after all that was looked at.
    const sum = instance("sum", Crc32({ bytes: BYTES })),
      summed = reg(Summed, { init: { valid: 0, data: 0, keep: 0, last: 0 } });
    summed.set({
      valid: part.or(rest.valid),
      data: mux(rest.valid, rest.data, hold),
      keep: mux(rest.valid, ones(rest.count), constant(0xff, 8)),
      last: rest.valid.or(ends.andNot(more)),
    });
    sum.from.valid.set(summed.valid);
    sum.from.payload.set({ data: summed.data, keep: summed.keep, last: summed.last });
    sum.to.ready.set(late.ends.and(late.summed));
    const received = verdict(late.ends, {
      code: late.code,
      short: late.bytes.lt(ethernet.least + ethernet.check),
      long: late.bytes.gt(p.longest),
      check: late.summed.not().or(sum.to.payload.ne(RIGHT)),
    });
    io.received.set(received);
    io.beat.set({
      valid: late.valid,
      data: late.data,
      keep: late.keep,
      last: late.last,
      bad: received.good.not(),
    });
    // Its CRC is there when a frame's last beat is: four cycles after it came in, at most.
    assertAlways(late.ends.and(late.summed).not().or(sum.to.valid), "a frame has its sum when it ends");
    assertAlways(sum.from.valid.not().or(sum.from.ready), "nothing makes a frame wait");
  },
);

const Rest = struct({ valid: bit, data: uint(64), count: uint(3) });
const Found = struct({ code: bit, bytes: uint(LENGTH_BITS), summed: bit });
const Summed = struct({ valid: bit, data: uint(64), keep: uint(8), last: bit });
const Late = struct({
  valid: bit,
  data: uint(64),
  keep: uint(8),
  last: bit,
  ends: bit,
  code: bit,
  bytes: uint(LENGTH_BITS),
  summed: bit,
});

/** The same, as many cycles later as a sum takes. */
function delayed(now: Given<typeof Late>): Val<typeof Late> {
  let value = now;
  const init = { valid: 0, data: 0, keep: 0, last: 0, ends: 0, code: 0, bytes: 0, summed: 0 };
  const line = Array.from({ length: LATE }, (_, i) => reg(Late, { name: `late_${i + 1}`, init }));
  for (const at of line) {
    at.set(value);
    value = at;
  }
  return line[LATE - 1] as Val<typeof Late>;
}
