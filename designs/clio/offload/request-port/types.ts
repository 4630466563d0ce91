/** What the path of requests is made from, and what it tells the other paths. */
import {
  type Bit,
  type StreamIn,
  type StreamOut,
  struct,
  type UInt,
  uint,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import type { AxisBeat } from "../../../shared/frame/index.ts";
import type { NetConfig } from "../../rtl/index.ts";
import { frameOffsets } from "../../wire/index.ts";
import type { Forgetting } from "../forget.ts";
import { type OnceParameters, rememberedBytes } from "../once-table.ts";
import type { SlotParameters } from "../slot/ports.ts";
import { type BodyBeat, bodyLengthBits, type OffloadRequest } from "../types.ts";

export type Frames = ReturnType<typeof AxisBeat>;
type Bodies = ReturnType<typeof BodyBeat>;
/** The request side's view of a slot. */
export interface RequestSide {
  readonly opcodes: readonly number[];
  /** Operations that are done at most once. */
  readonly once: readonly number[];
  readonly room: Bit;
  readonly nextContext: UInt;
  readonly client: { set(v: UInt): void };
  /** The client may have one more request inside, 2 cycles after `client`. */
  readonly fits: Bit;
  /** Of an offload that keeps what processes give it: it is asked for those that exist only. */
  readonly removal?: Forgetting | undefined;
  readonly asked: StreamOut<ReturnType<typeof OffloadRequest>>;
  readonly askedData: StreamOut<Bodies>;
}

/** Which processes exist: an ask stays until it is answered. */
export interface ProcessSide {
  readonly ask: { set(v: { readonly valid: Bit; readonly pid: UInt }): void };
  readonly answer: { readonly valid: Bit; readonly exists: Bit };
}

/** Bytes of a request's headers: the part kept for its reply. */
export const requestHeader = frameOffsets.body;

/**
 * The headers of requests until they are answered, by slot and context; one more place for a request that
 * the host answers.
 */
export interface HeaderStore {
  /** The header at a place, in the same cycle. */
  read(place: UInt): UInt;
  readonly placeBits: number;
  /** The place of a context of a slot; `hostPlace` is the other one. */
  place(number: number, context: UInt): UInt;
  readonly hostPlace: number;
}
export interface Requests {
  /** Frames for the software. */
  readonly soc: StreamIn<Frames>;
  readonly store: HeaderStore;
  /** The answer to a request that no offload gets: its header stands at `hostPlace` until this is taken. */
  readonly host: StreamIn<typeof HostAnswer>;
  /** By slot, for a cycle: the host asks the offload itself, to remove what it keeps for a process. */
  readonly forgets: readonly Bit[];
  /** One-cycle pulses: a request answered BUSY; a repetition answered as the first was. */
  readonly busy: Bit;
  readonly repeated: Bit;
  /** Where the answer of the request at a place is to be remembered, in the same cycle. */
  entryOf(place: UInt): { readonly valid: Bit; readonly entry: UInt };
  /** An operation that is done at most once has been answered. */
  done(
    valid: Bit,
    reply: {
      readonly entry: UInt;
      readonly status: UInt;
      readonly opcode: UInt;
      readonly length: UInt;
      readonly body: UInt;
    },
  ): void;
}
/** BUSY, or what an operation was answered before. */
export const HostAnswer = struct({
  status: uint(4),
  opcode: uint(8),
  length: uint(bodyLengthBits),
  body: uint(rememberedBytes * 8),
});

/** What the path is made from. */
export interface RequestPath {
  readonly slots: readonly RequestSide[];
  /** Where an offload keeps things for processes. */
  readonly processes: ProcessSide | undefined;
  readonly p: SlotParameters;
  readonly remembered: OnceParameters;
  readonly config: Val<typeof NetConfig>;
}
