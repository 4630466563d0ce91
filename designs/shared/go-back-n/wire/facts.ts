/**
 * What hardware, software and tests of Go-Back-N agree on, each fact once. A list that both directions or both sides
 * use stands here and nowhere else (facts.test.ts looks for others).
 */

/** Kinds of Go-Back-N packets, as on the wire. */
export const gbnTypes = { ack: 1, nack: 2, data: 3 } as const;

/** Packets of a session that may be unacknowledged, in the builds that there are. */
export const gbnWindow = 128;

/** The number of a session's first packet, in each direction. */
export const gbnFirst = 1;

/** The slot of management: it has no session, so no order, no repetition, and number 0 on its packets. */
export const managementSlot = 0;

/** What the session table says of a packet. */
export const gbnVerdict = {
  /** DATA in order, now acknowledged or soon; or an ACK or NACK of the session's own peer. */
  accepted: 0,
  /** It has been taken before: acknowledged again. */
  duplicate: 1,
  /** One before it is missing. */
  ahead: 2,
  /** The session is closed, or another peer's. */
  stranger: 3,
  /** It was in order or asks for an answer, but there was no room for that: as if it had been lost. */
  refused: 4,
} as const;
/** A verdict by its name. */
export type GbnVerdict = keyof typeof gbnVerdict;

/** To what a frame belongs that passes a shim, in both directions. */
export const gbnFrameKind = {
  /** No Go-Back-N packet (ARP, ping): it passes as it is. */
  raw: 0,
  /** A session's. */
  session: 1,
  /** A request to management, or the reply to one. */
  management: 2,
  /** Neither of them: malformed when it was received, unsolicited when the node sends it. */
  loose: 3,
} as const;
