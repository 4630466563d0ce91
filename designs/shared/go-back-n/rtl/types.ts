/** The records that pass between the blocks of Go-Back-N sessions and the shims of a design, and what they agree on. */
import { type Bit, bit, constant, enumOf, mux, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { gbnFrameKind, gbnHeader } from "../wire/index.ts";
import { headerOffsets } from "../../wire/index.ts";

/** Where the Go-Back-N header begins in a frame, its bytes, and the bytes of all headers up to its end. */
export const gbnOffset = headerOffsets.payload,
  gbnBytes = gbnHeader.bytes,
  gbnEnd = gbnOffset + gbnBytes;
/** Bits of a slot and of a sequence number on the wire. */
export const wireSlotBits = gbnHeader.fields.srcSlot.bits,
  wireSequenceBits = gbnHeader.fields.sequence.bits;

export interface SessionParameters {
  /** Sessions, a power of two; number 0 is management's and has no state. */
  readonly sessions: number;
  readonly sequenceBits: number;
  /** Packets that may be unacknowledged; a power of two. */
  readonly window: number;
}
export const sessionBits = (p: { readonly sessions: number }): number => Math.log2(p.sessions);

/** Who is at the other end: what tells him from others, and what else is needed to write to him. */
export interface PeerWidths {
  readonly identityBits: number;
  readonly addressBits: number;
}
export const Peer = (p: PeerWidths) => struct({ identity: uint(p.identityBits), address: uint(p.addressBits) });
/**
 * On the wire the identity is IPv4 address, UDP port and slot; the address MAC and the port of ours that he wrote to.
 */
export const wirePeer: PeerWidths = { identityBits: 32 + 16 + wireSlotBits, addressBits: 48 + 16 };
/** The same as fields, lowest bits first as in `Peer`. */
export const PeerFields = struct({
  slot: uint(wireSlotBits),
  port: uint(16),
  ip: uint(32),
  nodePort: uint(16),
  mac: uint(48),
});

/** To what a frame belongs that passes a shim. */
export const GbnFrameKind = enumOf("GbnFrameKind", gbnFrameKind);

/** A session is opened (both directions at number 1, no peer yet) or closed. */
export const SessionControl = (p: { readonly sessions: number }) =>
  struct({ session: uint(sessionBits(p)), open: bit });
/** An ACK or NACK that came: all up to `sequence` has arrived there. */
export const Acknowledgement = (p: SessionParameters) =>
  struct({ session: uint(sessionBits(p)), sequence: uint(p.sequenceBits), nack: bit });
/** An ACK or NACK to be sent. */
export const Answer = (p: SessionParameters & PeerWidths) =>
  struct({
    session: uint(sessionBits(p)),
    sequence: uint(p.sequenceBits),
    nack: bit,
    peer: Peer(p),
  });

/** Bits of a ticket, unless a design says otherwise: of requests under way no two of a session have the same. */
export const ticketBits = 16;
/**
 * Bits of a session's life: how often it was opened since reset, modulo 16. What belongs to an earlier life is known by
 * it, unless the session was opened 16 times meanwhile.
 */
export const lifeBits = 4;
/** A session's life after an operation on it: 0 from `reset` on, one more when it is `opened`. */
export const lifeAfter = (life: UInt, reset: Bit, opened: Bit): UInt<typeof lifeBits> =>
  mux(reset, constant(0, lifeBits), life.add(opened.zext(lifeBits)).is(lifeBits));
export interface TurnParameters {
  readonly sessions: number;
  readonly ticketBits?: number;
}
/** Whose request, in which life of the session, and which of them. */
export const Turn = (p: TurnParameters) =>
  struct({ session: uint(sessionBits(p)), life: uint(lifeBits), ticket: uint(p.ticketBits ?? ticketBits) });
/** A request that came in: one that is never answered (`silent`), or one that only says how far its session is. */
export const Named = (p: TurnParameters) => struct({ turn: Turn(p), silent: bit });
/** Every so many requests of a session one is named. Far below half of the tickets, so ahead and behind differ. */
export const namedEvery = 4096;
