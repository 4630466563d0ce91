/** What the stages of the sending shim hand to one another, and its sizes. */
import { bit, struct, uint, type Val } from "../../../../../hdl-dsl/index.ts";
import {
  GbnFrameKind,
  type GbnSenderParameters,
  type GbnStoreParameters,
  lengthBitsOf,
  Turn,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { contextBits } from "../gbn-rx/ports.ts";

export interface GbnTxParameters extends GbnSenderParameters, GbnStoreParameters {
  /** As in gbn-rx.ts. */
  readonly managed: number;
  /** As in reorder.ts. */
  readonly waiting: number;
  readonly patience: number;
  /** Whether replies that others to the same request follow are marked (`partBit` of tags.ts). */
  readonly marksParts?: true;
}

/** One pulse for each. */
export const GbnTxEvents = struct({
  /** Replies with a number; of management; passed as they were; dropped because their session is closed. */
  sent: bit,
  management: bit,
  passed: bit,
  closed: bit,
  /** Frames sent again; sessions that went back on a NACK, on a timeout, that were given up. */
  resent: bit,
  nacked: bit,
  timeouts: bit,
  failed: bit,
  /** The memory reported an error. */
  memoryErrors: bit,
  /**
   * Replies that waited for earlier ones; replies that were not waited for any longer; replies to an earlier life of
   * their session, dropped.
   */
  waited: bit,
  skipped: bit,
  stale: bit,
});

/** A frame that waits for its turn: what is to be known of it then. The lengths are those with the header. */
export const Queued = (p: GbnTxParameters) =>
  struct({
    kind: GbnFrameKind,
    /** Of its receiver's context. */
    index: uint(contextBits(p)),
    mac: uint(48),
    bytes: uint(lengthBitsOf(p)),
    ipLength: uint(16),
    checksum: uint(16),
    udpLength: uint(16),
  });
export type Queued = Val<ReturnType<typeof Queued>>;

/** A frame that has come whole. `part`: others to the same request follow. */
export const Arrived = (p: GbnTxParameters) =>
  struct({
    turn: Turn(p),
    queued: Queued(p),
    ...(p.marksParts === true ? { part: bit } : ({} as { part: typeof bit })),
  });
