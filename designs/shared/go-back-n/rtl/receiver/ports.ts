/** The receiving half's parameters and ports. */
import { bit, input, type Inside, output, sink, struct, uint } from "../../../../../hdl-dsl/index.ts";
import {
  Answer,
  lifeBits,
  Peer,
  type PeerWidths,
  sessionBits,
  SessionControl,
  type SessionParameters,
} from "../types.ts";

export interface GbnReceiverParameters extends SessionParameters, PeerWidths {
  /** Packets in order after which an ACK is sent at the latest. */
  readonly ackEvery: number;
  /**
   * Cycles in which every session is looked at once: the ACK of a packet in order waits for no longer. A
   * multiple of `sessions`.
   */
  readonly ackCycles: number;
  /** Number of the first packet of a session. */
  readonly first: number;
}

/** A packet at the table: DATA, or (`control`) an ACK or NACK, of which only the sender is looked at. */
export const GbnPacket = (p: GbnReceiverParameters) =>
  struct({
    session: uint(sessionBits(p)),
    sequence: uint(p.sequenceBits),
    control: bit,
    peer: Peer(p),
  });

export const receiverPorts = (p: GbnReceiverParameters) => ({
  packet: sink(GbnPacket(p)),
  control: sink(SessionControl(p)),
  /** There is room for two answers. */
  answerRoom: input(bit),
  /** `life`: of the session, when the packet was judged. */
  verdict: output(struct({ valid: bit, what: uint(3), life: uint(lifeBits) })),
  answer: output(struct({ valid: bit, answer: Answer(p) })),
});
/** The ports as the module's body sees them. */
export type ReceiverIo = Inside<ReturnType<typeof receiverPorts>>;

/** Bits of the count of packets that are not acknowledged. */
export const countBitsOf = (p: GbnReceiverParameters): number => Math.ceil(Math.log2(p.ackEvery + 1));
/** What is kept of a session. */
export const SessionState = (p: GbnReceiverParameters) =>
  struct({
    open: bit,
    life: uint(lifeBits),
    bound: bit,
    nacked: bit,
    expected: uint(p.sequenceBits),
    unacked: uint(countBitsOf(p)),
    peer: Peer(p),
  });
