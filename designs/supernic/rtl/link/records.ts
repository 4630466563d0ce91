/** What the link's receiver and the port's sender tell each other, and their sizes. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { linkShim } from "../../wire/index.ts";
import { beatBytes, classBits } from "../inside/index.ts";

/** Sizes of the numbers on the link. */
export interface LinkNumbers {
  /** Bits of a frame's number: those of the shim, or for a proof fewer. */
  readonly sequenceBits?: number;
  /** Number of the first frame; 0 unless given. */
  readonly first?: number;
}
export const numberBits = ({ sequenceBits = linkShim.fields.sequence.bits }: LinkNumbers): number => sequenceBits;
/** Bits of a number of frames that a port keeps. */
export const keptBits = 11;

/** What a module's name says of its numbers: nothing of those that all ports have. */
export const numbersName = ({ sequenceBits, first }: LinkNumbers): string =>
  `${sequenceBits === undefined ? "" : `_q${sequenceBits}`}${first === undefined ? "" : `_s${first}`}`;

/** What kind of port it is. `reliable` and the MACs stand still while frames come and go. */
export const LinkPort = struct({
  /** Every frame but PFC has a link shim. */
  reliable: bit,
  /** Source of the frames that the port makes itself. */
  mac: uint(48),
  /** Destination of ACK and NACK. */
  partner: uint(48),
});

/** What the partner is to be told: the number expected, and whether an ACK or a NACK of it is due. */
export const LinkAnswer = (p: LinkNumbers) => struct({ expected: uint(numberBits(p)), ack: bit, nack: bit });
/** `expected` has been put into a frame that leaves in this cycle: an ACK, also within a data frame, or a NACK. */
export const LinkTold = struct({ ack: bit, nack: bit });
/** What the partner has: all before `number`. `nack`: he misses that one. */
export const LinkAcked = (p: LinkNumbers) => struct({ valid: bit, number: uint(numberBits(p)), nack: bit });

export interface LinkReceiveParameters extends LinkNumbers {
  /** Frames in order after which an ACK is due. */
  readonly ackEvery: number;
  /** Cycles after the first frame that is not acknowledged, then an ACK is due. */
  readonly ackCycles: number;
}
/** A pulse for each frame of a reliable port that does not count, by reason. */
export const LinkRefused = struct({
  /** In order, and no room for it. */
  room: bit,
  /** One before it is missing. */
  ahead: bit,
  /** It has been taken before. */
  behind: bit,
  /** FCS or form are wrong. */
  bad: bit,
  /** The link is down. */
  down: bit,
});

/** Sizes of what numbers the frames, and says when to go back. */
export interface LinkWindowParameters extends LinkNumbers {
  /** Frames that are kept at most, a power of two. */
  readonly frames: number;
  /** Bits of a place in the ring, and one more that tells a full ring from an empty one. */
  readonly placeBits: number;
  /** Cycles without news of what is kept, then it is sent again. */
  readonly resendCycles: number;
  /** Times that it is sent again to a partner who is silent; then the link is down. */
  readonly tries: number;
  /** Times that it is sent again, by NACK or silence, without that anything is acknowledged; then the link is down. */
  readonly rounds: number;
}
/** Sizes of the ring that frames leave from. */
export interface TxRingParameters {
  /** Beats of the ring, a power of two. */
  readonly beats: number;
  readonly frames: number;
  /** Bytes of the longest frame that a lane gives. */
  readonly frameBytes: number;
}
export interface TxPortParameters extends TxRingParameters, Omit<LinkWindowParameters, "placeBits"> {
  /** Quanta of 512 bit times that XOFF tells. */
  readonly pauseQuanta: number;
}
export const placeBits = (p: Pick<TxRingParameters, "beats">): number => Math.log2(p.beats) + 1;
/** Beats of the longest frame that a lane gives. */
export const longestBeats = (p: Pick<TxRingParameters, "frameBytes">): number => Math.ceil(p.frameBytes / beatBytes);

/** A frame is in the ring as a whole. */
export const Committed = (p: Pick<LinkWindowParameters, "placeBits">) => struct({ valid: bit, end: uint(p.placeBits) });
/** A beat in the ring. Bytes behind `lane` are 0. */
export const RingBeat = struct({
  data: uint(8 * beatBytes),
  last: bit,
  /** The last byte that counts. */
  lane: uint(6),
  bad: bit,
  class: uint(classBits),
});
/** Frames that the ring did not keep: the link is down, longer than the longest, marked bad. */
export const TxRingEvents = struct({ lost: bit, long: bit, marked: bit });
/** What became of frames in this cycle, and what the link met. */
export const TxEvents = struct({
  /** Frames that are done: acknowledged, or on a port without a link sent. */
  done: uint(keptBits),
  /** Frames that a link that is down has dropped. */
  lost: uint(keptBits),
  /** A frame was dropped: marked bad on a reliable port; longer than the longest. */
  marked: bit,
  long: bit,
  /** An ACK or NACK for a number that is not under way. */
  falseAck: bit,
  /** Frames are sent again because of a NACK, because of a silence. */
  nacked: bit,
  timedOut: bit,
  /** A frame of the port itself leaves. */
  ackSent: bit,
  nackSent: bit,
  pfcSent: bit,
});
