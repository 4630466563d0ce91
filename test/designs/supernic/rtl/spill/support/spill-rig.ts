/** Frames on their way through rings: class queues before them, stores behind, a memory and software beside them. */
import { tableWrite } from "../../../../../../designs/supernic/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  never,
  type Pause,
  poke,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { type Facts, Inlets, number, type Waiting } from "../../../support/inlets.ts";
import { entryOf } from "../../../support/tables.ts";
import { type PathParameters, SpillPath } from "./spill-path.ts";

export const sizes = {
  small: {
    ports: 2,
    users: 4,
    contexts: 64,
    cells: 128,
    frameBytes: 640,
    rings: 2,
    ringBytes: 16_384,
    memoryBytes: 65_536,
  },
  full: {
    ports: 4,
    users: 16,
    contexts: 256,
    cells: 1024,
    frameBytes: 1536,
    rings: 4,
    ringBytes: 2 ** 20,
    memoryBytes: 2 ** 23,
  },
  /** Records of several chunks, and rings that are no power of two. */
  jumbo: {
    ports: 2,
    users: 3,
    contexts: 64,
    cells: 128,
    frameBytes: 9018,
    rings: 3,
    ringBytes: 2 ** 16,
    memoryBytes: 2 ** 19,
  },
  /** Behind the pages of tasks, in one memory. */
  board: {
    ports: 2,
    users: 4,
    contexts: 64,
    cells: 128,
    frameBytes: 640,
    rings: 2,
    ringBytes: 16_384,
    memoryBytes: 2 ** 18,
  },
  /** One ring, for one DAG. */
  one: {
    ports: 2,
    users: 4,
    contexts: 64,
    cells: 128,
    frameBytes: 640,
    rings: 1,
    ringBytes: 2 ** 14,
    memoryBytes: 2 ** 16,
  },
} as const satisfies Readonly<Record<string, PathParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => SpillPath(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;
export interface RigOptions {
  readonly pause?: () => Pause;
  readonly memory?: AxiRamOptions;
  /** Between beats of a frame from its class queue; none, where it is left out. */
  readonly gaps?: Pause;
  /** The board's memory, which others have as well; one of its own, where this is left out. */
  readonly ram?: AxiRam;
}
interface Sent {
  readonly waiting: Waiting;
  readonly put: number;
  arrived?: number;
}
const cellsOf = (bytes: number): number => Math.ceil(Math.max(0, bytes - 64) / 256);
type RingName = "fill" | "drain" | "discard";

export class SpillRig {
  readonly b: B;
  readonly p: PathParameters;
  readonly inlets: Inlets;
  readonly ram: AxiRam;
  /** Frames may be lost: the memory fails, or a ring is told to discard. */
  mayLose = false;
  /** Cycles for which a packet stays inside. */
  stay = 20;
  /** Put and not arrived, by flow: DAG, inlet and class. */
  readonly #due = new Map<string, Sent[]>();
  readonly #all = new Map<bigint, Sent>();
  readonly #enters;
  readonly #entered;
  readonly #writes;
  readonly #stored;
  readonly #arrived;
  #headers: { ctx: number; data: bigint; user: number }[] = [];
  #freeCtx: number[];
  #freeCells: number;
  #payload: bigint[] = [];
  #payloads: bigint[][] = [];
  #inside: { ctx: number; user: number; cells: number; at: number }[] = [];
  #resetting = false;
  #serial = 0;
  put_ = 0;
  came = 0;
  skipped = 0;
  readonly latencies: number[] = [];
  readonly order: Waiting[] = [];
  /** Cycles in which beats of the memory were asked for, either way. */
  readonly #bus: number[] = [];
  busBeats = 0;
  /** Beats of writes that the memory has the address of, and not them. */
  #halves = 0;
  /** The memory takes no more addresses. */
  holdsBus = false;
  /** No class queue gives a frame. */
  holdsInlets = false;
  /** Addresses of the beats that were written, the last 256. */
  readonly written: number[] = [];
  readonly #quotas: number[] = [];
  readonly #offered: { valid: boolean; payload: number }[] = [];
  readonly #takes: readonly { valid: { value: unknown }; ready: { value: unknown }; payload: { value: unknown } }[];

  constructor(b: B, size: Size, o: RigOptions = {}) {
    this.b = b;
    this.p = sizes[size];
    const { sim, io } = b,
      pause = o.pause ?? ((): Pause => never),
      n = this.p.ports + 1,
      // The names of an array's ports are numbers behind its name: the compiler does not know how many there are.
      ports = io as unknown as Readonly<Record<string, never>>,
      array = (name: string) => Array.from({ length: n }, (_, i) => ports[`${name}${i}`] as never);
    // Before a reset: no more addresses, and no beats but of those that it has.
    const held =
      (of: Pause, what: "inlets" | "addresses" | "beats"): Pause =>
      () =>
        of() || (what === "inlets" ? this.holdsInlets : this.holdsBus && !(what === "beats" && this.#halves > 0));
    this.#takes = array("take");
    this.inlets = new Inlets(
      b,
      { heads: io.heads, takes: array("take"), frames: array("frames") },
      { to: held(pause(), "inlets"), from: o.gaps ?? never },
    );
    this.inlets.ahead = 1;
    this.ram =
      o.ram ??
      new AxiRam(
        sim,
        { aw: io.mAw, w: io.mW, b: io.mB, ar: io.mAr, r: io.mR },
        {
          memory: new SparseMemory({ fill: { seed: b.random.word() } }),
          latency: 20,
          pause: { aw: held(pause(), "addresses"), w: held(pause(), "beats"), b: pause(), ar: pause(), r: pause() },
          ...o.memory,
        },
      );
    this.#enters = new StreamSink(sim, io.enter, { pause: pause() });
    this.#entered = new StreamSource(sim, io.entered, { pause: pause() });
    this.#writes = new StreamSink(sim, io.write, { pause: pause() });
    this.#stored = new StreamSource(sim, io.stored, { pause: pause() });
    this.#arrived = new StreamSink(sim, io.arrived, { pause: pause() });
    this.#freeCtx = Array.from({ length: this.p.contexts }, (_, i) => i);
    this.#freeCells = this.p.cells;
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
    this.#idle();
  }
  #idle(): void {
    const { io } = this.b;
    io.epoch.value = 0;
    io.look.value = 0;
    poke(io.ring as never, { en: 0, ring: 0, ask: "fill", dag: 0 } as never);
    poke(io.wait as never, { en: 0, index: 0, value: { waits: 0 } } as never);
    poke(io.users as never, { en: 0, index: 0, value: entryOf("user", 0n) } as never);
    poke(io.released as never, { valid: 0, user: 0, cells: 0 } as never);
    poke(io.decided as never, { valid: 0, ctx: 0 } as never);
  }
  classOf(user: number): number {
    return user % 3;
  }
  async users(of: (user: number) => { limited?: number; bytes?: number; contexts?: number } = () => ({})) {
    for (let u = 0; u < this.p.users; u++) {
      const entry = { limited: 0, bytes: 0, contexts: this.p.contexts, cells: this.p.cells, ...of(u) };
      this.#quotas[u] = entry.contexts;
      const { value } = tableWrite("user", u, { ...entry, class: this.classOf(u) });
      poke(this.b.io.users as never, { en: 1, index: u, value: entryOf("user", value) } as never);
      await this.b.cycles(1);
    }
    this.b.io.users.en.value = 0;
    await this.b.cycles(300);
  }
  epochs(part: number) {
    return this.b.spawn(async () => {
      for (;;) {
        this.b.io.epoch.value = 1;
        await this.b.cycles(1);
        this.b.io.epoch.value = 0;
        await this.b.cycles(part - 1);
      }
    });
  }
  /** A frame of a DAG; its user is told by the DAG. */
  put(inlet: number, dag: number, bytes: number): Waiting {
    const r = this.b.random,
      data = new Uint8Array(Math.max(60, bytes)).map(() => r.between(0, 255));
    new DataView(data.buffer).setUint32(0, ++this.#serial, true);
    const user = dag % this.p.users,
      facts: Facts = {
        outcome: "core",
        ports: 0,
        peer: 0,
        uid: r.between(0, 65535),
        dag,
        user,
        unordered: r.between(0, 1),
        noL4: r.between(0, 1),
        flowHash: r.between(0, 1023),
        tagged: r.between(0, 1),
        tag: r.between(0, 65535),
        shimmed: r.between(0, 1),
        ttl: r.between(1, 15),
      };
    const waiting = this.inlets.put({ inlet, class: this.classOf(user), bytes: data, facts }),
      sent: Sent = { waiting, put: this.b.cycle },
      flow = `${dag}.${inlet}`;
    this.#due.set(flow, [...(this.#due.get(flow) ?? []), sent]);
    this.#all.set(BigInt(this.#serial), sent);
    this.put_++;
    return waiting;
  }
  #fail(what: string): never {
    throw new Error(`cycle ${this.b.cycle}: ${what}`);
  }
  get counts(): Record<"spilled" | "restored" | "lost" | "discarded" | "fullCycles", number> {
    const c = this.b.io.counts;
    return {
      spilled: c.spilled.value,
      restored: c.restored.value,
      lost: c.lost.value,
      discarded: c.discarded.value,
      fullCycles: c.fullCycles.value,
    };
  }
  ring(r: number) {
    const s = this.b.io.rings.at(r) as unknown as Record<
      "held" | "dag" | "drains" | "discards" | "inside" | "full",
      { value: number }
    >;
    return {
      held: s.held.value === 1,
      dag: s.dag.value,
      drains: s.drains.value === 1,
      inside: s.inside.value,
      full: s.full.value === 1,
    };
  }
  get inRings(): number {
    return Array.from({ length: this.p.rings }, (_, r) => this.ring(r).inside).reduce((a, x) => a + x, 0);
  }
  #sample(): void {
    if (this.#resetting) return;
    // In = out + dropped + inside, in every cycle.
    const c = this.counts;
    if (c.spilled !== c.restored + c.lost + c.discarded + this.inRings)
      this.#fail(`spilled ${c.spilled}, and ${JSON.stringify(c)} with ${this.inRings} in rings`);
    this.#heads();
    this.#takes.forEach((t, i) => {
      const was = this.#offered[i],
        now = { valid: Number(t.valid.value) === 1, payload: Number(t.payload.value) };
      if (was?.valid === true && (!now.valid || now.payload !== was.payload))
        this.#fail(`the take at inlet ${i} was offered and is not any more`);
      this.#offered[i] = { valid: now.valid && Number(t.ready.value) === 0, payload: now.payload };
    });
    const { io } = this.b;
    for (const ch of [io.mAr, io.mAw])
      if (ch.valid.value === 1 && ch.ready.value === 1) {
        const { addr, len } = ch.payload as unknown as Record<"addr" | "len", { value: number | bigint }>,
          from = Number(addr.value),
          beats = Number(len.value) + 1;
        if (from < this.p.memoryBytes - this.p.rings * this.p.ringBytes || from + 64 * beats > this.p.memoryBytes)
          this.#fail(`a burst from ${from} on is outside of the rings`);
        if (beats > 16 || Math.floor(from / 4096) !== Math.floor((from + 64 * beats - 1) / 4096))
          this.#fail(`a burst of ${beats} from ${from} on is too long, or leaves its 4 KB`);
        for (let i = 0; i < beats; i++) this.#bus.push(this.b.cycle);
        this.busBeats += beats;
        if (ch === io.mAw) {
          this.#halves += beats;
          for (let i = 0; i < beats; i++) this.written.push(from + 64 * i);
          this.written.splice(0, this.written.length - 256);
        }
      }
    if (io.mW.valid.value === 1 && io.mW.ready.value === 1) this.#halves--;
    // At most half of the memory's beats, in any 1,024 cycles; two bursts may wait at a bus that is slow.
    while ((this.#bus[0] ?? Infinity) <= this.b.cycle - 1024) this.#bus.shift();
    if (this.#bus.length > 512 + 32 + 64) this.#fail(`${this.#bus.length} beats in 1,024 cycles are more than half`);
  }
  /** The merge looks two cycles ahead: so a head becomes another one behind a take, or two cycles without one. */
  #heads(): void {
    // A vector's elements are records of signals: the compiler does not know their fields.
    const seen = this.b.io.seen as unknown as ArrayLike<
      Record<"valid" | "uid" | "length" | "taken", { value: number }>
    >;
    for (let h = 0; h < 4 * (this.p.ports + 1); h++) {
      const { valid, uid, length, taken } = seen[h] as (typeof seen)[number],
        now = valid.value === 1 ? `${uid.value}.${length.value}` : "",
        [one = "", two = ""] = this.#shown[h] ?? [];
      if (now !== "" && ((one !== "" && one !== now) || (one === "" && two !== "" && two !== now)))
        this.#fail(`head ${h} is another one, and was not taken`);
      this.#shown[h] = taken.value === 1 ? ["", ""] : [now, one];
    }
  }
  readonly #shown: [string, string][] = [];
  #drive(): void {
    if (this.#resetting) return;
    const { io, cycle } = this.b;
    for (let e = this.#enters.take(); e; e = this.#enters.take()) {
      const { header, user } = e.value as unknown as { header: bigint; user: number },
        ctx = this.#freeCtx.shift();
      if (ctx === undefined) this.#fail("a header comes, and no context is free");
      this.#headers.push({ ctx, data: header, user });
      this.#entered.send({ ctx, last: 1 });
    }
    for (let w = this.#writes.take(); w; w = this.#writes.take()) {
      const { data, last } = w.value as unknown as { data: bigint; last: number };
      if (this.#payload.length % 4 === 0) this.#freeCells--;
      this.#payload.push(data);
      if (last === 1) {
        this.#payloads.push(this.#payload);
        this.#payload = [];
        this.#stored.send({ first: 0 });
      }
    }
    for (let a = this.#arrived.take(); a; a = this.#arrived.take()) this.#check(a.value as never);
    poke(io.released as never, { valid: 0, user: 0, cells: 0 } as never);
    poke(io.decided as never, { valid: 0, ctx: 0 } as never);
    const [first] = this.#inside;
    if (first !== undefined && cycle - first.at >= this.stay) {
      this.#inside.shift();
      this.#freeCtx.push(first.ctx);
      this.#freeCells += first.cells;
      poke(io.released as never, { valid: 1, user: first.user, cells: first.cells } as never);
      poke(io.decided as never, { valid: 1, ctx: first.ctx } as never);
    }
    io.freeContexts.value = this.#freeCtx.length;
    io.freeCells.value = this.#freeCells;
  }
  /** A packet has arrived: it is the next one of its flow, byte by byte, with its facts. */
  #check(a: Record<string, number>): void {
    const header = this.#headers.shift();
    if (header === undefined) this.#fail("a packet arrives without a header");
    const size = Number(a["payloadBytes"]),
      body = size > 0 ? (this.#payloads.shift() ?? []) : [],
      sent = this.#all.get(header.data & 0xffffffffn);
    if (sent === undefined) this.#fail("a packet arrives that nobody sent, or for the second time");
    const { facts, bytes, inlet } = sent.waiting,
      wanted = {
        ...facts,
        ingress: inlet,
        headBytes: Math.min(64, bytes.length),
        payloadBytes: Math.max(0, bytes.length - 64),
      };
    for (const [name, value] of Object.entries(wanted))
      if (name in a && Number(a[name]) !== Number(value))
        this.#fail(`a packet of DAG ${facts.dag}: ${name} is ${String(a[name])}, and should be ${String(value)}`);
    const data = [header.data, ...body].reduce((n, beat, i) => n | (beat << BigInt(512 * i)), 0n);
    if (data !== number(bytes)) this.#fail(`the bytes of a packet of DAG ${facts.dag} are others`);
    const flow = this.#due.get(`${facts.dag}.${inlet}`) ?? [];
    while (flow[0] !== sent) {
      if (!this.mayLose || flow.length === 0) this.#fail(`a packet of DAG ${facts.dag} overtakes another one`);
      this.skipped++;
      this.#all.delete(BigInt(new DataView((flow[0] as Sent).waiting.bytes.buffer).getUint32(0, true)));
      flow.shift();
    }
    flow.shift();
    this.#all.delete(header.data & 0xffffffffn);
    this.came++;
    sent.arrived = this.b.cycle;
    this.latencies.push(this.b.cycle - sent.put);
    this.order.push(sent.waiting);
    this.#inside.push({ ctx: header.ctx, user: facts.user, cells: cellsOf(bytes.length), at: this.b.cycle });
    // Arrivals leave one to second passes.
    const held = this.#inside.filter(x => x.user === facts.user).length;
    if (
      inlet < this.p.ports &&
      held > (this.#quotas[facts.user] ?? 0) - 1 &&
      this.#quotas[facts.user] !== this.p.contexts
    )
      this.#fail(`user ${facts.user} holds ${held} contexts`);
  }
  /** The gate of a DAG, as software writes it. */
  async gate(dag: number, waits: boolean): Promise<void> {
    while (this.b.io.wait.en.value === 1) await this.b.cycles(1);
    poke(this.b.io.wait as never, { en: 1, index: dag, value: { waits: waits ? 1 : 0 } } as never);
    await this.b.cycles(1);
    this.b.io.wait.en.value = 0;
  }
  async ask(ring: number, ask: RingName, dag: number): Promise<void> {
    while (this.b.io.ring.en.value === 1) await this.b.cycles(1);
    poke(this.b.io.ring as never, { en: 1, ring, ask, dag } as never);
    await this.b.cycles(1);
    this.b.io.ring.en.value = 0;
  }
  /** The DAG is closed, and gets a ring. */
  async stop(dag: number, ring: number): Promise<void> {
    await this.gate(dag, true);
    await this.b.cycles(8);
    await this.b.until(() => this.b.io.settled.value === 1);
    await this.ask(ring, "fill", dag);
  }
  /** It goes on; what lies in the ring first. */
  async start(dag: number, ring: number): Promise<void> {
    await this.ask(ring, "drain", dag);
    await this.b.until(() => !this.ring(ring).held);
  }
  get waits(): number {
    return [...this.#due.values()].reduce((n, l) => n + l.length, 0);
  }
  /** Nothing waits: all came, or was lost and counted; rings, contexts and cells are free. */
  async end(): Promise<void> {
    await this.b.until(() => this.inlets.waiting === 0 && this.inRings === 0);
    await this.b.cycles(200 + this.stay);
    const lost = this.counts.lost + this.counts.discarded;
    if (this.came + lost !== this.put_)
      this.#fail(`${this.put_} were sent, ${this.came} came, ${lost} were counted as lost`);
    if (!this.mayLose && lost > 0) this.#fail(`${lost} were dropped`);
    if (this.#freeCtx.length !== this.p.contexts || this.#freeCells !== this.p.cells)
      this.#fail("contexts or cells are missing");
    for (let r = 0; r < this.p.rings; r++) if (this.ring(r).held) this.#fail(`ring ${r} is still held`);
  }
  /** In the middle of everything. */
  async reset(): Promise<void> {
    // The memory is not reset: so no burst may be cut in two.
    this.holdsBus = true;
    await this.b.until(() => this.#halves === 0);
    this.#resetting = true;
    for (const s of [this.#entered, this.#stored]) s.forget();
    this.#idle();
    this.b.io.freeContexts.value = this.p.contexts;
    this.b.io.freeCells.value = this.p.cells;
    this.inlets.during(() => this.b.sim.reset(400));
    for (const s of [this.#enters, this.#writes, this.#arrived]) s.received.splice(0);
    this.#headers = [];
    this.#payload = [];
    this.#payloads = [];
    this.#inside = [];
    this.#bus.splice(0);
    this.#offered.splice(0);
    this.#shown.splice(0);
    this.#due.clear();
    this.#all.clear();
    this.#freeCtx = Array.from({ length: this.p.contexts }, (_, i) => i);
    this.#freeCells = this.p.cells;
    this.put_ = 0;
    this.came = 0;
    this.skipped = 0;
    this.#resetting = false;
    this.holdsBus = false;
    await this.b.cycles(300);
  }
}
