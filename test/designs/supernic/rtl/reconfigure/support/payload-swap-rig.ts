/** A region with payload that comes and goes, and one that stays, with the packet store. */
import { Arrived, beatBytes, cellBeats } from "../../../../../../designs/supernic/rtl/inside/index.ts";
import { ReadBeat } from "../../../../../../designs/shared/frame/index.ts";
import {
  payloadWaysOf,
  type RegionContent,
  regions,
  type RegionsPorts,
} from "../../../../../../designs/supernic/rtl/core/index.ts";
import {
  FirstCell,
  PacketStore,
  StoreBeat,
  StoreEvents,
  StoreJob,
} from "../../../../../../designs/supernic/rtl/store/index.ts";
import { silent } from "../../../../../../designs/supernic/rtl/region/index.ts";
import {
  checksum,
  dummy,
  MadeBeat,
  PayloadBeat,
  type Task,
  xor,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { connectPayload } from "../../../../../../designs/supernic/rtl/top/index.ts";
import {
  type Bit,
  bit,
  connect,
  input,
  instance,
  module,
  output,
  type Outside,
  portOf,
  reg,
  sink,
  source,
  stream,
  streamRules,
  struct,
  uint,
} from "../../../../../../hdl-dsl/index.ts";
import type { PayloadUse } from "../../../../../../designs/supernic/wire/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { parity } from "../../region/support/parity-task.ts";
import { randomPacket, toBits } from "../../tasks/support/task-rig.ts";
import { echo } from "./echo-task.ts";
import { hoarding } from "./hoarding-task.ts";

export interface Sizes {
  readonly contexts: number;
  readonly cells: number;
  readonly branches: number;
  readonly credits: number;
}
/**
 * Chains of the region that comes and goes: the slot of the task with payload, and whether it makes frames. Those of a
 * world read payloads, or they write them: then every byte is the other one.
 */
interface World {
  readonly variants: readonly {
    readonly chain: readonly Task[];
    readonly reads: number | undefined;
    readonly makes: boolean;
  }[];
  readonly stays: readonly Task[];
  readonly writes: boolean;
}
export const worlds = {
  reading: {
    variants: [
      { chain: [echo], reads: 0, makes: true },
      { chain: [dummy, parity], reads: 1, makes: false },
      { chain: [dummy], reads: undefined, makes: false },
      { chain: [dummy, echo], reads: 1, makes: true },
    ],
    stays: [parity],
    writes: false,
  },
  writing: {
    variants: [
      { chain: [xor, dummy], reads: 0, makes: false },
      { chain: [dummy, xor], reads: 1, makes: false },
      { chain: [dummy], reads: undefined, makes: false },
      { chain: [xor, checksum], reads: 0, makes: false },
    ],
    stays: [xor],
    writes: true,
  },
  hoarding: {
    variants: [
      { chain: [hoarding, dummy], reads: 0, makes: false },
      { chain: [dummy, xor], reads: 1, makes: false },
    ],
    stays: [xor],
    writes: true,
  },
} as const satisfies Readonly<Record<string, World>>;
export type WorldName = keyof typeof worlds;
/** By exclusive or with the packet's `arg`, each byte. */
const changed = (beat: bigint, arg: number): bigint => beat ^ toBits(Uint8Array.from({ length: 64 }, () => arg));

/** Ways to payloads whose beats on their way back wait while it is `slow`; what is offered to the store stays. */
function slowed(it: Outside<RegionsPorts>, uses: readonly PayloadUse[], slow: Bit): Outside<RegionsPorts> {
  const backs = uses.flatMap((use, w) => {
    if (use !== "write") return [];
    const from = portOf(it, "back", w),
      to = stream(PayloadBeat, { name: `slowed_${w}` }),
      offered = reg(bit, { init: 0, name: `offered_${w}` }),
      waits = slow.andNot(offered);
    to.valid.set(from.valid.andNot(waits));
    to.payload.set(from.payload);
    from.ready.set(to.ready.andNot(waits));
    offered.set(to.valid.andNot(to.ready));
    return [[`back${w}`, to] as const];
  });
  const ways = uses.flatMap((_, w) => [
    [`job${w}`, portOf(it, "job", w)] as const,
    [`payload${w}`, portOf(it, "payload", w)] as const,
  ]);
  // How many ports of these names there are is a parameter, so that the compiler does not know them.
  return Object.fromEntries<unknown>([...ways, ...backs]) as unknown as Outside<RegionsPorts>;
}

export const dutOf = ({ contexts, cells, branches, credits }: Sizes, name: WorldName = "reading") => {
  const { variants, stays, writes }: World = worlds[name],
    contents: readonly RegionContent[] = [{ variants: variants.map(v => v.chain), first: 1 }, stays];
  const sizes = { contexts, cells, regions: 2, slots: 2, branches, credits, reprogramCycles: 90 },
    store = { cells, cellBeats, beatBytes, payloadBeats: 32 },
    definition = regions(contents)(sizes),
    { enter, leave, accepts, give, control, state, region, status } = definition.ports;
  return module(
    "PayloadSwap",
    () => ({
      ...{ enter, leave, accepts, give, control, state, region, status },
      write: sink(StoreBeat(store)),
      stored: source(FirstCell(store)),
      release: sink(FirstCell(store)),
      arrive: input(struct({ valid: bit, packet: Arrived(sizes) })),
      make: source(MadeBeat),
      readJob: sink(StoreJob(store)),
      read: source(ReadBeat(beatBytes)),
      free: output(uint(Math.log2(cells) + 1)),
      events: output(StoreEvents),
      /** Payloads that are being read for the region that comes and goes. */
      reads: output(uint(9)),
      /** The store takes none of the beats that go back. */
      slow: input(bit, { unused: true }),
      /** Beats that have come from the store and not gone back. */
      owed: output(uint(9)),
    }),
    io => {
      const kept = instance("store", PacketStore(store)),
        it = instance("regions", definition);
      connect(io.write, kept.write);
      connect(kept.stored, io.stored);
      connect(io.release, kept.release0);
      kept.release1.valid.set(0);
      kept.release1.payload.set({ first: 0 });
      connect(io.readJob, kept.leaveJob);
      connect(kept.leave, io.read);
      io.free.set(kept.free);
      io.events.set(kept.events);
      connect(io.enter, it.enter);
      connect(it.leave, io.leave);
      if (variants.some(v => v.makes)) connect(portOf(it, "make", 0), io.make);
      else {
        const none = stream(MadeBeat, { name: "no_frames" });
        silent(none);
        connect(none, io.make);
      }
      io.accepts.set(it.accepts);
      it.config.set({ valid: 0, region: 0, slot: 0, at: 0, data: 0 });
      it.stateAsk.set({ valid: 0, write: 0, at: 0, data: 0, slot: 0, number: 0, region: 0 });
      it.region.set(io.region);
      for (let r = 0; r < sizes.regions; r++) {
        io.give.at(r).set(it.give.at(r));
        io.status.at(r).set(it.status.at(r));
      }
      for (let s = 0; s < sizes.regions * sizes.slots; s++) {
        it.control.at(s).set(io.control.at(s));
        io.state.at(s).set(it.state.at(s));
      }
      const uses = payloadWaysOf(contents);
      connectPayload(kept, slowed(it, uses, io.slow), io.arrive, { ...sizes, store, uses });
      const job = portOf(it, "job", 0),
        beat = portOf(it, "payload", 0),
        reads = reg(uint(9), { init: 0, name: "reads_seen" });
      // What is asked of the store stays until it is taken, whatever becomes of the region.
      streamRules(job, { name: "job", as: "assert" });
      reads.set(
        reads.add(job.valid.and(job.ready).zext(9)).sub(beat.valid.and(beat.ready).and(beat.payload.last).zext(9)),
      );
      io.reads.set(reads);
      if (!writes) io.owed.set(0);
      else {
        const back = portOf(it, "back", 0),
          owed = reg(uint(9), { init: 0, name: "owed_seen" });
        streamRules(back, { name: "back", as: "assert" });
        owed.set(owed.add(beat.valid.and(beat.ready).zext(9)).sub(back.valid.and(back.ready).zext(9)));
        io.owed.set(owed);
      }
    },
  )();
};
export type B = Bench<ReturnType<typeof dutOf>["ports"]>;

interface Packet {
  readonly ctx: number;
  readonly region: number;
  readonly payload: readonly bigint[];
  readonly bytes: number;
  readonly run: readonly number[];
  readonly even: boolean;
  readonly makes: boolean;
  readonly arg: number;
  first: number;
}
const onesOf = (n: bigint): number => n.toString(2).replaceAll("0", "").length;

/** Packets for both regions, kills and swaps beside them; each that leaves, and each frame, is held to its chain. */
export class PayloadSwapRig {
  readonly b: B;
  readonly sizes: Sizes;
  readonly write;
  readonly stored;
  readonly enter;
  readonly leave;
  readonly release;
  readonly make;
  readonly readJob;
  readonly read;
  readonly world: World;
  /** Packets that have left, and whose payload is read now. */
  #reading: { readonly packet: Packet; readonly due: bigint[] }[] = [];
  readonly seen = { right: [0, 0], killed: 0, frames: 0, whileReading: 0, resets: 0 };
  #free: number[];
  #held: number[][];
  #coming: Packet[] = [];
  #ready: Packet[] = [];
  #inside = new Map<number, Packet>();
  #arrives: Packet | undefined;
  #frame: bigint[] = [];
  /** Frames that must come, in their order, and those that may: of packets that were killed. */
  #due: { readonly beats: readonly bigint[]; readonly ctx: number; sure: boolean; gone: boolean }[] = [];
  /** Packets inside whose frame was passed by another: they leave as killed. */
  readonly #frameless = new Set<number>();
  #chain = 1;
  #open = true;
  #resetting = false;

  constructor(
    b: B,
    sizes: Sizes,
    o: { readonly from?: () => Pause; readonly to?: () => Pause; readonly world?: WorldName } = {},
  ) {
    this.b = b;
    this.world = worlds[o.world ?? "reading"];
    this.sizes = sizes;
    this.#free = Array.from({ length: sizes.contexts }, (_, i) => i);
    this.#held = [0, 1].map(() => [0, 0]);
    const from = () => ({ pause: o.from?.() ?? never }),
      to = () => ({ pause: o.to?.() ?? never });
    this.write = new StreamSource(b.sim, b.io.write, from());
    this.stored = new StreamSink(b.sim, b.io.stored, to());
    this.enter = new StreamSource(b.sim, b.io.enter, from());
    this.leave = new StreamSink(b.sim, b.io.leave, to());
    this.release = new StreamSource(b.sim, b.io.release, from());
    this.make = new StreamSink(b.sim, b.io.make, to());
    this.readJob = new StreamSource(b.sim, b.io.readJob, from());
    this.read = new StreamSink(b.sim, b.io.read, to());
    b.io.arrive.valid.value = 0;
    b.io.slow.value = 0;
    b.io.region.en.value = 0;
    for (const c of b.io.control) {
      c.busyAt.value = 3;
      c.patience.value = 0;
      c.quiesce.value = 0;
      c.isolate.value = 0;
    }
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  get pending(): number {
    return this.sizes.contexts - this.#free.length;
  }
  pendingOf(region: number): number {
    return [...this.#coming, ...this.#ready, ...this.#inside.values()].filter(p => p.region === region).length;
  }
  get status() {
    const [s] = this.b.io.status;
    if (s === undefined) throw new RangeError("there is a region 0");
    return s;
  }
  /** Packets for both regions for some cycles. */
  async traffic(cycles: number): Promise<void> {
    for (let i = 0; i < cycles; i++) {
      const region = this.b.random.below(2),
        { cells } = this.sizes;
      // A payload is 24 beats at most, 6 cells.
      if ((region === 1 || this.#open) && this.#free.length > 0 && this.write.pending < 30)
        if ((this.#free.length - this.sizes.contexts) * 6 + cells >= 8) this.#send(region);
      await this.b.cycles(1 + this.b.random.below(4));
    }
  }
  /** A packet that goes to its region's task with payload, with so many beats. */
  give(region: number, beats: number): void {
    this.#send(region, { beats, runs: true });
  }
  #send(region: number, asked?: { readonly beats: number; readonly runs: boolean }): void {
    const ctx = this.#free.shift(),
      { random } = this.b,
      variant = this.world.variants[this.#chain - 1];
    if (ctx === undefined || variant === undefined) return;
    const at = region === 1 ? 0 : variant.reads,
      run = at !== undefined && (asked?.runs ?? random.chance(0.8)) ? [at] : [],
      beats = asked?.beats ?? random.pick([0, 1, 2, 5, 24]),
      payload = Array.from({ length: beats }, () => toBits(Uint8Array.from({ length: 64 }, () => random.below(256)))),
      even = payload.reduce((n, x) => n + onesOf(x), 0) % 2 === 0,
      makes = region === 0 && variant.makes && run.length > 0 && beats > 0,
      arg = random.below(256),
      packet = { ctx, region, payload, bytes: beats * 64, run, even, makes, arg, first: 0 };
    if (beats === 0) this.#ready.push(packet);
    else {
      this.#coming.push(packet);
      payload.forEach((data, i) => this.write.send({ data, last: i === beats - 1 ? 1 : 0, owners: 1 }));
    }
  }
  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b;
    if (io.events.short.value === 1 || io.events.uneven.value === 1) throw new Error("the store was given a wrong job");
    if (this.status.stage.value === "loading" && io.reads.num > 0)
      throw new Error("payloads are read for a region that is being loaded");
    if (this.status.stage.value === "loading" && io.owed.num > 0)
      throw new Error("beats are owed by a region that is being loaded");
    for (let s = this.read.take(); s; s = this.read.take()) {
      const [now] = this.#reading;
      if (now?.due.shift() !== s.value.data) throw new Error(`packet ${now?.packet.ctx} has another payload`);
      if (now.due.length > 0) continue;
      this.#reading.shift();
      this.#gone(now.packet);
    }
    io.give.forEach((g, r) => this.#back(r, Number(g.value)));
    for (let s = this.stored.take(); s; s = this.stored.take()) {
      const packet = this.#coming.shift();
      if (!packet) throw new Error("a payload is stored that nobody sent");
      packet.first = Number(s.value.first);
      this.#ready.push(packet);
    }
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.value);
    for (let s = this.make.take(); s; s = this.make.take()) {
      this.#frame.push(s.value.data);
      if (s.value.last === 0) continue;
      const is = this.#frame.splice(0).join();
      // Those in front that may come were killed before they were whole, or will leave as killed: none comes later.
      for (let [d] = this.#due; d !== undefined && (d.gone || !d.sure) && d.beats.join() !== is; [d] = this.#due) {
        this.#due.shift();
        if (!d.gone) this.#frameless.add(d.ctx);
      }
      const due = this.#due.shift();
      if (due?.beats.join() !== is) throw new Error("a frame is made that no packet has");
      this.seen.frames++;
    }
  }
  #back(region: number, slots: number): void {
    const held = this.#held[region] ?? [];
    for (let s = 0; s < 2; s++)
      if (((slots >> s) & 1) === 1) {
        held[s] = (held[s] ?? 0) - 1;
        if ((held[s] ?? 0) < 0) throw new Error(`region ${region} gives a credit back that nobody had`);
      }
  }
  #left(is: (typeof this.leave)["received"][number]["value"]): void {
    const packet = this.#inside.get(Number(is.ctx));
    if (packet === undefined || packet.region !== Number(is.region))
      throw new Error(`packet ${is.ctx} leaves region ${is.region}, and is not inside`);
    this.#inside.delete(packet.ctx);
    this.#back(packet.region, Number(is.refund));
    const isLate = is.killed === 0 && packet.bytes > 0 && this.world.writes;
    if (isLate) {
      // Read by who comes behind: all of it has to be there.
      const due = packet.payload.map(x => (packet.run.length === 0 ? x : changed(x, packet.arg)));
      this.#reading.push({ packet, due });
      this.readJob.send({ first: packet.first, beats: due.length });
    } else this.#gone(packet);
    if (this.#frameless.delete(packet.ctx) && is.killed === 0)
      throw new Error(`the frame of packet ${is.ctx} is lost, and it is not killed`);
    const due = this.#due.find(d => d.ctx === packet.ctx && !d.gone && !d.sure);
    if (is.killed === 1) {
      if (packet.region === 1) throw new Error("a packet of the region that stays is killed");
      if (this.status.off.value === 1 && this.b.io.reads.num > 0)
        throw new Error(`packet ${is.ctx} leaves while payloads of its region are read`);
      if (this.status.off.value === 1 && this.b.io.owed.num > 0)
        throw new Error(`packet ${is.ctx} leaves while payloads of its region are written`);
      if (due !== undefined) due.gone = true;
      this.seen.killed++;
      return;
    }
    if (due !== undefined) due.sure = true;
    const drops = !this.world.writes && packet.run.length > 0 && !packet.makes && packet.bytes > 0 && !packet.even;
    if ((is.dropped === 1) !== drops) throw new Error(`packet ${is.ctx} is ${drops ? "not " : ""}dropped`);
    this.seen.right[packet.region] = (this.seen.right[packet.region] ?? 0) + 1;
  }
  #gone({ ctx, bytes, first }: Packet): void {
    if (bytes > 0) this.release.send({ first });
    this.#free.push(ctx);
  }
  #drive(): void {
    const { arrive, accepts, slow } = this.b.io;
    // For some cycles at a time.
    if (this.world.writes && this.b.random.chance(0.1)) slow.value = this.b.random.below(2);
    arrive.valid.value = 0;
    if (this.#resetting) return;
    const now = this.#arrives;
    if (now !== undefined) {
      const { header, noL4, ...rest } = { ...randomPacket(this.b.random), headBytes: 64, payloadBytes: now.bytes },
        run = now.run.reduce((m, s) => m | (1 << s), 0);
      this.#inside.set(now.ctx, now);
      if (now.makes) this.#due.push({ beats: now.payload, ctx: now.ctx, sure: false, gone: false });
      const told = { ...rest, header: toBits(header), noL4: noL4 ? 1 : 0, arg: now.arg };
      this.enter.send({ ...told, ctx: now.ctx, branch: 0, region: now.region, run });
      this.#arrives = undefined;
    }
    const [next] = this.#ready,
      held = next && this.#held[next.region];
    if (next === undefined || held === undefined || this.enter.pending > 2) return;
    if (((Number(accepts.value) >> next.region) & 1) === 0) return;
    if (next.run.some(s => (held[s] ?? 0) >= this.sizes.credits)) return;
    for (const s of next.run) held[s] = (held[s] ?? 0) + 1;
    this.#ready.shift();
    arrive.valid.value = 1;
    arrive.packet.ctx.value = next.ctx;
    arrive.packet.firstCell.value = next.first;
    arrive.packet.payloadBytes.value = next.bytes;
    this.#arrives = next;
  }
  async #ask(ask: Partial<Record<"isolate" | "quiesce" | "load" | "chain", number>>): Promise<void> {
    const { region } = this.b.io;
    region.en.value = 1;
    region.index.value = 0;
    for (const f of ["isolate", "quiesce", "load", "chain"] as const) region.value[f].value = ask[f] ?? 0;
    await this.b.cycles(1);
    region.en.value = 0;
    await this.b.cycles(2);
  }
  /**
   * Killed with all that is inside, or in order; and there again: with another chain, or the same one. @returns cycles
   * until it was empty
   */
  async swap(chain: number, kills: boolean): Promise<number> {
    this.#open = false;
    if (!kills) {
      await this.b.until(() => this.pendingOf(0) === 0);
      await this.#ask({ quiesce: 1 });
      await this.b.until(() => this.status.quiet.value === 1);
    }
    const from = this.b.cycle;
    if (this.b.io.reads.num + this.b.io.owed.num > 0) this.seen.whileReading++;
    await this.#ask({ isolate: 1 });
    // What was whole, and inside of the chain still, may go with it. In order nothing is.
    if (kills) for (const d of this.#due) d.gone = true;
    await this.b.until(
      () => this.status.stage.value === "cut" && this.status.empty.value === 1 && this.pendingOf(0) === 0,
    );
    const took = this.b.cycle - from;
    if (this.b.io.reads.num > 0) throw new Error("the region is empty, and payloads are read for it");
    if (chain !== this.#chain) {
      await this.#ask({ isolate: 1, load: 1, chain });
      // Who comes now is in the ledger only, and is killed, while what the partition says means nothing.
      const { pause } = this.leave;
      this.#open = true;
      this.leave.pause = () => true;
      await this.b.cycles(50);
      this.leave.pause = pause;
      this.#open = false;
      await this.b.until(() => this.status.stage.value === "cut" && this.pendingOf(0) === 0);
    }
    await this.#ask({});
    await this.b.until(() => this.status.stage.value === "on" && this.status.off.value === 0);
    this.#chain = chain;
    this.#open = true;
    return took;
  }
  reset(): void {
    this.#resetting = true;
    for (const s of [this.write, this.enter, this.release, this.readJob]) s.forget();
    this.b.io.arrive.valid.value = 0;
    this.b.sim.reset(1);
    for (const s of [this.stored, this.leave, this.make, this.read]) s.received.splice(0);
    this.#reading = [];
    this.#free = Array.from({ length: this.sizes.contexts }, (_, i) => i);
    this.#held = [0, 1].map(() => [0, 0]);
    this.#coming = [];
    this.#ready = [];
    this.#due = [];
    this.#frame = [];
    this.#inside.clear();
    this.#frameless.clear();
    this.#arrives = undefined;
    this.#chain = 1;
    this.#open = true;
    this.seen.resets++;
    this.#resetting = false;
  }
  /** All has left; cells, contexts and credits are back, and every frame of a packet that was not killed. */
  async end(): Promise<void> {
    await this.b.until(() => this.pending === 0 && this.release.pending === 0);
    await this.b.until(() => this.b.io.free.num === this.sizes.cells && this.#due.every(d => d.gone));
    await this.b.cycles(100);
    const { free, reads, owed } = this.b.io;
    if (owed.num !== 0) throw new Error(`${owed.num} beats are owed at the end`);
    if (free.num !== this.sizes.cells) throw new Error(`${free.num} cells are free at the end`);
    if (reads.num !== 0) throw new Error(`${reads.num} payloads are read at the end`);
    if (this.#frame.length > 0) throw new Error("a frame has no end");
    if (this.#held.flat().some(n => n !== 0)) throw new Error(`credits are out at the end: ${this.#held.join()}`);
  }
}
