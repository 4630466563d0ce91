/** What the Go-Back-N task keeps and hands on between its parts. */
import { bit, bitsFor, struct, uint, type Val } from "../../../../../hdl-dsl/index.ts";
import { type GbnSenderParameters, wireSequenceBits, wireSlotBits } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnFirst, gbnWindow } from "../../../../shared/go-back-n/wire/index.ts";
import {
  gbnFrameBytes,
  gbnLifeBits,
  gbnNodes,
  gbnTaskSessions,
  gbnTimes,
  gbnWaiting,
  taskTagBits,
} from "../../../wire/index.ts";
import { headerBits, told } from "../interface.ts";
import { memoryAddressBits, memoryMostBytes } from "../memory.ts";
import { payloadBits } from "../payload.ts";

/** Sizes and times; those of `gbnTaskDefaults` but in proofs of what happens when something is full. */
export interface GbnTaskParameters extends GbnSenderParameters {
  /** Packets in order after which an ACK is sent, and cycles in which all sessions are looked at for one. */
  readonly ackEvery: number;
  readonly ackCycles: number;
  /** Beats and replies that may wait for a number. */
  readonly beats: number;
  readonly replies: number;
}
export const gbnTaskDefaults: GbnTaskParameters = {
  sessions: gbnTaskSessions,
  sequenceBits: wireSequenceBits,
  window: gbnWindow,
  first: gbnFirst,
  ...gbnTimes,
  ...gbnWaiting,
};
export const nodeBits = Math.log2(gbnNodes),
  beatBytes = payloadBits / 8,
  /** Bits of a frame's length. */
  lengthBits = bitsFor(gbnFrameBytes);
/** The frames kept, in the task's space of memory. */
export const memoryOf = (p: GbnTaskParameters) => ({
  ...{ sessions: p.sessions, sequenceBits: p.sequenceBits, window: p.window },
  ...{ beatBytes, frameBytes: gbnFrameBytes, addressBits: memoryAddressBits, idBits: 1, base: 0 },
  burstBytes: memoryMostBytes,
  // Beats come from registers.
  direct: true,
});

/** Who is at the other end of a session, the lowest first: what he is known by, then where he is. */
export const PeerFields = struct({
  slot: uint(wireSlotBits),
  port: uint(16),
  ip: uint(32),
  node: uint(nodeBits),
  ingress: uint(4),
  mac: uint(48),
});
export const taskPeer = { identityBits: wireSlotBits + 16 + 32 + nodeBits, addressBits: 4 + 48 };

/** A node of the table. */
export const NodeRow = struct({ mac: uint(48), port: uint(4), ip: uint(32), user: uint(6), valid: bit });
/** What goes along with a packet until it is answered, beside its header. */
export const Carried = struct({
  tag: uint(taskTagBits),
  headBytes: told.headBytes,
  payloadBytes: told.payloadBytes,
  ingress: uint(4),
  node: uint(nodeBits),
});
type CarriedOf = { readonly [K in keyof typeof Carried.fields]: Val<(typeof Carried.fields)[K]> };
/** These fields of a record that has more. */
export const carriedOf = ({ tag, headBytes, payloadBytes, ingress, node }: CarriedOf) => ({
  tag,
  headBytes,
  payloadBytes,
  ingress,
  node,
});
/** By the header alone, a bit for each rule; `to` and `from`: nodes that it is for or of. */
export const Looked = struct({
  ...Carried.fields,
  header: uint(headerBits),
  udp: bit,
  toPort: bit,
  fromPort: bit,
  to: uint(gbnNodes),
  mine: uint(gbnNodes),
  from: uint(gbnNodes),
  tagged: bit,
  whole: bit,
  data: bit,
  answer: bit,
  known: bit,
  manages: bit,
  fits: bit,
});
/** What it is: at most one of `session`, `manages`, `reply` and `lost`; none of them: it goes on as it came. */
/** What the receiver asks of a header, and who writes to the sender. */
export const Said = struct({
  mac: uint(48),
  ip: uint(32),
  port: uint(16),
  nack: bit,
  sequence: uint(wireSequenceBits),
  srcSlot: uint(wireSlotBits),
  dstSlot: uint(wireSlotBits),
});
export const Sorted = struct({
  ...Carried.fields,
  says: Said,
  session: bit,
  control: bit,
  manages: bit,
  reply: bit,
  lost: bit,
});
/** What becomes of a packet. `shifts`: it goes on without the header, from the tag. */
export const Decided = struct({
  ...Carried.fields,
  header: uint(headerBits),
  drops: bit,
  shifts: bit,
  keeps: bit,
  manages: bit,
  life: uint(gbnLifeBits),
});
/** A beat of a reply that waits for its number. */
export const WaitingBeat = struct({ data: uint(payloadBits), count: uint(7), last: bit });
/** Of such a reply: whose it is, and what its lengths are with the header. */
export const Reply = (p: GbnTaskParameters) =>
  struct({
    session: uint(Math.log2(p.sessions)),
    life: uint(gbnLifeBits),
    node: uint(nodeBits),
    bytes: uint(lengthBits),
    ipLength: uint(16),
    checksum: uint(16),
    udpLength: uint(16),
  });
/** Where replies of a session go; and which life it is in, with which node. */
export const To = struct({ mac: uint(48), slot: uint(wireSlotBits), port: uint(4) });
export const Life = struct({ life: uint(gbnLifeBits), node: uint(nodeBits) });
