/** The records that pass between the blocks of the node. One place for their fields and widths. */
import { bit, type Bit, constant, enumOf, mux, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { lengthBits, slotBits } from "../../../shared/frame/index.ts";
import { accessBody, clioHeader, frameOffsets } from "../../wire/index.ts";

/** Widths that the blocks take from the configuration; all follow from designs/clio/config. */
export interface NodeWidths {
  /** Bytes of a beat of the network and of the memory bus: 8, 16, 32 or 64. */
  readonly beatBytes: number;
  /** Requests in flight; a power of two. */
  readonly slots: number;
  /** Largest frame without FCS, bytes. */
  readonly frameBytes: number;
  /** Physical address bits. */
  readonly addressBits: number;
  readonly pageShift: number;
  /** Page numbers that one request can need. */
  readonly pagesPerRequest: number;
  readonly ppnBits: number;
  /** AXI ID bits: 0 is data, the others are table accesses by miss number. */
  readonly idBits: number;
}

/** Byte of the frame where the data of a write or of a read reply begin: behind va and length. */
export const dataOffset = frameOffsets.body + accessBody.bytes;

/** Kind of the frame that a slot holds. */
export const FrameKind = enumOf("FrameKind", ["clio", "icmp", "arp"]);

/** Bits of a client's name: its IPv4 address and UDP port. */
export const clientBits = 48;
/** Bits of a time to wait, nanoseconds: a reply has it where the request has its `retryOf`. */
export const waitBits = clioHeader.fields.retryOf.bits;
/** Bits of a request's number. */
export const operationBits = 32;

/** A frame that net_rx accepted: from here on the slot number stands for it. Byte counts are of the Clio packet. */
export const NetRequest = (p: { readonly slots: number }) =>
  struct({
    slot: uint(slotBits(p)),
    kind: FrameKind,
    opcode: uint(8),
    pid: uint(16),
    /** First two body fields, meaningful when the body has 12 bytes or more. */
    va: uint(64),
    length: uint(32),
    /** Bytes after the Clio header, as `size` and the UDP length tell. */
    body: uint(lengthBits),
    /** Bytes of the whole frame as it came, without FCS: the slow path gets all of them. */
    frame: uint(lengthBits),
    /** It is a reply: never answered. */
    reply: bit,
    /** The pid is one of the node's own, or its key is missing; and the request is no offload's. */
    foreign: bit,
    /** The Clio header's `size` goes past what came, or is below 16. */
    malformed: bit,
    /** The MAC marked the frame's FCS bad. */
    corrupt: bit,
    /** The request has an ID of its own (native port, flag_tracked); and it repeats an earlier one (flag_retry). */
    tracked: bit,
    retry: bit,
    /**
     * Sender: IPv4 address high, UDP source port low. The number of the operation is the ID of the first
     * request for it.
     */
    client: uint(clientBits),
    operation: uint(operationBits),
  });

/**
 * Facts about a request that net_tx needs to answer it, kept by slot from the end of the frame to the reply. Multi-byte
 * fields are numbers, not wire order.
 */
export const ReplyContext = struct({
  kind: FrameKind,
  mac: uint(48),
  ip: uint(32),
  /** The sender's port, and the port of ours that it sent to. */
  clientPort: uint(16),
  nodePort: uint(16),
  /** Clio header as it came: bytes 0 to 15, byte 0 lowest. */
  header: uint(128),
  /** First 12 bytes of the body, byte 0 lowest: va and length. */
  body: uint(96),
  /** The request came to a published-client port: reply flags are 0. */
  published: bit,
  /** IPv4 total length of the request; for ICMP its checksum too. */
  ipLength: uint(16),
  icmpChecksum: uint(16),
  /** IPv4 header bytes 0 to 11 of the request (echoed for ICMP), byte 0 lowest. */
  ipHeader: uint(96),
});

/**
 * Operands of an atomic, as they stand behind va and length: compare, addend or value in the low half, swap in
 * the high one.
 */
export const operandBits = 128;

/** Reply forms: the bytes that net_tx puts behind the Clio header. */
export const replyForm = {
  /** Clio header only (MALFORMED, NACK). */
  bare: 0,
  /** va and length (write acknowledged; or failed: length 0). */
  short: 1,
  /** va, length and `length` bytes of data from the read engine. */
  data: 2,
  /** The request's own bytes from the frame buffer (PINGPONG, ICMP echo) or ARP. */
  echo: 3,
} as const;

/** The node's own addresses and ports: registers (control.ts) that the network blocks read. */
export const NetConfig = struct({
  mac: uint(48),
  ip: uint(32),
  nativePort: uint(16),
  clientPort: uint(16),
  acceptAnyMac: bit,
});

/** A frame for the slow path: its slot and all its bytes, without FCS. */
export const SlowFrame = (p: { readonly slots: number }) =>
  struct({ slot: uint(slotBits(p)), frame: uint(lengthBits) });

/** Use of the word that is kept for the reply's slot. */
export const replyWord = {
  none: 0,
  /** The word stands behind va and length: the old value of an atomic. */
  behind: 1,
  /** The word is the va: where a pointer led to. */
  address: 2,
  /** No word, but the node's time to wait in `retryOf`, with `flagRoute` (wire/wait.ts). */
  wait: 3,
} as const;
/** The use of the word in the reply of a plain access: an address when a pointer led to it. Wires only. */
export const wordOf = (indirect: Bit): UInt => mux(indirect, constant(replyWord.address, 2), replyWord.none);

const replyFields = (p: { readonly slots: number }) => ({
  slot: uint(slotBits(p)),
  form: uint(2),
  word: uint(2),
  opcode: uint(8),
  status: uint(4),
});
/**
 * A reply to be sent: everything else is in the slot's context. A bare reply has the request's own opcode,
 * whatever `opcode` says.
 */
export const Reply = (p: { readonly slots: number }) => struct(replyFields(p));
/**
 * The end of a request: its reply, or (`silent`) that it is done and gets none. `done`: memory had the request, so the
 * retry buffer gets its `done`.
 */
export const Ending = (p: { readonly slots: number }) => struct({ ...replyFields(p), silent: bit, done: bit });

/**
 * Operation at an address: a plain read or write, or an operation of the sync unit on the 8 bytes there, which are
 * aligned. Operations 1 to 4 (atomics) need the right to read and to write; 5 and 6 (a pointer is fetched) need the
 * right to read. For 5 and 6 `length` is that of the data meant.
 */
export const syncOpBits = 3;
export const plainOp = 0,
  firstPointerOp = 5;

/** A data access after the match-and-action table, before translation. */
export const Access = (p: { readonly slots: number }) =>
  struct({
    slot: uint(slotBits(p)),
    pid: uint(16),
    va: uint(64),
    length: uint(lengthBits),
    write: bit,
    /** WRITE_NOREPLY: no reply, whatever happens. */
    silent: bit,
    replyOpcode: uint(8),
    /** Operation of the sync unit, or a plain read or write. */
    op: uint(syncOpBits),
    /** Carried along: the address of the data stands at `va`. */
    indirect: bit,
  });

/**
 * A request to memory as the match-and-action table lets it through, with the fields that tell it from its repetitions.
 */
export const Asked = (p: { readonly slots: number }) =>
  struct({
    access: Access(p),
    /** The request has a number (native port, flag_tracked). */
    tracked: bit,
    /** The request is done at most once: with `tracked`, its operation is remembered. */
    keeps: bit,
    /** The request may make its client known (it repeats nothing). */
    introduces: bit,
    /** A FENCE: it goes to the fence unit. */
    fence: bit,
    client: uint(clientBits),
    /** The number of the first request for this operation. */
    operation: uint(operationBits),
  });

/**
 * A translated access whose pages are all there and permitted; `ppn0` is the page of the first byte, ppn1 the next ...
 */
export const Translated = (p: {
  readonly slots: number;
  readonly pagesPerRequest: number;
  readonly ppnBits: number;
  readonly pageShift: number;
}) =>
  struct({
    slot: uint(slotBits(p)),
    /** Byte offset in the first page. */
    offset: uint(p.pageShift),
    length: uint(lengthBits),
    write: bit,
    silent: bit,
    replyOpcode: uint(8),
    /** As in the access. */
    op: uint(syncOpBits),
    indirect: bit,
    /** Physical page numbers, first page in the low bits. */
    ppns: uint(p.pagesPerRequest * p.ppnBits),
  });
