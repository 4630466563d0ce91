/** Beats of frames on their way: on AXI-Stream, out of the frame buffer, and out of memory. */
import { bit, struct, uint } from "../../../hdl-dsl/index.ts";
import { slotBeatBits, slotBits } from "./slots.ts";

/**
 * AXI-Stream beat. `keep` marks the bytes that count (all ones except in the last beat), `user` on the last beat
 * a bad FCS.
 */
export const AxisBeat = (beatBytes: number) =>
  struct({ data: uint(beatBytes * 8), keep: uint(beatBytes), last: bit, user: bit });

/** A job for the frame buffer's reader: `beats` (1 or more) from `first` of the slot. */
export const BufferJob = (p: { readonly slots: number; readonly beatBytes: number; readonly frameBytes: number }) =>
  struct({ slot: uint(slotBits(p)), first: uint(slotBeatBits(p)), beats: uint(slotBeatBits(p) + 1) });
/**
 * Bytes without a frame about them: from lane 0 of the first beat, `last` on the last. Bytes behind the end, in the
 * last beat, mean nothing.
 */
export const BodyBeat = (p: { readonly beatBytes: number }) => struct({ data: uint(p.beatBytes * 8), last: bit });
export const BufferBeat = (beatBytes: number) => struct({ data: uint(beatBytes * 8), last: bit });
/**
 * Data read from memory on the lanes of the reply frame. `bad` (on the last beat) tells that the memory reported an
 * error: the frame must not count.
 */
export const ReadBeat = (beatBytes: number) => struct({ data: uint(beatBytes * 8), last: bit, bad: bit });
