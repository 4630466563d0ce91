/** Parameters and ports of an offload's slot. */
import {
  bit,
  bitsFor,
  input,
  type Inside,
  output,
  sink,
  source,
  struct,
  uint,
  type UIntVar,
} from "../../../../hdl-dsl/index.ts";
import { OffloadControl, OffloadState } from "../../rtl/index.ts";
import type { closing } from "../slot-reset.ts";
import {
  BodyBeat,
  bodyLengthBits,
  MemoryReply,
  MemoryRequest,
  memoryTagBits,
  type OffloadParameters,
  OffloadReply,
  OffloadRequest,
} from "../types.ts";

export interface SlotParameters extends OffloadParameters {
  /** Memory requests that the offload may have under way, replies that it has not taken among them. */
  readonly outstanding: number;
  /** Beats of reply data kept for it. */
  readonly replyBeats: number;
  /** Largest body of a request or reply, bytes. */
  readonly maxBody: number;
  /** Cycles of a unit of `control.limit`; 65,536 unless a bench needs fewer. */
  readonly sinceUnit?: number;
}

/** Bits of a count of reply beats. */
export const costBits = (p: Pick<SlotParameters, "replyBeats">): number => bitsFor(p.replyBeats);
/** Bits of a slot's epoch: how often its offload has been reset from replies that never came. */
export const epochBits = 4;
/**
 * A memory request as it goes on: whose it is is decided. `cost`: beats reserved for its reply; it comes back with it,
 * and so does `epoch`.
 */
export const SlotAccess = (p: SlotParameters) =>
  struct({
    tag: uint(memoryTagBits),
    opcode: uint(8),
    pid: uint(16),
    va: uint(64),
    length: uint(32),
    data: uint(bodyLengthBits),
    cost: uint(costBits(p)),
    epoch: uint(epochBits),
  });
/** A memory reply as it comes back. */
export const SlotReply = (p: SlotParameters) =>
  struct({ ...MemoryReply.fields, cost: uint(costBits(p)), epoch: uint(epochBits) });
/** A beat of its data. */
export const SlotReplyBeat = (p: SlotParameters) => struct({ ...BodyBeat(p).fields, epoch: uint(epochBits) });
/** Bits of a client's name: its IPv4 address and UDP port. */
export const clientBits = 48;
/**
 * One-cycle pulses: requests taken, replies given, memory requests, memory requests refused for their opcode or
 * context, replies discarded for want of a request.
 */
export const SlotEvents = struct({ requests: bit, replies: bit, accesses: bit, refused: bit, stray: bit });

/**
 * Software's controls of a slot: whether its offload is kept in reset, and cycles without progress that count as stuck.
 */
export const SlotControl = struct({
  hold: bit,
  patience: OffloadControl.fields.patience,
  limit: OffloadControl.fields.limit,
});
/**
 * `held`: the offload is in reset, all its requests have been answered and nothing of it is under way. `active`: it has
 * a request. `since`: units of 65,536 cycles without a reply to one.
 */
export const SlotState = struct({ held: bit, stuck: bit, active: bit, since: OffloadState.fields.since.element });

export const slotPorts = (p: SlotParameters) => ({
  /** The offload's own process ID: a constant of the slot. */
  pid: input(uint(16)),
  request: source(OffloadRequest(p)),
  requestData: source(BodyBeat(p)),
  reply: sink(OffloadReply(p)),
  replyData: sink(BodyBeat(p)),
  memory: sink(MemoryRequest(p)),
  memoryData: sink(BodyBeat(p)),
  memoryReply: source(MemoryReply),
  memoryReplyData: source(BodyBeat(p)),
  room: output(bit),
  nextContext: output(uint(Math.log2(p.contexts))),
  /** The client of the request that may be given next. */
  client: input(uint(clientBits)),
  fits: output(bit),
  asked: sink(OffloadRequest(p)),
  askedData: sink(BodyBeat(p)),
  answer: source(OffloadReply(p)),
  answerData: source(BodyBeat(p)),
  access: source(SlotAccess(p)),
  accessData: source(BodyBeat(p)),
  came: sink(SlotReply(p)),
  cameData: sink(SlotReplyBeat(p)),
  events: output(SlotEvents),
  control: input(SlotControl),
  state: output(SlotState),
  inReset: output(bit),
  lost: output(bit),
});
/** The ports as the module's body sees them. */
export type SlotIo = Inside<ReturnType<typeof slotPorts>>;

/** What a slot's parts are made from. */
export interface Build {
  readonly io: SlotIo;
  readonly p: SlotParameters;
  /** Contexts with a request inside. */
  readonly used: UIntVar;
  /** The offload is in reset, and what it says is not heard; what is kept for it is cleared. */
  readonly closing: ReturnType<typeof closing>;
}
