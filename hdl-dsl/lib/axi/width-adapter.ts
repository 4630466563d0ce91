import { sink, source } from "../../types/ports.ts";
import { bit, uint, vec } from "../../types/shape.ts";
import type { Bit, StreamIn, StreamOut, UInt, UIntVar } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { unpack } from "../../build/view.ts";
import { connect } from "../../stream/connect.ts";
import { axisBeat, type AxisBeatShape } from "./axis.ts";
import { addressBits } from "../../types/bits.ts";
/** Widths of the two sides. */
export interface WidthAdapterParameters {
  /** Bytes of a beat that comes in. */
  readonly fromBytes: number;
  /** Bytes of a beat that goes out: a whole multiple or a whole part of `fromBytes`. */
  readonly toBytes: number;
}

function ratioOf(p: WidthAdapterParameters): number {
  const wide = Math.max(p.fromBytes, p.toBytes),
    narrow = Math.min(p.fromBytes, p.toBytes);
  if (!Number.isInteger(narrow) || narrow < 1 || wide % narrow !== 0) {
    throw new RangeError(
      `WidthAdapter: fromBytes ${p.fromBytes} and toBytes ${p.toBytes} are no whole multiple of one another; ` +
        "choose widths of which one divides the other",
    );
  }
  return wide / narrow;
}

/**
 * Changes the width of an AXI-Stream (data, keep, last) by a whole ratio r, frames and their bytes unchanged.
 *
 * Wider (r narrow beats make a wide one): a wide beat goes out one cycle after its last narrow beat, or the frame's
 * last, came. Initiation interval 1 on the narrow side. Missing lanes have keep 0. Full (a wide beat waits):
 * `from.ready` is `to.ready`, so taken and arriving in one cycle both happen.
 *
 * Narrower (a wide beat makes up to r narrow ones): latency 0, one narrow beat per cycle, no storage. The wide beat
 * fires with its last narrow one. Lanes past the frame's end are left out. Stalled: the lane stays, so the payload
 * stays. Empty: `to.valid` is 0 in both.
 */
export const WidthAdapter = module(
  "WidthAdapter",
  (p: WidthAdapterParameters) => {
    ratioOf(p);
    return { from: sink(axisBeat(p.fromBytes)), to: source(axisBeat(p.toBytes)) };
  },
  (io, p) => {
    const ratio = ratioOf(p);
    if (ratio === 1) connect(io.from, io.to);
    else if (p.toBytes > p.fromBytes) widen(io.from, io.to, ratio, p.fromBytes);
    else narrow(io.from, io.to, ratio, p.toBytes);
  },
);

type From = StreamIn<AxisBeatShape>;
type To = StreamOut<AxisBeatShape>;

function widen(from: From, to: To, ratio: number, bytes: number): void {
  const lane = reg(uint(addressBits(ratio)), { init: 0 });
  const full = reg(bit, { init: 0 });
  const data = reg(uint(bytes * 8 * ratio)),
    keep = reg(uint(bytes * ratio)),
    last = reg(bit);
  from.ready.set(full.not().or(to.ready));
  when(to.ready, () => full.set(0));
  when(from.fire, () => {
    inLane(lane, data, from.payload.data, 0);
    // A word that begins clears the lanes of the one before.
    when(lane.eq(0), () => keep.set(from.payload.keep.zext(bytes * ratio))).otherwise(() =>
      inLane(lane, keep, from.payload.keep, 1),
    );
    last.set(from.payload.last);
    const ends = from.payload.last.or(lane.eq(ratio - 1));
    when(ends, () => full.set(1));
    lane.set(mux(ends, constant(0, addressBits(ratio)), lane.add(1)));
  });
  to.valid.set(full);
  to.payload.set({ data, keep, last });
}

/** Drives part number `lane`, `first` or later, of the word; parts are as wide as the value. */
function inLane(lane: UInt, word: UIntVar, value: UInt, first: number): void {
  for (let i = first; i < word.width / value.width; i++) {
    when(lane.eq(i), () => word.setBits(i * value.width, value));
  }
}

function narrow(from: From, to: To, ratio: number, bytes: number): void {
  const lane = reg(uint(addressBits(ratio)), { init: 0 });
  const data = unpack(vec(uint(bytes * 8), ratio), from.payload.data),
    keep = unpack(vec(uint(bytes), ratio), from.payload.keep);
  // The next lane is empty: this one ends the frame. (The last lane has no next one.)
  const more = lane.ne(ratio - 1).and(startsLane(from.payload.keep, lane.add(1), bytes));
  const ends = from.payload.last.and(more.not()),
    final = ends.or(lane.eq(ratio - 1));
  to.valid.set(from.valid);
  to.payload.set({ data: data.at(lane), keep: keep.at(lane), last: ends });
  from.ready.set(to.ready.and(final));
  when(to.fire, () => lane.set(mux(final, constant(0, addressBits(ratio)), lane.add(1))));
}

/** Whether the first byte of a lane is kept; a lane past the end has none. */
function startsLane(keep: UInt, lane: UInt, bytes: number): Bit {
  const within = Math.log2(bytes);
  if (Number.isInteger(within))
    return unpack(vec(bit, keep.width), keep).at(within === 0 ? lane : cat(lane, constant(0, within)));
  const firsts = Array.from({ length: keep.width / bytes }, (_, i) => keep.bit(i * bytes));
  return unpack(vec(bit, firsts.length), cat(...firsts.reverse())).at(lane);
}
