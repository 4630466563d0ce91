/** What goes into the deparser and comes out. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { trailerBytes } from "../../wire/index.ts";
import { headerBytes } from "../headers/index.ts";

export interface DeparserParameters {
  readonly contexts: number;
  /** Bits that ride with a packet to each beat of its frame. */
  readonly toBits: number;
  /** Packets may have a trailer behind their payload; left out: none has. */
  readonly trailers?: boolean;
}

/** Bytes of what goes in front, at most. */
export const templateBytes = 64;
export const beatBytes = 64;
export const lengthBits = 14;
/** Bits of a number of bytes of a beat: 0 to 64. */
export const countBits = 7;
const payloadBeatBits = lengthBits - Math.log2(beatBytes) + 1;

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
/** What a frame carries besides its packet. */
export const About = (p: DeparserParameters) =>
  struct({
    to: uint(p.toBits),
    tagged: bit,
    tag: uint(16),
    shimmed: bit,
    /** The sNIC shim without its `next`, byte 0 lowest. */
    shim: uint(48),
  });
const trailing = {
  hasTail: bit,
  /** What stands behind the payload, byte 0 lowest. */
  tail: uint(8 * trailerBytes),
  /** Bytes of header and trailer that leave. */
  restLength: uint(8),
} as const;
/** A packet that leaves. What follows from its lengths is given with them, so that it is there early in the cycle. */
export const Leaving = (p: DeparserParameters) =>
  struct({
    ctx: uint(Math.log2(p.contexts)),
    about: About(p),
    template: Template,
    hasFront: bit,
    header: uint(headerBytes * 8),
    /**
     * Lanes by which the header is turned upwards when nothing goes in front of it: 4 for a tag and 8 for a shim, less
     * the bytes that are left out.
     */
    headTurn: uint(Math.log2(beatBytes)),
    /** Bytes of the header that leave; none: all that it has is left out. */
    headLength: uint(countBits),
    hasHead: bit,
    payloadBytes: uint(lengthBits),
    payloadBeats: uint(payloadBeatBits),
    hasBody: bit,
    ...(p.trailers === true ? trailing : ({} as typeof trailing)),
  });
/** A beat of a frame, and what rides with its packet. */
export const LeavingBeat = (p: DeparserParameters) => struct({ ...AxisBeat(beatBytes).fields, to: uint(p.toBits) });
