/** Slots: each holds one frame, or one request that came in it, from arrival to the reply. */
import { bit, struct, uint } from "../../../hdl-dsl/index.ts";

export const slotBits = (p: { readonly slots: number }): number => Math.log2(p.slots);
/** Beats kept for a frame: a power of two, so that an address is slot and beat side by side. */
export const slotBeats = (p: { readonly beatBytes: number; readonly frameBytes: number }): number =>
  2 ** Math.ceil(Math.log2(p.frameBytes / p.beatBytes));
export const slotBeatBits = (p: { readonly beatBytes: number; readonly frameBytes: number }): number =>
  Math.log2(slotBeats(p));
/**
 * Bits of a byte count within a frame, unless a design says otherwise: 16,383 bytes are more than any Ethernet frame.
 */
export const lengthBits = 14;
/** A slot that is free again without a reply: not a stream, there is always room. */
export const Release = (p: { readonly slots: number }) => struct({ valid: bit, slot: uint(slotBits(p)) });
