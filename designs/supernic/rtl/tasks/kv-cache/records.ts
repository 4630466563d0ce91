/** What the KV cache keeps and hands on between its parts. */
import { bit, bitsFor, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { kvBuckets, kvHits, kvPending, type KvPolicy, kvWays } from "../../../wire/index.ts";
import { payloadBits } from "../payload.ts";

export interface KvCacheParameters {
  /** Values, a power of two: 64 to 16,384. */
  readonly values: number;
  readonly policy: KvPolicy;
}
export const setBits = (p: KvCacheParameters): number => Math.log2(p.values / kvWays);
export const lineBits = (p: KvCacheParameters): number => Math.log2(p.values);
export const pendingBits = Math.log2(kvPending);
export const stampBits = 16,
  versionBits = 24;
export const jobBits = bitsFor(kvHits);

/** Bits of a key's hash: its set, and in the low ones its group. */
export const hashBits = 12,
  bucketBits = Math.log2(kvBuckets);
/** A key of a process: process 16, key 64. */
export const keyBits = 80;
/** A value that is kept; its first two bytes stand here, the others in memory. */
export const Line = struct({ valid: bit, key: uint(keyBits), bytes: uint(16), first: uint(16) });
/** Who waits for a reply: address, port, process, request, tag and sequence. */
export const Asker = struct({
  ip: uint(32),
  port: uint(16),
  pid: uint(16),
  request: uint(32),
  tag: uint(8),
  seq: uint(8),
});
/**
 * What is waited for. `unsure`: of replies that come for this place nobody knows whose they are, as a read came twice,
 * or found the place taken.
 */
export const pendingKind = { none: 0, read: 1, write: 2, unsure: 3 } as const;
export const Pending = struct({
  kind: uint(2),
  /** A read whose value may be kept. */
  fills: bit,
  /** A write whose place another read would have had: it is unsure afterwards. */
  crowded: bit,
  asker: Asker,
  key: uint(64),
  version: uint(versionBits),
  stamp: uint(stampBits),
});
/**
 * Keys of a hash: how often they were written, writes that have not been answered, and whether one of them is not
 * waited for, since when.
 */
export const Bucket = struct({
  version: uint(versionBits),
  writers: uint(pendingBits + 1),
  shut: bit,
  stamp: uint(stampBits),
});

/** A hit: all that its reply needs beside the value. Numbers of several bytes as they stand on the wire. */
export const Hit = struct({
  macs: uint(96),
  /** Source and destination address, source and destination port, of the request. */
  ips: uint(64),
  ports: uint(32),
  pid: uint(16),
  tag: uint(8),
  flags: uint(4),
  seq: uint(8),
  ids: uint(64),
  user: uint(8),
  bytes: uint(16),
  first: uint(16),
  port: uint(4),
  /** Of the words of its IPv4 header that are not the length. */
  sum: uint(20),
});
/** Where a value stands, and its bytes there. */
export const Place = (p: KvCacheParameters) => struct({ line: uint(lineBits(p)), bytes: uint(11) });
export const FillBeat = struct({ data: uint(payloadBits) });
