import { clioHeader, keyTrailer, opcode, opcodeName, operationOf } from "../../wire/index.ts";
import { concat, encode } from "../../../shared/wire/index.ts";

/**
 * One request as it goes on the wire, but for its IDs. The request fits one packet, and is tried and retried by itself.
 */
export interface RequestSpec {
  readonly pid: number;
  readonly code: number;
  /** Bytes behind the Clio header. */
  readonly body: Uint8Array;
  /** Bytes that the reply has after its Clio header, at most: the incast window counts them. */
  readonly replyBytes: number;
  /** Whether the body of a reply with status OK answers this request (right address, right length). */
  readonly fits: (body: Uint8Array) => boolean;
  /** MIGRATING is an answer to a caller that can find the region's node; otherwise it is waited out. */
  readonly follows?: boolean;
  /**
   * For a reply of several frames: puts together those of one try. `replyBytes` counts all of them; `fits` has no say.
   */
  readonly collects?: () => ReplyCollector;
}
/** Puts together a reply that comes in several frames, in any order, some of them twice. */
export interface ReplyCollector {
  /**
   * Takes the body of one frame. @returns that of the whole reply once all are there, until then "more"; undefined for
   * a frame that is none of it
   */
  add(body: Uint8Array): Uint8Array | "more" | undefined;
}
/** The node's answer. */
export interface Reply {
  readonly status: number;
  readonly body: Uint8Array;
  /** Of BUSY: the time that the node says to wait, ns, where it does. */
  readonly waitNs?: number;
}

const recorded = new Set<number>([
  opcode.WRITE,
  opcode.WRITE_NOREPLY,
  opcode.DEREF_WRITE,
  opcode.ATOMIC_TAS,
  opcode.ATOMIC_CAS,
  opcode.ATOMIC_FAA,
  opcode.ATOMIC_STORE,
]);
const harmless = new Set<number>([
  opcode.READ,
  opcode.DEREF_READ,
  opcode.PINGPONG,
  opcode.FENCE,
  opcode.QUERY_STAT,
  opcode.SOC_PINGPONG,
  opcode.KV_READ,
  opcode.POINTER_CHASE,
  opcode.DF_SELECT,
  opcode.DF_AGGREGATE,
  opcode.MV_READ,
  opcode.MV_READ_LATEST,
]);

/** The node's retry buffer remembers it (paper §4.4.5, T4). */
export function isRecorded({ code }: Pick<RequestSpec, "code">): boolean {
  return recorded.has(code);
}
/** The request changes nothing at the node: to do it twice is to do it once. */
export function isHarmless({ code }: Pick<RequestSpec, "code">): boolean {
  return harmless.has(code);
}
/** Software remembers it instead: the slow path's own memory of what was done. */
export function isRecordedBySoftware(spec: Pick<RequestSpec, "code">): boolean {
  return !isFast(spec) && !isHarmless(spec);
}
/** Hardware answers it in bounded time, so that its delay is that of the network. */
export function isFast({ code }: Pick<RequestSpec, "code">): boolean {
  return operationOf(code)?.path === "fast";
}
/** Name of the operation in messages. */
export function nameOf({ code }: Pick<RequestSpec, "code">): string {
  return opcodeName(code);
}

/**
 * The message of a try.
 * @param retryOf the ID of the operation's first request, for a retry
 * @param key of the process, where it has one: it stands behind the end that `size` names
 */
export function messageOf(
  { pid, code, body }: RequestSpec,
  requestId: number,
  retryOf: number | undefined,
  key: bigint | undefined,
): Uint8Array {
  const retry = retryOf === undefined ? {} : { flagRetry: 1, retryOf };
  return concat(
    encode(clioHeader, {
      pid,
      opcode: code,
      flagTracked: 1,
      requestId,
      ...retry,
      size: clioHeader.bytes + body.length,
    }),
    body,
    ...(key === undefined ? [] : [encode(keyTrailer, { key })]),
  );
}
