import {
  bit,
  input,
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
import { FrameBeat } from "../inside/index.ts";
import { beatIndexBits, frameBeatBits, FreedBeat, type QueueParameters, Stored } from "./records.ts";

/** What is read of the buffer in this cycle: the beat, and the link behind it. The words come in the next. */
export const BeatRead = (p: QueueParameters) => struct({ en: bit, at: uint(beatIndexBits(p)) });
/** A frame to be given out, and by which of the two ways. */
export const Take = (p: QueueParameters) => struct({ at: Stored(p), second: bit });

/**
 * Gives frames out, a beat a cycle, one frame behind the other without a bubble, each by one of two ways. Latency 1
 * from `take` to its first beat. Full: while the way of a beat waits, everything does. A beat is free when it has been
 * given. Reset: no frame is under way.
 */
export const FrameReader = module(
  "FrameReader",
  (p: QueueParameters) => ({
    take: sink(Take(p)),
    read: output(BeatRead(p)),
    /** Of `read` in the cycle before; they stay while `read.en` is 0. */
    data: input(uint(512)),
    next: input(uint(beatIndexBits(p))),
    first: source(FrameBeat),
    second: source(FrameBeat),
    free: output(FreedBeat(p)),
  }),
  (io, p) => {
    const reads = reg(bit, { init: 0, name: "reads" }),
      at = reg(uint(beatIndexBits(p)), { name: "at" }),
      left = reg(uint(frameBeatBits(p)), { name: "left" }),
      last = reg(bit, { name: "last" }),
      isSecond = reg(bit, { name: "is_second" });
    const given = node(mux(isSecond, io.second.ready, io.first.ready), { name: "given" }),
      moves = node(reads.not().or(given), { name: "moves" }),
      continues = node(reads.andNot(last), { name: "continues" });
    io.take.ready.set(moves.andNot(continues));
    const issues = node(moves.and(continues.or(io.take.valid)), { name: "issues" }),
      place = node(mux(continues, io.next, io.take.payload.at.first), { name: "place" }),
      rest = node(mux(continues, left, io.take.payload.at.beats), { name: "rest" });
    io.read.set({ en: issues, at: place });
    when(moves, () => {
      reads.set(issues);
      at.set(place);
      left.set(rest.sub(1));
      last.set(rest.eq(1));
    });
    when(io.take.fire, () => isSecond.set(io.take.payload.second));
    io.first.valid.set(reads.andNot(isSecond));
    io.second.valid.set(reads.and(isSecond));
    for (const out of [io.first, io.second]) out.payload.set({ data: io.data, last });
    io.free.set({ valid: reads.and(given), beat: at });
  },
  { nameOf: p => `FrameReader_b${p.beats}_f${p.frameBytes}` },
);

/**
 * Walks frames that are not kept, and frees their beats, one a cycle, without a bubble. As many come as beats at most,
 * so `judgedFrames` of them are the most that wait. Latency 1. Reset: none waits.
 */
export const FrameDropper = module(
  "FrameDropper",
  (p: QueueParameters) => ({
    frame: sink(Stored(p)),
    read: output(BeatRead(p)),
    next: input(uint(beatIndexBits(p))),
    free: output(FreedBeat(p)),
  }),
  (io, p) => {
    const walks = reg(bit, { init: 0, name: "walks" }),
      at = reg(uint(beatIndexBits(p)), { name: "at" }),
      left = reg(uint(frameBeatBits(p)), { name: "left" });
    const continues = node(walks.and(left.any()), { name: "continues" }),
      steps = node(continues.or(io.frame.valid), { name: "steps" }),
      place = node(mux(continues, io.next, io.frame.payload.first), { name: "place" }),
      rest = node(mux(continues, left, io.frame.payload.beats), { name: "rest" });
    io.frame.ready.set(continues.not());
    walks.set(steps);
    at.set(place);
    left.set(rest.sub(1));
    io.read.set({ en: steps, at: place });
    io.free.set({ valid: walks, beat: at });
  },
  { nameOf: p => `FrameDropper_b${p.beats}_f${p.frameBytes}` },
);
