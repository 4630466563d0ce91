import {
  assertAlways,
  bit,
  Fifo,
  input,
  instance,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { beatIndexBits, frameBeatBits, judgedFrames, mostBeats, type QueueParameters, Stored } from "./records.ts";

/** A frame that has been written; `lost`: no beat was free for all of it. */
export const Written = (p: QueueParameters) => struct({ at: Stored(p), lost: bit });
/** Where a beat goes, and the link to it from the beat before. */
export const BeatWrite = (p: QueueParameters) =>
  struct({ en: bit, at: uint(beatIndexBits(p)), links: bit, from: uint(beatIndexBits(p)) });

/**
 * Gives each beat that comes in a free place. `beat` is always taken: when none is free the frame is lost, and what
 * has been written of it waits to be dropped. `written` has the frames in their order, a cycle behind their last beat.
 * Latency 0 from `beat` to `write`, initiation interval 1. Full: `judgedFrames` frames wait; outcomes come in time
 * (asserted). Reset: no frame is under way.
 */
export const BeatWriter = module(
  "BeatWriter",
  (p: QueueParameters) => ({
    beat: input(struct({ valid: bit, first: bit, last: bit })),
    offer: sink(uint(beatIndexBits(p))),
    write: output(BeatWrite(p)),
    written: source(Written(p)),
  }),
  (io, p) => {
    const index = uint(beatIndexBits(p)),
      count = uint(frameBeatBits(p)),
      { valid, first, last } = io.beat;
    const lost = reg(bit, { init: 0, name: "lost" }),
      start = reg(index, { name: "start" }),
      before = reg(index, { name: "before" }),
      beats = reg(count, { init: 0, name: "beats" });
    const had = node(mux(first, beats.sub(beats), beats), { name: "had" }),
      failed = node(lost.andNot(first), { name: "failed" }),
      takes = node(valid.andNot(failed).and(io.offer.valid), { name: "takes" }),
      loses = node(failed.or(io.offer.valid.not()), { name: "loses" });
    io.offer.ready.set(valid.andNot(failed));
    io.write.set({ en: takes, at: io.offer.payload, links: takes.andNot(first), from: before });
    const now = node(mux(takes, had.add(1), had), { name: "beats_now" }),
      begins = node(mux(first, io.offer.payload, start), { name: "begins" });
    when(valid, () => {
      lost.set(loses);
      beats.set(now);
      start.set(begins);
    });
    when(takes, () => before.set(io.offer.payload));
    assertAlways(valid.not().or(had.lt(mostBeats(p))), "no frame is longer than the longest");

    const frames = instance("frames", Fifo({ shape: Written(p), depth: judgedFrames, style: "distributed" }));
    frames.push.valid.set(valid.and(last));
    frames.push.payload.set({ at: { first: begins, beats: now }, lost: loses });
    assertAlways(frames.push.valid.not().or(frames.push.ready), "outcomes come in time");
    io.written.valid.set(frames.pop.valid);
    io.written.payload.set(frames.pop.payload);
    frames.pop.ready.set(io.written.ready);
  },
  { nameOf: p => `BeatWriter_b${p.beats}_f${p.frameBytes}` },
);
