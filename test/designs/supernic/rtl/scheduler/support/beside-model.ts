/**
 * The hardware in the place of the model's scheduler: the same packets, regions and tasks around it, cycle by cycle.
 * What it starts, gives back and ends is held to the rules; when it does so can be laid beside what the model says.
 */
import { schedulerModel } from "../../../../../../designs/supernic/model/index.ts";
import { Scheduler, type SchedulerParameters } from "../../../../../../designs/supernic/rtl/scheduler/index.ts";
import { mostSlots, mostStages } from "../../../../../../designs/supernic/wire/index.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { Promises } from "./scheduler-promises.ts";
import { writeTable } from "./scheduler-tables.ts";

const { must, randomSetup, Region, timing } = schedulerModel;
type Entry = schedulerModel.Entry;
type Inside = schedulerModel.Inside;
type Outcome = schedulerModel.Outcome;
type Packet = schedulerModel.Packet;
type Region = schedulerModel.Region;
type Setup = schedulerModel.Setup;
type Timing = schedulerModel.Timing;
type Traffic = schedulerModel.Traffic;

const device = { ports: 4, cells: 64, rules: 32, macs: 64, frameBytes: 1536 } as const;
export const besideSizes = {
  /** Room for all random configurations of the model. */
  random: { ...device, users: 6, contexts: 64, regions: 4, slots: 4, branches: 4, credits: 8 },
  /** Room for the chains and branches of the paper's figures. */
  figures: { ...device, users: 3, contexts: 256, regions: 8, slots: 8, branches: 8, credits: 24 },
} as const satisfies Readonly<Record<string, SchedulerParameters>>;
export type BesideSize = keyof typeof besideSizes;
export const besideDut = (size: BesideSize) => Scheduler(besideSizes[size]);
export type BesideBench = Bench<ReturnType<typeof besideDut>["ports"]>;

/** Cycles around the scheduler: to `arrive`, from `start` to the region, from it to `back`, from a taking to `give`. */
const ways = { intake: 7, carry: 4, back: 3, give: 2 } as const;
/** Cycles of the scheduler, as its comment promises: to a start, from a return to the next stage's, and to the end. */
export const promised = { arriveToStart: 10, backToStart: 13, backToFinished: 2, decision: 5 } as const;
/** The way out is so long here that a packet ends when the model says. */
const egress = promised.backToStart - promised.decision - promised.backToFinished;
/** The model's times for the hardware: its decision is atomic in the cycle before `start`. */
export const hardwareTiming: Timing = {
  ...timing,
  intake: ways.intake + promised.arriveToStart - promised.decision - timing.lookUp,
  egress: 0,
  decide: promised.decision,
  carry: ways.carry + 1,
  back: ways.back + promised.backToStart - promised.decision - timing.lookUp,
  creditBack: ways.give + 1,
  // The hardware looks at the bits of the cycle before.
  busyDelay: 1,
  // A queue that is alone starts every cycle, however long it is.
  prefetch: 64,
  refill: 1,
};

/** Starts for a region after its bit of `open` has fallen, at most. */
const mostBehindClosed = 6;

interface Coming {
  readonly at: number;
  readonly inside: Inside;
  readonly ctx: number;
}
interface Back {
  readonly at: number;
  readonly entry: Entry;
  readonly ctx: number;
  readonly run: readonly number[];
  readonly dropped: boolean;
}
const bitsOf = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);
const slotsOf = (bits: number): number[] => Array.from({ length: 8 }, (_, s) => s).filter(s => (bits >> s) & 1);

/** What of the surroundings is not as the model has it. */
export interface Wild {
  /** Of 100 cycles, how many `finished` waits; and how often a region is closed. */
  readonly waits?: number;
  readonly closes?: number;
}

/** Cycles until the flow table is clear and all groups are marked: 1,024 entries each, and a few between. */
const untilAsked = 2 * 1024 + 64;

export class BesideModel {
  readonly out: { at: number; packet: Packet; entered: number }[] = [];
  dropped = 0;
  now = 0;
  readonly promises: Promises;
  readonly #b: BesideBench;
  readonly #setup: Setup;
  readonly #wild: Wild;
  #regions: Region[] = [];
  /** By context. */
  readonly #inside = new Map<number, Inside>();
  readonly #ctxOf = new Map<Inside, number>();
  #free: number[] = [];
  #held: number[] = [];
  readonly #coming: Coming[] = [];
  readonly #back: Back[] = [];
  readonly #ending: { readonly at: number; readonly inside: Inside }[] = [];
  readonly #gives = new Map<number, [number, number][]>();
  /** By context and branch: what it has yet to go through. */
  readonly #rest = new Map<string, { readonly slots: readonly number[]; readonly since: number }>();
  /** Of each entry in a region, the run of this pass. */
  readonly #runs = new Map<Entry, readonly number[]>();
  #runsOn = false;
  /** By region: starts since its bit of `open` has fallen. */
  readonly #closed = new Map<number, number>();

  constructor(b: BesideBench, size: BesideSize, setup: Setup, wild: Wild = {}) {
    this.#b = b;
    this.#setup = setup;
    this.#wild = wild;
    this.promises = new Promises(setup, besideSizes[size]);
    this.#empty();
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  /** Nothing is inside, and nothing comes. */
  #empty(): void {
    const { io } = this.#b,
      { regions, chains, contexts, users } = this.#setup;
    this.#regions = regions.map(chain => new Region(must(chains, chain), undefined));
    // A user has one at least, however few there are for all.
    this.#free = Array.from({ length: Math.max(contexts, users) }, (_, i) => i);
    this.#held = Array.from({ length: users }, () => 0);
    for (const map of [this.#inside, this.#ctxOf, this.#gives, this.#rest, this.#runs]) map.clear();
    for (const list of [this.#coming, this.#back, this.#ending, this.out]) list.length = 0;
    this.dropped = 0;
    io.arrive.valid.value = io.back.valid.value = 0;
    io.finished.ready.value = 1;
    io.open.value = 2 ** io.give.length - 1;
    for (let r = 0; r < io.give.length; r++) must(io.give, r).value = must(io.busy, r).value = 0;
  }

  /** The tables; and then the cycles until flows may ask. */
  async program(): Promise<void> {
    const setup = this.#setup,
      b = this.#b;
    for (const [r, chain] of setup.regions.entries())
      for (const [s, limit] of must(setup.credits, chain).entries())
        await writeTable(b, "slot", r * mostSlots + s, { limit });
    await this.use(setup.regions.map((_, r) => r));
    for (const [d, dag] of setup.dags.entries()) {
      await writeTable(b, "dag", d, { slow: dag.slow ? 1 : 0 });
      for (const [s, branches] of dag.stages.entries())
        await writeTable(b, "dagStage", d * mostStages + s, {
          last: s === dag.stages.length - 1 ? 1 : 0,
          ...Object.fromEntries(
            branches.flatMap(({ chain, run }, i) => [
              [`valid${i}`, 1],
              [`chain${i}`, chain],
              [`run${i}`, bitsOf(run)],
              [`arg${i}`, (d * 16 + s * 4 + i) % 256],
            ]),
          ),
        });
    }
    await b.cycles(untilAsked);
  }
  /** A reset in the middle of everything. */
  async reset(): Promise<void> {
    this.#runsOn = false;
    this.#empty();
    this.promises.reset();
    this.#b.sim.reset(1);
    this.#empty();
    await this.program();
  }
  /** The regions in use change: each chain that has others now is written, which marks its flows. */
  async use(regions: readonly number[]): Promise<void> {
    for (const chain of this.#setup.chains.keys()) {
      const instances = regions.filter(r => this.#setup.regions[r] === chain);
      await writeTable(this.#b, "chain", chain, { regions: bitsOf(instances), group: chain % 4 });
    }
  }
  #room(user: number): boolean {
    const { contexts, users } = this.#setup;
    return (this.#held[user] ?? 0) < Math.max(1, Math.floor(contexts / users));
  }
  #offer(packet: Packet, user: number): void {
    const inside: Inside = { packet, user, entered: this.now, stage: 0, pending: 0, dropped: false },
      ctx = this.#free.shift();
    if (ctx === undefined) throw new Error("there is no context: the bench offers too much");
    this.#held[user] = (this.#held[user] ?? 0) + 1;
    this.#inside.set(ctx, inside);
    this.#ctxOf.set(inside, ctx);
    this.#coming.push({ at: this.now + ways.intake, inside, ctx });
  }

  /** All of the traffic, until it has ended. */
  async run(traffic: Traffic, o: { readonly most?: number; readonly until?: number } = {}): Promise<Outcome> {
    const { most = 60_000, until = Infinity } = o;
    const setup = this.#setup,
      queued: Packet[][] = Array.from({ length: setup.users }, () => []),
      packets = [...traffic.packets],
      userOf = (p: Packet): number => must(setup.dags, p.dag).user;
    let turn = 0;
    this.now = 0;
    this.#runsOn = true;
    const left = (): number => packets.length + this.#inside.size + queued.flat().length;
    for (let n = 0; left() > 0 && this.now < until; n++) {
      if (n > most) throw new Error(`${this.#inside.size} packets are inside after ${most} cycles`);
      const first = this.now + 1;
      while (packets[0] !== undefined && packets[0].at < first) {
        const { packet } = must(packets.splice(0, 1), 0);
        must(queued, userOf(packet)).push(packet);
      }
      for (const s of traffic.stalls)
        if (s.at === this.now) must(must(this.#regions, s.region).slots, s.slot).stalledUntil = this.now + s.cycles;
      const user = queued.findIndex((_, i) => {
        const u = (turn + i) % setup.users;
        return must(queued, u).length > 0 && this.#room(u);
      });
      if (user >= 0) {
        const u = (turn + user) % setup.users,
          packet = must(queued, u).shift();
        turn = (u + 1) % setup.users;
        if (packet) this.#offer(packet, u);
      }
      const uses = traffic.uses.find(u => u.at === this.now);
      if (uses) await this.use(uses.regions);
      else await this.#b.cycles(1);
    }
    if (until === Infinity) {
      await this.#b.cycles(8);
      this.promises.allBack(this.#b.io);
    }
    this.#runsOn = false;
    return { wrong: undefined, cycles: this.now, out: this.out, dropped: this.dropped };
  }

  #drive(): void {
    if (!this.#runsOn) return;
    const { io, random } = this.#b,
      { waits = 0, closes = 0 } = this.#wild;
    this.now++;
    this.#regions.forEach((region, r) => {
      const chain = must(this.#setup.regions, r),
        { carry, creditBack } = this.#setup.timing;
      let loop = carry + creditBack;
      const busy = must(this.#setup.chains, chain).flatMap(({ interval, latency }, s) => {
        const from = interval === 1 ? 3 : Math.max(3, Math.ceil(loop / interval));
        loop += latency + 1;
        return (must(region.slots, s).held[0] ?? 0) >= from ? [s] : [];
      });
      must(io.busy, r).value = bitsOf(busy);
      this.#step(region, r);
    });
    const gives = this.#gives.get(this.now) ?? [];
    this.#gives.delete(this.now);
    this.#regions.forEach((_, r) => {
      const given = gives.filter(([region]) => region === r).map(([, slot]) => slot);
      must(io.give, r).value = bitsOf(given);
      this.promises.gives(r, given);
    });
    for (; (this.#ending[0]?.at ?? Infinity) <= this.now;) this.#end(must(this.#ending.splice(0, 1), 0).inside);
    const [back] = this.#back,
      comes = back !== undefined && back.at <= this.now;
    io.back.valid.value = comes ? 1 : 0;
    if (comes) {
      const { payload } = io.back;
      payload.ctx.value = back.ctx;
      payload.branch.value = back.entry.branch;
      payload.region.value = back.entry.region;
      payload.dropped.value = back.dropped ? 1 : 0;
      payload.refund.value = bitsOf(back.run);
    }
    const [next] = this.#coming,
      arrives = next !== undefined && next.at <= this.now;
    io.arrive.valid.value = arrives ? 1 : 0;
    if (arrives) {
      const { payload } = io.arrive,
        { packet, user } = next.inside;
      payload.ctx.value = next.ctx;
      payload.dag.value = packet.dag;
      payload.user.value = user;
      payload.flowHash.value = packet.flow;
      payload.unordered.value = 0;
    }
    io.finished.ready.value = random.between(1, 100) <= waits ? 0 : 1;
    const open = this.#regions.flatMap((_, r) => (this.#opens(r, random.between(1, 100), closes) ? [r] : []));
    io.open.value = bitsOf(open);
  }
  /** A region closes now and then, and opens again a while later. */
  #opens(r: number, chance: number, closes: number): boolean {
    const closed = this.#closed.has(r);
    if (closed && chance <= 4) this.#closed.delete(r);
    else if (!closed && chance <= closes) this.#closed.set(r, 0);
    return !this.#closed.has(r);
  }
  /** A cycle of a region. A packet that is dropped gives its credits back when it comes back. */
  #step(region: Region, r: number): void {
    const given = region.step(this.now);
    for (const slot of given.taken) {
      const at = this.now + ways.give;
      this.#gives.set(at, [...(this.#gives.get(at) ?? []), [r, slot]]);
    }
    for (const entry of given.left) {
      const { packet } = entry.inside,
        run = this.#runs.get(entry) ?? [],
        at = packet.drops?.stage === entry.stage ? packet.drops.slot : undefined,
        dropped = at !== undefined && run.includes(at),
        ctx = this.#ctxOf.get(entry.inside);
      if (ctx === undefined) throw new Error("a packet that leaves a region is inside");
      this.#runs.delete(entry);
      this.#back.push({
        at: this.now + 1 + ways.back,
        entry,
        ctx,
        run: dropped ? run.filter(s => s > at) : [],
        dropped,
      });
    }
  }
  #sample(): void {
    if (!this.#runsOn) return;
    const { io } = this.#b;
    if (io.start.valid.num === 1) this.#started();
    if (io.arrive.valid.num === 1 && io.arrive.ready.num === 1) {
      const { inside, ctx } = must(this.#coming.splice(0, 1), 0);
      this.promises.arrives();
      this.#begin(inside, ctx);
    }
    if (io.back.valid.num === 1 && io.back.ready.num === 1) this.#cameBack(must(this.#back.splice(0, 1), 0));
    if (io.finished.valid.num === 1 && io.finished.ready.num === 1) this.#finished();
    this.promises.counts(io);
  }
  #begin(inside: Inside, ctx: number): void {
    const stage = must(must(this.#setup.dags, inside.packet.dag).stages, inside.stage);
    inside.pending = stage.length;
    stage.forEach((b, i) => this.#rest.set(`${ctx} ${i}`, { slots: b.run, since: this.now }));
  }
  #started(): void {
    const { start } = this.#b.io,
      [ctx, branch, region] = [start.ctx.num, start.branch.num, start.region.num],
      inside = this.#inside.get(ctx),
      key = `${ctx} ${branch}`,
      rest = this.#rest.get(key);
    if (inside === undefined || rest === undefined) throw new Error(`${key} starts, and does not wait`);
    this.#rest.delete(key);
    const since = this.#closed.get(region);
    if (since !== undefined) {
      this.#closed.set(region, since + 1);
      if (since >= mostBehindClosed) throw new Error(`${since + 1} start for region ${region} since it is closed`);
    }
    const run = slotsOf(start.run.num),
      { chain } = must(must(must(this.#setup.dags, inside.packet.dag).stages, inside.stage), branch);
    if (this.#setup.regions[region] !== chain) throw new Error(`${key} starts in a region without its chain`);
    const arg = (inside.packet.dag * 16 + inside.stage * 4 + branch) % 256;
    if (start.arg.num !== arg) throw new Error(`${key} starts with arg ${start.arg.num}, not ${arg}`);
    const { slots } = rest;
    this.promises.starts({ inside, branch, region, run, rest: slots, waited: this.now - rest.since });
    const entry: Entry = {
      inside,
      stage: inside.stage,
      branch,
      region,
      remaining: slots,
      reserved: [...run],
      since: undefined,
      short: run.length < slots.length,
    };
    this.#runs.set(entry, run);
    must(this.#regions, region).arrive(entry, 0, this.now + ways.carry);
  }
  #cameBack({ entry, ctx, run, dropped }: Back): void {
    const { inside, branch } = entry;
    const whole = entry.remaining.length === 0;
    this.promises.comesBack({ inside, branch, region: entry.region, refund: run, dropped, whole });
    if (!dropped && !whole) {
      this.#rest.set(`${ctx} ${branch}`, { slots: entry.remaining, since: this.now });
      return;
    }
    if (--inside.pending > 0) return;
    inside.stage++;
    const ends = inside.dropped || inside.stage === must(this.#setup.dags, inside.packet.dag).stages.length;
    if (!ends) this.#begin(inside, ctx);
  }
  #finished(): void {
    const { payload } = this.#b.io.finished,
      inside = this.#inside.get(payload.ctx.num);
    if (inside === undefined) throw new Error(`context ${payload.ctx.num} ends, and is not inside`);
    if (inside.pending !== 0) throw new Error(`context ${payload.ctx.num} ends before its branches`);
    if (payload.dropped.num !== (inside.dropped ? 1 : 0))
      throw new Error(`context ${payload.ctx.num}: dropped is ${payload.dropped.num}`);
    this.promises.ends(inside);
    this.#ending.push({ at: this.now + egress, inside });
  }
  #end(inside: Inside): void {
    const ctx = this.#ctxOf.get(inside) ?? 0,
      { packet, entered, user } = inside;
    this.#ctxOf.delete(inside);
    this.#inside.delete(ctx);
    this.#free.push(ctx);
    this.#held[user] = (this.#held[user] ?? 0) - 1;
    if (inside.dropped) this.dropped++;
    else this.out.push({ at: this.now, packet, entered });
  }
}

/** A random configuration of the model's, all of its packets, after some resets in the middle of them. */
export async function randomLife(b: BesideBench, seed: number, wild: Wild = {}, resets = 0): Promise<void> {
  const { setup, traffic: packets } = randomSetup(seed),
    rig = new BesideModel(b, "random", { ...setup, timing: hardwareTiming }, wild);
  await rig.program();
  for (let i = 0; i < resets; i++) {
    await rig.run(packets, { until: b.random.between(20, 400) });
    await rig.reset();
  }
  const { out, dropped } = await rig.run(packets);
  const ended = out.length + dropped;
  if (ended !== packets.packets.length) throw new Error(`${ended} of ${packets.packets.length} packets have ended`);
}
