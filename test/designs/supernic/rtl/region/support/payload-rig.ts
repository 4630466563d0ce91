/** A chain with payload, the packet store, and what joins them: packets come in, go through the tasks, and out. */
import { type ChainTask, type TaskPacketModel, throughChain } from "../../../../../../designs/supernic/model/index.ts";
import { Arrived, beatBytes, cellBeats } from "../../../../../../designs/supernic/rtl/inside/index.ts";
import {
  payloadUses,
  region,
  RegionConfig,
  RegionEnter,
  RegionLeave,
  SlotControl,
  SlotState,
  trailerPortsOf,
  trailerUses,
} from "../../../../../../designs/supernic/rtl/region/index.ts";
import {
  FirstCell,
  PacketStore,
  StoreBeat,
  StoreEvents,
  StoreJob,
} from "../../../../../../designs/supernic/rtl/store/index.ts";
import { connectPayload } from "../../../../../../designs/supernic/rtl/top/index.ts";
import { ReadBeat } from "../../../../../../designs/shared/frame/index.ts";
import {
  bit,
  connect,
  input,
  instance,
  mergePorts,
  module,
  output,
  portOf,
  sink,
  source,
  struct,
  uint,
  vec,
} from "../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { randomPacket, toBits, wide } from "../../tasks/support/task-rig.ts";
import type { Tried } from "./test-tasks.ts";

export const sizes = { contexts: 64, cells: 128, places: 24 } as const;

/** At most two of the tasks have payload. */
export function pathOf(tasks: readonly Tried[], payloadBeats = 32) {
  const store = { cells: sizes.cells, cellBeats, beatBytes, payloadBeats };
  const slots = tasks.length,
    chain = { contexts: sizes.contexts, places: sizes.places, slots };
  return module(
    "PayloadPath",
    () =>
      mergePorts(trailerPortsOf(chain, trailerUses(tasks).length), {
        write: sink(StoreBeat(store)),
        stored: source(FirstCell(store)),
        arrive: input(struct({ valid: bit, packet: Arrived(sizes) })),
        enter: sink(RegionEnter(chain)),
        leave: source(RegionLeave(chain)),
        leaveJob: sink(StoreJob(store)),
        beats: source(ReadBeat(beatBytes)),
        release: sink(FirstCell(store)),
        free: output(uint(Math.log2(sizes.cells) + 1)),
        events: output(StoreEvents),
        give: output(uint(slots)),
        control: input(vec(SlotControl(chain), slots)),
        config: input(RegionConfig(chain)),
        state: output(vec(SlotState(chain), slots)),
      } as const),
    io => {
      const kept = instance("store", PacketStore(store)),
        it = instance("region", region(tasks)({ contexts: sizes.contexts, places: sizes.places }));
      connect(io.write, kept.write);
      connect(kept.stored, io.stored);
      connect(io.leaveJob, kept.leaveJob);
      connect(kept.leave, io.beats);
      connect(io.release, kept.release0);
      kept.release1.valid.set(0);
      kept.release1.payload.set({ first: 0 });
      io.free.set(kept.free);
      io.events.set(kept.events);
      connect(io.enter, it.enter);
      connect(it.leave, io.leave);
      io.give.set(it.give);
      it.config.set(io.config);
      for (let s = 0; s < slots; s++) {
        it.control.at(s).set(io.control.at(s));
        io.state.at(s).set(it.state.at(s));
      }
      trailerUses(tasks).forEach((_, i) => portOf(io, "trailer", i).set(portOf(it, "trailer", i)));
      connectPayload(kept, it, io.arrive, { ...sizes, store, uses: payloadUses(tasks) });
    },
  )();
}
export type B = Bench<ReturnType<typeof pathOf>["ports"]>;

interface Packet {
  readonly ctx: number;
  readonly run: readonly number[];
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  readonly told: Omit<ReturnType<typeof randomPacket>, "header">;
  first: number;
  sent: { readonly cycle: number | undefined } | undefined;
}
const beatsOf = (bytes: number): number => Math.ceil(bytes / beatBytes);
const beatAt = (bytes: Uint8Array, i: number): bigint => {
  const beat = new Uint8Array(beatBytes);
  beat.set(bytes.slice(i * beatBytes, (i + 1) * beatBytes));
  return toBits(beat);
};
const bits = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

/** Packets of random payloads; whatever leaves is as the model of the chain says, and its cells come back. */
export class PayloadRig {
  readonly b: B;
  readonly tasks: readonly Tried[];
  readonly write;
  readonly stored;
  readonly enter;
  readonly leave;
  readonly leaveJob;
  readonly beats;
  readonly release;
  readonly seen = { forwarded: 0, dropped: 0, killed: 0, beats: 0 };
  readonly leaveCycles: number[] = [];
  /** Cycles of each packet from entering the region to leaving it. */
  readonly latencies: number[] = [];
  /** Bytes of payload that were read out in the end. */
  bytes = 0;
  readonly #chain: ChainTask[];
  #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  #held: number[];
  #coming: Packet[] = [];
  #ready: Packet[] = [];
  readonly #inside = new Map<number, Packet>();
  #leaving: { readonly packet: Packet; readonly is: Uint8Array; at: number }[] = [];
  readonly #trailers = new Map<number, bigint>();
  #arrives: Packet | undefined;
  #resetting = false;

  constructor(b: B, tasks: readonly Tried[], o: { readonly from?: () => Pause; readonly to?: () => Pause } = {}) {
    this.b = b;
    this.tasks = tasks;
    this.#held = tasks.map(() => 0);
    this.#chain = tasks.map(t => ({ declared: t.declared, model: t.model() }));
    const from = () => ({ pause: o.from?.() ?? never }),
      to = () => ({ pause: o.to?.() ?? never });
    this.write = new StreamSource(b.sim, b.io.write, from());
    this.stored = new StreamSink(b.sim, b.io.stored, to());
    this.enter = new StreamSource(b.sim, b.io.enter, from());
    this.leave = new StreamSink(b.sim, b.io.leave, to());
    this.leaveJob = new StreamSource(b.sim, b.io.leaveJob, from());
    this.beats = new StreamSink(b.sim, b.io.beats, to());
    this.release = new StreamSource(b.sim, b.io.release, from());
    b.io.config.valid.value = 0;
    b.io.arrive.valid.value = 0;
    tasks.forEach((_, s) => this.control(s, {}));
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  control(slot: number, c: { readonly isolate?: boolean; readonly patience?: number }): void {
    const port = this.b.io.control[slot];
    if (!port) throw new Error(`no slot ${slot}`);
    port.quiesce.value = 0;
    port.isolate.value = c.isolate === true ? 1 : 0;
    port.busyAt.value = 3;
    port.patience.value = c.patience ?? 0;
  }
  state(slot: number) {
    const state = this.b.io.state[slot];
    if (!state) throw new Error(`no slot ${slot}`);
    return state;
  }
  async configure(slot: number, at: number, data: bigint, both = true): Promise<void> {
    const { config } = this.b.io;
    config.valid.value = 1;
    config.slot.value = slot;
    config.at.value = at;
    config.data.value = data;
    await this.b.cycles(1);
    config.valid.value = 0;
    if (both) this.#chain[slot]?.model.configure?.(at, data);
  }
  /** The model of a task that was reset: fresh, and told again what the task was. */
  restart(slot: number): void {
    const task = this.tasks[slot];
    if (task === undefined) throw new Error(`no slot ${slot}`);
    this.#chain[slot] = { declared: task.declared, model: task.model() };
  }
  get pending(): number {
    return sizes.contexts - this.#free.length;
  }
  canSend(): boolean {
    return this.#free.length > 0;
  }
  /** A packet of so many bytes of payload, for these slots. */
  send(run: readonly number[], payloadBytes: number, given: Partial<TaskPacketModel> = {}): void {
    const ctx = this.#free.shift();
    if (ctx === undefined) throw new Error("all contexts are out");
    const { random } = this.b,
      { header, ...rest } = { ...randomPacket(random), headBytes: 64, ...given },
      { payload = Uint8Array.from({ length: payloadBytes }, () => random.between(0, 255)), ...others } = rest;
    const told = { ...others, payloadBytes };
    const packet = { ctx, run, header, payload, told, first: 0, sent: undefined };
    if (payloadBytes === 0) {
      this.#ready.push(packet);
      return;
    }
    this.#coming.push(packet);
    const n = beatsOf(payloadBytes);
    for (let i = 0; i < n; i++) this.write.send({ data: beatAt(payload, i), last: i === n - 1 ? 1 : 0, owners: 1 });
  }
  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b;
    if (io.events.short.value === 1 || io.events.uneven.value === 1) throw new Error("the store was given a wrong job");
    const given = Number(io.give.value);
    this.#back(given);
    for (let s = this.stored.take(); s; s = this.stored.take()) {
      const packet = this.#coming.shift();
      if (!packet) throw new Error("a payload is stored that nobody sent");
      packet.first = Number(s.value.first);
      this.#ready.push(packet);
    }
    trailerUses(this.tasks).forEach((_, i) => {
      const said = portOf(io, "trailer", i);
      if (said.valid.value === 1) this.#trailers.set(Number(said.ctx.value), BigInt(said.bytes.value));
    });
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.cycle, s.value);
    for (let s = this.beats.take(); s; s = this.beats.take()) this.#beat(s.value);
  }
  #back(slots: number): void {
    this.#held = this.#held.map((n, s) => n - ((slots >> s) & 1));
    if (this.#held.some(n => n < 0)) throw new Error("a credit comes back that nobody had");
  }
  #left(cycle: number, is: (typeof this.leave)["received"][number]["value"]): void {
    const packet = this.#inside.get(Number(is.ctx));
    if (packet === undefined) throw new Error(`packet ${is.ctx} leaves, and is not inside`);
    this.#inside.delete(packet.ctx);
    this.leaveCycles.push(cycle);
    this.latencies.push(cycle - (packet.sent?.cycle ?? NaN));
    this.#back(Number(is.refund));
    if (packet.run.length > 0) this.beforeJudging?.(BigInt(is.header), is.dropped === 1);
    const exit = throughChain(this.#chain, {
      ...packet.told,
      ...{ header: packet.header, payload: packet.payload, run: packet.run },
      ...{ prepend: 0, frontBytes: 0, dropFront: 0 },
    });
    this.seen[is.killed === 1 ? "killed" : is.dropped === 1 ? "dropped" : "forwarded"]++;
    const trailer = this.#trailers.get(packet.ctx);
    this.#trailers.delete(packet.ctx);
    if (is.dropped === 1) {
      if (trailer !== undefined) throw new Error(`packet ${is.ctx} is dropped, and has a trailer`);
      if (!exit.dropped && !this.mayDrop) throw new Error(`packet ${is.ctx} is dropped`);
      if (packet.payload.length > 0) this.release.send({ first: packet.first });
      this.#free.push(packet.ctx);
      return;
    }
    if (exit.dropped) throw new Error(`packet ${is.ctx} is not dropped`);
    const same = (what: string, a: unknown, b: unknown): void => {
      if (a !== b) throw new Error(`${what} is ${String(a)}, not ${String(b)}, of packet ${is.ctx}`);
    };
    const due = exit.trailer === "cut" ? 0n : exit.trailer && toBits(exit.trailer);
    same("trailer", trailer?.toString(16), due?.toString(16));
    const written = wide(exit.mask);
    same("mask", is.mask, exit.mask);
    same("header", BigInt(is.header) & written, toBits(exit.header) & written);
    for (const f of ["prepend", "frontBytes", "dropFront"] as const) same(f, is[f], exit[f]);
    this.onLeave?.(exit.header);
    if (packet.payload.length === 0) {
      this.#free.push(packet.ctx);
      return;
    }
    this.#leaving.push({ packet, is: exit.payload ?? packet.payload, at: 0 });
    this.leaveJob.send({ first: packet.first, beats: beatsOf(packet.payload.length) });
  }
  /** Is told the header of each packet that leaves, as the model has it. */
  onLeave: ((header: Uint8Array) => void) | undefined;
  /** Is told the header of each packet that took a slot as it leaves, before the model has it. */
  beforeJudging: ((header: bigint, dropped: boolean) => void) | undefined;
  /** A task may do wrong, so that packets are dropped that the model passes on. */
  mayDrop = false;
  #beat(is: (typeof this.beats)["received"][number]["value"]): void {
    const [first] = this.#leaving;
    if (first === undefined) throw new Error("a beat that nobody asked for");
    const should = beatAt(first.is, first.at);
    if (BigInt(is.data) !== should)
      throw new Error(
        `beat ${first.at} of packet ${first.packet.ctx} is ${BigInt(is.data).toString(16)}, not ${should.toString(16)}`,
      );
    this.seen.beats++;
    first.at++;
    if (first.at * beatBytes < first.is.length) return;
    this.bytes += first.is.length;
    this.#leaving.shift();
    this.release.send({ first: first.packet.first });
    this.#free.push(first.packet.ctx);
  }
  /** What is stored arrives, and enters a cycle later, as far as there are credits. */
  #drive(): void {
    const { arrive } = this.b.io;
    arrive.valid.value = 0;
    if (this.#resetting) return;
    if (this.#arrives !== undefined) {
      const { ctx, run, header, told } = this.#arrives;
      this.#inside.set(ctx, this.#arrives);
      this.#arrives.sent = this.enter.send({
        ctx,
        ...told,
        header: toBits(header),
        noL4: told.noL4 ? 1 : 0,
        run: bits(run),
      });
      this.#arrives = undefined;
    }
    const [next] = this.#ready;
    if (next === undefined || this.enter.pending > 2) return;
    if (next.run.some(s => (this.#held[s] ?? 0) >= sizes.places)) return;
    for (const s of next.run) this.#held[s] = (this.#held[s] ?? 0) + 1;
    this.#ready.shift();
    arrive.valid.value = 1;
    arrive.packet.ctx.value = next.ctx;
    arrive.packet.firstCell.value = next.first;
    arrive.packet.payloadBytes.value = next.told.payloadBytes;
    this.#arrives = next;
  }
  reset(): void {
    this.#resetting = true;
    for (const s of [this.write, this.enter, this.leaveJob, this.release]) s.forget();
    this.b.io.arrive.valid.value = 0;
    this.b.sim.reset(1);
    for (const s of [this.stored, this.leave, this.beats]) s.received.splice(0);
    this.#free = Array.from({ length: sizes.contexts }, (_, i) => i);
    this.#held = this.tasks.map(() => 0);
    this.#coming = [];
    this.#ready = [];
    this.#leaving = [];
    this.#inside.clear();
    this.#trailers.clear();
    this.#arrives = undefined;
    this.#resetting = false;
  }
  /** All has left; cells, contexts and credits are back. */
  async end(): Promise<void> {
    await this.b.until(() => this.pending === 0 && this.release.pending === 0);
    await this.b.until(() => this.b.io.free.num === sizes.cells);
    await this.b.cycles(10);
    if (this.b.io.free.num !== sizes.cells) throw new Error(`${this.b.io.free.num} cells are free at the end`);
    if (this.#held.some(n => n !== 0)) throw new Error(`credits are out at the end: ${this.#held.join()}`);
    this.tasks.forEach((_, s) => {
      if (this.state(s).inside.num + this.state(s).waiting.num !== 0) throw new Error(`slot ${s} holds something`);
    });
  }
}
