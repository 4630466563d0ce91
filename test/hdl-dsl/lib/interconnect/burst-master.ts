/** A master of bursts of every kind, size and alignment, with the memory as it must be: byte for byte. */
import { expect } from "vitest";
import type { Random, Shape } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Pause, type StreamIo, StreamSink, StreamSource } from "../../../../sim/index.ts";

/** Kinds of bursts by their codes. */
const FIXED = 0,
  INCR = 1,
  WRAP = 2;
const PAGE = 4096;
export interface AnyBurst {
  readonly addr: number;
  readonly id: number;
  readonly len: number;
  readonly size: number;
  readonly burst: number;
}
type Io = Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;

/** The bytes of a beat, as the standard has them (A3.4.1): the first from its address on, the others whole. */
export function bytesOf(x: AnyBurst, beat: number): number[] {
  const size = 2 ** x.size,
    total = size * (x.len + 1),
    aligned = x.addr - (x.addr % size);
  let at = x.burst === FIXED || beat === 0 ? x.addr : aligned + beat * size;
  if (x.burst === WRAP) {
    const low = x.addr - (x.addr % total);
    at = low + ((x.addr - low + beat * size) % total);
  }
  const end = at - (at % size) + size;
  return Array.from({ length: end - at }, (_, i) => at + i);
}

/** A burst within a page, of any kind that the standard has. */
export function anyBurst(r: Random, page: number, largest: number, ids: number): AnyBurst {
  const size = r.chance(0.6) ? largest : r.between(0, largest),
    bytes = 2 ** size,
    id = r.below(ids);
  const kind = r.chance(0.7) ? INCR : r.below(2) * 2;
  if (kind === WRAP) {
    const len = 2 ** r.between(1, 4) - 1;
    return { addr: page + r.below(PAGE / bytes) * bytes, id, len, size, burst: WRAP };
  }
  const addr = page + r.below(PAGE),
    room = Math.floor((PAGE - (addr % PAGE) - 1) / bytes);
  if (kind === FIXED) return { addr, id, len: r.below(16), size, burst: FIXED };
  const most = r.chance(0.1) ? 255 : r.chance(0.3) ? 0 : 12;
  return { addr, id, len: r.below(Math.min(most, room) + 1), size, burst: INCR };
}

export interface ErrorAt {
  readonly from: number;
  readonly to: number;
  readonly resp: number;
}
/** Bytes of a memory that answers with errors at some of them; those of a write that failed are not known. */
export class ByteModel {
  readonly bytes: Uint8Array;
  readonly unknown = new Set<number>();
  readonly errors: readonly ErrorAt[];
  constructor(size: number, r: Random, errors: readonly ErrorAt[]) {
    this.errors = errors;
    this.bytes = Uint8Array.from({ length: size }, () => r.below(256));
  }
  respOf(addresses: readonly number[]): number {
    return this.errors
      .filter(e => addresses.some(a => a >= e.from && a < e.to))
      .reduce((worst, e) => Math.max(worst, e.resp), 0);
  }
}

const beatsOf = (x: AnyBurst): number[][] => Array.from({ length: x.len + 1 }, (_, i) => bytesOf(x, i));

export class BurstMaster {
  readonly aw: StreamSource<Shape>;
  readonly w: StreamSource<Shape>;
  readonly ar: StreamSource<Shape>;
  readonly r: StreamSink<Shape>;
  readonly b: StreamSink<Shape>;
  readonly #reads: { readonly burst: AnyBurst; beat: number }[] = [];
  readonly #writes: { readonly id: number; readonly resp: number }[] = [];
  #seenR = 0;
  #seenB = 0;

  readonly model: ByteModel;
  readonly bytes: number;

  constructor(bench: Bench, model: ByteModel, bytes: number, pause: (n: number) => Pause) {
    this.model = model;
    this.bytes = bytes;
    const io = bench.io as unknown as Io;
    this.ar = new StreamSource(bench.sim, io["sAr"]!, { pause: pause(0) });
    this.aw = new StreamSource(bench.sim, io["sAw"]!, { pause: pause(1) });
    this.w = new StreamSource(bench.sim, io["sW"]!, { pause: pause(2) });
    this.r = new StreamSink(bench.sim, io["sR"]!, { pause: pause(3) });
    this.b = new StreamSink(bench.sim, io["sB"]!, { pause: pause(4) });
  }
  /** Random data, of which `strobed` of the bytes are written. */
  write(r: Random, x: AnyBurst, strobed: number): void {
    const resp = this.model.respOf(beatsOf(x).flat());
    this.#writes.push({ id: x.id, resp });
    this.aw.send({ ...x });
    beatsOf(x).forEach((bytes, i) => {
      let data = r.bits(8 * this.bytes),
        strb = 0n;
      for (const at of bytes) {
        const lane = BigInt(at % this.bytes);
        if (resp !== 0) this.model.unknown.add(at);
        if (!r.chance(strobed)) continue;
        strb |= 1n << lane;
        this.model.bytes[at] = Number((data >> (8n * lane)) & 255n);
        if (resp === 0) this.model.unknown.delete(at);
      }
      if (this.bytes <= 4) data = BigInt.asUintN(32, data);
      this.w.send({
        data: this.bytes <= 4 ? Number(data) : data,
        strb: this.bytes <= 32 ? Number(strb) : strb,
        last: i === x.len ? 1 : 0,
      });
    });
  }
  read(x: AnyBurst): void {
    this.#reads.push({ burst: x, beat: 0 });
    this.ar.send({ ...x });
  }
  /** Looks at the answers that have come: in order, with their IDs, each byte as it must be. */
  check(): void {
    for (; this.#seenB < this.b.received.length; this.#seenB++)
      expect(this.b.received[this.#seenB]!.value).toEqual(this.#writes.shift());
    for (; this.#seenR < this.r.received.length; this.#seenR++) {
      const v = this.r.received[this.#seenR]!.value as unknown as Record<string, number | bigint>,
        now = this.#reads[0];
      if (now === undefined) throw new Error("a beat came that nobody has asked for");
      const bytes = bytesOf(now.burst, now.beat),
        last = now.beat === now.burst.len,
        resp = this.model.respOf(bytes);
      expect({ id: v["id"], resp: v["resp"], last: v["last"] }).toEqual({ id: now.burst.id, resp, last: last ? 1 : 0 });
      const data = BigInt(v["data"]!),
        known = resp === 0 ? bytes.filter(a => !this.model.unknown.has(a)) : [];
      const got = known.map(a => Number((data >> BigInt(8 * (a % this.bytes))) & 255n));
      const want = known.map(a => this.model.bytes[a]);
      if (got.some((g, i) => g !== want[i])) expect({ burst: now.burst, got }).toEqual({ burst: now.burst, got: want });
      now.beat++;
      if (last) this.#reads.shift();
    }
  }
  get idle(): boolean {
    this.check();
    return this.#reads.length + this.#writes.length + this.w.pending === 0;
  }
}
