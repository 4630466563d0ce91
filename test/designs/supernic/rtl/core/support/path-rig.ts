/**
 * The way from the scheduler through the regions and back, around the real stores. The bench is the scheduler: it has
 * the credits, and starts whom it likes.
 */
import { type ChainExit, throughChain } from "../../../../../../designs/supernic/model/index.ts";
import {
  Descriptors,
  Dispatch,
  Front,
  regions,
  Return,
  SlotConfig,
} from "../../../../../../designs/supernic/rtl/core/index.ts";
import {
  Entered,
  Entry,
  HeaderJob,
  HeaderRead,
  HeaderStore,
} from "../../../../../../designs/supernic/rtl/headers/index.ts";
import { Arrived, CameBack, ctxBits, Started } from "../../../../../../designs/supernic/rtl/inside/index.ts";
import { SlotControl } from "../../../../../../designs/supernic/rtl/region/index.ts";
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
  vec,
} from "../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, type Random, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { randomPacket, toBits } from "../../tasks/support/task-rig.ts";
import { adder, chooser, passing, type Tried } from "../../region/support/test-tasks.ts";
import { delay, dummy } from "../../../../../../designs/supernic/rtl/tasks/index.ts";

export const credits = 24;
const sizes = { contexts: 64, cells: 64, users: 4, regions: 4, slots: 4, branches: 4, credits } as const;
/** The last region has no chain: it drops all. */
export const chains: readonly (readonly Tried[])[] = [
  [adder(0), adder(1), chooser],
  [passing(delay(9, 4)), adder(3), adder(20), passing(dummy)],
  [adder(40), passing(dummy)],
];

/** The blocks as the device has them. */
const Path = module(
  "Path",
  (p: typeof sizes) => ({
    enter: sink(Entry(p)),
    entered: source(Entered(p)),
    arrive: input(struct({ valid: bit, packet: Arrived(p) })),
    start: input(Started(p)),
    open: output(uint(p.regions)),
    back: source(CameBack(p)),
    busy: output(vec(uint(p.slots), p.regions)),
    give: output(vec(uint(p.slots), p.regions)),
    control: input(vec(SlotControl({ ...p, places: p.credits }), p.regions * p.slots)),
    config: input(SlotConfig),
    leave: sink(HeaderJob(p)),
    left: source(HeaderRead(p)),
    look: input(uint(ctxBits(p))),
    dst: output(uint(48)),
    packet: output(Arrived(p)),
    front: output(Front),
    release: input(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
    clearing: output(bit),
  }),
  (io, p) => {
    const headers = instance("headers", HeaderStore(p)),
      descriptors = instance("descriptors", Descriptors(p)),
      dispatch = instance("dispatch", Dispatch(p)),
      inside = instance("inside", regions(chains)(p)),
      back = instance("back", Return(p));
    connect(io.enter, headers.enter);
    connect(headers.entered, io.entered);
    for (let u = 0; u < p.users; u++) headers.quotas.at(u).set(p.contexts);
    descriptors.arrive.set(io.arrive);
    dispatch.start.set(io.start);
    io.open.set(dispatch.open);
    dispatch.accepts.set(inside.accepts);
    connect(dispatch.read, headers.dispatch);
    connect(headers.dispatched, dispatch.header);
    descriptors.tell.set(dispatch.tell);
    dispatch.told.set(descriptors.told);
    connect(dispatch.enter, inside.enter);
    connect(inside.leave, back.leave);
    connect(back.write, headers.back);
    back.clearing.set(descriptors.clearing);
    descriptors.said.set(back.said);
    connect(back.back, io.back);
    for (let r = 0; r < p.regions; r++) {
      io.busy.at(r).set(inside.busy.at(r));
      io.give.at(r).set(inside.give.at(r));
    }
    for (let i = 0; i < p.regions * p.slots; i++) inside.control.at(i).set(io.control.at(i));
    inside.config.set(io.config);
    inside.stateAsk.set({ valid: 0, write: 0, at: 0, data: 0, slot: 0, number: 0, region: 0 });
    inside.region.set({ en: 0, index: 0, value: { isolate: 0, quiesce: 0, load: 0, chain: 0 } });
    connect(io.leave, headers.leave);
    connect(headers.left, io.left);
    headers.look.set(io.look);
    descriptors.look.set(io.look);
    io.dst.set(headers.dst);
    io.packet.set(descriptors.packet);
    io.front.set(descriptors.front);
    headers.release.set(io.release);
    descriptors.release.set(io.release);
    io.clearing.set(descriptors.clearing);
  },
);
export const dut = Path(sizes);
export type B = Bench<typeof dut.ports>;

interface Packet {
  ctx: number | undefined;
  /** Cycle in which it was back last: what it brought counts 2 cycles later, for starts and for looks. */
  backAt?: number;
  readonly told: ReturnType<typeof toldOf>;
  header: Uint8Array;
  front: { prepend: number; frontBytes: number; dropFront: number };
  reply: boolean;
  /** Branches that are out, by region. */
  readonly out: Map<number, { readonly branch: number; readonly exit: ChainExit; readonly run: number; at: number }>;
  dropped: boolean;
}
const toldOf = (r: Random) => {
  const { header, noL4, arg: _arg, ...rest } = randomPacket(r);
  return { ...rest, header, noL4: noL4 ? 1 : 0 };
};
const bitsOf = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

export class PathRig {
  readonly b: B;
  readonly enter;
  readonly entered;
  readonly back;
  readonly leave;
  readonly left;
  #chains;
  /** Credits that are out, by region and slot. */
  readonly held: number[][] = chains.map(c => c.map(() => 0));
  readonly #coming: Packet[] = [];
  readonly #live = new Map<number, Packet>();
  /** By region, branches that are in it, in the order of their starts. */
  readonly #order: { readonly ctx: number; readonly meets: number }[][] = [[], [], [], []];
  readonly #starts: { readonly packet: Packet; readonly region: number; readonly slots: readonly number[] }[] = [];
  /** Starts since a region's queue is closed. */
  readonly #late = [0, 0, 0, 0];
  readonly times: number[] = [];
  readonly backCycles: number[] = [];
  readonly seen = { back: 0, dropped: 0, late: 0, replies: 0, fronts: 0 };
  #resetting = false;
  #looking = false;

  constructor(b: B, o: { readonly from?: () => Pause; readonly to?: () => Pause } = {}) {
    const { from = () => never, to = () => never } = o,
      { sim, io } = b;
    this.b = b;
    this.enter = new StreamSource(sim, io.enter, { pause: from() });
    this.entered = new StreamSink(sim, io.entered, { pause: to() });
    this.back = new StreamSink(sim, io.back, { pause: to() });
    this.leave = new StreamSource(sim, io.leave, { pause: from() });
    this.left = new StreamSink(sim, io.left, { pause: to() });
    this.#chains = this.#fresh();
    for (const c of io.control) {
      c.busyAt.value = 3;
      c.patience.value = 0;
      c.quiesce.value = 0;
      c.isolate.value = 0;
    }
    io.config.valid.value = 0;
    b.spawn(() => this.#configure());
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  #fresh() {
    return chains.map(c => c.map(t => ({ declared: t.declared, model: t.model() })));
  }
  /** The first task adds 3, so that no packet comes from a reply to a drop at once. */
  async #configure(): Promise<void> {
    const { config } = this.b.io;
    config.valid.value = 1;
    config.region.value = 0;
    config.slot.value = 0;
    config.at.value = 5;
    config.data.value = 3n;
    this.#chains[0]?.[0]?.model.configure?.(5, 3n);
    await this.b.cycles(1);
    config.valid.value = 0;
  }
  get alive(): number {
    return this.#live.size + this.#coming.length;
  }
  /** A packet that comes in, if there is a context. */
  send(): void {
    const told = toldOf(this.b.random);
    this.#coming.push({
      ctx: undefined,
      told,
      header: told.header,
      front: { prepend: 0, frontBytes: 0, dropFront: 0 },
      reply: false,
      out: new Map(),
      dropped: false,
    });
    this.enter.send({ header: toBits(told.header), user: told.user & 3, copies: 0, keep: 0 });
  }
  /** Packets that may start: none of their branches is out. */
  get idle(): readonly Packet[] {
    return [...this.#live.values()].filter(
      p => p.out.size === 0 && !p.dropped && !this.#starts.some(s => s.packet === p) && this.b.cycle > (p.backAt ?? -1),
    );
  }
  /** Starts a branch when it has credits. Runs of the regions without a chain have all slots. */
  start(packet: Packet, region: number, slots: readonly number[]): boolean {
    const held = this.held[region];
    if (held?.some((n, s) => slots.includes(s) && n >= credits)) return false;
    for (const s of slots) if (held) held[s] = (held[s] ?? 0) + 1;
    this.#starts.push({ packet, region, slots });
    return true;
  }
  get starting(): number {
    return this.#starts.length;
  }

  #drive(): void {
    const { io } = this.b;
    const open = io.open.value,
      at = this.#starts.findIndex(s => {
        if ((open >> s.region) & 1) return true;
        return this.b.random.chance(0.7) && (this.#late[s.region] ?? 8) < 7;
      });
    for (let r = 0; r < 4; r++) if ((open >> r) & 1) this.#late[r] = 0;
    const next = this.#resetting || at < 0 ? undefined : this.#starts.splice(at, 1)[0];
    io.start.valid.value = next ? 1 : 0;
    if (!next) return;
    if (((open >> next.region) & 1) === 0) {
      this.#late[next.region] = (this.#late[next.region] ?? 0) + 1;
      this.seen.late++;
    }
    const { packet, region, slots } = next,
      arg = this.b.random.between(0, 255),
      branch = this.b.random.between(0, 3),
      chain = this.#chains[region];
    const entry = {
      ...packet.told,
      ...packet.front,
      prepend: 0,
      frontBytes: 0,
      dropFront: 0,
      noL4: packet.told.noL4 === 1,
    };
    const exit = chain
      ? throughChain(chain, { ...entry, header: packet.header, arg, run: slots })
      : {
          header: packet.header,
          mask: 0n,
          prepend: 0,
          frontBytes: 0,
          dropFront: 0,
          reply: false,
          dropped: true,
          refund: slots,
        };
    io.start.ctx.value = packet.ctx ?? 0;
    io.start.branch.value = branch;
    io.start.region.value = region;
    io.start.run.value = bitsOf(slots);
    io.start.arg.value = arg;
    this.#order[region]?.push({ ctx: packet.ctx ?? 0, meets: bitsOf(slots) & ~bitsOf(exit.refund) });
    packet.out.set(region, { branch, exit, run: bitsOf(slots), at: this.b.cycle });
  }
  #sample(): void {
    if (this.#resetting) return;
    for (const [r, held] of this.held.entries()) {
      const give = this.b.io.give[r]?.num ?? 0;
      for (let s = 0; s < held.length; s++) if ((give >> s) & 1) this.#credit(r, s);
    }
    const arrive = this.b.io.arrive;
    arrive.valid.value = 0;
    for (let s = this.entered.take(); s; s = this.entered.take()) this.#entered(Number(s.value.ctx));
    for (let s = this.back.take(); s; s = this.back.take()) this.#cameBack(s.cycle, s.value);
  }
  #credit(r: number, s: number): void {
    const held = this.held[r];
    if (!held) return;
    held[s] = (held[s] ?? 0) - 1;
    if ((held[s] ?? 0) < 0) throw new Error(`region ${r}: slot ${s} gives a credit that nobody had`);
  }
  #entered(ctx: number): void {
    const packet = this.#coming.shift(),
      { arrive } = this.b.io;
    if (!packet || this.#live.has(ctx)) throw new Error(`context ${ctx} for nobody, or twice`);
    packet.ctx = ctx;
    this.#live.set(ctx, packet);
    const { uid, user, ingress, flowHash, headBytes, payloadBytes, noL4 } = packet.told;
    arrive.valid.value = 1;
    const to = arrive.packet;
    to.ctx.value = ctx;
    to.uid.value = uid;
    to.user.value = user;
    to.ingress.value = ingress;
    to.flowHash.value = flowHash;
    to.headBytes.value = headBytes;
    to.payloadBytes.value = payloadBytes;
    to.noL4.value = noL4;
    to.tag.value = uid ^ 0x5a5a;
    to.firstCell.value = ctx;
  }
  #cameBack(cycle: number, is: (typeof this.back)["received"][number]["value"]): void {
    const { ctx, region } = is,
      packet = this.#live.get(Number(ctx)),
      out = packet?.out.get(Number(region));
    if (!packet || !out) throw new Error(`context ${ctx} is back from region ${region}, where it was not`);
    const { exit, branch } = out;
    if (is.branch !== branch) throw new Error(`context ${ctx}: branch ${is.branch}, not ${branch}`);
    if (is.dropped !== (exit.dropped ? 1 : 0)) throw new Error(`context ${ctx}: dropped is ${is.dropped}`);
    if (Number(is.refund) !== bitsOf(exit.refund)) throw new Error(`context ${ctx}: refund ${is.refund}`);
    if (this.#chains[Number(region)]) for (const s of exit.refund) this.#credit(Number(region), s);
    this.#inOrder(Number(region), Number(ctx));
    packet.out.delete(Number(region));
    packet.backAt = cycle;
    this.times.push(cycle - out.at);
    this.backCycles.push(cycle);
    this.seen.back++;
    if (exit.dropped) {
      this.seen.dropped++;
      packet.dropped = true;
      return;
    }
    const header = Uint8Array.from(packet.header);
    for (let i = 0; i < 64; i++) if ((exit.mask >> BigInt(i)) & 1n) header[i] = exit.header[i] ?? 0;
    packet.header = header;
    if (exit.prepend && !packet.front.prepend) {
      packet.front = { ...packet.front, prepend: exit.prepend, frontBytes: exit.frontBytes };
      this.seen.fronts++;
    }
    if (exit.reply) this.seen.replies++;
    packet.reply ||= exit.reply;
  }
  /** Of a region nobody leaves before one that started earlier, and took no other tasks. */
  #inOrder(region: number, ctx: number): void {
    const order = this.#order[region] ?? [],
      at = order.findIndex(o => o.ctx === ctx),
      { meets = 0 } = order[at] ?? {};
    const passed = order.slice(0, at).find(o => (o.meets & ~meets) === 0);
    if (passed) throw new Error(`context ${ctx} passed ${passed.ctx} in region ${region}`);
    order.splice(at, 1);
  }
  /** What is known of a packet now, and its end. */
  async finish(packet: Packet, checks = true): Promise<void> {
    const { io } = this.b,
      ctx = packet.ctx ?? 0;
    await this.b.until(() => !this.#looking);
    this.#looking = true;
    // What it said is looked for 2 cycles behind its return, as by the egress.
    await this.b.cycles(1);
    io.look.value = ctx;
    await this.b.cycles(2);
    const is = {
      prepend: io.front.prepend.value,
      frontBytes: io.front.frontBytes.value,
      dropFront: io.front.dropFront.value,
      reply: io.front.reply.value,
      dst: BigInt(io.dst.value),
      uid: io.packet.uid.value,
      firstCell: io.packet.firstCell.num,
      tag: io.packet.tag.value,
    };
    const { uid } = packet.told,
      should = {
        ...packet.front,
        reply: packet.reply ? 1 : 0,
        dst: toBits(packet.header) & 0xffffffffffffn,
        uid,
        firstCell: ctx,
        tag: uid ^ 0x5a5a,
      };
    if (checks)
      for (const [k, v] of Object.entries(should))
        if (is[k as keyof typeof is] !== v)
          throw new Error(`context ${ctx}: ${k} is ${String(is[k as keyof typeof is])}, not ${String(v)}`);
    const job = this.leave.send({ ctx });
    await this.b.until(() => job.cycle !== undefined && this.left.received.length > 0);
    const got = this.left.take();
    if (checks && (got?.value.ctx !== ctx || BigInt(got.value.header) !== toBits(packet.header)))
      throw new Error(`context ${ctx}: another header`);
    io.release.valid.value = 1;
    io.release.ctx.value = ctx;
    this.#live.delete(ctx);
    await this.b.cycles(1);
    io.release.valid.value = 0;
    this.#looking = false;
  }
  /** Random starts for some cycles: several branches of a packet at once, in regions that write other bytes. */
  async traffic(cycles: number, rate = 0.9): Promise<void> {
    const { random } = this.b;
    for (let i = 0; i < cycles; i++) {
      if (this.alive < 64 && random.chance(rate)) this.send();
      const packet = this.idle.length > 0 ? random.pick(this.idle) : undefined;
      if (packet && random.chance(rate) && this.starting < 20)
        for (const region of random.pick([[0], [1], [2], [0, 1], [1, 2], [0, 1, 2], [3]])) {
          if (region === 3 && random.chance(0.7)) continue;
          const slots = (chains[region] ?? [0, 0, 0, 0]).map((_, s) => s).filter(() => random.chance(0.6));
          this.start(packet, region, slots);
        }
      const done = [...this.#live.values()].filter(p => p.out.size === 0 && !this.#starts.some(s => s.packet === p));
      const ends = done.find(p => p.dropped || random.chance(0.1));
      if (ends && !this.#looking) await this.finish(ends, !ends.dropped);
      else await this.b.cycles(1);
    }
  }
  /** Nothing comes back while all that is idle is sent to one region; then all comes, or a reset. */
  async shut(region: number, ends: "opens" | "stays" = "opens"): Promise<void> {
    const { pause } = this.back;
    this.back.pause = () => true;
    for (const packet of [...this.#live.values()].filter(p => p.dropped && p.out.size === 0))
      await this.finish(packet, false);
    while (this.alive < 60) this.send();
    await this.b.until(() => this.#coming.length === 0);
    for (const packet of this.idle) this.start(packet, region, this.b.random.chance(0.2) ? [0] : []);
    await this.b.cycles(120);
    this.back.pause = pause;
    if (ends === "opens") await this.b.until(() => this.starting === 0);
  }
  async reset(): Promise<void> {
    for (const s of [this.enter, this.leave]) s.forget();
    const { io } = this.b;
    this.#resetting = true;
    io.start.valid.value = 0;
    io.release.valid.value = 0;
    io.arrive.valid.value = 0;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#looking = false;
    this.#coming.splice(0);
    this.#starts.splice(0);
    this.#live.clear();
    this.#late.fill(0);
    for (const order of this.#order) order.splice(0);
    for (const held of this.held) held.fill(0);
    for (const s of [this.entered, this.back, this.left]) s.received.splice(0);
    this.#chains = this.#fresh();
    await this.#configure();
  }
  /** All packets end, and all credits and contexts are back. */
  async end(): Promise<void> {
    await this.b.until(() => this.#coming.length === 0 && this.#starts.length === 0);
    await this.b.until(() => [...this.#live.values()].every(p => p.out.size === 0));
    for (const p of [...this.#live.values()]) await this.finish(p, !p.dropped);
    await this.b.cycles(20);
    for (const [r, held] of this.held.entries())
      for (const [s, n] of held.entries()) if (n !== 0) throw new Error(`region ${r}, slot ${s}: ${n} credits are out`);
  }
}
