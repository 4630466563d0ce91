/** The header store's surroundings: a model of headers and of who holds them, and a scoreboard on every stream. */
import { HeaderStore } from "../../../../../../designs/supernic/rtl/headers/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

export const sizes = {
  small: { contexts: 16, users: 3 },
  full: { contexts: 256, users: 16 },
  // As tasks that read a MAC's end, the IPv4 header and ports would have it: single bytes, runs, not the last one.
  // Tasks write some of them, and one byte more that none of them reads.
  few: { contexts: 16, users: 3, dispatched: 0x0004_003f_ffff_d020n, written: 0x8004_003f_c300_0020n },
  // As in the device: quotas are somebody else's.
  uncounted: { contexts: 16, users: 3, byUser: false },
} as const;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => HeaderStore(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];

/** A context that a packet holds. */
export interface Held {
  readonly ctx: number;
  readonly user: number;
  header: bigint;
}
interface Coming {
  readonly header: bigint;
  readonly user: number;
  readonly keep: number;
  readonly wanted: number;
  readonly got: Held[];
  in: boolean;
}
export const readers = ["dispatch", "leave"] as const;
export type Reader = (typeof readers)[number];
const all = (1n << 64n) - 1n;
/** The bits of these bytes. */
const ofBytes = (bytes: bigint): bigint => {
  let bits = 0n;
  for (let i = 0n; i < 64n; i++) if ((bytes >> i) & 1n) bits |= 255n << (8n * i);
  return bits;
};

export class HeaderRig {
  readonly b: Bench<Ports>;
  readonly p: {
    readonly contexts: number;
    readonly users: number;
    readonly dispatched?: bigint;
    readonly written?: bigint;
    readonly byUser?: false;
  };
  readonly enter;
  readonly entered;
  readonly back;
  readonly jobs;
  readonly outs;
  readonly cycles: Readonly<Record<Reader | "entered", number[]>> = { dispatch: [], leave: [], entered: [] };
  quotas: number[] = [];
  readonly #release: Held[] = [];
  #releasing: Held | undefined;
  #released: Held | undefined;
  #coming: Coming[] = [];
  readonly #live = new Map<number, Held>();
  #reading: Record<Reader, { readonly ctx: number; readonly header: bigint; done: boolean }[]> = {
    dispatch: [],
    leave: [],
  };
  #resetting = false;
  /** The most that were out at once. */
  most = 0;

  constructor(
    b: Bench<Ports>,
    size: Size,
    { from = () => never, to = () => never }: { readonly from?: () => Pause; readonly to?: () => Pause } = {},
  ) {
    this.b = b;
    this.p = sizes[size];
    const { sim, io } = b;
    this.enter = new StreamSource(sim, io.enter, { pause: from() });
    this.entered = new StreamSink(sim, io.entered, { pause: to() });
    this.back = new StreamSource(sim, io.back, { pause: from() });
    this.jobs = {
      dispatch: new StreamSource(sim, io.dispatch, { pause: from() }),
      leave: new StreamSource(sim, io.leave, { pause: from() }),
    };
    this.outs = {
      dispatch: new StreamSink(sim, io.dispatched, { pause: to() }),
      leave: new StreamSink(sim, io.left, { pause: to() }),
    };
    this.setQuotas(Array.from({ length: this.p.users }, () => this.p.contexts));
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  setQuotas(quotas: readonly number[]): void {
    this.quotas = this.p.byUser === false ? quotas.map(() => this.p.contexts) : [...quotas];
    for (const [i, q] of this.p.byUser === false ? [] : quotas.entries()) {
      const port = this.b.io.quotas[i];
      if (port) port.value = q;
    }
  }

  #sample(): void {
    if (this.#resetting) return;
    this.#counts();
    for (let s = this.entered.take(); s; s = this.entered.take()) {
      this.cycles.entered.push(s.cycle);
      this.#got(Number(s.value.ctx), s.value.last === 1);
    }
    for (const r of readers)
      for (let s = this.outs[r].take(); s; s = this.outs[r].take()) {
        this.cycles[r].push(s.cycle);
        const job = this.#reading[r].shift();
        if (!job) throw new Error(`${r}: a header that nobody asked for`);
        const bits = r === "dispatch" ? ofBytes(this.p.dispatched ?? all) : ofBytes(all);
        if (s.value.ctx !== job.ctx || BigInt(s.value.header) !== (job.header & bits))
          throw new Error(`${r}: context ${s.value.ctx} for ${job.ctx}, or a wrong header`);
        job.done = true;
      }
    if (this.#releasing) this.#live.delete(this.#releasing.ctx);
    this.#released = this.#releasing;
    this.#releasing = undefined;
  }
  /** Contexts that are held and free, in every cycle; one that is released counts a cycle longer. */
  #counts(): void {
    const held = Array.from({ length: this.p.users }, () => 0),
      add = (user: number, n: number): void => void (held[user] = (held[user] ?? 0) + n);
    for (const { user } of this.#live.values()) add(user, 1);
    for (const c of this.#coming) if (c.in) add(c.user, c.wanted - c.got.length);
    if (this.#released) add(this.#released.user, 1);
    const out = held.reduce((a, n) => a + n, 0);
    this.most = Math.max(this.most, out);
    if (this.b.io.free.num !== this.p.contexts - out)
      throw new Error(`${this.b.io.free.num} contexts are free, and ${out} of ${this.p.contexts} held`);
    for (const [i, n] of held.entries()) {
      if (this.p.byUser !== false && this.b.io.held[i]?.num !== n)
        throw new Error(`user ${i} holds ${n}, not ${this.b.io.held[i]?.num}`);
      if (n > (this.quotas[i] ?? 0)) throw new Error(`user ${i} holds ${n} of ${this.quotas[i]}`);
    }
    if (this.b.io.enter.valid.value === 0 || this.b.io.enter.ready.value === 0) return;
    const coming = this.#coming.find(c => !c.in);
    if (!coming) throw new Error("an entry that nobody sent");
    if (this.b.io.free.num < coming.wanted + coming.keep)
      throw new Error(
        `${this.b.io.free.num} contexts are free for ${coming.wanted}, and ${coming.keep} were to be kept`,
      );
    coming.in = true;
  }
  #got(ctx: number, last: boolean): void {
    const coming = this.#coming[0];
    if (!coming) throw new Error(`context ${ctx} for nobody`);
    if (this.#live.has(ctx)) throw new Error(`context ${ctx} is given out twice`);
    const held = { ctx, user: coming.user, header: coming.header };
    this.#live.set(ctx, held);
    coming.got.push(held);
    if (last !== (coming.got.length === coming.wanted))
      throw new Error(`last is ${last} at context ${coming.got.length} of ${coming.wanted}`);
    if (last) this.#coming.shift();
  }
  #drive(): void {
    const { io } = this.b,
      next = this.#resetting || this.b.random.chance(this.pauseRelease) ? undefined : this.#release.shift();
    io.release.valid.value = next ? 1 : 0;
    io.release.ctx.value = next?.ctx ?? 0;
    this.#releasing = next;
  }
  pauseRelease = 0.2;

  header(): bigint {
    return this.b.random.bits(512);
  }
  /** A packet that comes in, without waiting. */
  send(
    user: number,
    copies = 0,
    keep = 0,
    header = this.header(),
  ): Coming & { readonly sent: { readonly cycle: number | undefined } } {
    const coming = { header, user, keep, wanted: copies + 1, got: [], in: false };
    this.#coming.push(coming);
    return Object.assign(coming, { sent: this.enter.send({ header, user, copies, keep }) });
  }
  async bring(user: number, copies = 0, keep = 0): Promise<readonly Held[]> {
    const coming = this.send(user, copies, keep);
    await this.b.until(() => coming.got.length === coming.wanted);
    return coming.got;
  }
  #looking = false;
  /** Looks at the destination of a header's packet, unless another one is looked at. */
  async look(held: Held): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    this.b.io.look.value = held.ctx;
    await this.b.cycles(2);
    const dst = BigInt(this.b.io.dst.value);
    this.#looking = false;
    if (this.#live.get(held.ctx) === held && dst !== BigInt.asUintN(48, held.header))
      throw new Error(`the destination of context ${held.ctx} is 0x${dst.toString(16)}`);
    this.looked++;
  }
  looked = 0;
  async putBack(held: Held, wanted = this.b.random.bits(64)): Promise<void> {
    const mask = wanted & (this.p.written ?? all),
      header = this.header();
    const sent = this.back.send({ ctx: held.ctx, header, mask });
    await this.b.until(() => sent.cycle !== undefined);
    // It counts 2 cycles later.
    await this.b.cycles(1);
    for (let i = 0n; i < 64n; i++) {
      const bits = ofBytes(1n << i);
      if ((mask >> i) & 1n) held.header = (held.header & ~bits) | (header & bits);
    }
  }
  ask(r: Reader, held: Held) {
    const job = { ctx: held.ctx, header: held.header, done: false };
    this.#reading[r].push(job);
    return Object.assign(job, { sent: this.jobs[r].send({ ctx: held.ctx }) });
  }
  async read(r: Reader, held: Held): Promise<void> {
    const job = this.ask(r, held);
    await this.b.until(() => job.done);
  }
  async release(held: Held): Promise<void> {
    this.#release.push(held);
    await this.b.until(() => !this.#live.has(held.ctx) || this.#live.get(held.ctx) !== held);
  }
  releaseSoon(held: Held): void {
    this.#release.push(held);
  }
  reset(): void {
    for (const s of [this.enter, this.back, ...Object.values(this.jobs)]) s.forget();
    this.#release.splice(0);
    this.#releasing = undefined;
    this.#released = undefined;
    this.b.io.release.valid.value = 0;
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    this.#coming = [];
    this.#reading = { dispatch: [], leave: [] };
    this.#live.clear();
    this.entered.received.splice(0);
    for (const r of readers) this.outs[r].received.splice(0);
  }
  /** A packet from its entry to its end: changed, read, and released, each of its copies by itself. */
  async life(): Promise<void> {
    const { random } = this.b;
    const copies = random.chance(0.7) ? 0 : random.between(1, 3),
      user = random.between(0, this.p.users - 1);
    const got = await this.bring(user, copies, random.chance(0.3) ? random.between(0, 4) : 0);
    await this.b.all(got.map(held => () => this.#one(held)));
  }
  async #one(held: Held): Promise<void> {
    const { random } = this.b;
    for (let i = random.between(0, 3); i > 0; i--) {
      await this.read("dispatch", held);
      if (random.chance(0.8)) await this.putBack(held, random.chance(0.3) ? all : random.bits(64));
      if (random.chance(0.3)) await this.look(held);
    }
    await this.read("leave", held);
    await this.release(held);
  }
  async lives(count: number, atOnce: number): Promise<void> {
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await this.life();
    };
    await this.b.all(Array.from({ length: atOnce }, () => worker));
  }
  /** All contexts are free, and nothing is under way. */
  async end(): Promise<void> {
    await this.b.until(() => this.#live.size === 0 && this.#coming.length === 0);
    await this.b.cycles(20);
    if (this.b.io.free.value !== this.p.contexts)
      throw new Error(`${this.b.io.free.value} contexts are free at the end`);
    if (readers.some(r => this.#reading[r].length > 0)) throw new Error("a header is missing");
  }
}
