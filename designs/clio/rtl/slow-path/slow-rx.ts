import { bit, module, mux, node, output, reg, sink, source, uint, when } from "../../../../hdl-dsl/index.ts";
import {
  AxisBeat,
  BufferBeat,
  BufferJob,
  keepAll,
  keepTo,
  Release,
  slotBeatBits,
  slotBits,
} from "../../../shared/frame/index.ts";
import { SlowFrame } from "../records/records.ts";

/**
 * Passes stored frames on to the slow path. A `frame` is a slot and its bytes, 1 or more. Its beats come as they were
 * stored, `keep` cut to the bytes on the last one. The slot is released in the cycle after the last beat fires.
 * Latency: 2 cycles (those of the frame buffer) from `frame` to the first beat on `soc_rx`. Initiation interval: 1 beat
 * per cycle, and 2 cycles between the last beat of a frame and the first of the next. A slow path that does not take
 * its beats stalls this module and nothing else (the frame buffer has a queue for each reader).
 */
export const SlowRx = module(
  "SlowRx",
  (p: { slots: number; beatBytes: number; frameBytes: number }) => ({
    frame: sink(SlowFrame(p)),
    job: source(BufferJob(p)),
    beats: sink(BufferBeat(p.beatBytes)),
    socRx: source(AxisBeat(p.beatBytes)),
    release: output(Release(p)),
  }),
  (io, p) => {
    const laneBits = Math.log2(p.beatBytes),
      beatBits = slotBeatBits(p);
    const busy = reg(bit, { init: 0 });
    const slot = reg(uint(slotBits(p)));
    const lastLane = reg(uint(laneBits));
    const released = reg(bit, { init: 0 });
    const ended = node(io.socRx.fire.and(io.beats.payload.last));

    // Counted from 0: the number of the last byte is the last beat's number and the lane in it, side by side.
    const lastByte = node(io.frame.payload.frame.sub(1));
    io.job.valid.set(io.frame.valid.and(busy.not()));
    io.job.payload.set({ slot: io.frame.payload.slot, first: 0, beats: lastByte.bits(laneBits, beatBits).addGrow(1) });
    io.frame.ready.set(io.job.ready.and(busy.not()));
    when(io.frame.fire, () => {
      busy.set(1);
      slot.set(io.frame.payload.slot);
      lastLane.set(lastByte.bits(0, laneBits));
    }).elseWhen(ended, () => busy.set(0));

    io.socRx.valid.set(io.beats.valid);
    io.beats.ready.set(io.socRx.ready);
    io.socRx.payload.set({
      data: io.beats.payload.data,
      keep: mux(io.beats.payload.last, keepTo(lastLane, p.beatBytes), keepAll(p.beatBytes)),
      last: io.beats.payload.last,
      user: 0,
    });
    released.set(ended);
    io.release.set({ valid: released, slot });
  },
);
