/** The Go-Back-N task alone: packets with their payload, a memory, what goes on, and the frames that it makes. */
import { gbnTaskDefaults, GoBackN } from "../../../../../../../designs/supernic/rtl/tasks/go-back-n/index.ts";
import type {
  GbnTaskParameters,
  memoryPayloadTaskPorts,
} from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import { gbnWords } from "../../../../../../../designs/supernic/wire/index.ts";
import type { Def } from "../../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, type Sent, StreamSink, StreamSource } from "../../../../../../../sim/index.ts";
import { nodes, user } from "./frames.ts";

type Ports = Omit<ReturnType<typeof memoryPayloadTaskPorts>, "back" | "trailer">;
export type B = Bench<Ports>;
// A task is kept with the ports that all have.
export const gbnDut = (more: Partial<GbnTaskParameters> = {}): Def<Ports> => GoBackN({ ...gbnTaskDefaults, ...more });
export const sizes = (more: Partial<GbnTaskParameters> = {}): GbnTaskParameters => ({ ...gbnTaskDefaults, ...more });

const beatBytes = 64;
const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
const toBytes = (bits: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse());

export interface RigOptions {
  readonly pause?: () => Pause;
  /** Of the frames that are made. */
  readonly make?: Pause;
  /** Cycles of an access of memory, and at most so many more. */
  readonly latency?: number;
  /** And of a write, so many more. */
  readonly writing?: number;
  readonly jitter?: number;
}
interface Inside {
  readonly bytes: Uint8Array;
  readonly sent: Sent<unknown>;
  readonly tag: number;
  given: boolean;
}
interface Access {
  readonly write: boolean;
  readonly beat: number;
  readonly beats: number;
  readonly at: number;
}
/** What came out: the frame that goes on, or undefined; cycles that its answer took. */
export interface Answered {
  readonly bytes: Uint8Array;
  readonly on: Uint8Array | undefined;
  readonly cycles: number;
}

export class GbnRig {
  readonly b: B;
  readonly packets;
  readonly payload;
  readonly answers;
  readonly made;
  onAnswer: (a: Answered) => void = () => undefined;
  onMade: (bytes: Uint8Array, port: number) => void = () => undefined;
  /** Of so many reads of memory none fails; set, it says which one does. */
  fails: () => boolean = () => false;
  readonly counts = { made: 0, bad: 0, reads: 0, writes: 0, failed: 0, mostWaiting: 0 };
  /** Cycles at which frames were made: of their first beats. */
  readonly madeAt: number[] = [];
  readonly #ask;
  readonly #put;
  readonly #got;
  readonly #wrote;
  readonly #latency: () => number;
  readonly #writing: number;
  readonly #memory = new Map<number, bigint>();
  #inside: Inside[] = [];
  #reads: Access[] = [];
  #writes: Access[] = [];
  #puts: bigint[] = [];
  #making: Uint8Array[] = [];
  #tag = 0;

  constructor(b: B, { pause = () => never, make = pause(), latency = 30, jitter = 40, writing = 0 }: RigOptions = {}) {
    this.b = b;
    this.#latency = () => latency + (jitter > 0 ? b.random.below(jitter) : 0);
    this.#writing = writing;
    const { sim, io } = b;
    this.packets = new StreamSource(sim, io.packet, { pause: pause() });
    this.payload = new StreamSource(sim, io.payload, { pause: pause() });
    this.answers = new StreamSink(sim, io.answer, { pause: pause() });
    this.made = new StreamSink(sim, io.make, { pause: make });
    this.#ask = new StreamSink(sim, io.ask, { pause: pause() });
    this.#put = new StreamSink(sim, io.put, { pause: pause() });
    this.#got = new StreamSource(sim, io.got, { pause: pause() });
    this.#wrote = new StreamSource(sim, io.wrote, { pause: pause() });
    io.config.valid.value = 0;
    io.quiesce.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  async configure(words = gbnWords(nodes)): Promise<void> {
    const { config } = this.b.io;
    for (const { at, data } of words) {
      config.valid.value = 1;
      config.at.value = at;
      config.data.value = data;
      await this.b.cycles(1);
    }
    config.valid.value = 0;
  }
  send(bytes: Uint8Array, ingress: number, of = user): Sent<unknown> {
    const header = new Uint8Array(64),
      tag = this.#tag++ & 255;
    header.set(bytes.slice(0, 64));
    const sent = this.packets.send({
      ...{ tag, header: toBits(header), uid: 1, user: of, ingress, flowHash: 0, arg: 0, noL4: 0 },
      headBytes: Math.min(64, bytes.length),
      payloadBytes: Math.max(0, bytes.length - 64),
    });
    this.#inside.push({ bytes, sent, tag, given: false });
    return sent;
  }
  get pending(): number {
    return this.#inside.length;
  }
  get idle(): boolean {
    const under = this.#reads.length + this.#writes.length + this.#puts.length + this.#making.length;
    return this.pending === 0 && this.b.io.quiet.value === 1 && under === 0;
  }
  async settled(): Promise<void> {
    let quiet = 0;
    await this.b.until(() => (quiet = this.idle ? quiet + 1 : 0) > 20);
  }
  /** The task in the middle of what it does: what was inside is lost, and what it was configured with. */
  async reset(): Promise<void> {
    const forget = (): void => {
      for (const s of [this.packets, this.payload, this.#got, this.#wrote]) s.forget();
    };
    forget();
    this.b.sim.reset(1);
    // Memory may have answered in that very cycle.
    forget();
    for (const l of [this.#reads, this.#writes, this.#puts, this.#making]) l.splice(0);
    this.#inside = [];
    for (const s of [this.answers, this.made, this.#ask, this.#put]) s.received.splice(0);
    await this.configure();
  }

  #sample(): void {
    for (const i of this.#inside)
      if (!i.given && i.sent.cycle !== undefined) {
        i.given = true;
        const payload = i.bytes.slice(64);
        for (let at = 0; at < payload.length; at += beatBytes) {
          const beat = new Uint8Array(beatBytes);
          beat.set(payload.slice(at, at + beatBytes));
          this.payload.send({ data: toBits(beat), last: at + beatBytes >= payload.length ? 1 : 0 });
        }
      }
    for (let s = this.answers.take(); s; s = this.answers.take()) {
      const first = this.#inside.shift(),
        is = s.value;
      if (first?.sent.cycle === undefined || is.tag !== first.tag) throw new Error("an answer of no packet");
      if (is.prepend !== 0 || is.verdict === "reply") throw new Error("an answer that is none of its own");
      this.onAnswer({
        bytes: first.bytes,
        on: is.verdict === "forward" ? whole(first.bytes, { ...is, header: BigInt(is.header) }) : undefined,
        cycles: s.cycle - first.sent.cycle,
      });
    }
    for (let s = this.made.take(); s; s = this.made.take()) {
      const is = s.value;
      if (this.#making.length === 0) this.madeAt.push(s.cycle);
      this.#making.push(toBytes(is.data).slice(0, is.count));
      if (is.last === 0) {
        if (is.count !== beatBytes) throw new Error("a beat in the middle is not full");
        continue;
      }
      const bytes = Uint8Array.from(Buffer.concat(this.#making.splice(0)));
      this.counts[is.bad === 1 ? "bad" : "made"]++;
      if (is.bad === 0) this.onMade(bytes, is.port);
    }
    this.#accesses();
  }
  #accesses(): void {
    const now = this.b.cycle;
    for (let s = this.#ask.take(); s; s = this.#ask.take()) {
      const { write, address, lastByte } = s.value,
        access = { write: write === 1, beat: address / beatBytes, beats: (lastByte + 1) / beatBytes, at: now };
      if (!Number.isInteger(access.beat) || !Number.isInteger(access.beats)) throw new Error("not whole beats");
      (access.write ? this.#writes : this.#reads).push({
        ...access,
        at: now + this.#latency() + (access.write ? this.#writing : 0),
      });
      this.counts[access.write ? "writes" : "reads"]++;
    }
    for (let s = this.#put.take(); s; s = this.#put.take()) this.#puts.push(s.value.data);
    const [write] = this.#writes,
      [read] = this.#reads;
    if (write && write.at <= now && this.#puts.length >= write.beats) {
      this.#writes.shift();
      this.#puts.splice(0, write.beats).forEach((beat, i) => this.#memory.set(write.beat + i, beat));
      this.#wrote.send({ error: "none" });
    }
    if (read && read.at <= now) {
      this.#reads.shift();
      const failed = this.fails();
      if (failed) this.counts.failed++;
      for (let i = 0; i < read.beats; i++)
        this.#got.send({
          data: failed ? 0n : (this.#memory.get(read.beat + i) ?? 0n),
          last: i === read.beats - 1 ? 1 : 0,
          error: failed ? "failed" : "none",
        });
    }
  }
}
/** The frame as the deparser builds it: bytes that were written, and those in front left out. */
function whole(
  bytes: Uint8Array,
  is: { readonly header: bigint; readonly mask: bigint; readonly dropFront: number },
): Uint8Array {
  const written = toBytes(is.header),
    out = Uint8Array.from(bytes);
  for (let i = 0; i < beatBytes; i++) if (((is.mask >> BigInt(i)) & 1n) === 1n) out[i] = written[i] ?? 0;
  return out.slice(is.dropFront);
}
