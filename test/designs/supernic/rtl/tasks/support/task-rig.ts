/** A network task alone with its model: packets in, answers compared, configuration, resets. */
import type { TaskModel, TaskPacketModel } from "../../../../../../designs/supernic/model/index.ts";
import type { TaskPorts } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type Declared, taskHeaderBytes } from "../../../../../../designs/supernic/wire/index.ts";
import {
  type Bench,
  never,
  type Pause,
  type Random,
  type Sent,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";

export type B = Bench<TaskPorts>;
export const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
export const fromBits = (bits: bigint): Uint8Array =>
  Uint8Array.from({ length: taskHeaderBytes }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n));
/** A mask of bits for a mask of bytes. */
export const wide = (bytes: bigint): bigint =>
  Array.from({ length: taskHeaderBytes }, (_, i) => i).reduce(
    (m, i) => ((bytes >> BigInt(i)) & 1n ? m | (255n << BigInt(8 * i)) : m),
    0n,
  );

/** A packet of random bytes. */
export const randomPacket = (r: Random): TaskPacketModel => ({
  header: fromBits(r.bits(512)),
  uid: r.between(0, 65_535),
  user: r.between(0, 63),
  ingress: r.between(0, 8),
  flowHash: r.between(0, 1023),
  headBytes: r.chance(0.7) ? 64 : r.between(1, 64),
  payloadBytes: r.chance(0.5) ? 0 : r.between(1, 9000),
  noL4: r.chance(0.2),
  arg: r.between(0, 255),
});

interface Awaited {
  readonly tag: number;
  readonly packet: TaskPacketModel;
  readonly sent: Sent<unknown>;
}

export class TaskRig {
  readonly b: B;
  readonly declared: Declared;
  readonly packets;
  readonly answers;
  readonly latencies: number[] = [];
  readonly answerCycles: number[] = [];
  readonly verdicts = new Map<string, number>();
  readonly #makeModel: () => TaskModel;
  #model: TaskModel;
  #awaited: Awaited[] = [];
  #tag = 0;
  #resetting = false;

  constructor(
    b: B,
    declared: Declared,
    model: () => TaskModel,
    o: { readonly from?: Pause; readonly to?: Pause } = {},
  ) {
    this.b = b;
    this.declared = declared;
    this.#makeModel = model;
    this.#model = model();
    this.packets = new StreamSource(b.sim, b.io.packet, { pause: o.from ?? never });
    this.answers = new StreamSink(b.sim, b.io.answer, { pause: o.to ?? never });
    b.io.config.valid.value = 0;
    b.io.quiesce.value = 0;
    b.onEdge({ sample: () => this.#sample() });
  }
  send(packet: TaskPacketModel): void {
    const header = fromBits(toBits(packet.header) & wide(this.declared.reads)),
      seen = { ...packet, header };
    const tag = this.#tag++ & 255;
    const sent = this.packets.send({ tag, ...packet, header: toBits(header), noL4: packet.noL4 ? 1 : 0 });
    this.#awaited.push({ tag, packet: seen, sent });
  }
  /** A word of configuration while nothing is inside. */
  async configure(at: number, data: bigint): Promise<void> {
    await this.settled();
    const { config } = this.b.io;
    config.valid.value = 1;
    config.at.value = at;
    config.data.value = data;
    await this.b.cycles(1);
    config.valid.value = 0;
    this.#model.configure?.(at, data);
  }
  #sample(): void {
    if (this.#resetting) return;
    const taken = this.#awaited.filter(a => a.sent.cycle !== undefined).length;
    if (taken > this.declared.holds + 1) throw new Error(`${taken} packets are inside of ${this.declared.holds}`);
    for (let s = this.answers.take(); s; s = this.answers.take()) this.#check(s.cycle, s.value);
  }
  #check(cycle: number, is: (typeof this.answers)["received"][number]["value"]): void {
    const awaited = this.#awaited.shift();
    if (awaited?.sent.cycle === undefined) throw new Error("an answer of no packet");
    const { packet, tag, sent } = awaited;
    const should = this.#model.answer(packet);
    const same = (what: string, a: unknown, b: unknown): void => {
      if (a !== b)
        throw new Error(
          `${what} is ${String(a)}, not ${String(b)}, of ${Buffer.from(packet.header).toString("hex")} arg ${packet.arg} user ${packet.user}`,
        );
    };
    same("tag", is.tag, tag);
    same("verdict", is.verdict, should.verdict);
    this.verdicts.set(should.verdict, (this.verdicts.get(should.verdict) ?? 0) + 1);
    if (should.verdict !== "drop") {
      same("prepend", is.prepend, should.prepend ?? 0);
      same("frontBytes", is.frontBytes, should.frontBytes ?? 0);
      same("dropFront", is.dropFront, should.dropFront ?? 0);
      const { mask } = is,
        writes = should.writes ?? new Map<number, number>();
      same(
        "mask",
        mask,
        [...writes.keys()].reduce((m, i) => m | (1n << BigInt(i)), 0n),
      );
      const bytes = fromBits(BigInt(is.header));
      for (const [i, byte] of writes) same(`byte ${i}`, bytes[i], byte);
      same("bytes that it did not declare", mask & ~this.declared.writes, 0n);
    }
    this.latencies.push(cycle - (sent.cycle ?? NaN));
    this.answerCycles.push(cycle);
  }
  /** All that was sent has been answered. */
  async settled(): Promise<void> {
    await this.b.until(() => this.#awaited.length === 0);
  }
  async end(): Promise<void> {
    await this.settled();
    await this.b.cycles(10);
    if (this.b.io.quiet.value !== 1) throw new Error("the task is not quiet at the end");
    if (this.answers.received.length > 0) throw new Error("an answer too many");
  }
  /** A reset: nothing is inside; what was configured is gone from the model too. */
  reset(): void {
    this.packets.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#awaited = [];
    this.answers.received.splice(0);
    this.#model = this.#makeModel();
  }
}
