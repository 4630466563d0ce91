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
import { askerOf, kvAt, kvHeaders, le, type Parts, partsOf, replyTo } from "./kv-parts.ts";

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
const one = 1;

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
    this.#next.fill(0);
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
      p.total === kvHeaders.ip + kvHeaders.udp + kvHeaders.clio + kvHeaders.kv &&
      p.size === kvHeaders.clio + kvHeaders.kv &&
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
    const { key, row, bucket } = this.#keyed(p, le(bytes, kvAt.key, 8)),
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
    const { key, row, bucket } = this.#keyed(p, le(bytes, kvAt.key, 8)),
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
        p.total === kvHeaders.ip + kvHeaders.udp + kvHeaders.clio + kvHeaders.kvReply + p.valueSize &&
        p.size === kvHeaders.clio + kvHeaders.kvReply + p.valueSize &&
        p.payload === p.valueSize - 2;
      const learns = !this.deaf && bucket.writers === 0 && !bucket.shut && bucket.version === waited.version;
      if (fits && waited.fills && learns && !row.some(k => k?.key === waited.key))
        this.#keep(set, row, { key: waited.key, value: bytes.slice(kvAt.key), used: ++this.#use });
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
