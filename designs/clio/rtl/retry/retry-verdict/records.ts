/** What the stages of the retry buffer's verdict hand to one another. */
import { bit, type Bit, struct, uint, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { slotBits } from "../../../../shared/frame/index.ts";
import type { RetryRequest, whole } from "../retry-request.ts";
import { FindingKind } from "../retry-results.ts";

/** Cycles from the end of a round to `idle`, and from a purge to its first step, with some to spare. */
export const foundWithin = 16;

/** All parameters. */
export type Sizes = ReturnType<typeof whole>;
export type Request = Val<ReturnType<typeof RetryRequest>>;

/** Subject of a look-up: a request, or a set that the sweep looks through. */
export const Sought = (p: Sizes) =>
  struct({
    valid: bit,
    sweeping: bit,
    /** The sweep's: of a client that was forgotten; and the last of those sets. */
    purging: bit,
    purgesLast: bit,
    row: uint(Math.log2(p.sets)),
  });
export type Sought = Val<ReturnType<typeof Sought>>;

/**
 * The request just ahead was remembered, in which way; it was to the same set, or even the same operation: the row that
 * was read is from before.
 */
export const Ahead = (p: Sizes) =>
  struct({
    way: uint(Math.log2(p.ways)),
    slot: uint(slotBits(p)),
    operation: uint(p.operationBits),
    sameSet: bit,
    sameClient: bit,
    sameKey: bit,
  });
/** With whether it was remembered: the rest says nothing without that. */
export interface Ahead extends Val<ReturnType<typeof Ahead>> {
  readonly inserted: Bit;
}
/** Findings of stage 2 about a request. */
export const Judged = (p: Sizes) =>
  struct({
    valid: bit,
    kind: FindingKind,
    slot: uint(slotBits(p)),
    entry: uint(Math.log2(p.entries)),
    entrySlot: uint(slotBits(p)),
    silent: bit,
    replyOpcode: uint(8),
    /** Its set was full: who was entered has pushed an operation out. Or its client's number is far ahead. */
    full: bit,
    drags: bit,
    client: uint(Math.log2(p.clients)),
    operation: uint(p.operationBits),
  });
/** With what follows: an operation was pushed out; those at or behind `operation` of `client` count as forgotten. */
export interface Judged extends Val<ReturnType<typeof Judged>> {
  readonly evicts: Bit;
  readonly forgets: Bit;
}

/** What stage 2 decides about its request. */
export interface Decision {
  /** The request is done at most once: its operation is remembered, or found to be. */
  readonly kept: Bit;
  /** No room for its client. */
  readonly refused: Bit;
  /** It may not pass, since its client is to leave: a fence, which would tell the client that it is known. */
  readonly stays: Bit;
  /** It is remembered, when it leaves. */
  readonly remembers: Bit;
  /** Stage 2 is done with it; `inserts`: it is remembered now. */
  readonly settles: Bit;
  readonly inserts: Bit;
}

/** One bit for each way of the set. */
export type Ways = readonly Bit[];

/** A way that makes room, in bits and as a number, and what the set keeps from then on. */
export interface Room {
  readonly way: Ways;
  readonly number: UInt;
  readonly next: UInt;
  /** No way is empty: an operation is pushed out. */
  readonly full: Bit;
}
