/** The packet store's surroundings: its reference model, and a scoreboard on each of its streams. */
import { PacketStore, type StoreParameters } from "../../../../../../designs/supernic/rtl/store/index.ts";
import { type Bench, never, type Pause, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

export const parameterSets = {
  small: { cells: 16, cellBeats: 4, beatBytes: 8, payloadBeats: 20 },
  two: { cells: 8, cellBeats: 2, beatBytes: 16, payloadBeats: 7 },
  full: { cells: 1024, cellBeats: 4, beatBytes: 64, payloadBeats: 140 },
} as const satisfies Readonly<Record<string, StoreParameters>>;
export type ParameterSet = keyof typeof parameterSets;
export const dut = (set: ParameterSet) => PacketStore(parameterSets[set]);
export type Ports = ReturnType<typeof dut>["ports"];

export const readers = ["leave", "read0", "read1"] as const;
export const writers = ["back0", "back1"] as const;
export type Reader = (typeof readers)[number];
export type Writer = (typeof writers)[number];

/** A payload that is in the store. */
export interface Payload {
  readonly beats: bigint[];
  readonly owners: number;
  first: number;
  stored: boolean;
  cycle: number;
}
interface Asked {
  readonly payload: Payload;
  readonly beats: number;
  left: number;
  done: boolean;
}

/** Where each side pauses. */
export interface Pauses {
  readonly from?: () => Pause;
  readonly to?: () => Pause;
}

export class StoreRig {
  readonly b: Bench<Ports>;
  readonly p: StoreParameters;
  readonly write;
  readonly stored;
  readonly jobs;
  readonly outs;
  readonly backJobs;
  readonly backs;
  readonly releases;
  /** Cycles of the beats of each reader. */
  readonly beatCycles: Readonly<Record<Reader, number[]>> = { leave: [], read0: [], read1: [] };
  /** What the store said of jobs. */
  readonly told = { short: 0, uneven: 0 };
  #arriving: Payload[] = [];
  readonly #asked: Record<Reader, Asked[]> = { leave: [], read0: [], read1: [] };
  readonly #live = new Map<number, Payload>();
  #liveCells = 0;
  #resetting = false;
  readonly #busy = new Set<Writer>();

  constructor(b: Bench<Ports>, set: ParameterSet, { from = () => never, to = () => never }: Pauses = {}) {
    this.b = b;
    this.p = parameterSets[set];
    const { sim, io } = b;
    this.write = new StreamSource(sim, io.write, { pause: from() });
    this.stored = new StreamSink(sim, io.stored, { pause: to() });
    this.jobs = {
      leave: new StreamSource(sim, io.leaveJob, { pause: from() }),
      read0: new StreamSource(sim, io.read0Job, { pause: from() }),
      read1: new StreamSource(sim, io.read1Job, { pause: from() }),
    };
    this.outs = {
      leave: new StreamSink(sim, io.leave, { pause: to() }),
      read0: new StreamSink(sim, io.read0, { pause: to() }),
      read1: new StreamSink(sim, io.read1, { pause: to() }),
    };
    this.backJobs = {
      back0: new StreamSource(sim, io.back0Job, { pause: from() }),
      back1: new StreamSource(sim, io.back1Job, { pause: from() }),
    };
    this.backs = {
      back0: new StreamSource(sim, io.back0, { pause: from() }),
      back1: new StreamSource(sim, io.back1, { pause: from() }),
    };
    this.releases = [
      new StreamSource(sim, io.release0, { pause: from() }),
      new StreamSource(sim, io.release1, { pause: from() }),
    ] as const;
    b.onEdge({ sample: cycle => this.#sample(cycle) });
  }

  cellsOf(payload: Payload): number {
    return Math.ceil(payload.beats.length / this.p.cellBeats);
  }
  data(): bigint {
    return this.b.random.bits(this.p.beatBytes * 8);
  }

  #sample(cycle: number): void {
    if (this.#resetting) {
      this.stored.received.splice(0);
      for (const r of readers) this.outs[r].received.splice(0);
      return;
    }
    // The count is a cycle late: it is held against what was there before this edge.
    const free = this.b.io.free.num;
    if (free + this.#liveCells > this.p.cells)
      throw new Error(`cycle ${cycle}: ${free} cells are free and ${this.#liveCells} live, of ${this.p.cells}`);
    for (let s = this.stored.take(); s; s = this.stored.take()) this.#arrived(Number(s.value.first), s.cycle);
    for (const r of readers)
      for (let s = this.outs[r].take(); s; s = this.outs[r].take()) {
        this.beatCycles[r].push(s.cycle);
        this.#beat(r, s.value);
      }
    this.told.short += this.b.io.events.short.value;
    this.told.uneven += this.b.io.events.uneven.value;
  }
  #arrived(first: number, cycle: number): void {
    const payload = this.#arriving.shift();
    if (!payload) throw new Error(`cycle ${cycle}: a payload in cell ${first} that nobody brought`);
    if (this.#live.has(first)) throw new Error(`cycle ${cycle}: cell ${first} has a payload already`);
    Object.assign(payload, { first, stored: true, cycle });
    this.#live.set(first, payload);
    this.brought += payload.beats.length;
    this.#liveCells += this.cellsOf(payload);
    this.whenStored?.(payload);
  }
  #beat(r: Reader, { data, last, bad }: { data: bigint | number; last: number; bad: number }): void {
    const job = this.#asked[r][0];
    if (!job) throw new Error(`${r}: a beat that nobody asked for`);
    const there = Math.min(job.beats, job.payload.beats.length),
      at = there - job.left;
    if (BigInt(data) !== job.payload.beats[at]) throw new Error(`${r}: beat ${at} of ${there} is wrong`);
    job.left--;
    const ends = job.left === 0,
      short = ends && job.beats > there;
    if ((last !== 0) !== ends) throw new Error(`${r}: last is ${last} at beat ${at} of ${there}`);
    if ((bad !== 0) !== short) throw new Error(`${r}: bad is ${bad} at beat ${at} of ${there}, ${job.beats} asked for`);
    if (!ends) return;
    job.done = true;
    this.#asked[r].shift();
    this.whenRead?.(job.payload, r);
  }

  /** What a bench does when a payload is there, and when one has been read. */
  whenStored: ((payload: Payload) => void) | undefined;
  whenRead: ((payload: Payload, by: Reader) => void) | undefined;
  /** Beats of payloads that have arrived. */
  brought = 0;
  /** A payload that a bench sends beat by beat. */
  expectArrival(payload: Payload): void {
    this.#arriving.push(payload);
  }
  /** A job that a bench sends itself, for a whole payload. */
  expectBeats(r: Reader, payload: Payload): void {
    this.#asked[r].push({ payload, beats: payload.beats.length, left: payload.beats.length, done: false });
  }
  /** Sends a payload, without waiting. */
  send(beats: number, owners = 1): Payload {
    const payload: Payload = {
      beats: Array.from({ length: beats }, () => this.data()),
      owners,
      first: NaN,
      stored: false,
      cycle: NaN,
    };
    this.#arriving.push(payload);
    payload.beats.forEach((data, i) =>
      this.write.send({ data, last: i === beats - 1 ? 1 : 0, owners: i === beats - 1 ? owners : 5 }),
    );
    return payload;
  }
  async bring(beats: number, owners = 1): Promise<Payload> {
    const payload = this.send(beats, owners);
    await this.b.until(() => payload.stored);
    return payload;
  }
  /** Asks for the first beats of a payload, without waiting. */
  ask(r: Reader, payload: Payload, beats = payload.beats.length): Asked {
    const there = Math.min(beats, payload.beats.length),
      job = { payload, beats, left: there, done: false };
    this.#asked[r].push(job);
    this.jobs[r].send({ first: payload.first, beats });
    return job;
  }
  async read(r: Reader, payload: Payload, beats?: number): Promise<void> {
    const job = this.ask(r, payload, beats);
    await this.b.until(() => job.done);
  }
  /** Puts `given` new beats into the first `beats` of a payload, without waiting. */
  putBackSoon(w: Writer, payload: Payload, beats = payload.beats.length, given = beats) {
    const data = Array.from({ length: given }, () => this.data());
    data.slice(0, Math.min(beats, payload.beats.length)).forEach((d, i) => (payload.beats[i] = d));
    this.backJobs[w].send({ first: payload.first, beats });
    return data.map((d, i) => this.backs[w].send({ data: d, last: i === given - 1 ? 1 : 0 })).at(-1);
  }
  async putBack(w: Writer, payload: Payload, beats?: number, given?: number): Promise<void> {
    const last = this.putBackSoon(w, payload, beats, given);
    await this.b.until(() => last?.cycle !== undefined);
  }
  /** One owner less, through either port; the last one's is the payload's end. */
  drop(payload: Payload, isLast: boolean, port = this.b.random.between(0, 1)): { readonly cycle: number | undefined } {
    if (isLast) {
      this.#live.delete(payload.first);
      this.#liveCells -= this.cellsOf(payload);
    }
    return this.releases[port === 0 ? 0 : 1].send({ first: payload.first });
  }
  async release(payload: Payload, times = payload.owners): Promise<void> {
    for (let i = 0; i < times; i++) {
      const sent = this.drop(payload, i === payload.owners - 1);
      await this.b.until(() => sent.cycle !== undefined);
    }
  }

  /**
   * A reset, whatever is under way: this side forgets it, too, at the reset's first edge, as registers do. Before that
   * edge its streams offer what they offered. A reset of one cycle leaves no time in which a register empties itself.
   */
  reset(cycles = 1): void {
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#forget();
    if (cycles > 1) this.b.sim.reset(cycles - 1);
    this.#resetting = false;
  }
  #forget(): void {
    for (const s of [this.write, ...this.releases]) s.forget();
    for (const s of [...Object.values(this.jobs), ...Object.values(this.backJobs), ...Object.values(this.backs)])
      s.forget();
    this.#arriving = [];
    for (const r of readers) this.#asked[r] = [];
    this.#live.clear();
    this.#busy.clear();
    this.#liveCells = 0;
  }
  /** Puts the free cells out of order: each comes back once, at random. */
  async shuffle(): Promise<void> {
    const all = await this.b.all(Array.from({ length: this.p.cells }, () => () => this.bring(1)));
    while (all.length > 0) this.drop(all.splice(this.b.random.between(0, all.length - 1), 1)[0] as Payload, true);
    await this.end();
  }
  /** What must hold when all has ended: each cell is free, and nothing is under way. */
  async end(): Promise<void> {
    for (const port of this.releases) await port.drained();
    await this.b.cycles(60 + 3 * this.p.payloadBeats);
    const under = this.#arriving.length + readers.reduce((n, r) => n + this.#asked[r].length, 0);
    if (under > 0 || this.#live.size > 0) throw new Error(`${under} are under way, ${this.#live.size} live`);
    if (this.b.io.free.num !== this.p.cells) throw new Error(`${this.b.io.free.num} of ${this.p.cells} cells are free`);
  }

  /** A payload from its arrival to its end: read, changed in place, owned by several, with wrong numbers of beats. */
  async life(o: { readonly hostile?: boolean } = {}): Promise<void> {
    const { random } = this.b;
    const most = this.p.payloadBeats;
    const beats = random.chance(0.5) ? random.between(1, 2 * this.p.cellBeats) : random.between(1, most);
    const payload = await this.bring(beats, random.chance(0.7) ? 1 : random.between(2, 7));
    const wanted = (): number =>
      o.hostile === true && random.chance(0.3) ? random.between(1, most) : random.between(1, beats);
    for (let i = random.between(0, 3); i > 0; i--) {
      if (random.chance(0.4)) {
        const n = wanted(),
          given = o.hostile === true && random.chance(0.4) ? random.between(1, most) : n;
        const w = writers[random.between(0, 1)] ?? "back0";
        // What is read behind it must see it: whoever puts back waits until it is there.
        await this.lockOf(w, () => this.putBack(w, payload, n, Math.min(n, beats) < n ? Math.max(given, 1) : given));
        await this.b.cycles(2);
      } else await this.b.all(readers.filter(() => random.chance(0.6)).map(r => this.read(r, payload, wanted())));
    }
    if (random.chance(0.5)) await this.read("leave", payload);
    await this.release(payload);
  }
  /** One at a time at a bus: its beats must follow its job. */
  async lockOf(w: Writer, body: () => Promise<void>): Promise<void> {
    await this.b.until(() => !this.#busy.has(w));
    this.#busy.add(w);
    await body();
    this.#busy.delete(w);
  }
  async lives(count: number, atOnce: number, o: { readonly hostile?: boolean } = {}): Promise<void> {
    let left = count;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left--;
        await this.life(o);
      }
    };
    await this.b.all(Array.from({ length: atOnce }, () => worker));
  }
}
