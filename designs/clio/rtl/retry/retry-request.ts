/** The retry buffer's parameters, and the requests that come to it. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { retryKey, retryStampBits, retryWays } from "../../config/index.ts";
import { Access } from "../records/records.ts";

export interface RetryBufferParameters {
  readonly slots: number;
  /** Operations remembered, a power of two. */
  readonly entries: number;
  /** Clients known at a time, a power of two. */
  readonly clients: number;
  /** Cycles of TIMEOUT: a client silent for three of them may be forgotten for another. */
  readonly timeoutCycles: number;
  /** Smaller for proofs; by default the wire format's and 4 ways. */
  readonly ways?: number;
  readonly clientBits?: number;
  readonly operationBits?: number;
  readonly wordBits?: number;
  readonly stampBits?: number;
  /** For proofs: the numbers that clients use, 0 and up; any one operation is watched (retry-watch.ts). */
  readonly watchedNumbers?: number;
  /** For proofs: any one place is watched (retry-swept.ts). */
  readonly watchedPlaces?: true;
}

/** All parameters, with what follows from them. */
export const whole = (p: RetryBufferParameters) => {
  const ways = p.ways ?? retryWays;
  return {
    ...p,
    ways,
    sets: p.entries / ways,
    clientBits: p.clientBits ?? retryKey.client,
    operationBits: p.operationBits ?? retryKey.operation,
    wordBits: p.wordBits ?? 64,
    stampBits: p.stampBits ?? retryStampBits,
  };
};

/** A request as the match-and-action table lets it through, with the fields that tell it from its repetitions. */
export const RetryRequest = (p: RetryBufferParameters) =>
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
    client: uint(whole(p).clientBits),
    /** The number of the first request for this operation. */
    operation: uint(whole(p).operationBits),
  });

/** Suffix of a Verilog name for sizes that are smaller than usual. */
export const reduced = (p: RetryBufferParameters): string =>
  [p.ways, p.clientBits, p.operationBits, p.wordBits, p.stampBits, p.watchedNumbers, p.watchedPlaces].some(
    v => v !== undefined,
  )
    ? `_w${whole(p).ways}_k${whole(p).clientBits}_o${whole(p).operationBits}_d${whole(p).wordBits}_q${whole(p).stampBits}`
    : "";
