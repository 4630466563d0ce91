import {
  bit,
  cat,
  connect,
  constant,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { joinBytes, pickOf } from "../../../shared/frame/index.ts";
import { earlyQueue } from "../../../shared/stream/index.ts";
import { minimumFrame } from "../../../shared/wire/index.ts";
import { snicEtherType } from "../../wire/index.ts";

const beatBytes = 64,
  wordBits = 32,
  words = 16,
  macWords = 3;

/** A frame as it was inside. Bytes behind its end are 0 in its first beat, and may be anything in others. */
export const PlainBeat = struct({ data: uint(beatBytes * 8), count: uint(7), last: bit, bad: bit });
/** What goes behind its MACs. */
export const Inserted = struct({ tagged: bit, tag: uint(16), shimmed: bit, shim: uint(48) });

const bytesOf = (etherType: number): UInt => constant(((etherType & 255) << 8) | (etherType >> 8), 16);

/**
 * Puts 802.1Q tag and sNIC shim behind the MACs of frames, and zeros behind short ones up to 60 bytes. `what` comes
 * once for each frame, two cycles before its first beat is wanted; else that waits. Latency 1 cycle, initiation
 * interval 1; a frame that grows into one beat more takes one cycle more. Full: `plain` waits when a beat of `frame`
 * does. Reset: no frame.
 */
export const ShimInsert = module(
  "ShimInsert",
  () => ({ plain: sink(PlainBeat), what: sink(Inserted), frame: source(PlainBeat) }),
  io => {
    const what = stage(earlyQueue(io.what, 16, "whats"), "forward", { name: "what_now" });
    const { tagged, tag, shimmed, shim } = what.payload,
      plain = io.plain.payload;
    const first = reg(bit, { init: 1, name: "first_beat" }),
      flush = reg(bit, { init: 0, name: "flushes" }),
      flushCount = reg(uint(7), { name: "flush_count" }),
      flushBad = reg(bit, { name: "flush_bad" }),
      carry = reg(uint(macWords * wordBits), { name: "carry" });
    const by = cat(shimmed, tagged).is(2),
      total = node(plain.count.zext(8).add(by.zext(8).shl(2)), { name: "total" }),
      // Which count is too many is known before it is known what is inserted: no sum is asked.
      tooMany = pickOf(by, [constant(0, 1), ...[1, 2, 3].map(n => plain.count.gt(beatBytes - 4 * n))]).bit(0),
      over = node(plain.last.and(tooMany), { name: "grows_over" });

    // The words of a beat: MACs, what is inserted, and the rest moved up.
    const tagWord = joinBytes(bytesOf(snicEtherType.vlan), tag.bits(8, 8), tag.bits(0, 8)),
      shimWords = joinBytes(bytesOf(snicEtherType.snicShim), shim);
    const inserted = mux(tagged, cat(shimWords, tagWord), cat(constant(0, wordBits), shimWords));
    const before = (i: number): UInt =>
      i >= 0 ? plain.data.bits(i * wordBits, wordBits) : carry.bits((macWords + i) * wordBits, wordBits);
    const placed = Array.from({ length: words }, (_, w): UInt => {
      const moved = pickOf(
        by,
        [0, 1, 2, 3].map(n => before(w - n)),
      );
      if (w < macWords) return mux(first, before(w), moved);
      const k = w - macWords;
      return k < 3 ? mux(first.and(by.gt(k)), inserted.bits(k * wordBits, wordBits), moved) : moved;
    });
    // Behind the last beat what was carried, in the same lanes; others do not count then.
    const rest = cat(...[3, 2, 1].map(i => before(words - i)).reverse()).is(macWords * wordBits);
    const out = stream(PlainBeat, { name: "out" });
    const takes = node(flush.not().and(what.valid), { name: "takes" });
    out.valid.set(flush.or(takes.and(io.plain.valid)));
    io.plain.ready.set(takes.and(out.ready));
    const ends = node(mux(flush, constant(1, 1), plain.last.andNot(over)), { name: "ends" });
    what.ready.set(out.fire.and(ends));
    const least = first.and(total.lt(minimumFrame)),
      count = mux(flush, flushCount, mux(least, constant(minimumFrame, 8), total).trunc(7));
    out.payload.set({
      data: cat(...placed.reverse()).is(beatBytes * 8),
      count: mux(ends, count, constant(beatBytes, 7)),
      last: ends,
      bad: ends.and(mux(flush, flushBad, plain.bad)),
    });
    when(out.fire, () => {
      first.set(ends);
      flush.set(flush.not().and(over));
      carry.set(rest);
      flushCount.set(total.sub(beatBytes).trunc(7));
      flushBad.set(plain.bad);
    });
    connect(stage(out, "forward", { name: "staged" }), io.frame);
  },
);
