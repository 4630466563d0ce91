import {
  assertAlways,
  bit,
  connect,
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
  stage,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { beatIndexBits, frameBeatBits, judgedFrames, mostBeats, type QueueParameters, Stored } from "./records.ts";

/** Where a beat goes, and where the next one will: of a frame's last beat that means nothing. */
export const BeatWrite = (p: QueueParameters) =>
  struct({ en: bit, at: uint(beatIndexBits(p)), next: uint(beatIndexBits(p)) });

/** Bits of the beats of two frames together. */
export const withLastBits = (p: QueueParameters): number => frameBeatBits(p) + 1;

/**
 * Gives each beat that comes in a free place, of which there is always one (`classBeats`; asserted). It has the place
 * of the beat that comes next already, so a beat and the link behind it are written as one word. `written` has the
 * frames in their order, two cycles behind their last beat. Latency 0 from `beat` to `write`, initiation interval 1.
 * Full: `judgedFrames` frames wait, and one in the register behind them; outcomes come in time (asserted). Reset: no
 * frame is under way, and the first beat must not come before a place has (asserted).
 */
export const BeatWriter = module(
  "BeatWriter",
  (p: QueueParameters) => ({
    beat: input(struct({ valid: bit, first: bit, last: bit })),
    offer: sink(uint(beatIndexBits(p))),
    write: output(BeatWrite(p)),
    written: source(Stored(p)),
    /** Beats of that frame, and of the one before it. */
    withLast: output(uint(withLastBits(p))),
    /** It has a place for the next beat. */
    holds: output(bit),
  }),
  (io, p) => {
    const index = uint(beatIndexBits(p)),
      count = uint(frameBeatBits(p)),
      { valid, first, last } = io.beat;
    const start = reg(index, { name: "start" }),
      here = reg(index, { name: "here" }),
      holds = reg(bit, { init: 0, name: "holds_place" }),
      beats = reg(count, { init: 0, name: "beats" });
    const had = node(mux(first, constant(0, count.width), beats), { name: "had" }),
      now = node(had.add(1), { name: "beats_now" }),
      begins = node(mux(first, here, start), { name: "begins" });
    assertAlways(valid.not().or(holds.and(io.offer.valid)), "a beat that comes has a place, and so has the next one");
    io.offer.ready.set(valid.or(holds.not()));
    when(io.offer.fire, () => {
      here.set(io.offer.payload);
      holds.set(1);
    });
    io.holds.set(holds);
    io.write.set({ en: valid, at: here, next: io.offer.payload });
    when(valid, () => {
      beats.set(now);
      start.set(begins);
    });
    assertAlways(valid.not().or(had.lt(mostBeats(p))), "no frame is longer than the longest");

    const frames = instance("frames", Fifo({ shape: Stored(p), depth: judgedFrames, style: "distributed" }));
    frames.push.valid.set(valid.and(last));
    frames.push.payload.set({ first: begins, beats: now });
    assertAlways(frames.push.valid.not().or(frames.push.ready), "outcomes come in time");
    // Its outcome comes later still, and its length is wanted early in that cycle: so it waits in a register.
    const lastBeats = reg(count, { init: 0, name: "last_beats" }),
      withLast = reg(uint(withLastBits(p)), { name: "with_last_q" }),
      popped = frames.pop.payload.beats;
    when(frames.pop.fire, () => {
      lastBeats.set(popped);
      withLast.set(lastBeats.zext(withLast.width).add(popped.zext(withLast.width)));
    });
    io.withLast.set(withLast);
    connect(stage(frames.pop, "forward", { name: "next_written" }), io.written);
  },
  { nameOf: p => `BeatWriter_b${p.beats}_f${p.frameBytes}` },
);
