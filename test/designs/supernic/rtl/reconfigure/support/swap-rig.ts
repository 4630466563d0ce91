/** Regions whose chains come and go, with the models of the chains as scoreboard, and the loader's beside its own. */
import {
  type ChainExit,
  LoaderModel,
  type RegionAsk,
  throughChain,
} from "../../../../../../designs/supernic/model/index.ts";
import { regions, type RegionsPorts } from "../../../../../../designs/supernic/rtl/core/index.ts";
import { sentLate } from "../../../../../../designs/supernic/rtl/region/index.ts";
import { delay, dummy } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { adder, chooser, hole, passing, type Tried } from "../../region/support/test-tasks.ts";
import { randomPacket, toBits, wide } from "../../tasks/support/task-rig.ts";

/** The bitstreams of both regions that can be reprogrammed; the third region's chain stays. */
export const variants: readonly (readonly Tried[])[] = [
  [adder(0), chooser],
  [passing(delay(5, 2)), adder(20), adder(3)],
  [hole],
];
export const holeVariant = 3;
const stays: readonly Tried[] = [adder(40), passing(dummy)],
  sizes = { contexts: 64, regions: 3, slots: 3, branches: 2, credits: 6, reprogramCycles: 300 } as const;
export const reprogramCycles = sizes.reprogramCycles;
const first = [1, 0] as const;
export const dut = regions([{ variants, first: first[0] }, { variants, first: first[1] }, stays])(sizes);
export type B = Bench<RegionsPorts>;

interface Packet {
  readonly ctx: number;
  readonly branch: number;
  readonly run: readonly number[];
  readonly exit: ChainExit | undefined;
  readonly sent: { readonly cycle: number | undefined };
  /** Its region was off while it was inside. */
  wasOff: boolean;
}
const bits = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

export class SwapRig {
  readonly b: B;
  readonly enter;
  readonly leave;
  readonly held = Array.from({ length: sizes.regions }, () => Array.from({ length: sizes.slots }, () => 0));
  /** By region, in the order in which they came. */
  readonly #inside: Packet[][] = [[], [], []];
  #free = Array.from({ length: sizes.contexts }, (_, i) => i);
  #model = new LoaderModel(sizes.reprogramCycles, [...first, 0]);
  /** The chain that answers in each region; undefined: it drops. */
  #chains: ReturnType<SwapRig["fresh"]>[] = [];
  #write: { readonly region: number; readonly ask: RegionAsk } | undefined;
  #written: { readonly region: number; readonly ask: RegionAsk } | undefined;
  #isOff = [false, false, false];
  #resetting = false;
  readonly seen = { right: [0, 0, 0], killed: [0, 0, 0], slowest: 0 };
  /** Regions that nobody is sent to. */
  readonly closed = new Set<number>();

  constructor(b: B, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.enter = new StreamSource(b.sim, b.io.enter, { pause: o.from ?? never });
    this.leave = new StreamSink(b.sim, b.io.leave, { pause: o.to ?? never });
    for (const c of b.io.control) {
      c.busyAt.value = 3;
      c.patience.value = 0;
      c.quiesce.value = 0;
      c.isolate.value = 0;
    }
    b.io.config.valid.value = 0;
    b.io.region.en.value = 0;
    this.#chains = [this.fresh(variants[first[0] - 1]), undefined, this.fresh(stays)];
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  fresh(chain: readonly Tried[] | undefined) {
    return chain?.map(t => ({ declared: t.declared, model: t.model() }));
  }
  status(region: number) {
    const s = this.b.io.status[region];
    if (!s) throw new RangeError(`there is no region ${region}`);
    return s;
  }
  stage(region: number): string {
    return this.status(region).stage.value;
  }
  pending(region: number): number {
    return this.#inside[region]?.length ?? 0;
  }
  async ask(region: number, ask: Partial<RegionAsk>): Promise<void> {
    this.#write = { region, ask: { isolate: 0, quiesce: 0, load: 0, chain: 0, ...ask } };
    await this.b.until(() => this.#write === undefined);
    await this.b.cycles(2);
  }
  /** The steps of docs/supernic/reconfigure.md, as software does them. */
  async swap(
    region: number,
    variant: number,
    o: { readonly kill?: boolean; readonly stays?: boolean } = {},
  ): Promise<void> {
    if (o.kill !== true) {
      this.closed.add(region);
      await this.b.until(() => this.pending(region) === 0);
      await this.ask(region, { quiesce: 1 });
      await this.b.until(() => this.status(region).quiet.value === 1 || this.status(region).off.value === 1);
    }
    await this.ask(region, { isolate: 1 });
    this.closed.add(region);
    await this.b.until(
      () => this.stage(region) === "cut" && this.status(region).empty.value === 1 && this.pending(region) === 0,
    );
    if (o.stays !== true) await this.ask(region, { isolate: 1, load: 1, chain: variant });
    await this.b.until(() => this.stage(region) === "cut");
    await this.release(region, variant);
  }
  async release(region: number, variant: number): Promise<void> {
    await this.ask(region, {});
    await this.b.until(
      () =>
        (this.stage(region) === "on" && this.status(region).off.value === 0) || this.status(region).wrong.value === 1,
    );
    if (this.status(region).wrong.value === 1) throw new Error(`region ${region} has another chain than ${variant}`);
    this.#chains[region] = this.fresh(variants[variant - 1]);
    this.closed.delete(region);
  }
  /** Random runs for all regions, as credits allow. */
  async traffic(cycles: number): Promise<void> {
    for (let i = 0; i < cycles; i++) {
      const region = this.b.random.below(sizes.regions);
      if (!this.closed.has(region)) this.send(region);
      await this.b.cycles(1);
    }
  }
  send(region: number): void {
    const { random, io } = this.b,
      chain = this.#chains[region],
      slots = (chain ?? [0, 0, 0]).map((_, s) => s).filter(() => random.chance(0.6)),
      may = slots.every(s => (this.held[region]?.[s] ?? 0) < sizes.credits);
    const accepts = (Number(io.accepts.value) >> region) & 1;
    if (accepts === 0 || !may || this.enter.pending >= sentLate || this.#free.length === 0) return;
    const ctx = this.#free.shift() ?? 0,
      branch = random.below(2),
      packet = randomPacket(random);
    const isHole = chain?.[0]?.declared.name === "hole" && slots.length > 0;
    const exit =
      chain && !isHole
        ? throughChain(chain, { ...packet, prepend: 0, frontBytes: 0, dropFront: 0, run: slots })
        : undefined;
    const { header, noL4, ...rest } = packet;
    const sent = this.enter.send({
      ...rest,
      header: toBits(header),
      noL4: noL4 ? 1 : 0,
      ctx,
      branch,
      region,
      run: bits(slots),
    });
    for (const s of slots) this.#credit(region, s, 1);
    this.#inside[region]?.push({ ctx, branch, run: slots, exit, sent, wasOff: this.#isOff[region] ?? false });
  }
  #credit(region: number, slot: number, by: 1 | -1): void {
    const held = this.held[region];
    if (!held) return;
    held[slot] = (held[slot] ?? 0) + by;
    if ((held[slot] ?? 0) < 0) throw new Error(`region ${region}: slot ${slot} gives a credit that nobody had`);
  }
  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b;
    for (let r = 0; r < sizes.regions; r++) {
      this.#isOff[r] = this.status(r).off.value === 1;
      if (this.#isOff[r]) for (const p of this.#inside[r] ?? []) p.wasOff = true;
      const give = Number(io.give[r]?.value ?? 0);
      for (let s = 0; s < sizes.slots; s++) if ((give >> s) & 1) this.#credit(r, s, -1);
    }
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.cycle, s.value);
    this.#besideModel();
  }
  /** The loader is as its model, in every cycle. */
  #besideModel(): void {
    for (const [r, is] of this.#model.regions.entries()) {
      if (r === 2) continue;
      const s = this.status(r),
        found = [this.stage(r), s.chain.value, s.wrong.value === 1, s.refused.value === 1].join(" "),
        should = [is.stage, is.chain, is.wrong, is.refused].join(" ");
      if (found !== should) throw new Error(`region ${r} is ${found}; it must be ${should}`);
    }
    const seen = this.#model.regions.map((m, r) => ({
      off: this.status(r).off.value === 1,
      empty: this.status(r).empty.value === 1,
      names: m.loaded > variants.length ? 0 : m.loaded,
    }));
    this.#model.step(seen, this.#written);
    this.#written = undefined;
  }
  #drive(): void {
    const { region } = this.b.io,
      write = this.#resetting ? undefined : this.#write;
    region.en.value = write ? 1 : 0;
    this.#written = write;
    this.#write = undefined;
    if (!write) return;
    region.index.value = write.region;
    for (const f of ["isolate", "quiesce", "load", "chain"] as const) region.value[f].value = write.ask[f];
  }
  #left(cycle: number, is: (typeof this.leave)["received"][number]["value"]): void {
    const region = Number(is.region),
      list = this.#inside[region] ?? [],
      at = list.findIndex(p => p.ctx === Number(is.ctx)),
      packet = list[at];
    if (packet?.sent.cycle === undefined)
      throw new Error(`packet ${is.ctx} leaves region ${region}, and is not inside`);
    list.splice(at, 1);
    this.#free.push(packet.ctx);
    const same = (what: string, a: unknown, b: unknown): void => {
      if (a !== b)
        throw new Error(`region ${region}: ${what} is ${String(a)}, not ${String(b)}, of packet ${packet.ctx}`);
    };
    same("branch", Number(is.branch), packet.branch);
    for (let s = 0; s < sizes.slots; s++) if ((Number(is.refund) >> s) & 1) this.#credit(region, s, -1);
    if (is.killed === 1) {
      same("killed while its region was off", packet.wasOff, true);
      same("dropped", is.dropped, 1);
      this.#count(this.seen.killed, region);
      return;
    }
    const { exit } = packet;
    if (exit === undefined) throw new Error(`packet ${packet.ctx} leaves a chain that answers nobody`);
    same("dropped", is.dropped, exit.dropped ? 1 : 0);
    same("refund", Number(is.refund), bits(exit.refund));
    if (!exit.dropped) {
      same("mask", is.mask, exit.mask);
      same("header", BigInt(is.header) & wide(exit.mask), toBits(exit.header) & wide(exit.mask));
      same("reply", is.reply, exit.reply ? 1 : 0);
    }
    if (region === 2) this.seen.slowest = Math.max(this.seen.slowest, cycle - packet.sent.cycle);
    this.#count(this.seen.right, region);
  }
  #count(of: number[], region: number): void {
    of[region] = (of[region] ?? 0) + 1;
  }
  reset(): void {
    this.enter.forget();
    this.#resetting = true;
    this.#write = undefined;
    this.#written = undefined;
    this.b.io.region.en.value = 0;
    this.b.sim.reset(1);
    this.#resetting = false;
    for (const list of this.#inside) list.splice(0);
    this.seen.killed.fill(0);
    for (const held of this.held) held.fill(0);
    this.#free = Array.from({ length: sizes.contexts }, (_, i) => i);
    this.leave.received.splice(0);
    this.closed.clear();
    this.#model = new LoaderModel(sizes.reprogramCycles, [...first, 0]);
    this.#chains = [this.fresh(variants[first[0] - 1]), undefined, this.fresh(stays)];
    this.#isOff = [false, false, false];
  }
  async end(): Promise<void> {
    await this.b.until(() => this.#inside.every(l => l.length === 0) && this.enter.pending === 0);
    await this.b.cycles(5);
    for (const [r, held] of this.held.entries())
      for (const [s, n] of held.entries()) if (n !== 0) throw new Error(`region ${r}, slot ${s}: ${n} credits are out`);
    for (const r of [0, 1]) {
      const told = this.status(r).killed.value;
      if (told !== this.seen.killed[r])
        throw new Error(`region ${r} tells ${told} killed, and there were ${this.seen.killed[r]}`);
    }
  }
}
