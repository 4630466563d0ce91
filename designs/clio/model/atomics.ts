/** Effect of the atomic operations on the 8 bytes at their address: the reference for the sync unit and the node. */

export type AtomicKind = "tas" | "cas" | "faa" | "store";

/**
 * An atomic with its operands, 64-bit numbers from 0 up: `operand` is compared (CAS), added (FAA) or stored (STORE);
 * `swap` is what CAS stores.
 */
export interface Atomic {
  readonly kind: AtomicKind;
  readonly operand: bigint;
  readonly swap: bigint;
}

/**
 * New value of the word `old` after an atomic (paper §4.4.5, T3; rlock is a TAS, runlock a STORE of 0). TAS stores 1
 * where 0 was, CAS stores `swap` where `operand` was, FAA adds modulo 2^64, STORE stores its operand.
 * @returns the new word; undefined when nothing is written
 */
export function atomicResult({ kind, operand, swap }: Atomic, old: bigint): bigint | undefined {
  switch (kind) {
    case "tas":
      return old === 0n ? 1n : undefined;
    case "cas":
      return old === operand ? swap : undefined;
    case "faa":
      return BigInt.asUintN(64, old + operand);
    case "store":
      return operand;
  }
}
