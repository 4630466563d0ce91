/**
 * The scheduler's surroundings: packets of random DAGs come in, and regions whose tasks take them one after another.
 * What starts, comes back and ends is held to the rules of docs/supernic/scheduler.md.
 */
import { Scheduler } from "../../../../../../designs/supernic/rtl/scheduler/index.ts";
import { type SchedulerTable, writeTable } from "./scheduler-tables.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

const device = { ports: 4, cells: 64, rules: 32, macs: 64, frameBytes: 1536 } as const;
export const sizes = {
  small: { ...device, users: 3, contexts: 16, regions: 3, slots: 3, branches: 2, credits: 4 },
  full: { ...device, users: 16, contexts: 256, regions: 4, slots: 4, branches: 4, credits: 24 },
} as const;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => Scheduler(sizes[size]);
export type B = Bench<ReturnType<typeof dut>["ports"]>;

/** Cycles until what a packet refunds is seen in the credits, whatever is in its way. */
const refundCycles = 60;

interface Branch {
  readonly chain: number;
  readonly run: readonly number[];
  readonly arg: number;
}
export interface Dag {
  readonly slow: boolean;
  readonly stages: readonly (readonly Branch[])[];
}
export interface World {
  /** Regions of each chain, and slots of each region. */
  readonly chains: readonly { readonly regions: readonly number[]; readonly slots: number }[];
  readonly dags: readonly Dag[];
  readonly limit: number;
  /** Cycles from one packet to the next, by region and slot. */
  readonly intervals: readonly (readonly number[])[];
}
interface Packet {
  readonly number: number;
  readonly ctx: number;
  readonly dag: number;
  readonly user: number;
  readonly hash: number;
  readonly unordered: boolean;
  stage: number;
  /** Branches of the stage that are not back: what they have yet to go through. */
  readonly open: Map<number, { rest: number[]; out: boolean; region: number | undefined }>;
  dropped: boolean;
}
interface InRegion {
  readonly packet: Packet;
  readonly branch: number;
  /** Slots of this pass whose task has not taken it. */
  readonly rest: number[];
  readonly drops: boolean;
  at: number;
}
interface Returning {
  readonly packet: Packet;
  readonly branch: number;
  readonly region: number;
  readonly dropped: boolean;
  readonly refund: number;
  readonly sent: { readonly cycle: number | undefined };
}
const bitsOf = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

export class SchedulerRig {
  readonly b: B;
  readonly p;
  readonly world: World;
  readonly arrive;
  readonly back;
  readonly finished;
  #packets = new Map<number, Packet>();
  #free: number[];
  #coming: Packet[] = [];
  /** In each region, in the order of their starts. */
  #inside: InRegion[][];
  #returning: Returning[] = [];
  #held: number[][];
  /** By place: the cycle of the last refund. */
  #refunded: number[] = [];
  #next: number[][];
  readonly #late: number[];
  #order = 0;
  now = 0;
  /** Of 100: packets that a task drops; and how often a region is closed. */
  drops = 10;
  closes = 0;
  readonly seen = { starts: 0, short: 0, finished: 0, dropped: 0, stages: 0, late: 0 };
  readonly startCycles: { readonly cycle: number; readonly user: number; readonly region: number }[] = [];
  readonly latencies: number[] = [];
  #resetting = false;
  #giving: number[];

  constructor(b: B, size: Size, world: World, o: { readonly from?: () => Pause; readonly to?: () => Pause } = {}) {
    const { from = () => never, to = () => never } = o;
    this.b = b;
    this.p = sizes[size];
    this.world = world;
    this.#free = Array.from({ length: this.p.contexts }, (_, i) => i);
    const each = <T>(make: () => T): T[][] =>
      Array.from({ length: this.p.regions }, () => Array.from({ length: this.p.slots }, make));
    this.#inside = Array.from({ length: this.p.regions }, () => []);
    this.#held = each(() => 0);
    this.#next = each(() => 0);
    this.#late = Array.from({ length: this.p.regions }, () => 0);
    this.#giving = Array.from({ length: this.p.regions }, () => 0);
    this.arrive = new StreamSource(b.sim, b.io.arrive, { pause: from() });
    this.back = new StreamSource(b.sim, b.io.back, { pause: from() });
    this.finished = new StreamSink(b.sim, b.io.finished, { pause: to() });
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  write(name: SchedulerTable, index: number, values: Readonly<Record<string, number>>): Promise<void> {
    return writeTable(this.b, name, index, values);
  }
  /** Tables as the world has them; then flows may ask. */
  async program(): Promise<void> {
    const { chains, dags, limit } = this.world;
    for (let r = 0; r < this.p.regions; r++)
      for (let s = 0; s < this.p.slots; s++) await this.write("slot", r * 8 + s, { limit, busyAt: 3 });
    for (const [i, c] of chains.entries()) await this.write("chain", i, { regions: bitsOf(c.regions), group: i % 4 });
    for (const [d, dag] of dags.entries()) {
      await this.write("dag", d, { slow: dag.slow ? 1 : 0 });
      for (const [s, branches] of dag.stages.entries())
        await this.write("dagStage", d * 8 + s, {
          last: s === dag.stages.length - 1 ? 1 : 0,
          ...Object.fromEntries(
            branches.flatMap((b, i) => [
              [`valid${i}`, 1],
              [`chain${i}`, b.chain],
              [`run${i}`, bitsOf(b.run)],
              [`arg${i}`, b.arg],
            ]),
          ),
        });
    }
    await this.b.cycles(2400);
  }
  get inside(): number {
    return this.#packets.size + this.#coming.length;
  }
  /** A packet of a DAG, if there is a context. */
  send(
    dag = this.b.random.between(0, this.world.dags.length - 1),
    user = this.b.random.between(0, this.p.users - 1),
  ): boolean {
    const ctx = this.#free.shift();
    if (ctx === undefined) return false;
    const { random } = this.b,
      packet: Packet = {
        number: this.#order++,
        ctx,
        dag,
        user,
        hash: random.between(0, 3) * 67,
        unordered: random.chance(0.1),
        stage: 0,
        open: new Map(),
        dropped: false,
      };
    this.#coming.push(packet);
    const sent = this.arrive.send({ ctx, dag, user, flowHash: packet.hash, unordered: packet.unordered ? 1 : 0 });
    this.#sentAt.set(packet, sent);
    return true;
  }
  readonly #sentAt = new Map<Packet, { readonly cycle: number | undefined }>();
  #begin(packet: Packet): void {
    packet.open.clear();
    const stage = this.world.dags[packet.dag]?.stages[packet.stage] ?? [];
    for (const [i, b] of stage.entries()) packet.open.set(i, { rest: [...b.run], out: false, region: undefined });
    this.seen.stages++;
  }

  #drive(): void {
    const { io, random } = this.b;
    this.now++;
    if (this.#resetting) return;
    // Regions: the first that waits for a slot is taken by its task, when that is free.
    this.#inside.forEach((list, r) => {
      let give = 0;
      for (let s = 0; s < this.p.slots; s++) {
        if ((this.#next[r]?.[s] ?? 0) > this.now) continue;
        const first = list.find(e => e.rest[0] === s && e.at <= this.now),
          blocked = first && list.some(e => list.indexOf(e) < list.indexOf(first) && e.rest.includes(s));
        if (!first || blocked === true) continue;
        give |= 1 << s;
        first.rest.shift();
        first.at = this.now + 2;
        const row = this.#next[r];
        if (row) row[s] = this.now + (this.world.intervals[r]?.[s] ?? 1);
        if (first.drops && random.chance(0.5)) this.#leaves(list, first, r, true);
      }
      this.#giving[r] = give;
      const port = io.give[r];
      if (port) port.value = give;
      const busy = Array.from(
        { length: this.p.slots },
        (_, s) => list.filter(e => e.rest[0] === s && e.at <= this.now).length >= 3,
      );
      const busyPort = io.busy[r];
      if (busyPort) busyPort.value = bitsOf(busy.flatMap((is, s) => (is ? [s] : [])));
      // The first of all leaves: nobody passes another here.
      const [front] = list;
      if (front && front.rest.length === 0 && front.at <= this.now && this.#returning.length < 3)
        this.#leaves(list, front, r, false);
    });
    const open = Array.from({ length: this.p.regions }, (_, r) =>
      random.between(1, 100) > this.closes ? [r] : [],
    ).flat();
    io.open.value = bitsOf(open);
    for (let r = 0; r < this.p.regions; r++) this.#late[r] = open.includes(r) ? 0 : (this.#late[r] ?? 0);
  }
  #leaves(list: InRegion[], entry: InRegion, region: number, dropped: boolean): void {
    list.splice(list.indexOf(entry), 1);
    const refund = bitsOf(entry.rest),
      { packet, branch } = entry;
    const sent = this.back.send({ ctx: packet.ctx, branch, region, dropped: dropped ? 1 : 0, refund });
    this.#returning.push({ packet, branch, region, dropped, refund, sent });
  }
  #sample(): void {
    const { io } = this.b;
    if (this.#resetting) return;
    if (io.start.valid.value === 1) this.#started();
    this.#shown();
    // What was given in this cycle counts in the next one.
    this.#giving.forEach((give, r) => this.#credits(r, give));
    for (const packet of this.#coming.filter(c => this.#sentAt.get(c)?.cycle !== undefined)) {
      this.#coming.splice(this.#coming.indexOf(packet), 1);
      this.#packets.set(packet.ctx, packet);
      this.#begin(packet);
    }
    for (const r of this.#returning.filter(x => x.sent.cycle !== undefined)) {
      this.#returning.splice(this.#returning.indexOf(r), 1);
      this.#cameBack(r);
    }
    for (let s = this.finished.take(); s; s = this.finished.take())
      this.#finished(Number(s.value.ctx), s.value.dropped === 1);
    const limit = this.world.limit;
    for (const [r, row] of this.#held.entries())
      for (const [s, n] of row.entries())
        if (n > limit || n < 0) throw new Error(`region ${r}, slot ${s}: ${n} credits of ${limit}`);
  }
  /** Each slot's credits as the device shows them. What is refunded may still be on its way, and is never early. */
  #shown(): void {
    for (const [r, row] of this.#held.entries())
      for (const [s, n] of row.entries()) {
        const at = r * this.p.slots + s,
          is = this.b.io.held[at]?.num ?? -1,
          settled = this.now - (this.#refunded[at] ?? -Infinity) > refundCycles;
        if (is < n || (settled && is !== n))
          throw new Error(`region ${r}, slot ${s}: ${is} credits are held in cycle ${this.now}, not ${n}`);
      }
  }
  #credits(r: number, slots: number): void {
    const row = this.#held[r];
    for (let s = 0; row && s < row.length; s++) if ((slots >> s) & 1) row[s] = (row[s] ?? 0) - 1;
  }
  #started(): void {
    const { start } = this.b.io,
      ctx = Number(start.ctx.value),
      branch = Number(start.branch.value),
      region = Number(start.region.value),
      run = Number(start.run.value),
      packet = this.#packets.get(ctx),
      open = packet?.open.get(branch),
      row = packet && this.world.dags[packet.dag]?.stages[packet.stage]?.[branch];
    if (!packet || !open || !row) throw new Error(`context ${ctx}, branch ${branch} starts, and is not there`);
    if (open.out) throw new Error(`context ${ctx}, branch ${branch} starts twice`);
    if (start.arg.value !== row.arg) throw new Error(`context ${ctx}: arg ${String(start.arg.value)}, not ${row.arg}`);
    if (!this.world.chains[row.chain]?.regions.includes(region))
      throw new Error(`region ${region} has no chain ${row.chain}`);
    if (open.region !== undefined && open.region !== region)
      throw new Error(`context ${ctx} goes on in another region`);
    const slots = open.rest.filter(s => (run >> s) & 1);
    if (slots.length === 0 || bitsOf(slots) !== run || slots.some((s, i) => s !== open.rest[i]))
      throw new Error(`context ${ctx} starts with slots ${run.toString(2)} of ${open.rest.join()}`);
    for (const s of slots) {
      const held = this.#held[region];
      if (held) held[s] = (held[s] ?? 0) + 1;
      if ((held?.[s] ?? 0) > this.world.limit)
        throw new Error(`region ${region}, slot ${s}: a credit that is not there`);
    }
    this.#inOrder(packet, branch, region);
    open.rest.splice(0, slots.length);
    open.out = true;
    open.region = region;
    this.seen.starts++;
    if (open.rest.length > 0) this.seen.short++;
    this.startCycles.push({ cycle: this.b.cycle, user: packet.user, region });
    if (packet.stage === 0 && packet.open.size === 1)
      this.latencies.push(this.b.cycle - (this.#sentAt.get(packet)?.cycle ?? NaN));
    const drops = this.b.random.between(1, 100) <= this.drops;
    this.#inside[region]?.push({ packet, branch, rest: [...slots], drops, at: this.now + 5 });
  }
  /** Of a flow nobody starts before one that came earlier to the same stage of the same DAG. */
  #inOrder(packet: Packet, branch: number, region: number): void {
    if (packet.unordered) return;
    for (const other of this.#packets.values()) {
      if (other.number >= packet.number || other.unordered || other.dropped) continue;
      if (other.dag !== packet.dag || other.user !== packet.user || other.hash !== packet.hash) continue;
      if (other.stage < packet.stage)
        throw new Error(`packet ${packet.number} passes ${other.number}, an earlier one of its flow`);
      if (other.stage > packet.stage) continue;
      const open = other.open.get(branch);
      if (open && !open.out)
        throw new Error(`packet ${packet.number} starts in region ${region} before ${other.number} of its flow`);
      if (open && open.rest.length > 0)
        throw new Error(`packet ${packet.number} passes ${other.number}, which stopped short`);
    }
  }
  #cameBack({ packet, branch, region, dropped, refund }: Returning): void {
    this.#credits(region, refund);
    for (let s = 0; s < this.p.slots; s++) if ((refund >> s) & 1) this.#refunded[region * this.p.slots + s] = this.now;
    const open = packet.open.get(branch);
    if (!open) throw new Error("unreachable: a branch that was out");
    if (!dropped && open.rest.length > 0) {
      open.out = false;
      return;
    }
    packet.dropped ||= dropped;
    packet.open.delete(branch);
    if (packet.open.size > 0) return;
    const last = packet.stage === (this.world.dags[packet.dag]?.stages.length ?? 0) - 1;
    if (last || packet.dropped) return;
    packet.stage++;
    this.#begin(packet);
  }
  #finished(ctx: number, dropped: boolean): void {
    const packet = this.#packets.get(ctx);
    if (!packet) throw new Error(`context ${ctx} is finished, and was not inside`);
    if (packet.open.size > 0) throw new Error(`context ${ctx} is finished, and has ${packet.open.size} branches out`);
    if (packet.dropped !== dropped) throw new Error(`context ${ctx}: dropped is ${String(dropped)}`);
    if (!dropped && !packet.unordered)
      for (const other of this.#packets.values())
        if (
          other.number < packet.number &&
          !other.unordered &&
          !other.dropped &&
          other.dag === packet.dag &&
          other.user === packet.user &&
          other.hash === packet.hash
        )
          throw new Error(`packet ${packet.number} ends before ${other.number} of its flow`);
    this.#packets.delete(ctx);
    this.#sentAt.delete(packet);
    this.#free.push(ctx);
    this.seen[dropped ? "dropped" : "finished"]++;
  }
  async traffic(cycles: number, rate = 0.6): Promise<void> {
    for (let i = 0; i < cycles; i++) {
      if (this.arrive.pending < 2 && this.b.random.chance(rate)) this.send();
      await this.b.cycles(1);
    }
  }
  async reset(): Promise<void> {
    this.arrive.forget();
    this.back.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#packets.clear();
    this.#coming = [];
    this.#returning = [];
    this.#free = Array.from({ length: this.p.contexts }, (_, i) => i);
    for (const l of this.#inside) l.splice(0);
    for (const row of [...this.#held, ...this.#next]) row.fill(0);
    this.#giving.fill(0);
    this.finished.received.splice(0);
    this.#sentAt.clear();
    await this.program();
  }
  /** All has ended, every credit is back, and nothing is inside. */
  async end(): Promise<void> {
    await this.b.until(() => this.inside === 0);
    await this.b.cycles(30);
    const out = this.b.io.held.findIndex(h => h.num !== 0);
    if (out >= 0) throw new Error(`${this.b.io.held[out]?.num} credits of slot ${out} are out at the end`);
    if (this.b.io.inside.packets.num + this.b.io.inside.waiting.num !== 0)
      throw new Error("something is inside at the end");
  }
}
