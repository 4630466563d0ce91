import { bit, bitsFor, constant, module, mux, output, reg, sink, source, struct, uint, when } from "mnemosyne";

export interface SplitterParameters {
  /** Bits of a beat's number: an address without the bits within a beat. */
  readonly beatBits: number;
  /** Bits of a number of beats. */
  readonly countBits: number;
  /** Beats of the longest burst: a power of two; as many bytes are 4 KB at most. */
  readonly longest: number;
}

export const runOf = (p: SplitterParameters) => struct({ beat: uint(p.beatBits), beats: uint(p.countBits) });
export const burstOf = (p: SplitterParameters) => struct({ beat: uint(p.beatBits), beats: uint(bitsFor(p.longest)) });

/**
 * Cuts a run of beats where `longest` divides their numbers. So no burst is longer, and none crosses 4 KB, which AXI4
 * forbids. Latency 1, a burst a cycle; the next run is taken in the cycle after the last burst. A run of no beats is
 * no burst.
 */
export const BurstSplitter = module(
  "BurstSplitter",
  (p: SplitterParameters) => ({ run: sink(runOf(p)), burst: source(burstOf(p)), busy: output(bit) }),
  (io, p) => {
    const beat = reg(uint(p.beatBits)),
      left = reg(uint(p.countBits), { init: 0 });
    const busy = left.any(),
      width = bitsFor(p.longest),
      room = constant(p.longest, width).sub(beat.trunc(width - 1).zext(width));
    const fits = left.le(room.zext(p.countBits)),
      beats = mux(fits, left.trunc(width), room);
    io.run.ready.set(busy.not());
    io.burst.valid.set(busy);
    io.burst.payload.set({ beat, beats });
    io.busy.set(busy);
    when(io.burst.fire, () => {
      beat.set(beat.add(beats.zext(p.beatBits)));
      left.set(left.sub(beats.zext(p.countBits)));
    });
    when(io.run.fire, () => {
      beat.set(io.run.payload.beat);
      left.set(io.run.payload.beats);
    });
  },
);
