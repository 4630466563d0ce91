/** A region with its credits, and the model of its chain as scoreboard. */
import { type ChainEntry, type ChainExit, throughChain } from "../../../../../../designs/supernic/model/index.ts";
import { region, type RegionPorts } from "../../../../../../designs/supernic/rtl/region/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { randomPacket, toBits, wide } from "../../tasks/support/task-rig.ts";
import type { Tried } from "./test-tasks.ts";

export const places = 24;
export const dutOf = (tasks: readonly Tried[]) => region(tasks)({ contexts: 256, places });
export type B = Bench<RegionPorts>;

interface Inside {
  readonly ctx: number;
  readonly entry: ChainEntry;
  readonly exit: ChainExit;
  /** Slots whose task it meets, a bit each. */
  readonly meets: number;
  readonly sent: { readonly cycle: number | undefined };
}
const bits = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

export class RegionRig {
  readonly b: B;
  readonly tasks: readonly Tried[];
  readonly enter;
  readonly leave;
  /** Credits that are out, by slot. */
  readonly held: number[];
  /** Packets inside, in the order in which they came. */
  readonly #inside: Inside[] = [];
  #chain;
  #free = Array.from({ length: 256 }, (_, i) => i);
  #resetting = false;
  readonly latencies: number[] = [];
  readonly leaveCycles: number[] = [];
  readonly seen = { forwarded: 0, dropped: 0, killed: 0, overtook: 0 };
  /** Slots whose task is off, so that packets for it are killed. */
  readonly dead = new Set<number>();

  constructor(b: B, tasks: readonly Tried[], o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.tasks = tasks;
    this.held = tasks.map(() => 0);
    this.#chain = this.#fresh();
    this.enter = new StreamSource(b.sim, b.io.enter, { pause: o.from ?? never });
    this.leave = new StreamSink(b.sim, b.io.leave, { pause: o.to ?? never });
    b.io.config.valid.value = 0;
    for (let s = 0; s < tasks.length; s++) this.control(s, {});
    b.onEdge({ sample: () => this.#sample() });
  }
  #fresh() {
    return this.tasks.map(t => ({ declared: t.declared, model: t.model() }));
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
  /** A word for a task, while nothing is inside. */
  async configure(slot: number, at: number, data: bigint): Promise<void> {
    const { config } = this.b.io;
    await this.b.until(() => this.#inside.length === 0);
    config.valid.value = 1;
    config.slot.value = slot;
    config.at.value = at;
    config.data.value = data;
    await this.b.cycles(1);
    config.valid.value = 0;
    this.#chain[slot]?.model.configure?.(at, data);
  }
  canSend(run: readonly number[]): boolean {
    return this.#free.length > 0 && run.every(s => (this.held[s] ?? places) < places);
  }
  send(run: readonly number[]): Inside {
    const { random } = this.b,
      ctx = this.#free.shift();
    if (ctx === undefined) throw new Error("all contexts are out");
    const packet = randomPacket(random),
      entry = { ...packet, prepend: 0, frontBytes: 0, dropFront: 0, run };
    const exit = throughChain(this.#chain, entry),
      meets = bits(run) & ~bits(exit.refund);
    const sent = this.enter.send({
      ...packet,
      ctx,
      header: toBits(entry.header),
      noL4: entry.noL4 ? 1 : 0,
      run: bits(run),
    });
    for (const s of run) this.held[s] = (this.held[s] ?? 0) + 1;
    const inside = { ctx, entry, exit, meets, sent };
    this.#inside.push(inside);
    return inside;
  }
  get pending(): number {
    return this.#inside.length;
  }
  #back(slots: number, why: string): void {
    for (let s = 0; s < this.held.length; s++)
      if ((slots >> s) & 1) {
        this.held[s] = (this.held[s] ?? 0) - 1;
        if ((this.held[s] ?? 0) < 0) throw new Error(`slot ${s}: a credit comes back (${why}) that nobody had`);
      }
  }
  #sample(): void {
    if (this.#resetting) return;
    this.#back(Number(this.b.io.give.value), "taken");
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.cycle, s.value);
  }
  #left(cycle: number, is: (typeof this.leave)["received"][number]["value"]): void {
    const at = this.#inside.findIndex(i => i.ctx === is.ctx),
      packet = this.#inside[at];
    if (packet?.sent.cycle === undefined) throw new Error(`packet ${is.ctx} leaves, and is not inside`);
    const passed = this.#inside.slice(0, at).find(x => (x.meets & ~packet.meets) === 0);
    if (passed) throw new Error(`packet ${packet.ctx} passed ${passed.ctx}, which takes no other tasks`);
    if (at > 0) this.seen.overtook++;
    const { exit } = packet,
      killed = packet.entry.run.some(s => this.dead.has(s) && (packet.meets >> s) & 1);
    const same = (what: string, a: unknown, b: unknown): void => {
      if (a !== b) throw new Error(`${what} is ${String(a)}, not ${String(b)}, of packet ${packet.ctx}`);
    };
    same("dropped", is.dropped, exit.dropped ? 1 : 0);
    same("killed", is.killed, killed ? 1 : 0);
    same("refund", is.refund, bits(exit.refund));
    if (!exit.dropped) {
      const written = wide(exit.mask);
      same("header", BigInt(is.header) & written, toBits(exit.header) & written);
      same("mask", is.mask, exit.mask);
      same("reply", is.reply, exit.reply ? 1 : 0);
      for (const f of ["prepend", "frontBytes", "dropFront"] as const) same(f, is[f], exit[f]);
    }
    this.seen[killed ? "killed" : exit.dropped ? "dropped" : "forwarded"]++;
    this.#back(bits(exit.refund), "refund");
    this.latencies.push(cycle - packet.sent.cycle);
    this.leaveCycles.push(cycle);
    this.#inside.splice(at, 1);
    this.#free.push(packet.ctx);
  }
  /** A run of random slots. */
  run(): readonly number[] {
    const { random } = this.b;
    return this.tasks.map((_, s) => s).filter(() => random.chance(0.6));
  }
  /** Random runs for some cycles, as the credits allow. */
  async traffic(cycles: number): Promise<void> {
    for (let i = 0; i < cycles; i++) {
      const run = this.run();
      if (this.enter.pending < 3 && this.canSend(run)) this.send(run);
      await this.b.cycles(1);
    }
  }
  reset(): void {
    this.enter.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#inside.splice(0);
    this.#free = Array.from({ length: 256 }, (_, i) => i);
    this.held.fill(0);
    this.leave.received.splice(0);
    this.#chain = this.#fresh();
  }
  /** All has left, and all credits are back. */
  async end(): Promise<void> {
    await this.b.until(() => this.#inside.length === 0);
    await this.b.cycles(5);
    const out = this.held.findIndex(n => n !== 0);
    if (out >= 0) throw new Error(`slot ${out}: ${this.held[out]} credits are out at the end`);
    for (const [s] of this.tasks.entries())
      if (this.state(s).waiting.num + this.state(s).inside.num !== 0) throw new Error(`slot ${s} holds something`);
  }
}
