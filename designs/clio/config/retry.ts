import { type KeyedBit, toeplitzBits, toeplitzMask } from "../../shared/hash/index.ts";

/**
 * Where the retry buffer keeps an operation, and what it holds in all: shared by the hardware and its reference model.
 */

/** Operations of a set. */
export const retryWays = 4;
/** Bits of an operation's key: the client (IPv4 address above UDP source port) and the ID of its first request. */
export const retryKey = { client: 48, operation: 32 } as const;
/** Bits of what an atomic found, remembered with the status. */
const wordBits = 64,
  statusBits = 4;

/**
 * How bit i of a set's number comes about, for each i: the parity of some of the operation's bits, and of the client's
 * bits each masked by a bit of the key.
 *
 * The operation's bit j goes to set bit j mod n. So a client's successive IDs fill all the sets evenly, and so do IDs
 * in steps of a power of two. The client's part is a Toeplitz hash: bit i takes client bit j when key bit i + j is set.
 * The key is multiplied with the client, not added to it. So the difference of two clients' sets is the hash of their
 * difference. For one who does not know the key it is any of the sets, each as likely, whatever addresses are chosen.
 */
export function retrySetBits(
  sets: number,
  key: { readonly client: number; readonly operation: number } = retryKey,
): readonly {
  readonly operation: readonly number[];
  readonly client: readonly KeyedBit[];
}[] {
  const n = Math.log2(sets),
    count = (bits: number): readonly number[] => Array.from({ length: bits }, (_, j) => j),
    client = toeplitzBits(n, count(key.client));
  return count(n).map(i => ({
    operation: count(key.operation).filter(j => j % n === i),
    client: client[i] ?? [],
  }));
}

/** The bits of an operation and of its client of which each bit of the set's number is the parity, as masks. */
interface SetMasks {
  readonly operation: number;
  readonly clientLow: number;
  readonly clientHigh: number;
}
/** The low 32 bits, and the 32 above them, as numbers: bits of a bigint are slow to count. */
const lowWord = (v: bigint): number => Number(BigInt.asUintN(32, v)),
  highWord = (v: bigint): number => Number(BigInt.asUintN(32, v >> 32n));
/** Worked out once for a size and a key: a model asks for each request. */
const knownMasks = new Map<number, Map<bigint, readonly SetMasks[]>>();
function setMasks(sets: number, hashKey: bigint): readonly SetMasks[] {
  let ofSize = knownMasks.get(sets);
  if (ofSize === undefined) knownMasks.set(sets, (ofSize = new Map<bigint, readonly SetMasks[]>()));
  let masks = ofSize.get(hashKey);
  if (masks === undefined) {
    masks = retrySetBits(sets).map(b => {
      const client = toeplitzMask(b.client, hashKey);
      return {
        operation: b.operation.reduce((mask, j) => (mask | (1 << j)) >>> 0, 0),
        clientLow: lowWord(client),
        clientHigh: highWord(client),
      };
    });
    ofSize.set(hashKey, masks);
  }
  return masks;
}

/** Parity of 32 bits. */
function odd(v: number): number {
  let x = v ^ (v >>> 16);
  x ^= x >>> 8;
  x ^= x >>> 4;
  return (0x6996 >>> (x & 15)) & 1;
}

/** The set of an operation of a client: the same in numbers as `retrySetBits` in hardware. */
export function retrySetOf(sets: number, client: bigint, operation: number, hashKey: bigint): number {
  const low = lowWord(client),
    high = highWord(client);
  let set = 0,
    weight = 1;
  for (const m of setMasks(sets, hashKey)) {
    set += weight * odd((operation & m.operation) ^ (low & m.clientLow) ^ (high & m.clientHigh));
    weight *= 2;
  }
  return set;
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
  const operations =
    (p.retryEntries * (1 + client + retryKey.operation + slot) + sets * retryWays * (retryWays - 1)) / 8;
  const results = (p.retryEntries * (statusBits + wordBits)) / 8;
  // Key, known, to be swept, newest forgotten operation, time last heard of.
  const clients = (p.retryClients * (retryKey.client + 2 + retryKey.operation + retryStampBits)) / 8;
  // Place in the buffer, whether it is awaited, and the number for the reply from either side.
  const inFlight = (p.requestSlots * (Math.log2(p.retryEntries) + 2 + 2 * wordBits)) / 8;
  return { operations, results, clients, inFlight, total: operations + results + clients + inFlight };
}
/** Bits of the time at which a client was last heard of, in quarters of TIMEOUT. */
export const retryStampBits = 16;
