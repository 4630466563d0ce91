import { wireSlotBits } from "./types.ts";

/**
 * The MAC that the node sees in place of the client's: 02:47, a ticket, and 16 bits. Bit 15 of these: management, and
 * the low bits are the place in the ring of its contexts; otherwise they are the session's life (types.ts) and the
 * session, and the ticket is the low half of the request's sequence number.
 */
export const tagPrefix = 0x0247,
  tagBits = 16;
/** Where the session's life begins in the tag: above the session, which has no more bits than a slot on the wire. */
export const lifeBit = wireSlotBits;
/**
 * Bit of the tag, and so of the receiver's MAC, that the node may set in a reply that others to the same request follow
 * (the extend path does: `marksParts`). Sessions, their lives and the ring of management need fewer bits.
 */
export const partBit = 14;
