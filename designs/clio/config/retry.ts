/**
 * Where the retry buffer keeps an operation, and what it holds in all: shared by the hardware and its reference model.
 */

/** Operations of a set: the oldest of them makes room for a new one. */
export const retryWays = 4;
/** Bits of an operation's key: the client (IPv4 address above UDP source port) and the ID of its first request. */
export const retryKey = { client: 48, operation: 32 } as const;
/** Bits of what an atomic found, remembered with the status. */
const wordBits = 64,
  statusBits = 4;

/**
 * The key's bits whose parity is bit i of the set's number, for each i. Bit j of the operation goes to set bit j mod n,
 * and the client's bits likewise. So a client's successive IDs fill all the sets evenly, and so do IDs in steps of a
 * power of two.
 */
export function retrySetBits(
  sets: number,
  key: { readonly client: number; readonly operation: number } = retryKey,
): readonly { readonly client: readonly number[]; readonly operation: readonly number[] }[] {
  const n = Math.log2(sets),
    those = (bits: number, i: number): number[] => Array.from({ length: bits }, (_, j) => j).filter(j => j % n === i);
  return Array.from({ length: n }, (_, i) => ({ client: those(key.client, i), operation: those(key.operation, i) }));
}

/** The set of an operation of a client: the same in numbers as `retrySetBits` in hardware. */
export function retrySetOf(sets: number, client: bigint, operation: number): number {
  const one = (v: bigint, at: readonly number[]): number => at.reduce((x, j) => x ^ Number((v >> BigInt(j)) & 1n), 0);
  return retrySetBits(sets).reduce(
    (s, b, i) => s + 2 ** i * (one(client, b.client) ^ one(BigInt(operation), b.operation)),
    0,
  );
}

export interface RetrySize {
  /** Operations remembered. */
  readonly retryEntries: number;
  /** Clients known at a time. */
  readonly retryClients: number;
  readonly requestSlots: number;
}

/**
 * Bytes of state of the retry buffer, by part. `operations` and `results` are block RAM, sized by 3 x TIMEOUT
 * x bandwidth (paper §4.4.5). `clients` distinguishes clients and holds their forgotten marks; `inFlight` is
 * by request slot.
 */
export function retryStateBytes(p: RetrySize): {
  readonly operations: number;
  readonly results: number;
  readonly clients: number;
  readonly inFlight: number;
  readonly total: number;
} {
  const client = Math.log2(p.retryClients),
    slot = Math.log2(p.requestSlots),
    sets = p.retryEntries / retryWays;
  const operations = (p.retryEntries * (1 + client + retryKey.operation + slot) + sets * Math.log2(retryWays)) / 8;
  const results = (p.retryEntries * (statusBits + wordBits)) / 8;
  // Key, known, to be swept, newest forgotten operation, time last heard of.
  const clients = (p.retryClients * (retryKey.client + 2 + retryKey.operation + retryStampBits)) / 8;
  // Place in the buffer, whether it is awaited, and the number for the reply from either side.
  const inFlight = (p.requestSlots * (Math.log2(p.retryEntries) + 2 + 2 * wordBits)) / 8;
  return { operations, results, clients, inFlight, total: operations + results + clients + inFlight };
}
/** Bits of the time at which a client was last heard of, in quarters of TIMEOUT. */
export const retryStampBits = 16;
