import {
  bit,
  type Bit,
  cat,
  constant,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, pickOf } from "../../../shared/frame/index.ts";
import { earlyQueue } from "../../../shared/stream/index.ts";
import { lanesTo, PlainBeat } from "../deparse/index.ts";
import { beatBytes } from "../inside/index.ts";
import { redirectBytes } from "./ports.ts";

/** Bytes in front of the frame inside a redirect, when its shim has been taken off: MACs and EtherType. */
export const wrapBytes = 14;

/** What a frame gets in front, or loses. */
export const Shape = struct({ redirect: bit, unwrap: bit, front: uint(redirectBytes * 8) });

const bits = beatBytes * 8;
/** A beat that waits: its last lane, of which follows behind the queue which lanes it has. */
const Shaped = struct({ data: uint(bits), lane: uint(6), last: bit, user: bit });

/**
 * Puts the 22 bytes of a redirect in front of frames, or takes the 14 that are left of them away; other frames stay as
 * they are. A frame has 60 bytes at least. `shape` comes once for each frame, not later than its first beat, and stays
 * until the last one. Latency 1, initiation interval 1; a frame that grows into one beat more takes one cycle more.
 * Full: `frame` waits when four beats of `out` do. Reset: no frame.
 */
export const Reshape = module(
  "Reshape",
  () => ({ frame: sink(PlainBeat), shape: sink(Shape), out: source(AxisBeat(beatBytes)) }),
  io => {
    const { redirect, unwrap, front } = io.shape.payload,
      { data, count, last, bad } = io.frame.payload;
    const first = reg(bit, { init: 1, name: "first_beat" }),
      flush = reg(bit, { init: 0, name: "flushes" }),
      flushLane = reg(uint(6), { name: "flush_lane" }),
      flushBad = reg(bit, { name: "flush_bad" }),
      before = reg(uint(bits), { name: "beat_before" });

    // Bytes of the beat before, from the first that did not go with it, or what stands in front; then of this one. In a
    // beat that only flushes, those of this one do not count.
    const moved = beatBytes - redirectBytes,
      behind = (bytes: number, old: UInt): UInt => cat(data.bits(0, 8 * bytes), old).is(bits),
      kept = (bytes: number): UInt => behind(bytes, before.bits(8 * bytes, bits - 8 * bytes));
    const which = node(cat(redirect, mux(redirect, first, unwrap)).is(2), { name: "joins_how" }),
      joined = pickOf(which, [data, kept(wrapBytes), kept(moved), behind(moved, front)]);
    const fits = (bytes: number): Bit => count.le(bytes);
    const over = node(last.and(mux(redirect, fits(moved).not(), unwrap.andNot(fits(wrapBytes)))), {
      name: "grows_over",
    });
    // Lanes of a last beat's last byte: in the beat that it makes, and in the one behind it.
    const laneOf = (more: number): UInt<6> => count.add((more + 2 * beatBytes - 1) % beatBytes).trunc(6),
      rest = mux(redirect, laneOf(redirectBytes), laneOf(-wrapBytes)),
      whole = mux(redirect, laneOf(redirectBytes), mux(unwrap, laneOf(-wrapBytes), laneOf(0)));
    const silent = node(unwrap.and(first), { name: "gives_none" });

    const out = stream(Shaped, { name: "shaped" }),
      there = node(io.frame.valid.and(io.shape.valid), { name: "beat_there" });
    const ends = node(flush.or(last.andNot(over)), { name: "ends" }),
      // No lane above the last one of a frame counts; else the highest is the last.
      lane = node(mux(ends, mux(flush, flushLane, whole), constant(beatBytes - 1, 6)), { name: "last_lane" });
    out.valid.set(flush.or(there.andNot(silent)));
    out.payload.set({
      data: joined,
      lane,
      last: ends,
      user: ends.and(mux(flush, flushBad, bad)),
    });
    const room = out.ready.or(silent);
    io.frame.ready.set(io.shape.valid.andNot(flush).and(room));
    io.shape.ready.set(out.fire.and(ends));
    const takes = node(io.frame.fire, { name: "takes" });
    when(takes, () => {
      first.set(0);
      before.set(data);
      flushLane.set(rest);
      flushBad.set(bad);
      flush.set(over);
    });
    when(out.fire.and(ends), () => {
      first.set(1);
      flush.set(0);
    });
    const beats = earlyQueue(out, 4, "staged"),
      { lane: end, ...beat } = beats.payload;
    io.out.valid.set(beats.valid);
    io.out.payload.set({ ...beat, keep: lanesTo(end) });
    beats.ready.set(io.out.ready);
  },
);
