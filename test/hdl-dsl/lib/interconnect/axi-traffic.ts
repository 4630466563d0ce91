/** A master at an AXI4 port: bursts with any IDs, many under way, their answers checked in the order of each ID. */
import { expect } from "vitest";
import type { Random, Shape } from "../../../../hdl-dsl/index.ts";
import { type Bench, type Pause, type StreamIo, StreamSink, StreamSource } from "../../../../sim/index.ts";

export const BEAT = 8;
export interface Burst {
  readonly addr: number;
  readonly id: number;
  readonly beats: readonly bigint[];
  /** What its answer says. */
  readonly resp: number;
}
type Io = Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;

export class TrafficMaster {
  readonly #ar: StreamSource<Shape>;
  readonly #aw: StreamSource<Shape>;
  readonly #w: StreamSource<Shape>;
  readonly r: StreamSink<Shape>;
  readonly b: StreamSink<Shape>;
  readonly #reads: Burst[] = [];
  readonly #writes: Burst[] = [];
  #seenR = 0;
  #seenB = 0;
  #beat = new Map<number, number>();

  constructor(b: Bench, prefix: string, pause: (n: number) => Pause) {
    const io = b.io as unknown as Io;
    this.#ar = new StreamSource(b.sim, io[`${prefix}Ar`]!, { pause: pause(0) });
    this.#aw = new StreamSource(b.sim, io[`${prefix}Aw`]!, { pause: pause(1) });
    this.#w = new StreamSource(b.sim, io[`${prefix}W`]!, { pause: pause(2) });
    this.r = new StreamSink(b.sim, io[`${prefix}R`]!, { pause: pause(3) });
    this.b = new StreamSink(b.sim, io[`${prefix}B`]!, { pause: pause(4) });
  }
  #address(x: Burst) {
    return { addr: x.addr, id: x.id, len: x.beats.length - 1, size: 3, burst: 1 };
  }
  write(x: Burst): void {
    this.#writes.push(x);
    this.#aw.send(this.#address(x));
    x.beats.forEach((data, i) => this.#w.send({ data, strb: 255, last: i === x.beats.length - 1 ? 1 : 0 }));
  }
  read(x: Burst): void {
    this.#reads.push(x);
    this.#ar.send(this.#address(x));
  }
  /** Looks at the answers that have come; every one must be the next of its ID. */
  check(): void {
    for (; this.#seenB < this.b.received.length; this.#seenB++) {
      const { id, resp } = this.b.received[this.#seenB]!.value as unknown as { id: number; resp: number };
      const at = this.#writes.findIndex(x => x.id === id);
      expect({ id, resp }).toEqual({ id, resp: this.#writes[at]?.resp });
      this.#writes.splice(at, 1);
    }
    for (; this.#seenR < this.r.received.length; this.#seenR++) {
      const v = this.r.received[this.#seenR]!.value as unknown as {
        id: number;
        data: number | bigint;
        resp: number;
        last: number;
      };
      const at = this.#reads.findIndex(x => x.id === v.id),
        burst = this.#reads[at];
      const beat = this.#beat.get(v.id) ?? 0,
        last = beat + 1 === burst?.beats.length;
      expect({ ...v, data: BigInt(v.data) }).toEqual({
        id: v.id,
        data: burst?.beats[beat],
        resp: burst?.resp,
        last: last ? 1 : 0,
      });
      this.#beat.set(v.id, last ? 0 : beat + 1);
      if (last) this.#reads.splice(at, 1);
    }
  }
  /** Nothing is under way, and nothing waits. */
  get idle(): boolean {
    this.check();
    return this.#reads.length === 0 && this.#writes.length === 0 && this.#w.pending === 0;
  }
}
export const beatsOf = (r: Random, most: number): bigint[] =>
  Array.from({ length: r.between(1, most) }, () => r.bits(64));
export const littleEndian = (beats: readonly bigint[]): Uint8Array =>
  Uint8Array.from(beats.flatMap(v => Array.from({ length: BEAT }, (_, i) => Number((v >> BigInt(8 * i)) & 255n))));
