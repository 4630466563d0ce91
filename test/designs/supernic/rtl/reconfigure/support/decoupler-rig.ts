/**
 * A decoupler between a scheduler, which has the credits, and a partition that behaves, hangs, lies or makes noise. The
 * partition's side is plain wires: it need not keep the rules of a stream.
 */
import { Decoupler, DecouplerStatus } from "../../../../../../designs/supernic/rtl/reconfigure/index.ts";
import {
  type ChainParameters,
  RegionEnter,
  RegionLeave,
  sentLate,
} from "../../../../../../designs/supernic/rtl/region/index.ts";
import { bit, connect, input, instance, module, output, sink, source, uint } from "../../../../../../hdl-dsl/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { randomPacket, toBits } from "../../tasks/support/task-rig.ts";

/** The decoupler, with the partition's answers as wires. */
const Bare = module(
  "Bare",
  (p: ChainParameters) => ({
    enter: sink(RegionEnter(p)),
    leave: source(RegionLeave(p)),
    give: output(uint(p.slots)),
    accepts: output(bit),
    takes: output(bit),
    taken: output(RegionEnter(p)),
    answers: input(bit),
    answer: input(RegionLeave(p)),
    answerTaken: output(bit),
    innerGive: input(uint(p.slots)),
    innerAccepts: input(bit),
    cut: input(bit),
    status: output(DecouplerStatus(p)),
  }),
  (io, p) => {
    const it = instance("decoupler", Decoupler(p));
    connect(io.enter, it.enter);
    connect(it.leave, io.leave);
    io.give.set(it.give);
    io.accepts.set(it.accepts);
    io.takes.set(it.innerEnter.valid);
    io.taken.set(it.innerEnter.payload);
    // A partition takes what it has accepted.
    it.innerEnter.ready.set(1);
    it.innerLeave.valid.set(io.answers);
    it.innerLeave.payload.set(io.answer);
    io.answerTaken.set(it.innerLeave.ready);
    it.innerGive.set(io.innerGive);
    it.innerAccepts.set(io.innerAccepts);
    it.cut.set(io.cut);
    io.status.set(it.status);
  },
);
export const small: ChainParameters = { contexts: 64, slots: 3, places: 4 };
export const dutOf = (p: ChainParameters) => Bare(p);
export type B = Bench<ReturnType<typeof dutOf>["ports"]>;

/** `good`: takes, gives credits, answers. `hangs`: takes only. `lies`: answers what it likes. `noise`: anything. */
export type Manner = "good" | "hangs" | "lies" | "noise";
interface Within {
  readonly ctx: number;
  readonly header: bigint;
  /** Slots that it has yet to go through. */
  left: number[];
  due: number;
}
interface Answer {
  readonly ctx: number;
  readonly header: bigint;
  readonly dropped: number;
  readonly refund: number;
}
const bitsOf = (slots: readonly number[]): number => slots.reduce((m, s) => m | (1 << s), 0);

export class DecouplerRig {
  readonly b: B;
  readonly p: ChainParameters;
  readonly enter;
  readonly leave;
  manner: Manner = "good";
  /** What the partition says of whether it accepts; left out: anything. */
  says: 0 | 1 | undefined;
  /** Cycles since the last reset. */
  #since = 0;
  /** Credits that are out, by slot, as the scheduler counts them. */
  readonly held: number[];
  /** Packets that entered, with what the partition has answered of them. */
  readonly #inside = new Map<number, { answer: Answer | undefined; sent: { readonly cycle: number | undefined } }>();
  #free: number[];
  #within: Within[] = [];
  #offered: Answer | undefined;
  #gives = 0;
  #isOff = false;
  #resetting = false;
  readonly seen = { right: 0, killed: 0, strays: 0, whileOff: 0 };
  readonly latencies: number[] = [];
  readonly leaveCycles: number[] = [];
  #answeredAt = new Map<number, number>();

  constructor(b: B, p: ChainParameters, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.p = p;
    this.held = Array.from({ length: p.slots }, () => 0);
    this.#free = Array.from({ length: p.contexts }, (_, i) => i);
    this.enter = new StreamSource(b.sim, b.io.enter, { pause: o.from ?? never });
    this.leave = new StreamSink(b.sim, b.io.leave, { pause: o.to ?? never });
    b.io.cut.value = 0;
    b.io.innerAccepts.value = 1;
    b.io.answers.value = 0;
    b.io.innerGive.value = 0;
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  get pending(): number {
    return this.#inside.size;
  }
  cut(on: boolean): void {
    this.b.io.cut.value = on ? 1 : 0;
  }
  status(name: "inside" | "killed" | "strays" | "off" | "empty"): number {
    return Number(this.b.io.status[name].value);
  }
  /** Random runs, as credits allow and the region accepts. */
  async traffic(cycles: number): Promise<void> {
    const { random, io } = this.b;
    for (let i = 0; i < cycles; i++) {
      const run = this.held.map((_, s) => s).filter(() => random.chance(0.6)),
        may = run.every(s => (this.held[s] ?? 0) < this.p.places);
      if (io.accepts.value === 1 && may && this.enter.pending < sentLate && this.#free.length > 0) this.send(run);
      await this.b.cycles(1);
    }
  }
  send(run: readonly number[]): void {
    const ctx = this.#free.splice(this.b.random.below(this.#free.length), 1)[0] ?? 0,
      packet = randomPacket(this.b.random);
    const sent = this.enter.send({
      ...packet,
      ctx,
      header: toBits(packet.header),
      noL4: packet.noL4 ? 1 : 0,
      run: bitsOf(run),
    });
    for (const s of run) this.held[s] = (this.held[s] ?? 0) + 1;
    this.#inside.set(ctx, { answer: undefined, sent });
  }

  #sample(): void {
    if (this.#resetting) return;
    const { io } = this.b,
      { cycle } = this.b;
    const isOff = io.status.off.value === 1;
    // Behind the clearing of its ledger it says what its partition says, and accepts all while that is off.
    if (this.#since++ > this.p.contexts && io.accepts.value !== (isOff ? 1 : io.innerAccepts.value))
      throw new Error(`cycle ${cycle}: it accepts packets, or does not, and its partition says otherwise`);
    if (io.enter.valid.value === 1 && io.enter.ready.value === 0)
      throw new Error("a packet waits that the region has said it accepts");
    if (io.takes.value === 1) this.#take(cycle);
    if (io.answers.value === 1 && io.answerTaken.value === 1) this.#answered(cycle);
    if (isOff) this.#within = [];
    this.#isOff = isOff;
    this.#back(Number(io.give.value), "given");
    for (let s = this.leave.take(); s; s = this.leave.take()) this.#left(s.cycle, s.value, isOff);
    if (isOff && this.enter.pending > 0 && io.accepts.value === 1) this.seen.whileOff++;
  }
  #take(cycle: number): void {
    if (this.status("off") === 1) throw new Error("a packet enters a partition that is held off");
    const { ctx, run, header } = this.b.io.taken;
    const slots = this.held.map((_, s) => s).filter(s => (Number(run.value) >> s) & 1);
    this.#within.push({ ctx: Number(ctx.value), header: BigInt(header.value), left: slots, due: cycle + 2 });
  }
  /** The partition's answer was taken: it is right, or nobody waited for it. */
  #answered(cycle: number): void {
    const answer = this.#offered;
    if (!answer) return;
    const waits = this.#inside.get(answer.ctx);
    // One that enters in this very cycle is not in the ledger yet.
    if ((waits?.sent.cycle ?? cycle) >= cycle || waits?.answer !== undefined) {
      this.seen.strays++;
    } else if (waits) {
      waits.answer = answer;
      this.#answeredAt.set(answer.ctx, cycle);
    }
    this.#offered = undefined;
  }
  #left(cycle: number, is: (typeof this.leave)["received"][number]["value"], isOff: boolean): void {
    const ctx = Number(is.ctx),
      was = this.#inside.get(ctx);
    if (was?.sent.cycle === undefined) throw new Error(`packet ${ctx} leaves, and is not inside`);
    this.#inside.delete(ctx);
    this.#free.push(ctx);
    this.leaveCycles.push(cycle);
    if (was.answer === undefined) {
      if (is.killed !== 1 || is.dropped !== 1) throw new Error(`packet ${ctx} leaves without an answer, not as killed`);
      if (!isOff && !this.#wasOff) throw new Error(`packet ${ctx} is killed, and the partition is not off`);
      if (Number(is.refund) !== 0) throw new Error(`packet ${ctx}: a killed packet refunds ${is.refund}`);
      this.seen.killed++;
      return;
    }
    const { header, dropped, refund } = was.answer;
    if (is.killed !== 0 || is.dropped !== dropped)
      throw new Error(`packet ${ctx}: dropped ${is.dropped}, killed ${is.killed}`);
    if (BigInt(is.header) !== header) throw new Error(`packet ${ctx}: another header`);
    if (this.manner === "good" && Number(is.refund) !== refund) throw new Error(`packet ${ctx}: refund ${is.refund}`);
    this.#back(Number(is.refund), "refunded");
    this.latencies.push(cycle - (this.#answeredAt.get(ctx) ?? NaN));
    this.seen.right++;
  }
  /** The register at the end may hold one that was killed a cycle before it came on again, for as long as it waits. */
  get #wasOff(): boolean {
    return this.seen.killed + 1 >= 1 && this.status("killed") > this.seen.killed;
  }
  #back(slots: number, why: string): void {
    for (let s = 0; s < this.held.length; s++)
      if ((slots >> s) & 1) {
        this.held[s] = (this.held[s] ?? 0) - 1;
        if ((this.held[s] ?? 0) < 0) throw new Error(`slot ${s}: a credit is ${why} that nobody had`);
      }
  }

  #drive(): void {
    const { io, random } = this.b;
    this.#gives = 0;
    io.innerAccepts.value = this.says ?? (random.chance(0.8) ? 1 : 0);
    if (this.#resetting) return;
    if (this.#isOff || io.cut.value === 1) this.#within = this.#isOff ? [] : this.#within;
    if (this.manner === "good" && !this.#isOff) this.#work();
    const lies = this.manner === "noise" || (this.manner === "lies" && !this.#isOff);
    if (lies) {
      this.#gives = random.chance(0.5) ? random.below(1 << this.p.slots) : 0;
      const refund = random.below(1 << this.p.slots);
      // What it says may change before it is taken.
      this.#offered = random.chance(0.6)
        ? { ctx: random.below(this.p.contexts), header: random.bits(512), dropped: random.below(2), refund }
        : undefined;
    }
    if (this.#isOff && !lies) this.#offered = undefined;
    io.innerGive.value = this.#gives;
    io.answers.value = this.#offered ? 1 : 0;
    if (!this.#offered) return;
    const { ctx, header, dropped, refund } = this.#offered;
    io.answer.ctx.value = ctx;
    io.answer.header.value = header;
    io.answer.dropped.value = dropped;
    io.answer.killed.value = 0;
    io.answer.refund.value = refund;
  }
  /** A chain that works: each slot takes a packet now and then; then it answers, or drops with what is left. */
  #work(): void {
    const { random, cycle } = this.b;
    for (const w of this.#within) {
      const [slot] = w.left;
      if (slot === undefined || (this.#gives >> slot) & 1 || cycle < w.due || !random.chance(0.7)) continue;
      this.#gives |= 1 << slot;
      w.left.shift();
      w.due = cycle + 1;
    }
    if (this.#offered) return;
    const at = this.#within.findIndex(w => w.due < cycle && (w.left.length === 0 || random.chance(0.05))),
      [done] = at < 0 ? [] : this.#within.splice(at, 1);
    if (done)
      this.#offered = {
        ctx: done.ctx,
        header: done.header,
        dropped: done.left.length > 0 ? 1 : 0,
        refund: bitsOf(done.left),
      };
  }
  /** Cut until it is empty. @returns the cycles that it took */
  async kill(): Promise<number> {
    this.cut(true);
    const from = this.b.cycle;
    await this.b.cycles(2);
    await this.b.until(() => this.status("empty") === 1);
    return this.b.cycle - from;
  }
  async on(): Promise<void> {
    this.cut(false);
    this.manner = "good";
    await this.b.until(() => this.status("off") === 0);
  }
  async reset(): Promise<void> {
    this.#resetting = true;
    this.enter.forget();
    this.cut(false);
    this.b.io.answers.value = 0;
    this.b.io.innerGive.value = 0;
    this.b.sim.reset(1);
    this.#since = 0;
    this.#resetting = false;
    this.#inside.clear();
    this.#within = [];
    this.#offered = undefined;
    this.#isOff = false;
    this.manner = "good";
    this.held.fill(0);
    this.leave.received.splice(0);
    this.#free = Array.from({ length: this.p.contexts }, (_, i) => i);
    Object.assign(this.seen, { right: 0, killed: 0, strays: 0, whileOff: 0 });
    await this.b.cycles(1);
  }
  /** All has left, and all credits are back; the counts are right. */
  async end(): Promise<void> {
    await this.b.until(() => this.#inside.size === 0 && this.enter.pending === 0);
    await this.b.cycles(5);
    const out = this.held.findIndex(n => n !== 0);
    if (out >= 0) throw new Error(`slot ${out}: ${this.held[out]} credits are out at the end`);
    for (const [name, should] of [
      ["inside", 0],
      ["killed", this.seen.killed],
      ["strays", this.seen.strays],
    ] as const)
      if (this.status(name) !== should) throw new Error(`${name} is ${this.status(name)}, not ${should}`);
  }
}
