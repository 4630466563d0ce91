/**
 * The interface between an offload and the node that hosts it (paper §4.4.6). docs/clio/offloads.md explains it to
 * authors of offloads.
 */
import { bit, input, sink, source, struct, uint, type UInt } from "../../../hdl-dsl/index.ts";
import { BodyBeat } from "../../shared/frame/index.ts";
import { firstOffloadPid } from "../config/index.ts";

/** Facts about its host that an offload needs. */
export interface OffloadParameters {
  /** Bytes of a beat: the node's. */
  readonly beatBytes: number;
  /** Requests that the host hands to the offload before it has answered the first of them: a power of two. */
  readonly contexts: number;
  /** Largest `length` of a READ or WRITE of the offload, bytes: the node's `maxData`. */
  readonly maxData: number;
  /**
   * Bytes of a transport's header in front of the Clio header, which a packet on the network has room for beside the
   * offload's; default 0.
   */
  readonly transportBytes?: number;
}

/** Bits of a count of bytes in a frame. */
export const bodyLengthBits = 14;
/** Bits of an offload's own name for a memory request. */
export const memoryTagBits = 8;

const contextOf = (p: { readonly contexts: number }) => uint(Math.log2(p.contexts));

/**
 * Bytes as they pass here: always from lane 0 of the first beat, `beats(n)` beats for n bytes and none for 0; `last`
 * marks the last one. Bytes behind the n in the last beat mean nothing.
 */
export { BodyBeat };
/** Beats of `bytes` bytes. */
export const beatsOf = (bytes: UInt, p: { readonly beatBytes: number }): UInt => {
  const lane = Math.log2(p.beatBytes);
  return bytes
    .zext(bytes.width + 1)
    .add(p.beatBytes - 1)
    .shr(lane)
    .trunc(bytes.width + 1 - lane);
};

/**
 * A request for the offload. Its `length` bytes of body (everything behind the Clio header) come on `request_data`, in
 * the order of the requests.
 */
export const OffloadRequest = (p: OffloadParameters) =>
  struct({
    /** The offload's name for this request until its last reply: no other request that is in the offload has it. */
    context: contextOf(p),
    opcode: uint(8),
    /** The requesting process. */
    pid: uint(16),
    length: uint(bodyLengthBits),
  });

/**
 * A reply: `length` bytes of body follow on `reply_data`, in the order of the replies. A request may have several, each
 * a frame of its own, all but the final one with `more`. With the final one `context` is free again, and may be another
 * request's in the next cycle.
 */
export const OffloadReply = (p: OffloadParameters) =>
  struct({
    context: contextOf(p),
    status: uint(4),
    opcode: uint(8),
    length: uint(bodyLengthBits),
    more: bit,
  });

/**
 * A request to the node's virtual memory, as a client on the network would make it: `va`, `length` and `data` more
 * bytes. Those bytes follow on `memory_data`, in the order of the requests: a WRITE's data, the operands of an atomic,
 * the rest of an ALLOC. Allowed are READ, WRITE, the atomics, DEREF_READ, DEREF_WRITE, ALLOC and FREE
 * (`offloadOpcodes`); anything else is answered MALFORMED.
 */
export const MemoryRequest = (p: OffloadParameters) =>
  struct({
    /** Comes back with the reply; the offload's own business. */
    tag: uint(memoryTagBits),
    opcode: uint(8),
    /**
     * 0: in the offload's own address space. 1: in that of the process whose request `context` is; its permissions are
     * checked as if it asked itself.
     */
    client: bit,
    context: contextOf(p),
    va: uint(64),
    length: uint(32),
    data: uint(bodyLengthBits),
  });

/**
 * The reply to a memory request; replies come in any order. `va` and `length`: the first 12 bytes of the reply's body.
 * For READ and WRITE they are the request's (length 0 when it failed). For ALLOC they are its `ret` (low 32 bits of
 * `va`) and the address: the other bits of `va`, and `length` above them. `data` more bytes follow on
 * `memory_reply_data`, in the order of the replies.
 */
export const MemoryReply = struct({
  tag: uint(memoryTagBits),
  status: uint(4),
  va: uint(64),
  length: uint(32),
  data: uint(bodyLengthBits),
});

/**
 * The ports of every offload. All are streams with AXI's rules. The host has room for every reply that it lets an
 * offload wait for, and keeps each offload's requests apart. An offload that takes nothing or gives nothing for ever
 * stops itself and nothing else.
 */
export const offloadPorts = (p: OffloadParameters) => ({
  request: sink(OffloadRequest(p)),
  requestData: sink(BodyBeat(p)),
  reply: source(OffloadReply(p)),
  replyData: source(BodyBeat(p)),
  memory: source(MemoryRequest(p)),
  memoryData: source(BodyBeat(p)),
  memoryReply: sink(MemoryReply),
  memoryReplyData: sink(BodyBeat(p)),
});

/**
 * The ports of an offload with a keyed hash. `secret` is a random number of the node's, drawn at its start, which no
 * client knows: nobody can choose keys that collide.
 */
export const keyedOffloadPorts = (p: OffloadParameters) => ({ ...offloadPorts(p), secret: input(uint(64)) });

/**
 * Opcode of a request of the host's own, to an offload that keeps what processes give it (`Offload.owned`), and of no
 * frame: remove all that is kept for process `pid`. It has no body, and its reply has a status alone. Requests that the
 * offload takes after it are of processes that exist, so none of this one until another process has its ID.
 */
export const forgetOpcode = 0;

/** The process ID of the offload in slot `k`: its own address space. The slow path gives these to no other process. */
export const offloadPid = (k: number): number => firstOffloadPid + k;
