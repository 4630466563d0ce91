/** The KV cache alone: packets with their payload, a memory, and the frames that it makes. */
import type { KvPacket } from "../../../../../../../designs/supernic/model/index.ts";
import { kvCache } from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import type { memoryPayloadTaskPorts } from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type ConfigWord, kvLineBytes, type KvPolicy } from "../../../../../../../designs/supernic/wire/index.ts";
import type { Def } from "../../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, type Sent, StreamSink, StreamSource } from "../../../../../../../sim/index.ts";

/** Its payload goes on as it is: there is no way back for it. */
type Ports = Omit<ReturnType<typeof memoryPayloadTaskPorts>, "back">;
export type B = Bench<Ports>;
// A task is kept with the ports that all have.
export const kvDut = (policy: KvPolicy, values: number): Def<Ports> =>
  kvCache(policy, values).hardware as unknown as Def<Ports>;

const beatBytes = 64;
export const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
export const toBytes = (bits: bigint, n = beatBytes): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * n, "0"), "hex").reverse()).slice(0, n);

export interface RigOptions {
  readonly pause?: () => Pause;
  /** Cycles of an access of memory, at least, and at most so many more. */
  readonly latency?: number;
  readonly jitter?: number;
  /** Cycles of a write; as of a read, where it is left out. */
  readonly writeLatency?: number;
  /** Of so many accesses one fails. */
  readonly failing?: number;
}
interface Inside {
  readonly packet: KvPacket;
  readonly sent: Sent<unknown>;
  readonly tag: number;
  given: boolean;
}
export interface Answered {
  readonly packet: KvPacket;
  readonly verdict: string;
  /** Cycles from taking to answering, and when it was. */
  readonly cycles: number;
  readonly at: number;
}
interface Access {
  readonly write: boolean;
  readonly address: number;
  readonly bytes: number;
  readonly at: number;
  readonly failed: boolean;
  readonly asked: number;
}

export class KvRig {
  readonly b: B;
  readonly packets;
  readonly payload;
  readonly answers;
  readonly made;
  readonly ask;
  readonly put;
  readonly got;
  readonly wrote;
  /** Told of each packet that is answered, and of each frame that is made. */
  onAnswer: (a: Answered) => void = () => undefined;
  onMade: (bytes: Uint8Array, port: number) => void = () => undefined;
  readonly counts = { reads: 0, writes: 0, failed: 0, made: 0, bad: 0 };
  readonly memory = new Map<number, Uint8Array>();
  /** Cycles from a key's beat, or the packet, to its access of memory; and from the value to the reply's first beat. */
  readonly asked: number[] = [];
  takenAt = 0;
  /** Cycles from the last value's first beat to that of the reply's body. */
  toReply = 0;
  #gotAt = 0;
  readonly #o: Required<Omit<RigOptions, "pause">>;
  #inside: Inside[] = [];
  #reads: Access[] = [];
  #writes: Access[] = [];
  #puts: Uint8Array[] = [];
  #making: Uint8Array[] = [];
  #tag = 0;

  constructor(
    b: B,
    { pause = () => never, latency = 10, jitter = 0, failing = 0, writeLatency = latency }: RigOptions = {},
  ) {
    this.b = b;
    this.#o = { latency, jitter, failing, writeLatency };
    const { sim, io } = b;
    this.packets = new StreamSource(sim, io.packet, { pause: pause() });
    this.payload = new StreamSource(sim, io.payload, { pause: pause() });
    this.answers = new StreamSink(sim, io.answer, { pause: pause() });
    this.made = new StreamSink(sim, io.make, { pause: pause() });
    this.ask = new StreamSink(sim, io.ask, { pause: pause() });
    this.put = new StreamSink(sim, io.put, { pause: pause() });
    this.got = new StreamSource(sim, io.got, { pause: pause() });
    this.wrote = new StreamSource(sim, io.wrote, { pause: pause() });
    io.config.valid.value = 0;
    io.quiesce.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  async configure(words: readonly ConfigWord[]): Promise<void> {
    const { config } = this.b.io;
    for (const { at, data } of words) {
      config.valid.value = 1;
      config.at.value = at;
      config.data.value = data;
      await this.b.cycles(1);
    }
    config.valid.value = 0;
    await this.b.cycles(1);
  }
  send(packet: KvPacket): void {
    const { bytes, user, ingress } = packet,
      header = new Uint8Array(64),
      tag = this.#tag++ & 255;
    header.set(bytes.slice(0, 64));
    const sent = this.packets.send({
      ...{ tag, header: toBits(header), uid: 1, user, ingress, flowHash: 0, arg: 0, noL4: 0 },
      headBytes: Math.min(64, bytes.length),
      payloadBytes: Math.max(0, bytes.length - 64),
    });
    this.#inside.push({ packet, sent, tag, given: false });
  }
  get pending(): number {
    return this.#inside.length;
  }
  get idle(): boolean {
    return (
      this.pending === 0 &&
      this.b.io.quiet.value === 1 &&
      this.#reads.length + this.#writes.length + this.#making.length === 0
    );
  }
  async settled(): Promise<void> {
    // Quiet also while the last frame is on its way to whoever listens.
    let quiet = 0;
    await this.b.until(() => (quiet = this.idle ? quiet + 1 : 0) > 20);
  }
  #sample(): void {
    for (const i of this.#inside)
      if (!i.given && i.sent.cycle !== undefined) {
        i.given = true;
        this.takenAt = i.sent.cycle;
        this.#give(i.packet.bytes.slice(64));
      }
    for (let s = this.answers.take(); s; s = this.answers.take()) {
      const is = s.value,
        first = this.#inside.shift();
      if (first?.sent.cycle === undefined || is.tag !== first.tag) throw new Error("an answer of no packet");
      if (is.mask !== 0n) throw new Error("it writes bytes of the header");
      this.onAnswer({
        packet: first.packet,
        verdict: is.verdict,
        cycles: s.cycle - first.sent.cycle,
        at: s.cycle,
      });
    }
    for (let s = this.made.take(); s; s = this.made.take()) {
      if (this.#making.length === 1) this.toReply = s.cycle - this.#gotAt;
      this.#beat(s.value);
    }
    this.#accesses();
  }
  #give(payload: Uint8Array): void {
    for (let at = 0; at < payload.length; at += beatBytes) {
      const beat = new Uint8Array(beatBytes);
      beat.set(payload.slice(at, at + beatBytes));
      this.payload.send({ data: toBits(beat), last: at + beatBytes >= payload.length ? 1 : 0 });
    }
  }
  #beat(is: (typeof this.made)["received"][number]["value"]): void {
    this.#making.push(toBytes(is.data).slice(0, is.count));
    if (is.last === 0) {
      if (is.count !== beatBytes) throw new Error("a beat in the middle is not full");
      return;
    }
    const bytes = Uint8Array.from(Buffer.concat(this.#making.splice(0)));
    if (is.bad === 1) {
      this.counts.bad++;
      return;
    }
    this.counts.made++;
    this.onMade(bytes, is.port);
  }
  #accesses(): void {
    const { b } = this,
      { latency, jitter, failing, writeLatency } = this.#o;
    for (let s = this.ask.take(); s; s = this.ask.take()) {
      const write = s.value.write === 1,
        access: Access = {
          write,
          address: s.value.address,
          bytes: s.value.lastByte + 1,
          at: b.cycle + (write ? writeLatency : latency) + (jitter > 0 ? b.random.below(jitter) : 0),
          failed: failing > 0 && b.random.below(failing) === 0,
          asked: s.cycle,
        };
      if (access.address % kvLineBytes !== 0) throw new Error("an access that is not at a value's place");
      (write ? this.#writes : this.#reads).push(access);
      this.counts[write ? "writes" : "reads"]++;
      if (!write) this.asked.push(s.cycle - this.takenAt);
    }
    for (let s = this.put.take(); s; s = this.put.take()) this.#puts.push(toBytes(s.value.data));
    const [write] = this.#writes,
      [read] = this.#reads;
    if (write && write.at <= b.cycle && this.#puts.length >= Math.ceil(write.bytes / beatBytes)) {
      this.#writes.shift();
      const bytes = Uint8Array.from(Buffer.concat(this.#puts.splice(0, Math.ceil(write.bytes / beatBytes))));
      // What failed may have been done in part.
      this.memory.set(write.address, write.failed ? bytes.map(x => x ^ 0x55) : bytes);
      if (write.failed) this.counts.failed++;
      this.wrote.send({ error: write.failed ? "failed" : "none" });
    }
    if (read && read.at <= b.cycle) {
      this.#reads.shift();
      const bytes = this.memory.get(read.address) ?? new Uint8Array(kvLineBytes),
        beats = Math.ceil(read.bytes / beatBytes);
      if (read.failed) this.counts.failed++;
      this.#gotAt = b.cycle + 1;
      for (let i = 0; i < beats; i++) {
        const beat = new Uint8Array(beatBytes);
        // Behind the end, in memory, anything may stand.
        beat.fill(0xee);
        beat.set(bytes.slice(i * beatBytes, Math.min(read.bytes, (i + 1) * beatBytes)));
        this.got.send({
          data: read.failed ? 0n : toBits(beat),
          last: i === beats - 1 ? 1 : 0,
          error: read.failed ? "failed" : "none",
        });
      }
    }
  }
  /** The task in the middle of what it does: what was inside is lost. */
  reset(): void {
    for (const s of [this.packets, this.payload, this.got, this.wrote]) s.forget();
    this.b.sim.reset(1);
    this.#inside = [];
    this.#reads = [];
    this.#writes = [];
    this.#puts = [];
    this.#making = [];
    for (const s of [this.answers, this.made, this.ask, this.put]) s.received.splice(0);
  }
  /** Nothing is under way, and nobody waits. */
  async end(): Promise<void> {
    await this.settled();
    if (this.#puts.length > 0) throw new Error(`${this.#puts.length} beats of values are left`);
    if (this.payload.pending > 0) throw new Error("beats of payload are left");
  }
}
