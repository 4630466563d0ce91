/** The KV cache (docs/supernic/kv-cache.md): what its hardware, its model and software agree on. */
import type { ConfigWord } from "../task-rows.ts";

/** Which value of a set goes for a new one: the oldest, or the one that was used longest ago. */
export const kvPolicies = ["fifo", "lru"] as const;
export type KvPolicy = (typeof kvPolicies)[number];
/** Values that share a set. */
export const kvWays = 4;
/** Values of a cache: a power of two. */
export const kvValues = { least: 64, most: 16_384 } as const;
/** Bytes of memory of a value: it and its first two bytes, which the directory has. */
export const kvLineBytes = 1024;
/** Bytes of a value that is kept: shorter ones have no payload. */
export const kvKept = { least: 3, most: kvLineBytes + 2 } as const;
/** Requests that are waited for, and groups of keys that are told apart while one of them is written. */
export const kvPending = 1024,
  kvBuckets = 256;
/** Cycles of the unit in which `life` is counted, and its most. */
export const kvTick = 256,
  kvMostLife = 2 ** 14;
/** Cycles after which the next place is looked at for a request that waits in vain. */
export const kvAgeCycles = 64;
/** Hits whose values have not come from memory, at most. */
export const kvHits = 8;

/** Opcodes of Clio-KV, as docs/clio/wire-format.md has them. */
export const kvOpcode = { read: 0x60, create: 0x62, update: 0x64, delete: 0x66 } as const;
export const kvReply = (opcode: number): number => opcode + 1;
/** Opcodes after which keys may be others': processes that end, memory that moves. */
export const kvOthers = { first: 0x84, last: 0x99 } as const;
export const kvNodePort = 1200;
/** Statuses that say for good whether a write was done: OK, and FAIL. */
export const kvSettled = { ok: 0, fail: 4 } as const;

/** Places of its configuration, and lowest bits of the node's row. */
export const kvPlaces = { node: 0, life: 1 } as const;
export const kvRow = { ip: 0, user: 32, port: 38, valid: 42 } as const;
export interface KvNode {
  readonly valid: boolean;
  readonly user: number;
  readonly ip: number;
  /** The port of this sNIC behind which the node is. */
  readonly port: number;
}
/** @param life time after which no request is under way any more, in units of 256 cycles */
export const kvWords = (n: KvNode, life: number): readonly ConfigWord[] => [
  { at: kvPlaces.life, data: BigInt(life) },
  {
    at: kvPlaces.node,
    data:
      (n.valid ? 1n << BigInt(kvRow.valid) : 0n) |
      (BigInt(n.user) << BigInt(kvRow.user)) |
      (BigInt(n.ip >>> 0) << BigInt(kvRow.ip)) |
      (BigInt(n.port) << BigInt(kvRow.port)),
  },
];

const mask64 = (1n << 64n) - 1n;
/** A number that looks random (SplitMix64). */
function mixed(n: bigint): bigint {
  let z = (n * 0x9e3779b97f4a7c15n) & mask64;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask64;
  return z ^ (z >> 31n);
}
/** A linear hash of `bits` bits, one of several: each bit of the argument turns half of them. */
export const kvHash =
  (which: number, bits: number) =>
  (x: bigint): bigint => {
    let sum = 0n;
    for (let i = 0; x >> BigInt(i) > 0n; i++) if ((x >> BigInt(i)) & 1n) sum ^= mixed(BigInt(1000 * which + i + 1));
    return sum & ((1n << BigInt(bits)) - 1n);
  };
/** Of process (low 16 bits) and key: the set, and the group in its low bits. */
export const kvKeyHash = kvHash(1, 12);
/** Of who asks: the place where a request is kept. */
export const kvAskerHash = kvHash(2, 10);
