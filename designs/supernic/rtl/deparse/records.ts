/** What goes into the deparser and comes out. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { headerBytes } from "../headers/index.ts";

export interface DeparserParameters {
  readonly contexts: number;
  readonly cells: number;
  /** Beats of the longest payload. */
  readonly payloadBeats: number;
}

/** Bytes of what goes in front, at most. */
export const templateBytes = 64;
export const lengthBits = 14;
/** Bits of a number of bytes of a beat: 0 to 64. */
export const countBits = 7;
export const payloadBeatBits = (p: DeparserParameters): number => Math.ceil(Math.log2(p.payloadBeats + 1));

/** What goes in front of a packet: an Ethernet, IPv4 and UDP header, say, and what stands behind them. */
export const Template = struct({
  /** Byte 0 lowest; with `lengths` its IPv4 length, IPv4 checksum and UDP length are 0. */
  data: uint(templateBytes * 8),
  /** Bytes that count; 0: nothing goes in front. */
  bytes: uint(countBits),
  /** It has IPv4 at byte 14 and UDP at byte 34: their lengths and the IPv4 checksum are filled in. */
  lengths: bit,
  /** Ones' complement sum of its IPv4 header. */
  sum: uint(16),
});
/** A packet that leaves. */
export const Leaving = (p: DeparserParameters) =>
  struct({
    ctx: uint(Math.log2(p.contexts)),
    header: uint(headerBytes * 8),
    /** Bytes of the header that count, 1 to 64; fewer than 64 only without payload. */
    headBytes: uint(countBits),
    /** Bytes of the header that are left out in front; fewer than `headBytes`, unless there is payload. */
    dropFront: uint(countBits),
    firstCell: uint(Math.log2(p.cells)),
    payloadBytes: uint(lengthBits),
    template: Template,
    tagged: bit,
    tag: uint(16),
    shimmed: bit,
    /** The sNIC shim without its `next`, byte 0 lowest. */
    shim: uint(48),
  });
/** A packet that has been read: its context and cells are free. */
export const Left = (p: DeparserParameters) =>
  struct({ ctx: uint(Math.log2(p.contexts)), firstCell: uint(Math.log2(p.cells)), hasCells: bit });
/** What to read of the packet store. */
export const PayloadJob = (p: DeparserParameters) =>
  struct({ first: uint(Math.log2(p.cells)), beats: uint(payloadBeatBits(p)) });
