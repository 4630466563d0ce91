/**
 * What the KV cache must do with each packet when it has time between two of them (docs/supernic/kv-cache.md): no hit
 * finds its queue full, no value finds another on its way, nothing grows old. Byte for byte.
 */
import {
  kvAskerHash,
  kvBuckets,
  kvKept,
  kvKeyHash,
  kvNodePort,
  kvOpcode,
  kvOthers,
  kvPlaces,
  type KvPolicy,
  kvReply,
  kvRow,
  kvSettled,
  kvWays,
} from "../../wire/index.ts";

/** A frame as the task gets it. */
export interface KvPacket {
  readonly bytes: Uint8Array;
  readonly user: number;
  readonly ingress: number;
}
export interface KvAnswer {
  readonly verdict: "forward" | "drop";
  /** The reply to a hit. */
  readonly made?: { readonly bytes: Uint8Array; readonly port: number };
}
interface Kept {
  readonly key: bigint;
  readonly value: Uint8Array;
  used: number;
}
interface Waited {
  kind: "read" | "write" | "unsure";
  fills: boolean;
  crowded: boolean;
  asker: bigint;
  key: bigint;
  version: number;
}
interface Bucket {
  version: number;
  writers: number;
  shut: boolean;
}
const headers = { ethernet: 14, ip: 20, udp: 8, clio: 16, kv: 12, kvReply: 4 } as const;
const clioAt = 42,
  bodyAt = 58,
  keyAt = 62;
const be = (b: Uint8Array, at: number, n: number): number => b.slice(at, at + n).reduce((x, byte) => x * 256 + byte, 0);
const le = (b: Uint8Array, at: number, n: number): bigint =>
  b.slice(at, at + n).reduceRight((x, byte) => (x << 8n) | BigInt(byte), 0n);
const le16 = (b: Uint8Array, at: number): number => Number(le(b, at, 2));
const one = 1;

/** Fields of a frame for the node or from it. */
function partsOf(bytes: Uint8Array) {
  const header = new Uint8Array(64);
  header.set(bytes.slice(0, 64));
  const isUdp =
    bytes.length >= headers.ethernet + headers.ip &&
    be(header, 12, 2) === 0x800 &&
    header[14] === 0x45 &&
    header[23] === 17;
  return {
    header,
    isUdp,
    total: be(header, 16, 2),
    src: be(header, 26, 4),
    dst: be(header, 30, 4),
    srcPort: be(header, 34, 2),
    dstPort: be(header, 36, 2),
    pid: le(header, clioAt, 2),
    opcode: header[clioAt + 3] ?? 0,
    status: (header[clioAt + 4] ?? 0) & 15,
    tracked: (((header[clioAt + 4] ?? 0) >> 6) & 1) === 1,
    size: le16(header, clioAt + 6),
    keySize: header[bodyAt + 1] ?? 0,
    valueSize: le16(header, bodyAt + 2),
    whole: bytes.length >= 64,
    payload: Math.max(0, bytes.length - 64),
  };
}
type Parts = ReturnType<typeof partsOf>;
/** Who asks, in the order of the hardware's fields: address, port, process, request, tag, sequence. */
function askerOf(p: Parts, ip: number, port: number): bigint {
  const { header } = p,
    parts: readonly (readonly [bigint, number])[] = [
      [le(header, ip, 4), 32],
      [le(header, port, 2), 16],
      [p.pid, 16],
      [le(header, clioAt + 8, 4), 32],
      [BigInt(header[clioAt + 2] ?? 0), 8],
      [BigInt(header[clioAt + 5] ?? 0), 8],
    ];
  let at = 0n,
    all = 0n;
  for (const [value, bits] of parts) {
    all |= value << at;
    at += BigInt(bits);
  }
  return all;
}
function checksum(header: Uint8Array): number {
  let sum = 0;
  for (let i = 14; i < 34; i += 2) if (i !== 24) sum += be(header, i, 2);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

export class KvCacheModel {
  readonly #policy: KvPolicy;
  readonly #sets: (Kept | undefined)[][];
  readonly #next: number[];
  readonly #waited = new Map<number, Waited>();
  readonly #buckets: Bucket[] = Array.from({ length: kvBuckets }, () => ({ version: 0, writers: 0, shut: false }));
  #row = 0n;
  #use = 0;
  /** Nothing is learnt: the time after a reset, and after what may have changed any key. */
  deaf = true;

  constructor(policy: KvPolicy, values: number) {
    this.#policy = policy;
    this.#sets = Array.from({ length: values / kvWays }, () => Array.from({ length: kvWays }, () => undefined));
    this.#next = this.#sets.map(() => 0);
  }
  configure(at: number, data: bigint): void {
    if (at === kvPlaces.node) this.#row = data;
    this.#forget();
  }
  /** More than `life` has passed: nothing that was waited for comes any more. */
  grown(): void {
    this.deaf = false;
    this.#waited.clear();
    for (const bucket of this.#buckets) Object.assign(bucket, { writers: 0, shut: false });
  }
  get kept(): number {
    return this.#sets.flat().filter(k => k !== undefined).length;
  }
  #forget(): void {
    this.deaf = true;
    for (const set of this.#sets) set.fill(undefined);
  }
  #field(at: number, bits: number): number {
    return Number((this.#row >> BigInt(at)) & ((1n << BigInt(bits)) - 1n));
  }
  answer({ bytes, user, ingress }: KvPacket): KvAnswer {
    const p = partsOf(bytes),
      ip = this.#field(kvRow.ip, 32),
      ours = this.#field(kvRow.valid, one) === 1 && user === this.#field(kvRow.user, 6);
    if (!ours || !p.isUdp) return { verdict: "forward" };
    if (p.dst === ip) return this.#request(p, bytes, ingress);
    if (p.src === ip && p.srcPort === kvNodePort && ingress === this.#field(kvRow.port, 4)) this.#reply(p, bytes);
    return { verdict: "forward" };
  }
  #request(p: Parts, bytes: Uint8Array, ingress: number): KvAnswer {
    const isWrite = [kvOpcode.create, kvOpcode.update, kvOpcode.delete].some(o => o === p.opcode),
      hasKey = p.whole && p.payload >= 6;
    if (p.dstPort !== kvNodePort || (p.opcode >= kvOthers.first && p.opcode <= kvOthers.last) || (isWrite && !hasKey)) {
      this.#forget();
      return { verdict: "forward" };
    }
    if (isWrite) this.#write(p, bytes);
    const fits =
      p.total === headers.ip + headers.udp + headers.clio + headers.kv &&
      p.size === headers.clio + headers.kv &&
      p.keySize === 8 &&
      p.payload === 6;
    return p.opcode === kvOpcode.read && fits ? this.#read(p, bytes, ingress) : { verdict: "forward" };
  }
  #keyed(p: Parts, key64: bigint) {
    const key = p.pid | (key64 << 16n),
      hash = Number(kvKeyHash(key)),
      set = hash % this.#sets.length;
    return {
      key,
      set,
      row: this.#sets[set] as (Kept | undefined)[],
      bucket: this.#buckets[hash % kvBuckets] as Bucket,
    };
  }
  #read(p: Parts, bytes: Uint8Array, ingress: number): KvAnswer {
    const { key, row, bucket } = this.#keyed(p, le(bytes, keyAt, 8)),
      hit = row.find(k => k?.key === key);
    if (hit) {
      hit.used = ++this.#use;
      return { verdict: "drop", made: { bytes: replyTo(p.header, hit.value), port: ingress } };
    }
    if (!p.tracked) return { verdict: "forward" };
    const asker = askerOf(p, 26, 34),
      place = Number(kvAskerHash(asker)),
      waited = this.#waited.get(place),
      fills = !this.deaf && bucket.writers === 0 && !bucket.shut;
    if (waited === undefined)
      this.#waited.set(place, { kind: "read", fills, crowded: false, asker, key, version: bucket.version });
    else if (waited.kind === "write") waited.crowded = true;
    else waited.kind = "unsure";
    return { verdict: "forward" };
  }
  #write(p: Parts, bytes: Uint8Array): void {
    const { key, row, bucket } = this.#keyed(p, le(bytes, keyAt, 8)),
      at = row.findIndex(k => k?.key === key);
    if (at >= 0) row[at] = undefined;
    bucket.version++;
    const asker = askerOf(p, 26, 34),
      place = Number(kvAskerHash(asker)),
      waited = this.#waited.get(place);
    if (p.tracked && waited === undefined) {
      this.#waited.set(place, { kind: "write", fills: false, crowded: false, asker, key, version: 0 });
      bucket.writers++;
    } else if (!(p.tracked && waited?.kind === "write" && waited.asker === asker)) bucket.shut = true;
  }
  #reply(p: Parts, bytes: Uint8Array): void {
    const asker = askerOf(p, 30, 36),
      place = Number(kvAskerHash(asker)),
      waited = this.#waited.get(place);
    if (!p.tracked || waited?.asker !== asker) return;
    const { set, row, bucket } = this.#keyed(p, waited.key >> 16n);
    if (p.opcode === kvReply(kvOpcode.read) && waited.kind === "read") {
      this.#waited.delete(place);
      const fits =
        p.status === 0 &&
        p.whole &&
        p.keySize === 8 &&
        p.valueSize >= kvKept.least &&
        p.valueSize <= kvKept.most &&
        p.total === headers.ip + headers.udp + headers.clio + headers.kvReply + p.valueSize &&
        p.size === headers.clio + headers.kvReply + p.valueSize &&
        p.payload === p.valueSize - 2;
      const learns = !this.deaf && bucket.writers === 0 && !bucket.shut && bucket.version === waited.version;
      if (fits && waited.fills && learns && !row.some(k => k?.key === waited.key))
        this.#keep(set, row, { key: waited.key, value: bytes.slice(keyAt), used: ++this.#use });
    } else if (
      [kvOpcode.create, kvOpcode.update, kvOpcode.delete].some(o => p.opcode === kvReply(o)) &&
      waited.kind === "write" &&
      (p.status === kvSettled.ok || p.status === kvSettled.fail)
    ) {
      bucket.writers--;
      if (waited.crowded) waited.kind = "unsure";
      else this.#waited.delete(place);
    }
  }
  #keep(set: number, row: (Kept | undefined)[], kept: Kept): void {
    const free = row.indexOf(undefined),
      next = this.#next[set] ?? 0;
    if (free >= 0) row[free] = kept;
    else if (this.#policy === "fifo") {
      row[next] = kept;
      this.#next[set] = (next + 1) % kvWays;
    } else row[row.reduce((old, k, i) => ((k?.used ?? 0) < (row[old]?.used ?? 0) ? i : old), 0)] = kept;
  }
}

/** The reply that the node would give, from a request's first 64 bytes. */
function replyTo(request: Uint8Array, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(keyAt + value.length),
    total = headers.ip + headers.udp + headers.clio + headers.kvReply + value.length,
    put = (at: number, n: number): void => {
      out.set([n >> 8, n & 255], at);
    };
  out.set(request.slice(6, 12), 0);
  out.set(request.slice(0, 6), 6);
  out.set([8, 0, 0x45, 0], 12);
  put(16, total);
  out.set([0, 0, 0x40, 0, 64, 17], 18);
  out.set(request.slice(30, 34), 26);
  out.set(request.slice(26, 30), 30);
  out.set(request.slice(36, 38), 34);
  out.set(request.slice(34, 36), 36);
  put(38, total - headers.ip);
  out.set(request.slice(clioAt, bodyAt + 1), clioAt);
  out[clioAt + 3] = kvReply(kvOpcode.read);
  out[clioAt + 4] = (request[clioAt + 4] ?? 0) & 0xf0;
  const size = headers.clio + headers.kvReply + value.length;
  out.set([size & 255, size >> 8], clioAt + 6);
  out.set([8, value.length & 255, value.length >> 8], bodyAt + 1);
  out.set(value, keyAt);
  put(24, checksum(out));
  return out;
}
