import { bit, type Bit, cat, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { retrySetBits } from "../../config/index.ts";

/** Widths of what the retry buffer keeps. */
export interface RetryStoreParameters {
  readonly clients: number;
  readonly slots: number;
  readonly operationBits: number;
}

/** An operation that is remembered: whose, and the slot of the request that did it. */
export const RetryEntry = (p: RetryStoreParameters) =>
  struct({
    valid: bit,
    client: uint(Math.log2(p.clients)),
    operation: uint(p.operationBits),
    slot: uint(Math.log2(p.slots)),
  });

/**
 * Whether `operation` is so far behind `forgotten` (1/8 to 1/2 of a round and more) that its number will
 * come round again.
 */
export function isAged(operation: UInt, forgotten: UInt): Bit {
  const eighth = (v: UInt): UInt => v.bits(v.width - 3, 3);
  const age = eighth(forgotten).sub(eighth(operation));
  return age.eq(2).or(age.eq(3)).or(age.eq(4));
}

/** A quarter of a round before `operation`. */
export function quarterBefore(operation: UInt): UInt {
  const low = operation.width - 2;
  return cat(operation.bits(low, 2).sub(1), operation.bits(0, low));
}

/** The number of the set where an operation of a client is kept (retrySetOf in numbers). */
export function setOf(sets: number, client: UInt, operation: UInt, hashKey: UInt): UInt {
  const each = retrySetBits(sets, { client: client.width, operation: operation.width });
  return cat(
    ...each
      .map(b =>
        cat(
          ...b.client.map(c => client.bit(c.bit).and(hashKey.bit(c.key))),
          ...b.operation.map(i => operation.bit(i)),
        ).parity(),
      )
      .reverse(),
  );
}
