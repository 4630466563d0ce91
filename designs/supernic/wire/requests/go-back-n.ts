/** Go-Back-N in front of memory nodes (docs/supernic/go-back-n.md): what hardware, model and software agree on. */
import type { ConfigWord } from "../task-rows.ts";

/** Nodes behind it. */
export const gbnNodes = 4;
/** Sessions, of which number 0 is management's; replies of each that may be unacknowledged. */
export const gbnTaskSessions = 256;
/** The bits of a session's life: how often it was opened, whatever was reset meanwhile. */
export const gbnLifeBits = 16;
/** Bytes of memory for a frame that is kept: the largest one with its header. */
export const gbnFrameBytes = 2048;
/** Replies that wait, and their beats. From half of either on no more requests are let in. */
export const gbnWaiting = { replies: 128, beats: 4096 } as const;
/**
 * Packets in order after which an ACK is sent, and cycles in which all sessions are looked at for one; cycles in which
 * all are looked at for replies that nobody acknowledges, and how often these are sent again without progress.
 */
export const gbnTimes = { ackEvery: 100, ackCycles: 4096, timeoutCycles: 8192, tries: 7 } as const;

/** Requests that are answered here, and what is said, as docs/clio/wire-format.md has them. */
export const gbnManage = { open: 0x88, close: 0x8a } as const;
export const gbnSays = { ok: 0, fail: 4, busy: 6, invalid: 22 } as const;
/** Time after which a client that found no session asks again, nanoseconds. */
export const gbnWaitNs = 1_000_000;

/** Places of the configuration: MAC and port of a node; its address, its user, and that it is there. */
export const gbnPlaces = { mac: (node: number): number => 2 * node, ip: (node: number): number => 2 * node + 1 };
/** Lowest bits of the fields of these words. */
export const gbnRow = { mac: 0, port: 48, ip: 0, user: 32, valid: 38 } as const;
export interface GbnNode {
  readonly mac: bigint;
  readonly ip: number;
  /** The port of this sNIC behind which the node is. */
  readonly port: number;
  /** Whose packets it takes. */
  readonly user: number;
}
export const gbnWords = (nodes: readonly GbnNode[]): readonly ConfigWord[] =>
  nodes.flatMap(({ mac, ip, port, user }, n) => [
    { at: gbnPlaces.mac(n), data: mac | (BigInt(port) << BigInt(gbnRow.port)) },
    // Last: from now on its packets are looked at.
    {
      at: gbnPlaces.ip(n),
      data: BigInt(ip >>> 0) | (BigInt(user) << BigInt(gbnRow.user)) | (1n << BigInt(gbnRow.valid)),
    },
  ]);
