/** What the stages of the match-and-action table hand to one another, and its sizes. */
import { bit, struct, uint, type Val } from "../../../../../hdl-dsl/index.ts";
import type { matEntryFields } from "../../../registers/index.ts";
import { lengthBits, slotBits } from "../../../../shared/frame/index.ts";
import { clientBits, type NetRequest, operationBits, syncOpBits } from "../../records/records.ts";

export interface MatParameters {
  readonly slots: number;
  /** Largest `length` of an access, bytes. */
  readonly maxData: number;
  /**
   * Without the registers between the stages (cells.ts): latency 0 to `asked`, `reply` and `slow`, 1 to `release`.
   * `request` then fires together with the output that results.
   */
  readonly compact?: true;
}

/** An entry of the table: the action for an opcode. Its bits as the registers show them stand in ../../registers. */
export const MatEntry = struct({
  action: uint(3),
  write: bit,
  silent: bit,
  operation: uint(3),
  replyOpcode: uint(8),
}) satisfies { readonly fields: { readonly [K in keyof typeof matEntryFields]: unknown } };
export type MatEntry = Val<typeof MatEntry>;
export const MatRule = struct({ valid: bit, pid: uint(16), action: uint(3) });
export const MatWrite = struct({ en: bit, opcode: uint(8), entry: MatEntry });
export const MatEvents = struct({
  nacks: bit,
  malformed: bit,
  invalid: bit,
  busy: bit,
  unanswered: bit,
  dropRule: bit,
  dropReply: bit,
  pingpongs: bit,
  arpReplies: bit,
  icmpReplies: bit,
  slowRequests: bit,
  extendRequests: bit,
});

/** Requests that may wait for the slow path: the others keep the fast path going. */
export const slowLimit = (p: { readonly slots: number }): number => Math.max(1, p.slots / 4);

/** A request as it came. */
export type Request = Val<ReturnType<typeof NetRequest>>;

/**
 * Facts about a request when it is taken. Registered before anything is concluded from it: the compare of the pids
 * alone takes half a cycle.
 */
export const Known = (p: MatParameters) =>
  struct({
    slot: uint(slotBits(p)),
    pid: uint(16),
    va: uint(64),
    length: uint(lengthBits),
    frame: uint(lengthBits),
    opcode: uint(8),
    replyOpcode: uint(8),
    write: bit,
    silent: bit,
    /** No Clio request; ARP, if so. */
    other: bit,
    arp: bit,
    /** A request that the MAC found bad; one for the node's own process; one without a fault: the action decides. */
    corrupt: bit,
    foreign: bit,
    sound: bit,
    /** A reply: never answered. It goes to the slow path, whose software may have asked, or nowhere. */
    reply: bit,
    maySlow: bit,
    /** The action, if it is one of these. */
    fast: bit,
    sync: bit,
    slow: bit,
    extend: bit,
    echo: bit,
    drop: bit,
    /** Operation for the sync unit: an atomic, a fetch of a pointer, a fence. */
    op: uint(syncOpBits),
    atomic: bit,
    pointer: bit,
    fence: bit,
    /** No access has this form; no write has; no atomic; no pointer stands there. */
    badAccess: bit,
    badWrite: bit,
    badAtomic: bit,
    unaligned: bit,
    slowFull: bit,
    tracked: bit,
    introduces: bit,
    client: uint(clientBits),
    operation: uint(operationBits),
  });
export type Known = Val<ReturnType<typeof Known>>;
