import { allocBody, kvBody, kvReplyBody, opcode, replyCode, status, vmFlag } from "../../wire/index.ts";
import { concat, decode, encode } from "../../../shared/wire/index.ts";
import type { OffloadAnswer } from "./chase.ts";
import type { MemoryAnswer, OffloadMemory } from "./memory.ts";

export interface KvModelOptions {
  /** The offload's process. */
  readonly pid: number;
  /** Buckets of the hash table, a power of two. */
  readonly buckets: number;
  readonly arenaBytes: number;
  readonly regions: number;
  /** Largest `length` of a READ or WRITE, bytes. */
  readonly maxData: number;
  /** Key of the hash, 64 bits; default 0. */
  readonly secret?: bigint | undefined;
}

const unit = 64,
  largestBlock = 2048,
  entriesPerSlot = 7,
  wordBytes = 8,
  keyBytes = 8;
const none = new Uint8Array();

/**
 * A word of a slot: where a pair lies and how long its value is, or (fingerprint and size 0) where the next slot is.
 */
interface Entry {
  readonly address: bigint;
  readonly size: number;
  readonly fingerprint: number;
  readonly valid: boolean;
}
const blockShift = 6n,
  sizeShift = 44n,
  fingerprintShift = 55n,
  validShift = 63n;
function entryOf(word: bigint): Entry {
  return {
    address: (word & ((1n << sizeShift) - 1n)) << blockShift,
    size: Number((word >> sizeShift) & 0x7ffn),
    fingerprint: Number((word >> fingerprintShift) & 0xffn),
    valid: word >> validShift === 1n,
  };
}
const wordOf = (e: Omit<Entry, "valid">): bigint =>
  (e.address >> blockShift) |
  (BigInt(e.size) << sizeShift) |
  (BigInt(e.fingerprint) << fingerprintShift) |
  (1n << validShift);
const bytesOf = (word: bigint): Uint8Array => {
  const out = new Uint8Array(wordBytes);
  new DataView(out.buffer).setBigUint64(0, word, true);
  return out;
};
const wordsOf = (bytes: Uint8Array): bigint[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / wordBytes }, (_, i) => view.getBigUint64(i * wordBytes, true));
};
/** Bytes of the block that holds a value and the 12 bytes in front of it. */
const blockBytes = (size: number): number => Math.max(unit, 2 ** Math.ceil(Math.log2(kvBody.bytes + size)));

const rotate = (v: number, by: number): number => ((v << by) | (v >>> (32 - by))) >>> 0;
/**
 * HalfSipHash, 32 bits (Aumasson and Bernstein), with the numbers of rounds for a word and at the end.
 * @param secret 64 bits
 */
export function halfSipHash(secret: bigint, bytes: Uint8Array, [each, end] = [1, 3]): number {
  const low = Number(secret & 0xffff_ffffn),
    high = Number((secret >> 32n) & 0xffff_ffffn);
  let a = low,
    b = high,
    c = (low ^ 0x6c796765) >>> 0,
    d = (high ^ 0x74656462) >>> 0;
  const rounds = (n: number): void => {
    for (let i = 0; i < n; i++) {
      a = (a + b) >>> 0;
      b = (rotate(b, 5) ^ a) >>> 0;
      a = rotate(a, 16);
      c = (c + d) >>> 0;
      d = (rotate(d, 8) ^ c) >>> 0;
      a = (a + d) >>> 0;
      d = (rotate(d, 7) ^ a) >>> 0;
      c = (c + b) >>> 0;
      b = (rotate(b, 13) ^ c) >>> 0;
      c = rotate(c, 16);
    }
  };
  const word = (m: number): void => {
    d = (d ^ m) >>> 0;
    rounds(each);
    a = (a ^ m) >>> 0;
  };
  const whole = bytes.length - (bytes.length % 4);
  const at = (i: number): number => (bytes[i] ?? 0) * 2 ** (8 * (i % 4));
  for (let i = 0; i < whole; i += 4) word(at(i) + at(i + 1) + at(i + 2) + at(i + 3));
  let last = (bytes.length % 256) * 2 ** 24;
  for (let i = whole; i < bytes.length; i++) last += at(i);
  word(last);
  c = (c ^ 0xff) >>> 0;
  rounds(end);
  return (b ^ d) >>> 0;
}

/** Whose a key is, and the store's table: what the place of the key follows from. */
export interface KvPlacing {
  readonly buckets: number;
  /** Key of the hash, 64 bits; default 0. */
  readonly secret?: bigint | undefined;
}
/** HalfSipHash-1-3 of a key and its owner: bucket in the low bits, fingerprint in the highest 8. */
export function kvHash(
  key: bigint,
  pid: number,
  { buckets, secret = 0n }: KvPlacing,
): { readonly bucket: number; readonly fingerprint: number } {
  const hash = halfSipHash(secret, Uint8Array.of(...bytesOf(key), pid & 255, pid >> 8));
  return { bucket: hash % buckets, fingerprint: hash >>> 24 };
}

/** A refusal by memory, which is the answer to the request. */
class Refused extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`memory answers ${code}`);
    this.code = code;
  }
}
/** Where a search ended: the entry of the key, or where a new one can go. */
interface Search {
  readonly at: bigint | undefined;
  readonly entry: Entry;
  readonly hole: bigint | undefined;
  readonly slot: bigint;
  readonly before: bigint | undefined;
  readonly alone: boolean;
  readonly link: bigint;
}

/**
 * Clio-KV one request after another (paper §4.6), byte by byte in the offload's own memory. The hardware must come to
 * the same state; with one request at a time it makes the same accesses. A key is unique, deletes delete, the stored
 * size is what a read gives, and a value is replaced by one write of 8 bytes.
 */
export class KvModel {
  private readonly memory: OffloadMemory;
  private readonly o: KvModelOptions;
  private table: bigint | undefined;
  /** The units of each arena that are taken, by its address. */
  private readonly arenas = new Map<bigint, Uint8Array>();
  private region = 0n;

  constructor(memory: OffloadMemory, options: KvModelOptions) {
    this.memory = memory;
    this.o = options;
  }

  /**
   * Carries out a request of a process; `body` is all that follows its Clio header. A process sees its own keys only;
   * those of PID 0 are everybody's.
   */
  request(code: number, body: Uint8Array, pid = 0): OffloadAnswer {
    const brings = code === opcode.KV_CREATE || code === opcode.KV_UPDATE,
      known = brings || code === opcode.KV_READ || code === opcode.KV_DELETE;
    const malformed = { status: status.MALFORMED, opcode: code, body: none };
    if (!known || body.length < kvBody.bytes) return malformed;
    const { user, keySize, valueSize, key } = decode(kvBody, body);
    if (keySize !== keyBytes) return malformed;
    if (
      brings &&
      (valueSize > Math.min(this.o.maxData, largestBlock) - kvBody.bytes || valueSize > body.length - kvBody.bytes)
    )
      return malformed;
    const answer = (result: number, size: number, value: Uint8Array = none): OffloadAnswer => ({
      status: result,
      opcode: replyCode(code),
      body: concat(encode(kvReplyBody, { user, keySize: keyBytes, valueSize: size }), value),
    });
    try {
      this.table ??= this.allocate(this.o.buckets * unit);
      if (code === opcode.KV_READ) {
        const value = this.readValue(key, pid);
        return value === undefined ? answer(status.FAIL, 0) : answer(status.OK, value.length, value);
      }
      if (code === opcode.KV_DELETE) return answer(this.remove(key, pid) ? status.OK : status.FAIL, 0);
      // The owner stands where `user` and `key_size` were.
      const pair = concat(Uint8Array.of(pid & 255, pid >> 8), body.slice(2, kvBody.bytes + valueSize));
      return this.put(key, pid, pair, code === opcode.KV_CREATE)
        ? answer(status.OK, valueSize)
        : answer(status.FAIL, 0);
    } catch (e) {
      if (e instanceof Refused)
        return e.code === status.FAIL
          ? answer(status.FAIL, 0)
          : { status: e.code, opcode: replyCode(code), body: none };
      throw e;
    }
  }

  private readValue(key: bigint, pid: number): Uint8Array | undefined {
    const { at, entry } = this.search(key, pid);
    return at === undefined ? undefined : this.read(entry.address, kvBody.bytes + entry.size).slice(kvBody.bytes);
  }

  /** @param pair what is stored */
  private put(key: bigint, pid: number, pair: Uint8Array, creates: boolean): boolean {
    const size = pair.length - kvBody.bytes,
      block = this.take(blockBytes(size));
    const giveBack = <T>(f: () => T): T => {
      try {
        return f();
      } catch (e) {
        this.give(block, blockBytes(size));
        throw e;
      }
    };
    const { found, slot } = giveBack(() => {
      this.write(block, pair);
      const s = this.search(key, pid);
      // A chain without room grows by a slot, which is written before it is linked.
      return { found: s, slot: creates && s.at === undefined && s.hole === undefined ? this.take(unit) : undefined };
    });
    if (creates === (found.at !== undefined)) {
      this.give(block, blockBytes(size));
      return false;
    }
    const word = bytesOf(wordOf({ address: block, size, fingerprint: kvHash(key, pid, this.o).fingerprint }));
    if (slot !== undefined) {
      const rows = new Uint8Array(unit);
      rows.set(word);
      try {
        giveBack(() => this.write(slot, rows));
      } catch (e) {
        this.give(slot, unit);
        throw e;
      }
      this.write(found.slot + BigInt(unit - wordBytes), bytesOf(wordOf({ address: slot, size: 0, fingerprint: 0 })));
      return true;
    }
    this.write((found.at ?? found.hole) as bigint, word);
    if (found.at !== undefined) this.give(found.entry.address, blockBytes(found.entry.size));
    return true;
  }

  private remove(key: bigint, pid: number): boolean {
    const { at, entry, alone, before, link, slot } = this.search(key, pid);
    if (at === undefined) return false;
    // The only entry of a slot that is not the bucket's first: the slot leaves the chain.
    const unlinks = alone && before !== undefined;
    if (unlinks) this.write(before + BigInt(unit - wordBytes), bytesOf(link));
    else this.write(at, bytesOf(0n));
    this.give(entry.address, blockBytes(entry.size));
    if (unlinks) this.give(slot, unit);
    return true;
  }

  private search(key: bigint, pid: number): Search {
    const { bucket, fingerprint } = kvHash(key, pid, this.o);
    let slot = (this.table as bigint) + BigInt(bucket * unit),
      before: bigint | undefined,
      hole: bigint | undefined;
    for (;;) {
      const words = wordsOf(this.read(slot, unit)),
        link = words[entriesPerSlot] as bigint,
        entries = words.slice(0, entriesPerSlot).map(entryOf);
      for (const [i, entry] of entries.entries()) {
        const at = slot + BigInt(i * wordBytes);
        if (!entry.valid) hole ??= at;
        else if (entry.fingerprint === fingerprint && isPairOf(this.read(entry.address, kvBody.bytes), key, pid)) {
          return { at, entry, hole, slot, before, link, alone: entries.every((e, k) => k === i || !e.valid) };
        }
      }
      const next = entryOf(link);
      if (!next.valid) return { at: undefined, entry: next, hole, slot, before, link, alone: false };
      before = slot;
      slot = next.address;
    }
  }

  /** The lowest free block of the lowest arena that has one. */
  private take(bytes: number): bigint {
    const units = bytes / unit,
      addresses = [...this.arenas.keys()].sort((a, b) => (a < b ? -1 : 1));
    for (const arena of addresses) {
      const taken = this.arenas.get(arena) as Uint8Array;
      for (let at = 0; at < taken.length; at += units) {
        if (taken.subarray(at, at + units).some(t => t !== 0)) continue;
        taken.fill(1, at, at + units);
        return arena + BigInt(at * unit);
      }
    }
    const fresh = new Uint8Array(this.o.arenaBytes / unit);
    fresh.fill(1, 0, mapUnits(this.o.arenaBytes));
    this.arenas.set(this.allocate(this.o.arenaBytes), fresh);
    return this.take(bytes);
  }
  /** Of the arenas of which nothing is taken one stays. */
  private give(block: bigint, bytes: number): void {
    const isOf = (arena: bigint): boolean => arena <= block && block < arena + BigInt(this.o.arenaBytes),
      [arena = 0n] = [...this.arenas.keys()].filter(isOf),
      at = Number(block - arena) / unit;
    this.arenas.get(arena)?.fill(0, at, at + bytes / unit);
    const empty = [...this.arenas.values()].filter(
      taken => !taken.subarray(mapUnits(this.o.arenaBytes)).some(t => t !== 0),
    );
    if (empty.length < 2 || !empty.includes(this.arenas.get(arena) as Uint8Array)) return;
    const body = encode(allocBody, { len: BigInt(this.o.arenaBytes) });
    const { status: code } = this.access(opcode.FREE, arena, this.o.arenaBytes, body.slice(12));
    if (code !== status.OK) return;
    this.arenas.delete(arena);
    this.region = 0n;
  }

  /** In the regions one after another; a full one is not tried again. */
  private allocate(len: number): bigint {
    for (; ; this.region++) {
      const body = encode(allocBody, { addr: 0n, len: BigInt(len), vregion: this.region, vmFlags: vmFlag.write });
      const { status: code, va, length } = this.access(opcode.ALLOC, 0n, len, body.slice(12));
      if (code === status.OK) return (va >> 32n) | (BigInt(length) << 32n);
      if (code !== status.OUT_OF_MEMORY || this.region === BigInt(this.o.regions - 1)) throw new Refused(code);
    }
  }
  private read(va: bigint, length: number): Uint8Array {
    return this.done(this.access(opcode.READ, va, length, none)).data;
  }
  private write(va: bigint, data: Uint8Array): void {
    this.done(this.access(opcode.WRITE, va, data.length, data));
  }
  private done(answer: MemoryAnswer): MemoryAnswer {
    if (answer.status !== status.OK) throw new Refused(answer.status);
    return answer;
  }
  private access(code: number, va: bigint, length: number, data: Uint8Array): MemoryAnswer {
    return this.memory.access({ opcode: code, pid: this.o.pid, va, length, data });
  }
}

/** Whose a pair in memory is: its first two bytes. */
const ownerOf = (pair: Uint8Array): number => (pair[0] ?? 0) + 256 * (pair[1] ?? 0);
const isPairOf = (pair: Uint8Array, key: bigint, pid: number): boolean =>
  decode(kvBody, pair).key === key && ownerOf(pair) === pid;
/** Units at the beginning of an arena that say which others are taken: one, and one for each 512. */
const mapUnits = (arenaBytes: number): number => 1 + Math.ceil(arenaBytes / unit / 512);

/** A pair as it lies in memory. */
export interface KvPair {
  readonly key: bigint;
  readonly pid: number;
  readonly value: Uint8Array;
  readonly block: bigint;
  readonly slot: bigint;
}

/**
 * Every pair of a table in memory, and whether the table is right. Keys are in their bucket, once each, with their
 * fingerprint and the size that stands in front of the value. No slot is empty but the first of a bucket, and no block
 * or slot lies over another.
 * @param load bytes of the offload's space @param table address of the table
 * @throws Error that names the fault
 */
export function kvContents(
  load: (va: bigint, bytes: number) => Uint8Array,
  table: bigint,
  placing: KvPlacing,
): KvPair[] {
  const { buckets } = placing;
  const pairs: KvPair[] = [],
    keys = new Map<string, bigint>(),
    used: { from: bigint; bytes: number; what: string }[] = [{ from: table, bytes: buckets * unit, what: "the table" }];
  const hex = (n: bigint): string => `0x${n.toString(16)}`;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = table + BigInt(bucket * unit),
      seen = new Set<bigint>();
    for (let slot = first; ;) {
      if (seen.has(slot)) throw new Error(`the chain of bucket ${bucket} comes back to slot ${hex(slot)}`);
      seen.add(slot);
      if (slot !== first) used.push({ from: slot, bytes: unit, what: `slot ${hex(slot)} of bucket ${bucket}` });
      const words = wordsOf(load(slot, unit)).map(entryOf),
        link = words[entriesPerSlot] as Entry,
        entries = words.slice(0, entriesPerSlot).filter(e => e.valid);
      if (slot !== first && entries.length === 0)
        throw new Error(`slot ${hex(slot)} of bucket ${bucket} is empty and still linked`);
      for (const e of entries) {
        const head = load(e.address, kvBody.bytes),
          { key, valueSize } = decode(kvBody, head),
          pid = ownerOf(head),
          own = kvHash(key, pid, placing),
          name = `key ${hex(key)} of process ${pid} at ${hex(e.address)}`;
        if (own.bucket !== bucket || own.fingerprint !== e.fingerprint)
          throw new Error(
            `${name}: bucket ${bucket} and fingerprint ${e.fingerprint}, should be ${own.bucket} and ${own.fingerprint}`,
          );
        if (valueSize !== e.size) throw new Error(`${name}: the entry says ${e.size} bytes, the block ${valueSize}`);
        const other = keys.get(`${pid} ${key}`);
        if (other !== undefined) throw new Error(`${name} is also at ${hex(other)}: a key is unique`);
        keys.set(`${pid} ${key}`, e.address);
        used.push({ from: e.address, bytes: blockBytes(e.size), what: name });
        pairs.push({ key, pid, value: load(e.address + BigInt(kvBody.bytes), e.size), block: e.address, slot });
      }
      if (!link.valid) break;
      slot = link.address;
    }
  }
  used.sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const [i, a] of used.entries()) {
    const b = used[i + 1];
    if (b && a.from + BigInt(a.bytes) > b.from) throw new Error(`${a.what} and ${b.what} overlap`);
  }
  return pairs;
}
