/** Key expansion and counter mode together: keys in, key stream out, compared with Node's AES. */
import { createCipheriv } from "node:crypto";
import {
  blockNumberBits,
  CipherKey,
  CounterMode,
  KeyExpansion,
  lanes,
  StreamAsk,
} from "../../../../../../../designs/supernic/rtl/tasks/aes/index.ts";
import {
  bit,
  connect,
  input,
  instance,
  module,
  output,
  sink,
  source,
  struct,
  uint,
} from "../../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, type Sent, StreamSink, StreamSource } from "../../../../../../../sim/index.ts";

export const AesUnderTest = module(
  "AesUnderTest",
  () => ({
    key: input(CipherKey),
    done: output(struct({ valid: bit, key: uint(6) })),
    ask: sink(StreamAsk),
    stream: source(uint(lanes * 128)),
    idle: output(bit),
  }),
  io => {
    const keys = instance("keys", KeyExpansion()),
      mode = instance("mode", CounterMode());
    keys.from.set(io.key);
    io.done.set(keys.done);
    mode.keys.set(keys.to);
    connect(io.ask, mode.ask);
    connect(mode.stream, io.stream);
    io.idle.set(mode.idle);
  },
);
type B = Bench<ReturnType<typeof AesUnderTest>["ports"]>;

export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replace(/\s/g, ""), "hex"));
/** Bytes as a number, the first one lowest. */
export const numberOf = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
export const bytesOf = (value: bigint, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));

/** A block by Node's AES: the oracle beside the vectors. */
export function blockOf(key: Uint8Array, block: Uint8Array): Uint8Array {
  const cipher = createCipheriv(key.length === 16 ? "aes-128-ecb" : "aes-256-ecb", key, null);
  cipher.setAutoPadding(false);
  return Uint8Array.from(Buffer.concat([cipher.update(block), cipher.final()]));
}
/** The block of a number behind its `iv`; numbers wrap, and carry nothing into it. */
export function counterBlock(iv: Uint8Array, number: number): Uint8Array {
  const block = new Uint8Array(16);
  block.set(iv);
  new DataView(block.buffer).setUint32(12, number >>> 0);
  return block;
}

interface Awaited {
  readonly sent: Sent<unknown>;
  readonly is: bigint;
}
export class AesRig {
  readonly b: B;
  readonly asks;
  readonly streams;
  readonly latencies: number[] = [];
  readonly cycles: number[] = [];
  readonly keys = new Map<number, Uint8Array>();
  #awaited: Awaited[] = [];
  /** Beats that have been asked for, and have not come. */
  #under = 0;
  #resetting = false;

  constructor(b: B, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.asks = new StreamSource(b.sim, b.io.ask, { pause: o.from ?? never });
    this.streams = new StreamSink(b.sim, b.io.stream, { pause: o.to ?? never });
    b.io.key.valid.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  /** Gives a key. @returns cycles until it is done */
  async expand(at: number, key: Uint8Array): Promise<number> {
    const { b } = this,
      began = b.cycle;
    this.begin(at, key);
    await b.cycles(1);
    b.io.key.valid.value = 0;
    await b.until(() => b.io.done.valid.value === 1);
    if (b.io.done.key.num !== at) throw new Error(`key ${b.io.done.key.num} is done, not ${at}`);
    this.keys.set(at, key);
    await b.cycles(1);
    return b.cycle - began;
  }
  begin(at: number, key: Uint8Array): void {
    const { key: port } = this.b.io;
    port.valid.value = 1;
    port.key.value = at;
    port.short.value = key.length === 16 ? 1 : 0;
    port.value.value = numberOf(key);
  }
  ask(at: number, iv: Uint8Array, block: number): void {
    const key = this.keys.get(at);
    if (key === undefined) throw new Error(`there is no key ${at}`);
    const stream = Array.from({ length: lanes }, (_, i) => blockOf(key, counterBlock(iv, block + i))),
      is = numberOf(Uint8Array.from(stream.flatMap(s => [...s])));
    const sent = this.asks.send({ key: at, short: key.length === 16 ? 1 : 0, iv: numberOf(iv), block });
    this.#awaited.push({ sent, is });
  }
  #sample(): void {
    if (this.#resetting) return;
    const { ask, stream, idle } = this.b.io;
    if (idle.value !== (this.#under === 0 ? 1 : 0))
      throw new Error(`cycle ${this.b.cycle}: ${this.#under} beats are under way, and idle is ${idle.value}`);
    if (ask.valid.value === 1 && ask.ready.value === 1) this.#under++;
    if (stream.valid.value === 1 && stream.ready.value === 1) this.#under--;
    for (let s = this.streams.take(); s; s = this.streams.take()) {
      const due = this.#awaited.shift();
      if (due?.sent.cycle === undefined) throw new Error("a beat that nobody asked for");
      if (BigInt(s.value) !== due.is)
        throw new Error(`the key stream is ${BigInt(s.value).toString(16)}, not ${due.is.toString(16)}`);
      this.latencies.push(s.cycle - due.sent.cycle);
      this.cycles.push(s.cycle);
    }
  }
  /** The device in the middle of what it does; keys stay. */
  reset(): void {
    this.asks.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#awaited = [];
    this.#under = 0;
    this.streams.received.splice(0);
  }
  async end(): Promise<void> {
    await this.b.until(() => this.#awaited.length === 0);
    await this.b.cycles(20);
    if (this.b.io.idle.value !== 1) throw new Error("something is under way at the end");
  }
}
export { blockNumberBits };
