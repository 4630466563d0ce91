import { clioHeader, frameOffsets } from "../../wire/index.ts";
import { ipv4Header, minimumFrame, udpHeader } from "../../../shared/wire/index.ts";
import { parametersSchema } from "../../config/index.ts";
import { ClientError } from "./errors.ts";
import { idAtTimeOfDay } from "./request-ids.ts";
import type { ClientClock, ClientTransport } from "./transport.ts";

/**
 * How a client behaves; ns and bytes. The defaults are for a data centre's network and suit the
 * node's default `retryTimeout`.
 */
export interface ClientOptions {
  readonly transport: ClientTransport;
  readonly clock: ClientClock;
  /**
   * TIMEOUT of paper §4.4.5, ns; the node's `retryTimeout`, for which its retry buffer is sized, must not be
   * less. Default 4,000.
   */
  readonly timeoutNs?: number;
  /** The same for requests that software answers (allocation, processes, key-value); default 16 x `timeoutNs`. */
  readonly slowTimeoutNs?: number;
  /** Most bytes of an IPv4 packet; default 1,500. */
  readonly mtu?: number;
  /** Delay above which the congestion window falls, ns; default `timeoutNs` / 2. */
  readonly targetDelayNs?: number;
  /** Congestion window: requests at the start, at least, at most. Default 16, 0.01, 256. */
  readonly window?: { readonly initial?: number; readonly least?: number; readonly most?: number };
  /** iwnd: bytes of replies expected at a time; default 64 KB. */
  readonly incastBytes?: number;
  /** Bytes of a page, the grain of dependency tracking; default the node's, 4 MB. */
  readonly pageSize?: number;
  /** Partitions of the nodes (their setting `partitions`), in each of which a client makes itself known; default 1. */
  readonly partitions?: number;
  /** Asynchronous operations of a thread that have not ended, at most; default 1,024. */
  readonly asyncLimit?: number;
  /** Silence, ns, after which a node is greeted before a write or atomic. Default 2 x `timeoutNs`, at most 250 ms. */
  readonly greetAfterNs?: number;
  /**
   * Whether requests wait for the answer to the greeting. Otherwise the first goes along with it, which saves a round
   * trip; where the node has no place for one more client yet, it ends EXPIRED. Default: for a `timeoutNs` from 1 ms.
   */
  readonly greetsFirst?: boolean;
  /** 0 <= x < 1: spread of retries that wait. Default Math.random. */
  readonly random?: () => number;
  /**
   * Whole number from 0, taken modulo 2^32. Default: drawn from `random` where that is given (a run that can be
   * repeated), otherwise the time of day, 16,384 for a second: newer than those of the port's earlier program.
   */
  readonly firstRequestId?: number;
}
export type ResolvedOptions = Required<Omit<ClientOptions, "window" | "transport">> & {
  readonly window: Required<NonNullable<ClientOptions["window"]>>;
};

/**
 * Retries of a request before the error goes to the application (paper §4.4.5: the node remembers an operation long
 * enough for two).
 */
export const mostRetries = 2;
/**
 * Times that BUSY, MIGRATING and YIELD are waited out. They say that the node has the request in hand or can take it
 * later, so they are no loss. After BUSY the same operation is repeated; one that was refused with MIGRATING or
 * YIELD is over, and done anew.
 */
export const mostBusy = 8;
/** Timeouts of a request for which a client waits at most when a BUSY reply says how long to wait. */
export const mostTimeoutsTold = 4;
/** Pieces of one operation under way at a time: bounds the memory of a read or write of any length. */
export const piecesAtOnce = 64;

/** A served node may forget a client that was silent for half a second; an earlier greeting is on the safe side. ns. */
const mostSilence = 250e6;

/** Defaults filled in. @throws ClientError when values contradict each other. */
export function resolveOptions(o: ClientOptions): ResolvedOptions {
  const defaults = parametersSchema.parse({});
  const timeoutNs = o.timeoutNs ?? defaults.retryTimeout;
  const out: ResolvedOptions = {
    clock: o.clock,
    timeoutNs,
    slowTimeoutNs: o.slowTimeoutNs ?? 16 * timeoutNs,
    mtu: o.mtu ?? 1500,
    targetDelayNs: o.targetDelayNs ?? timeoutNs / 2,
    window: { initial: 16, least: 0.01, most: 256, ...o.window },
    incastBytes: o.incastBytes ?? 65_536,
    pageSize: o.pageSize ?? defaults.pageSize,
    partitions: o.partitions ?? 1,
    asyncLimit: o.asyncLimit ?? 1024,
    greetAfterNs: o.greetAfterNs ?? Math.min(2 * timeoutNs, mostSilence),
    greetsFirst: o.greetsFirst ?? timeoutNs >= 1e6,
    random: o.random ?? Math.random,
    firstRequestId:
      o.firstRequestId ?? (o.random === undefined ? idAtTimeOfDay(Date.now()) : Math.floor(o.random() * 2 ** 32)),
  };
  for (const name of [
    "timeoutNs",
    "slowTimeoutNs",
    "targetDelayNs",
    "pageSize",
    "asyncLimit",
    "greetAfterNs",
  ] as const) {
    if (!(out[name] > 0)) throw new ClientError(`${name} is ${out[name]}; give a number above 0`);
  }
  if (!(Number.isSafeInteger(out.firstRequestId) && out.firstRequestId >= 0))
    throw new ClientError(`firstRequestId is ${out.firstRequestId}; give a whole number from 0`);
  if (![1, 2, 4].includes(out.partitions))
    throw new ClientError(`partitions is ${out.partitions}; give the nodes' own: 1, 2 or 4`);
  if (!(out.mtu >= 128 && out.mtu <= 9000)) throw new ClientError(`mtu is ${out.mtu} bytes; give 128 to 9000`);
  if (!(out.window.least > 0 && out.window.least <= out.window.initial && out.window.initial <= out.window.most)) {
    throw new ClientError(
      `window: least ${out.window.least}, initial ${out.window.initial} and most ${out.window.most} must be above 0 and rise ` +
        "in this order",
    );
  }
  if (out.incastBytes < replyFrameBytes(payloadRoom(out))) {
    throw new ClientError(
      `incastBytes is ${out.incastBytes}, less than one whole reply; give at least ${replyFrameBytes(payloadRoom(out))}`,
    );
  }
  return out;
}

/** Bytes after the Clio header that a packet has room for. */
export function payloadRoom({ mtu }: Pick<ResolvedOptions, "mtu">): number {
  return mtu - ipv4Header.bytes - udpHeader.bytes - clioHeader.bytes;
}
/** Bytes on the line of a reply with so many bytes after its Clio header. */
export function replyFrameBytes(bodyBytes: number): number {
  return Math.max(minimumFrame, frameOffsets.body + bodyBytes);
}
