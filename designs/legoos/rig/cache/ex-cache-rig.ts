import type { Parameters } from "../../config/index.ts";
import { type Asked, DoubtfulMemory, type Expected, FlatMemory, MemoryNodes, type Rights } from "../../model/index.ts";
import { ExCache } from "../../rtl/index.ts";
import { dissect, status } from "../../../clio/wire/index.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  AxisSink,
  AxisSource,
  type Bench,
  type BenchOptions,
  bernoulli,
  bursts,
  type Design,
  type Pause,
  type Random,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";

export type ExCachePorts = ReturnType<typeof ExCache>["ports"];
export type ExCacheBench = Bench<ExCachePorts>;

/** How the network and the nodes treat what they get. */
export interface NetworkFaults {
  /** Cycles from a request to its reply, and how much they vary. */
  readonly latency?: number;
  readonly jitter?: number;
  readonly lose?: number;
  readonly twice?: number;
  readonly damage?: number;
  /** Frames that a node is deaf to, and cycles more that a request takes to it, at random: requests pass each other. */
  readonly deaf?: (node: number, cycle: number) => boolean;
  readonly requestJitter?: number;
  /** Replies that end before their line does, and frames that answer nothing or are for others. */
  readonly cut?: number;
  readonly noise?: number;
}
export interface RigOptions extends BenchOptions, NetworkFaults {
  readonly parameters: Parameters;
  readonly nodes?: number;
  readonly rights?: (asid: number, va: bigint) => Rights;
  /** Line memory or nodes may fail: answers may be FAIL, and lines may be lost where software is told so. */
  readonly doubtful?: boolean;
  /** The memory of the lines, where it is DRAM. */
  readonly ram?: AxiRamOptions;
  /** Nodes that each flush goes to; default 1. */
  readonly copies?: number;
  /** Pauses at the ports: a share of the cycles, or runs of going and of pausing. */
  readonly pauses?: number;
  readonly pausesInRuns?: { readonly go: number; readonly pause: number };
  /** When software does not look at events. */
  readonly eventPause?: Pause;
  readonly design?: Design<ExCachePorts>;
  /** The network, when it is another than the model's: gives what takes the frames that the ExCache sends. */
  readonly network?: (receive: (frame: Uint8Array, damaged: boolean) => void) => (frame: Uint8Array) => void;
  /** Software's part before the first request. */
  readonly setUp?: (rig: ExCacheRig) => Promise<void>;
}

const ipOf = (i: number): number => 0x0a0a0001 + i,
  macOf = (i: number): bigint => 0x02c110000001n + BigInt(i);
export const own = { mac: 0x02c0_0000_0099n, ip: 0x0a0a0063, port: 4000, firstId: 1 };
type Counts = Record<string, number>;

/** The ExCache with flat memory as its judge, and model nodes behind a network that does what it is told. */
export class ExCacheRig {
  readonly bench: ExCacheBench;
  readonly p: Parameters;
  readonly nodes: MemoryNodes;
  memory: FlatMemory;
  readonly doubts = new DoubtfulMemory();
  readonly problems: string[] = [];
  readonly events: { readonly kind: string; readonly status: number; readonly asid: number; readonly page: number }[] =
    [];
  /** What happened, by name. */
  readonly counts: Counts = {};
  readonly answered: { readonly id: number; readonly cycle: number; readonly asked: number }[] = [];
  /** The lines, where they are in DRAM. */
  readonly ram: AxiRam | undefined;
  readonly #options: RigOptions;
  readonly #requests;
  readonly #evicts;
  readonly #tx;
  readonly #rx;
  #free: number[];
  readonly #open = new Map<number, { readonly asked: Asked; readonly expected: Expected; readonly cycle: number }>();
  #onTheWay = 0;
  #held: Uint8Array[] | undefined;
  #carry: (bytes: Uint8Array) => void = () => undefined;
  #resetAt = -4;

  constructor(bench: ExCacheBench, o: RigOptions) {
    this.bench = bench;
    this.p = o.parameters;
    this.#options = o;
    const count = o.nodes ?? 1;
    this.nodes = new MemoryNodes(new Map(Array.from({ length: count }, (_, i) => [ipOf(i), macOf(i)])));
    this.memory = new FlatMemory(o.rights ?? (() => ({ status: status.OK, writable: true })));
    const { pauses, pausesInRuns } = o,
      pause = (n: number) => {
        if (pausesInRuns !== undefined) return { pause: bursts(pausesInRuns, n + (o.seed ?? 0)) };
        return pauses === undefined ? {} : { pause: bernoulli(pauses, n) };
      };
    if (this.p.lines === "axi") this.ram = new AxiRam(bench.sim, axiPorts(bench.io, "mem"), { latency: 30, ...o.ram });
    this.#requests = new StreamSource(bench.sim, bench.io.request);
    this.#evicts = new StreamSource(bench.sim, bench.io.evict, pause(3));
    this.#tx = new AxisSink(bench.sim, bench.io.tx, pause(4));
    this.#rx = new AxisSource(bench.sim, bench.io.rx, pause(5));
    this.#free = Array.from({ length: 2 ** this.p.idBits }, (_, i) => i);
    const responses = new StreamSink(bench.sim, bench.io.response, pause(6)),
      events = new StreamSink(
        bench.sim,
        bench.io.event,
        o.eventPause === undefined ? pause(7) : { pause: o.eventPause },
      );
    bench.onEdge({
      sample: () => {
        for (const group of [bench.io.events, bench.io.traffic] as const)
          for (const [name, signal] of Object.entries(group as Record<string, { readonly value: number }>))
            if (signal.value === 1) this.counts[name] = (this.counts[name] ?? 0) + 1;
      },
    });
    bench.spawn(async () => {
      for (;;) this.#answer(await responses.recv());
    });
    bench.spawn(async () => {
      for (;;) {
        const e = await events.recv();
        const page = Number(e.line.page);
        this.events.push({ kind: e.kind, status: e.status, asid: e.line.asid, page });
        if (e.kind === "lineLost") this.#lost(e.line.asid, BigInt(page) * BigInt(this.p.lineBytes));
      }
    });
    bench.spawn(() => (o.network === undefined ? this.#network() : this.#through(o.network)));
  }

  /**
   * Tells the ExCache who it is and where the nodes are, and maps `regions` of each of `asids` over the nodes in
   * turn.
   */
  async begin(asids: readonly number[] = [1], regions = 1, firstId = own.firstId): Promise<void> {
    const { io } = this.bench;
    io.own.mac.value = own.mac;
    io.own.ip.value = own.ip;
    io.own.port.value = own.port;
    io.own.firstId.value = firstId;
    await this.bench.until(() => io.ready.value === 1);
    const count = this.#options.nodes ?? 1;
    for (let i = 0; i < count; i++) await this.mapNode(i, ipOf(i), macOf(i));
    let index = 0;
    for (const asid of asids)
      for (let region = 0; region < regions; region++) {
        await this.mapRegion(index, asid, region, region % count);
        index += 1;
      }
  }
  async mapNode(index: number, ip: number, mac: bigint): Promise<void> {
    const w = this.bench.io.nodeWrite;
    w.valid.value = 1;
    w.entry.index.value = index;
    w.entry.peer.mac.value = mac;
    w.entry.peer.ip.value = ip;
    w.entry.peer.port.value = 1200;
    await this.bench.risingEdge();
    w.valid.value = 0;
  }
  async mapRegion(index: number, asid: number, region: number, node: number, secondary?: number): Promise<void> {
    const w = this.bench.io.regionWrite;
    w.valid.value = 1;
    w.entry.index.value = index;
    w.entry.keep.value = 1;
    w.entry.asid.value = asid;
    w.entry.region.value = region;
    w.entry.node.value = node;
    w.entry.replicated.value = secondary === undefined ? 0 : 1;
    w.entry.secondary.value = secondary ?? 0;
    await this.bench.risingEdge();
    w.valid.value = 0;
  }
  async range(
    index: number,
    r: { asid: number; first: number; last: number; writable: boolean; anonymous: boolean; base: number },
  ): Promise<void> {
    const w = this.bench.io.rangeWrite;
    w.valid.value = 1;
    w.entry.index.value = index;
    w.entry.keep.value = 1;
    w.entry.asid.value = r.asid;
    w.entry.first.value = r.first;
    w.entry.last.value = r.last;
    w.entry.writable.value = r.writable ? 1 : 0;
    w.entry.anonymous.value = r.anonymous ? 1 : 0;
    w.entry.base.value = r.base;
    await this.bench.risingEdge();
    w.valid.value = 0;
  }

  /** Asks once a number is free; returns when the request has been handed to the source. */
  async ask(a: Asked): Promise<void> {
    await this.bench.until(() => this.#free.length > 0);
    const id = this.#free.shift() as number;
    this.#open.set(id, { asked: a, expected: this.memory.take(a), cycle: this.bench.cycle });
    this.#requests.send({ id, asid: a.asid, va: Number(a.va), write: a.write ? 1 : 0, strb: a.strb, data: a.data });
    if (this.#requests.pending > 2) await this.bench.until(() => this.#requests.pending <= 2);
  }
  /** Orders one place empty, beside whatever else is under way. */
  evict(index: number, way: number): void {
    this.#evicts.send({ index, way });
  }
  /** Lets every line leave, and waits until that is done. */
  async flush(): Promise<void> {
    for (let index = 0; index < this.p.sets; index++)
      for (let way = 0; way < this.p.ways; way++) this.#evicts.send({ index, way });
    await this.settled();
  }
  /** Resets the ExCache between two of its frames, in the midst of all else: what was dirty in it is lost. */
  async reset(): Promise<void> {
    await this.bench.until(() => !this.#tx.monitor.inFrame);
    for (const source of [this.#requests, this.#evicts, this.#rx]) source.forget();
    this.bench.sim.reset();
    this.#resetAt = this.bench.cycle;
    this.#open.clear();
    this.#free = Array.from({ length: 2 ** this.p.idBits }, (_, i) => i);
    this.memory = new FlatMemory(this.#options.rights ?? (() => ({ status: status.OK, writable: true })));
  }
  /** From now on the network keeps what is sent, until `release`. */
  hold(): void {
    this.#held ??= [];
  }
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const bytes of held) this.#carry(bytes);
  }
  get open(): number {
    return this.#open.size;
  }
  async settled(): Promise<void> {
    const { io } = this.bench;
    await this.bench.until(
      () =>
        this.#open.size === 0 &&
        this.#requests.pending === 0 &&
        this.#evicts.pending === 0 &&
        io.idle.value === 1 &&
        this.#onTheWay === 0 &&
        this.#rx.pending === 0,
    );
    await this.bench.cycles(8);
  }
  /** After `flush`: all that was written is at the nodes, and nowhere else anything is open. */
  judge(nodeOf: (asid: number, va: bigint) => number = () => 0): void {
    const bytes = this.p.lineBytes,
      blocks: ReadonlyMap<string, bigint | ReadonlySet<bigint>> =
        this.#options.doubtful === true ? this.doubts.blocks : this.memory.blocks;
    for (const [key, value] of blocks) {
      const holds = (v: bigint): boolean => (typeof value === "bigint" ? v === value : value.has(v));
      const [asid, number] = key.split(" ").map(BigInt) as [bigint, bigint];
      const va = number * 64n,
        line = va - (va % BigInt(bytes));
      const stored = this.nodes.line(ipOf(nodeOf(Number(asid), va)), Number(asid), line, bytes);
      const at = Number(va - line);
      if (!holds(fromBytes(stored.subarray(at, at + 64))))
        this.problems.push(`asid ${asid}, va ${va.toString(16)}: the node has not what was written`);
      // A region with copies: what the first node has, the second has too.
      if (this.#options.copies === 2) {
        const copy = this.nodes.line(ipOf(1), Number(asid), line, bytes);
        if (!holds(fromBytes(copy.subarray(at, at + 64))))
          this.problems.push(`asid ${asid}, va ${va.toString(16)}: the second node has not what was written`);
      }
    }
    const flushes = (this.counts["dirtyEviction"] ?? 0) * (this.#options.copies ?? 1);
    if (this.nodes.written > flushes)
      this.problems.push(`${this.nodes.written} WRITEs were done for ${flushes} flushes`);
    if (this.bench.io.failed.value !== 0 && this.#options.doubtful !== true)
      this.problems.push("the line memory has failed");
    if (this.ram?.idle === false) this.problems.push("the line memory is not idle");
    if (this.bench.io.busy.value !== 0) this.problems.push("a miss is not back");
    if (this.#free.length !== 2 ** this.p.idBits) this.problems.push("an answer is missing");
  }

  #answer(r: { readonly id: number | bigint; readonly status: number; readonly data: bigint | number }): void {
    const id = Number(r.id),
      open = this.#open.get(id);
    if (open === undefined) {
      // It was taken in the cycle before the reset.
      if (this.bench.cycle - this.#resetAt < 4) return;
      this.problems.push(`cycle ${this.bench.cycle}: an answer to nobody, number ${id}`);
      return;
    }
    this.#open.delete(id);
    this.#free.push(id);
    this.answered.push({ id, cycle: this.bench.cycle, asked: open.cycle });
    const { expected, asked } = open,
      what = `cycle ${this.bench.cycle}: ${asked.write ? "write" : "read"} of asid ${asked.asid}, va ${asked.va.toString(16)}`;
    if (this.#options.doubtful === true) {
      const wrong = this.doubts.judge(asked, { status: r.status, data: BigInt(r.data) });
      if (wrong !== undefined) this.problems.push(`${what}: ${wrong}`);
    } else if (r.status !== expected.status) this.problems.push(`${what}: status ${r.status}, not ${expected.status}`);
    else if (expected.data !== undefined && BigInt(r.data) !== expected.data)
      this.problems.push(`${what}: other bytes than were written`);
  }

  /** A dirty line is gone: its blocks may be what the node has. */
  #lost(asid: number, line: bigint): void {
    if (this.#options.doubtful !== true) this.problems.push(`asid ${asid}, va ${line.toString(16)}: a line was lost`);
    const node = Number(line >> 30n) % (this.#options.nodes ?? 1),
      stored = this.nodes.line(ipOf(node), asid, line, this.p.lineBytes);
    for (let at = 0; at < this.p.lineBytes; at += 64)
      this.doubts.lost(asid, line + BigInt(at), fromBytes(stored.subarray(at, at + 64)));
  }
  async #through(network: NonNullable<RigOptions["network"]>): Promise<void> {
    const send = network((frame, damaged) => {
      this.#rx.send(frame, damaged ? { user: 1, userAtEnd: true } : {});
    });
    for (;;) send((await this.#tx.recv()).bytes);
  }
  async #network(): Promise<void> {
    const { bench } = this,
      o = this.#options,
      { random } = bench,
      chance = (c: number | undefined): boolean => c !== undefined && random.chance(c);
    const later = (frame: Uint8Array): void => {
      this.#onTheWay += 1;
      const cycles = (o.latency ?? 20) + (o.jitter === undefined ? 0 : random.between(0, o.jitter));
      bench.spawn(async () => {
        await bench.cycles(cycles);
        this.#onTheWay -= 1;
        if (chance(o.noise)) this.#rx.send(strange(random, frame));
        if (chance(o.cut)) {
          this.#rx.send(frame.subarray(0, random.between(60, frame.length)));
          return;
        }
        if (chance(o.damage)) {
          const bad = frame.slice();
          const at = random.below(bad.length);
          bad[at] = (bad[at] ?? 0) ^ (1 << random.below(8));
          this.#rx.send(bad, { user: 1, userAtEnd: true });
        } else this.#rx.send(frame);
      });
    };
    const arrives = (bytes: Uint8Array): void => {
      for (let copies = chance(o.twice) ? 2 : 1; copies > 0; copies--)
        for (const { frame } of this.nodes.receive(bytes)) {
          if (chance(o.lose)) continue;
          later(frame);
        }
    };
    this.#carry = bytes => {
      const to = (dissect(bytes).ipv4?.dst ?? 0) - ipOf(0);
      if (chance(o.lose) || o.deaf?.(to, bench.cycle) === true) return;
      if (o.requestJitter === undefined) {
        arrives(bytes);
        return;
      }
      this.#onTheWay += 1;
      bench.spawn(async () => {
        await bench.cycles(random.between(1, o.requestJitter ?? 1));
        this.#onTheWay -= 1;
        arrives(bytes);
      });
    };
    for (;;) {
      const { bytes } = await this.#tx.recv();
      if (this.#held === undefined) this.#carry(bytes);
      else this.#held.push(bytes);
    }
  }
}

/** A frame that is no answer: for another station or port, of another kind, or of no form. */
function strange(random: Random, frame: Uint8Array): Uint8Array {
  const other = frame.slice(),
    flip = (at: number): void => {
      other[at] = (other[at] ?? 0) ^ (1 << random.below(8));
    };
  // EtherType, IP destination, UDP destination port, Clio's opcode and size.
  flip([12, 30, 31, 32, 33, 36, 37, 45, 48, 49][random.below(10)] as number);
  const headers = 70;
  if (frame.length > headers) other.set(random.bytes(frame.length - headers), headers);
  return other;
}

const fromBytes = (bytes: Uint8Array): bigint => bytes.reduceRight((n, b) => (n << 8n) | BigInt(b), 0n);

/** Runs a body on a fresh ExCache. @throws Error with the first problems */
export async function withExCache<T>(name: string, o: RigOptions, body: (rig: ExCacheRig) => Promise<T>): Promise<T> {
  return runBench(name, o.design ?? ExCache(o.parameters), { hangCycles: 30_000, ...o }, async bench => {
    const rig = new ExCacheRig(bench, o),
      result = await body(rig);
    if (rig.problems.length > 0)
      throw new Error(`${rig.problems.length} problems: ${rig.problems.slice(0, 3).join("; ")}`);
    return result;
  });
}
