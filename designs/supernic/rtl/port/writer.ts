import {
  assertAlways,
  bit,
  constant,
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

/** Where a beat goes, and the link to it from the beat before. */
export const BeatWrite = (p: QueueParameters) =>
  struct({ en: bit, at: uint(beatIndexBits(p)), links: bit, from: uint(beatIndexBits(p)) });

/**
 * Gives each beat that comes in a free place, of which there is always one (`classBeats`; asserted). `written` has the
 * frames in their order, a cycle behind their last beat. Latency 0 from `beat` to `write`, initiation interval 1. Full:
 * `judgedFrames` frames wait; outcomes come in time (asserted). Reset: no frame is under way.
 */
export const BeatWriter = module(
  "BeatWriter",
  (p: QueueParameters) => ({
    beat: input(struct({ valid: bit, first: bit, last: bit })),
    offer: sink(uint(beatIndexBits(p))),
    write: output(BeatWrite(p)),
    written: source(Stored(p)),
  }),
  (io, p) => {
    const index = uint(beatIndexBits(p)),
      count = uint(frameBeatBits(p)),
      { valid, first, last } = io.beat;
    const start = reg(index, { name: "start" }),
      before = reg(index, { name: "before" }),
      beats = reg(count, { init: 0, name: "beats" });
    const had = node(mux(first, constant(0, count.width), beats), { name: "had" }),
      now = node(had.add(1), { name: "beats_now" }),
      begins = node(mux(first, io.offer.payload, start), { name: "begins" });
    assertAlways(valid.not().or(io.offer.valid), "a beat that comes has a place");
    io.offer.ready.set(valid);
    io.write.set({ en: valid, at: io.offer.payload, links: valid.andNot(first), from: before });
    when(valid, () => {
      beats.set(now);
      start.set(begins);
      before.set(io.offer.payload);
    });
    assertAlways(valid.not().or(had.lt(mostBeats(p))), "no frame is longer than the longest");

    const frames = instance("frames", Fifo({ shape: Stored(p), depth: judgedFrames, style: "distributed" }));
    frames.push.valid.set(valid.and(last));
    frames.push.payload.set({ first: begins, beats: now });
    assertAlways(frames.push.valid.not().or(frames.push.ready), "outcomes come in time");
    io.written.valid.set(frames.pop.valid);
    io.written.payload.set(frames.pop.payload);
    frames.pop.ready.set(io.written.ready);
  },
  { nameOf: p => `BeatWriter_b${p.beats}_f${p.frameBytes}` },
);
