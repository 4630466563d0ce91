/** Replication alone: packets with their payload, answers, and the frames that it makes, beside the model. */
import {
  ReplicaModel,
  type TaskAnswerModel,
  type TaskPacketModel,
} from "../../../../../../../designs/supernic/model/index.ts";
import {
  type makePorts,
  type readingTaskPorts,
  replicate,
} from "../../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type ConfigWord, replicaWords } from "../../../../../../../designs/supernic/wire/index.ts";
import type { Def } from "../../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, type Sent, StreamSink, StreamSource } from "../../../../../../../sim/index.ts";
import { groups } from "./frames.ts";

type Ports = ReturnType<typeof readingTaskPorts> & ReturnType<typeof makePorts>;
export type B = Bench<Ports>;
// A task is kept with the ports that all have.
export const replicaDut = replicate.hardware as unknown as Def<Ports>;

const beatBytes = 64;
const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
const toBytes = (bits: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse());
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

interface Inside {
  readonly packet: TaskPacketModel;
  readonly sent: Sent<unknown>;
  readonly tag: number;
  given: boolean;
  should?: TaskAnswerModel | undefined;
}
export interface Made {
  readonly bytes: Uint8Array;
  readonly port: number;
  readonly at: number;
}
export interface Answered {
  readonly packet: TaskPacketModel;
  readonly is: TaskAnswerModel["verdict"];
  /** The header behind the task. */
  readonly header: Uint8Array;
  readonly cycles: number;
  readonly at: number;
}

export class ReplicaRig {
  readonly b: B;
  readonly model = new ReplicaModel();
  readonly packets;
  readonly payload;
  readonly answers;
  readonly made;
  /** What the model says is compared; switched off where time or room decides. */
  compares = true;
  onAnswer: (a: Answered) => void = () => undefined;
  onMade: (m: Made) => void = () => undefined;
  readonly counts = { answers: 0, made: 0, sent: 0 };
  #inside: Inside[] = [];
  #due: { readonly bytes: Uint8Array; readonly port: number }[] = [];
  #making: Uint8Array[] = [];
  #tag = 0;

  constructor(b: B, pause: () => Pause = () => never, make: Pause = pause()) {
    this.b = b;
    const { sim, io } = b;
    this.packets = new StreamSource(sim, io.packet, { pause: pause() });
    this.payload = new StreamSource(sim, io.payload, { pause: pause() });
    this.answers = new StreamSink(sim, io.answer, { pause: pause() });
    this.made = new StreamSink(sim, io.make, { pause: make });
    io.config.valid.value = 0;
    io.quiesce.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  async configure(life: number, of = groups): Promise<void> {
    await this.write(replicaWords(of, life));
  }
  async write(words: readonly ConfigWord[]): Promise<void> {
    const { config } = this.b.io;
    for (const { at, data } of words) {
      config.valid.value = 1;
      config.at.value = at;
      config.data.value = data;
      this.model.configure(at, data);
      await this.b.cycles(1);
    }
    config.valid.value = 0;
    await this.b.cycles(1);
  }
  send(packet: TaskPacketModel): void {
    const { payload: _, header, noL4, ...told } = packet,
      tag = this.#tag++ & 255,
      sent = this.packets.send({ ...told, tag, header: toBits(header), noL4: noL4 ? 1 : 0 });
    this.counts.sent++;
    this.#inside.push({ packet, sent, tag, given: false });
  }
  /** Frames that the model says are to come. */
  get due(): number {
    return this.#due.length;
  }
  get pending(): number {
    return this.#inside.length;
  }
  async settled(): Promise<void> {
    const { io } = this.b;
    let quiet = 0;
    await this.b.until(() => {
      const idle = this.pending === 0 && io.quiet.value === 1 && this.#making.length === 0;
      return (quiet = idle ? quiet + 1 : 0) > 20;
    });
    if (this.compares && this.due > 0) throw new Error(`${this.due} frames were not made`);
  }
  #sample(): void {
    for (const i of this.#inside)
      if (!i.given && i.sent.cycle !== undefined) {
        i.given = true;
        // Packets are decided in the order in which they are taken.
        if (this.compares) this.#due.push(...((i.should = this.model.answer(i.packet)).made ?? []));
        this.#give(i.packet.payload ?? new Uint8Array());
      }
    for (let s = this.answers.take(); s; s = this.answers.take()) this.#answered(s.cycle, s.value);
    for (let s = this.made.take(); s; s = this.made.take()) this.#beat(s.cycle, s.value);
  }
  #give(payload: Uint8Array): void {
    for (let at = 0; at < payload.length; at += beatBytes) {
      const beat = new Uint8Array(beatBytes);
      beat.set(payload.slice(at, at + beatBytes));
      this.payload.send({ data: toBits(beat), last: at + beatBytes >= payload.length ? 1 : 0 });
    }
  }
  #answered(cycle: number, is: (typeof this.answers)["received"][number]["value"]): void {
    const first = this.#inside.shift();
    if (first?.sent.cycle === undefined || is.tag !== first.tag) throw new Error("an answer of no packet");
    const { packet } = first,
      { should } = first,
      bytes = toBytes(BigInt(is.header)),
      header = packet.header.map((b, i) => ((is.mask >> BigInt(i)) & 1n ? (bytes[i] ?? 0) : b));
    if (is.prepend !== 0 || is.dropFront !== 0) throw new Error("it puts something in front");
    if ((is.mask & ~replicate.declared.writes) !== 0n) throw new Error("it writes bytes that it did not declare");
    if (should !== undefined) this.#compare(packet, should, is.verdict, header);
    this.counts.answers++;
    this.onAnswer({ packet, is: is.verdict, header, cycles: cycle - first.sent.cycle, at: cycle });
  }
  #compare(packet: TaskPacketModel, should: TaskAnswerModel, verdict: string, header: Uint8Array): void {
    if (verdict !== should.verdict) throw new Error(`${verdict}, not ${should.verdict}: ${hex(packet.header)}`);
    const want = packet.header.map((b, i) => should.writes?.get(i) ?? b);
    if (verdict === "forward" && hex(header) !== hex(want)) throw new Error(`${hex(header)}, not ${hex(want)}`);
  }
  #beat(cycle: number, is: (typeof this.made)["received"][number]["value"]): void {
    this.#making.push(toBytes(is.data).slice(0, is.count));
    if (is.bad === 1) throw new Error("a frame is bad");
    if (is.last === 0) {
      if (is.count !== beatBytes) throw new Error("a beat in the middle is not full");
      return;
    }
    const bytes = Uint8Array.from(Buffer.concat(this.#making.splice(0)));
    if (this.compares) {
      const due = this.#due.shift();
      if (due === undefined) throw new Error(`a frame too many is made: ${hex(bytes)}`);
      if (due.port !== is.port || hex(due.bytes) !== hex(bytes))
        throw new Error(`it makes ${is.port} ${hex(bytes)}, not ${due.port} ${hex(due.bytes)}`);
    }
    this.counts.made++;
    this.onMade({ bytes, port: is.port, at: cycle });
  }
  /** The task in the middle of what it does: what was inside is lost, and nothing is configured. */
  reset(): void {
    for (const s of [this.packets, this.payload]) s.forget();
    this.b.sim.reset(1);
    this.#inside = [];
    this.#due = [];
    this.#making = [];
    for (const s of [this.answers, this.made]) s.received.splice(0);
    this.model.forget();
  }
  /** Nothing is under way. */
  async end(): Promise<void> {
    await this.settled();
    if (this.payload.pending > 0) throw new Error("beats of payload are left");
  }
}
