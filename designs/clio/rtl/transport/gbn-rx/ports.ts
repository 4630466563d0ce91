/** Parameters and ports of gbn_rx. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import {
  Acknowledgement,
  type GbnReceiverParameters,
  Named,
  SessionControl,
  type SessionParameters,
  wirePeer,
  wireSlotBits,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { NetConfig } from "../../records/records.ts";
import { GbnPeerWrite } from "../gbn-peers.ts";

export interface GbnRxParameters extends SessionParameters {
  readonly beatBytes: number;
  /** Largest frame, the Go-Back-N header included, bytes without FCS. */
  readonly frameBytes: number;
  /** Number of consecutive ports from `config.clientPort` on. */
  readonly clientPorts: number;
  readonly ackEvery: number;
  readonly ackCycles: number;
  readonly first: number;
  /** Management packets whose sender is kept, a power of two up to 2^15. */
  readonly managed: number;
  /** Whether replies to a session's former peer are dropped: `peer_write` sets the peers of gbn-peers.ts. */
  readonly checksPeers?: true;
}

/** Receiver's MAC and slot for replies: of each session, then of the last `managed` management packets. */
export const GbnContext = struct({ mac: uint(48), slot: uint(wireSlotBits) });
export const contextBits = (p: Pick<GbnRxParameters, "sessions" | "managed">): number =>
  Math.ceil(Math.log2(p.sessions + p.managed));
export const GbnContextWrite = (p: Pick<GbnRxParameters, "sessions" | "managed">) =>
  struct({ en: bit, index: uint(contextBits(p)), value: GbnContext });

const peerPort = (p: Pick<GbnRxParameters, "sessions">) => ({ peerWrite: output(GbnPeerWrite(p)) });

/** One pulse for each packet, by its outcome, and for each answer. */
export const GbnRxEvents = struct({
  accepted: bit,
  duplicates: bit,
  ahead: bit,
  strangers: bit,
  /**
   * Without room for the frame, its answer, or replies that have to wait (reorder.ts), the frame counts as lost. So
   * does a frame longer than the largest.
   */
  refused: bit,
  /** A packet to the node with an unknown type or without room for its headers; a wrong FCS. */
  malformed: bit,
  corrupt: bit,
  management: bit,
  /** Not Go-Back-N at all, or not for the node: passed on as it came (which drops and counts what it does not want). */
  passed: bit,
  acksHeard: bit,
  acks: bit,
  nacks: bit,
});

export const gbnRxPorts = (p: GbnRxParameters) => ({
  rx: sink(AxisBeat(p.beatBytes)),
  config: input(NetConfig),
  tx: source(AxisBeat(p.beatBytes)),
  answers: source(AxisBeat(p.beatBytes)),
  acks: source(Acknowledgement(p)),
  named: source(Named(p)),
  crowded: input(bit),
  control: sink(SessionControl(p)),
  contextWrite: output(GbnContextWrite(p)),
  events: output(GbnRxEvents),
  ...(p.checksPeers === true ? peerPort(p) : ({} as ReturnType<typeof peerPort>)),
});
/** The ports as the module's body sees them. */
export type GbnRxIo = Inside<ReturnType<typeof gbnRxPorts>>;

/** Of the sessions' table. */
export const tableOf = (p: GbnRxParameters): GbnReceiverParameters => ({
  sessions: p.sessions,
  sequenceBits: p.sequenceBits,
  window: p.window,
  ...wirePeer,
  ackEvery: p.ackEvery,
  ackCycles: p.ackCycles,
  first: p.first,
});
