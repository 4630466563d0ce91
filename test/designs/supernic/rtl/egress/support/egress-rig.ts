/** The egress between what is known of packets, the two stores and the ports: a model of where each packet goes. */
import { deparse, type Packet } from "../../../../../../designs/supernic/model/index.ts";
import { Egress, type EgressParameters } from "../../../../../../designs/supernic/rtl/egress/index.ts";
import {
  type EgressWayName,
  egressWays,
  snicKind,
  tableWrite,
  ternaryWords,
} from "../../../../../../designs/supernic/wire/index.ts";
import {
  AxisSink,
  type Bench,
  never,
  type Pause,
  poke,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";
import { number } from "../../../support/inlets.ts";
import { entryOf } from "../../../support/tables.ts";
import { Promises } from "./promised.ts";

export const sizes = {
  small: { ports: 2, users: 4, contexts: 32, cells: 64, frameBytes: 600, macs: 8, pauseCycles: 320 },
  full: { ports: 4, users: 16, contexts: 256, cells: 1024, frameBytes: 1536, macs: 64, pauseCycles: 2_500_000 },
} as const satisfies Readonly<Record<string, EgressParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => Egress(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];

export interface Dag {
  readonly way: EgressWayName;
  readonly port: number;
  readonly keepShim: boolean;
}
/** A packet that is finished. */
export interface Done {
  readonly packet: Packet;
  readonly user: number;
  readonly dag: number;
  readonly ingress: number;
  readonly prepend: number;
  readonly reply: boolean;
  readonly dropped: boolean;
  readonly tag: number | undefined;
  readonly ttl: number | undefined;
  readonly uid: number;
}
interface Live extends Done {
  readonly ctx: number;
  readonly cell: number;
  readonly to: Target;
  readonly sent: { readonly cycle: number | undefined };
  /** Its header has been read before it was known whether it goes. */
  early: boolean;
}
export type Drop = "task" | "again" | "nowhere";
export type Target = { readonly port: number } | { readonly drop: Drop };

export class EgressRig {
  readonly b: Bench<Ports>;
  readonly p: EgressParameters;
  readonly finished;
  readonly leave;
  readonly left;
  readonly read;
  readonly payload;
  readonly cells;
  readonly outs;
  readonly dags: Dag[];
  readonly templates: Uint8Array[];
  readonly classes: number[];
  /** MACs that are known, and their ports. */
  readonly macs: { readonly mac: bigint; readonly port: number }[];
  readonly origin;
  uplink: number | undefined;
  /** Ports that lead to peers. */
  rings: number;
  /** The class that leaves first. */
  urgent: number | undefined;
  #known: Record<string, unknown> | undefined;
  #free: number[];
  readonly live = new Map<number, Live>();
  /** By port and class, packets that are to leave in this order. */
  #lists: Live[][][];
  #reads: Live[] = [];
  #cells: Live[] = [];
  #released: Live[] = [];
  /** The context that came back last is the next one. */
  reuse = false;
  readonly latencies: number[] = [];
  readonly starts: number[] = [];
  /** Frames in the order in which they left. */
  readonly order: { readonly port: number; readonly class: number; readonly start: number }[] = [];
  readonly counts = { left: 0, task: 0, nowhere: 0, again: 0, paused: 0 };
  readonly wanted = { left: 0, task: 0, nowhere: 0, again: 0 };
  readonly #promises: Promises<Live>[];
  readonly #begun: boolean[];
  #room: number;
  #resetting = false;
  /** Frames that leave are not expected while classes expire. */
  expired: Live[] = [];

  constructor(
    b: Bench<Ports>,
    size: Size,
    o: { readonly from?: () => Pause; readonly to?: () => Pause; readonly late?: () => Pause } = {},
  ) {
    this.b = b;
    this.p = sizes[size];
    const { sim, io } = b,
      { random: r } = b,
      from = o.from ?? (() => never),
      to = o.to ?? (() => never),
      late = o.late ?? (() => never),
      n = this.p.ports + 1;
    this.finished = new StreamSource(sim, io.finished, { pause: from() });
    this.leave = new StreamSink(sim, io.leave, { pause: late() });
    this.left = new StreamSource(sim, io.left, { pause: late() });
    this.read = new StreamSink(sim, io.read, { pause: late() });
    this.payload = new StreamSource(sim, io.payload, { pause: late() });
    this.cells = new StreamSink(sim, io.releaseCells, { pause: late() });
    const ports = io as unknown as Record<string, never>;
    this.outs = Array.from({ length: n }, (_, q) => new AxisSink(sim, ports[`out${q}`] as never, { pause: to() }));
    this.dags = Array.from({ length: 16 }, (_, i) => ({
      way: egressWays[i % 4] as EgressWayName,
      port: r.between(0, this.p.ports),
      keepShim: r.chance(0.4),
    }));
    this.templates = Array.from({ length: 8 }, (_, i) => (i === 0 ? new Uint8Array() : template(b, i)));
    this.classes = Array.from({ length: this.p.users }, () => r.between(0, 3));
    this.macs = Array.from({ length: this.p.macs }, (_, i) => ({
      // Some are group addresses: these go to the uplink all the same.
      mac: i % 3 === 2 ? r.bits(48) | (1n << 40n) : r.bits(48) & ~(1n << 40n),
      port: r.between(0, this.p.ports - 1),
    }));
    this.origin = r.between(0, 255);
    this.uplink = this.p.ports - 1;
    this.rings = 0;
    this.#free = Array.from({ length: this.p.contexts }, (_, i) => i);
    this.#lists = Array.from({ length: n }, () => Array.from({ length: 4 }, () => []));
    const longest = Math.ceil((this.p.frameBytes + 76) / 64);
    this.#promises = this.outs.map((_, q) => new Promises<Live>(`port ${q}`, longest));
    this.#begun = this.outs.map(() => false);
    this.#room = (1 << n) - 1;
    this.setRoom(this.#room);
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  setRoom(ports: number): void {
    this.#room = ports;
    this.b.io.room.value = ports;
  }
  setPaused(port: number, classes: number): void {
    const p = this.b.io.paused[port];
    if (p) p.value = classes;
  }
  setConfig(): void {
    poke(
      this.b.io.config as never,
      {
        origin: this.origin,
        rings: this.rings,
        urgent: this.urgent === undefined ? 0 : 1 << this.urgent,
        hasUplink: this.uplink === undefined ? 0 : 1,
        uplink: this.uplink ?? 0,
        macs: (1n << BigInt(this.macs.length)) - 1n,
      } as never,
    );
  }
  /** Software writes all tables. */
  async tables(): Promise<void> {
    const { io } = this.b;
    this.setConfig();
    const words = ternaryWords(
      Array.from({ length: this.p.macs }, (_, i) => {
        const m = this.macs[i];
        return m && { value: m.mac, mask: (1n << 48n) - 1n };
      }),
      48,
    );
    for (const [chunk, row] of words.entries())
      for (const [at, word] of row.entries()) {
        poke(io.macs as never, { en: 1, chunk, at, word } as never);
        await this.b.cycles(1);
      }
    io.macs.en.value = 0;
    const write = async (
      port: unknown,
      table: "user" | "dag" | "macEntry" | "template",
      index: number,
      values: object,
    ) => {
      const { value } = tableWrite(table, index, values);
      poke(port as never, { en: 1, index, value: entryOf(table, value) } as never);
      await this.b.cycles(1);
      (port as { en: { value: number } }).en.value = 0;
    };
    for (const [i, c] of this.classes.entries()) await write(io.users, "user", i, { class: c });
    for (const [i, d] of this.dags.entries())
      await write(io.dags, "dag", i, { way: egressWays.indexOf(d.way), port: d.port, keepShim: d.keepShim ? 1 : 0 });
    for (const [i, m] of this.macs.entries()) await write(io.entries, "macEntry", i, { port: m.port });
    // What is written behind the last MAC is nobody's.
    for (let i = this.p.macs; i < 2 ** io.entries.index.width; i += this.p.macs)
      await write(io.entries, "macEntry", i, { port: this.b.random.below(this.p.ports) });
    for (const [i, t] of this.templates.entries())
      if (i === 0) await write(io.templates, "template", 0, { data: this.b.random.bits(512), bytes: 20, lengths: 1 });
      else
        await write(io.templates, "template", i, {
          data: number(t),
          bytes: t.length,
          lengths: i % 2,
          sum: i % 2 ? sumOf(t.slice(14, 34)) : 0,
        });
    await this.b.cycles(2);
  }
  #target(d: Done, dst: bigint): Target {
    const loop = this.p.ports,
      dag = this.dags[d.dag] as Dag;
    if (d.dropped) return { drop: "task" };
    const way = d.reply ? "back" : dag.way;
    if (way === "back") return d.ingress === loop ? { drop: "again" } : { port: d.ingress };
    if (way === "loop") return d.ingress === loop ? { drop: "again" } : { port: loop };
    if (way === "port") return dag.port >= loop ? { drop: "nowhere" } : { port: dag.port };
    const group = ((dst >> 40n) & 1n) === 1n,
      known = group ? undefined : this.macs.find(m => m.mac === dst),
      port = known?.port ?? this.uplink;
    return port === undefined || port === d.ingress ? { drop: "nowhere" } : { port };
  }
  /** A packet is finished, in this context if it is given. */
  finish(d: Done, wanted?: number): void {
    const any = this.reuse ? this.#free.length - 1 : this.b.random.between(0, this.#free.length - 1),
      at = wanted === undefined ? any : this.#free.indexOf(wanted),
      [ctx] = this.#free.splice(at, 1);
    if (ctx === undefined) throw new Error("no context is free");
    const cell = this.#cellFor(),
      to = this.#target(d, macOf(d.packet.header));
    const live: Live = {
      ...d,
      ctx,
      cell,
      to,
      early: false,
      sent: this.finished.send({ ctx, dropped: d.dropped ? 1 : 0 }),
    };
    this.live.set(ctx, live);
    if ("port" in to) this.#lists[to.port]?.[this.classOf(live)]?.push(live);
    else this.wanted[to.drop]++;
  }
  /** A cell that no packet has. */
  #cellFor(): number {
    const used = new Set([...this.live.values()].map(l => l.cell));
    for (;;) {
      const cell = this.b.random.between(0, this.p.cells - 1);
      if (!used.has(cell)) return cell;
    }
  }
  /** Packets of a list that are to leave. */
  waitingIn(port: number, of: number): number {
    return this.#lists[port]?.[of]?.length ?? 0;
  }
  get free(): number {
    return this.#free.length;
  }
  #clears = false;
  /** A header is asked for and has not been taken; since when the one at hand is. */
  #asked = false;
  #askedSince = 0;
  #sample(): void {
    this.#known = undefined;
    if (this.#resetting) return;
    const { io } = this.b;
    if (io.look.valid.value !== 0) {
      const live = this.live.get(io.look.ctx.num);
      if (!live) throw new Error(`context ${io.look.ctx.num} is looked up, and is not inside`);
      this.#known = knownOf(live);
    }
    this.#promises.forEach(x => x.sample(this.b.cycle));
    // The next one that is released has been dropped from its list.
    if (io.events.paused.value !== 0) this.#clears = true;
    for (const name of Object.keys(this.counts) as (keyof typeof this.counts)[])
      this.counts[name] += (io.events as unknown as Record<string, { num: number }>)[name]?.num ?? 0;
    const asks = io.leave.valid.value !== 0;
    if (asks && !this.#asked) this.#askedSince = this.b.cycle;
    for (let s = this.leave.take(); s; s = this.leave.take()) {
      const live = this.live.get(Number(s.value.ctx));
      if (!live) throw new Error(`the header of context ${s.value.ctx} is read, and it is not inside`);
      const { header } = live.packet;
      this.#reads = this.#reads.filter(r => r !== live);
      // A packet that passes the lists is asked for when it has come; and a second time, if it does not pass.
      live.early = this.#askedSince - (live.sent.cycle ?? NaN) <= 2;
      if ("port" in live.to)
        this.#promises[live.to.port]?.chosen(
          live,
          Math.ceil(this.frameOf(live).length / 64),
          live.early ? this.b.cycle + 2 : undefined,
        );
      else if (!live.early) throw new Error(`the header of context ${live.ctx} is read, and it is dropped`);
      this.left.send({
        ctx: live.ctx,
        header: number(header) | (((this.b.random.bits(512) & ~0n) << BigInt(8 * header.length)) & ((1n << 512n) - 1n)),
      });
      if (live.packet.payload.length > 0) this.#reads.push(live);
    }
    this.#asked = asks && io.leave.ready.value === 0;
    for (let s = this.read.take(); s; s = this.read.take()) {
      const first = this.#reads.findIndex(l => !l.early || l.cell === Number(s.value.first)),
        [live] = this.#reads.splice(0, first + 1).slice(-1),
        beats = Math.ceil((live?.packet.payload.length ?? 0) / 64);
      if (!live || Number(s.value.first) !== live.cell || Number(s.value.beats) !== beats)
        throw new Error(`${s.value.beats} beats are read from cell ${s.value.first}`);
      for (let i = 0; i < beats; i++)
        this.payload.send({
          data: number(live.packet.payload.slice(64 * i, 64 * i + 64)),
          last: i === beats - 1 ? 1 : 0,
          bad: 0,
        });
    }
    for (let s = this.cells.take(); s; s = this.cells.take()) this.#cells.push({ cell: Number(s.value.first) } as Live);
    this.outs.forEach((_, q) => this.#begins(q));
    this.#releases();
    for (const [q, out] of this.outs.entries())
      for (let f = out.take(); f; f = out.take()) this.#leaves(q, f.bytes, f.start, Number(f.user));
  }
  #begins(q: number): void {
    const out = (this.b.io as unknown as Record<string, Out>)[`out${q}`];
    if (!out || Number(out.valid.value) === 0) return;
    if (!this.#begun[q]) this.#now[q] = Number(out.payload.class.value);
    if (Number(out.ready.value) === 0) return;
    const data = out.payload.data.value as bigint;
    if (!this.#begun[q])
      this.#promises[q]?.begun(live => {
        const first = number(this.frameOf(live).slice(0, 64));
        return ((data ^ first) & ((1n << BigInt(8 * Math.min(64, this.frameOf(live).length))) - 1n)) === 0n;
      });
    this.#begun[q] = Number(out.payload.last.value) === 0;
  }
  readonly #now: (number | undefined)[] = [];
  #releases(): void {
    const { io } = this.b;
    if (io.released.valid.value !== 0) {
      const live = this.#released.shift(),
        cells = Math.ceil(Math.ceil((live?.packet.payload.length ?? 0) / 64) / 4);
      if (!live || io.released.user.num !== live.user || io.released.cells.num !== cells)
        throw new Error(`user ${io.released.user.num} gets ${io.released.cells.num} cells back`);
    }
    if (io.release.valid.value === 0) return;
    const ctx = io.release.ctx.num,
      live = this.live.get(ctx);
    if (!live) throw new Error(`context ${ctx} is released, and is not inside`);
    if (live.packet.payload.length > 0) {
      const cell = this.#cells.shift();
      if (cell?.cell !== live.cell) throw new Error(`cell ${cell?.cell} is released with context ${ctx}`);
    }
    this.live.delete(ctx);
    this.#free.push(ctx);
    this.#released.push(live);
    const clears = this.#clears;
    this.#clears = false;
    if ("port" in live.to && clears) {
      // It must not leave.
      const list = this.#lists[live.to.port]?.[this.classOf(live)],
        at = list?.indexOf(live) ?? -1;
      if (at === 0) this.expired.push(...(list?.splice(0, 1) ?? []));
    }
  }
  #leaves(q: number, bytes: Uint8Array, start: number, user: number): void {
    const lists = this.#lists[q] ?? [];
    const list = lists.find(l => l[0] !== undefined && Buffer.compare(this.frameOf(l[0]), bytes) === 0);
    const live = list?.shift();
    if (!live) {
      const next = lists.map(l => l[0] && Buffer.from(this.frameOf(l[0])).toString("hex")).join("\n");
      throw new Error(
        `port ${q}: a frame that is not next of any class:\n${Buffer.from(bytes).toString("hex")}\nnext are\n${next}`,
      );
    }
    if (this.#now[q] !== this.classOf(live)) throw new Error(`port ${q}: class ${this.#now[q]}`);
    if (user !== 0) throw new Error("a frame is marked bad");
    this.latencies.push(start - (live.sent.cycle ?? NaN));
    this.starts.push(start);
    this.order.push({ port: q, class: this.classOf(live), start });
    this.wanted.left++;
  }
  /** To a peer: a result has a class of its own, a frame with its shim one of the others. */
  classOf(live: Live): number {
    const own = this.classes[live.user] ?? 0;
    if (!("port" in live.to) || ((this.rings >> live.to.port) & 1) === 0) return own;
    return this.dags[live.dag]?.keepShim === true ? Math.min(own, 2) : 3;
  }
  frameOf(live: Done): Uint8Array {
    const { keepShim } = this.dags[live.dag] as Dag;
    return deparse({
      ...live.packet,
      template: { bytes: this.templates[live.prepend] as Uint8Array, lengths: live.prepend % 2 === 1 },
      shims: {
        ...(live.tag !== undefined && {
          vlan: { priority: live.tag >> 13, dropEligible: (live.tag >> 12) & 1, id: live.tag & 4095 },
        }),
        ...(keepShim && {
          snic: {
            version: 1,
            kind: snicKind.data,
            ttl: live.ttl === undefined ? 15 : live.ttl - 1,
            stage: 0,
            uid: live.uid,
            origin: this.origin,
            ingress: live.ingress,
            unused: 0,
            unprocessed: 0,
          },
        }),
      },
    });
  }
  #drive(): void {
    if (this.#known) poke(this.b.io.known as never, this.#known as never);
    const { finished, dst } = this.b.io,
      live = this.live.get(Number(finished.payload.ctx.value));
    dst.value = finished.valid.value !== 0 && live ? macOf(live.packet.header) : this.b.random.bits(48);
  }
  /** A packet with everything that may be. */
  random(o: Partial<Done> = {}): Done {
    const { random: r } = this.b;
    const payload = r.chance(0.5) ? junk(this.b, r.between(1, this.p.frameBytes - 64)) : new Uint8Array(),
      header = junk(this.b, payload.length > 0 ? 64 : r.between(60, 64)),
      mac = r.chance(0.7) ? this.macs[r.between(0, this.macs.length - 1)]?.mac : undefined;
    if (mac !== undefined) header.set(bytesOf(mac));
    const prepend = r.chance(0.3) ? r.between(1, this.templates.length - 1) : 0;
    return {
      packet: {
        header,
        payload,
        dropFront: r.chance(0.8) || prepend === 0 ? 0 : r.between(0, 50),
        template: { bytes: new Uint8Array(), lengths: false },
        shims: {},
      },
      user: r.between(0, this.p.users - 1),
      dag: r.between(0, this.dags.length - 1),
      ingress: r.between(0, this.p.ports),
      prepend,
      reply: r.chance(0.1),
      dropped: r.chance(0.1),
      tag: r.chance(0.3) ? r.between(0, 65535) : undefined,
      ttl: r.chance(0.6) ? r.between(1, 15) : undefined,
      uid: r.between(0, 65535),
      ...o,
    };
  }
  /** A frame of so many bytes to a port. */
  plain(bytes: number, dag: number, user = 0): Done {
    return this.random({
      packet: {
        header: junk(this.b, Math.min(64, bytes)),
        payload: junk(this.b, Math.max(0, bytes - 64)),
        dropFront: 0,
        template: { bytes: new Uint8Array(), lengths: false },
        shims: {},
      },
      dag,
      user,
      ingress: 0,
      prepend: 0,
      reply: false,
      dropped: false,
      tag: undefined,
    });
  }
  async send(count: number, make: () => Done = () => this.random()): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.b.until(() => this.free > 0);
      this.finish(make());
    }
  }
  reset(): void {
    for (const s of [this.finished, this.left, this.payload]) s.forget();
    this.#resetting = true;
    this.b.sim.reset(1);
    this.#resetting = false;
    for (const s of [this.leave, this.read, this.cells]) s.received.splice(0);
    for (const out of this.outs) {
      out.frames.splice(0);
      out.monitor.restore({ begun: new Uint8Array(), start: 0 });
    }
    for (const list of this.#lists.flat()) list.splice(0);
    for (const ctx of this.live.keys()) this.#free.push(ctx);
    this.live.clear();
    this.#reads = [];
    this.#cells = [];
    this.#released = [];
    for (const name of Object.keys(this.counts) as (keyof typeof this.counts)[]) this.counts[name] = 0;
    for (const name of Object.keys(this.wanted) as (keyof typeof this.wanted)[]) this.wanted[name] = 0;
    this.expired = [];
    this.#promises.forEach(x => x.clear());
    this.#begun.fill(false);
    this.#clears = false;
    this.#asked = false;
  }
  /** All packets have left or been dropped, and all contexts are free. */
  async end(): Promise<void> {
    await this.finished.drained();
    await this.b.until(() => this.live.size === 0 && this.#lists.flat().every(l => l.length === 0));
    await this.b.cycles(20);
    if (this.#free.length !== this.p.contexts) throw new Error(`${this.#free.length} contexts are free at the end`);
    if (this.#cells.length + this.#released.length > 0) throw new Error("something was released that nobody held");
    for (const [name, n] of Object.entries({ ...this.wanted, paused: this.expired.length }))
      if (this.counts[name as keyof typeof this.counts] !== n)
        throw new Error(`${name}: ${this.counts[name as keyof typeof this.counts]} are counted, and there were ${n}`);
  }
}
interface Out {
  readonly valid: { readonly value: unknown };
  readonly ready: { readonly value: unknown };
  readonly payload: {
    readonly data: { readonly value: unknown };
    readonly last: { readonly value: unknown };
    readonly class: { readonly value: unknown };
  };
}
const macOf = (header: Uint8Array): bigint => BigInt(`0x${Buffer.from(header.slice(0, 6)).toString("hex")}`);
const bytesOf = (mac: bigint): Uint8Array => new Uint8Array(Buffer.from(mac.toString(16).padStart(12, "0"), "hex"));
function knownOf(l: Live): Record<string, unknown> {
  return {
    ctx: l.ctx,
    uid: l.uid,
    dag: l.dag,
    user: l.user,
    ingress: l.ingress,
    firstCell: l.cell,
    payloadBytes: l.packet.payload.length,
    headBytes: l.packet.header.length,
    unordered: 0,
    noL4: 0,
    flowHash: 0,
    tagged: l.tag === undefined ? 0 : 1,
    tag: l.tag ?? 0,
    shimmed: l.ttl === undefined ? 0 : 1,
    ttl: l.ttl ?? 0,
    prepend: l.prepend,
    frontBytes: 0,
    dropFront: l.packet.dropFront,
    reply: l.reply ? 1 : 0,
  };
}
const junk = (b: Bench<Ports>, bytes: number): Uint8Array => new Uint8Array(bytes).map(() => b.random.between(0, 255));
/** Ones' complement sum of 16-bit words, not inverted. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return sum;
}
function template(b: Bench<Ports>, i: number): Uint8Array {
  const out = junk(b, i % 2 ? 50 : b.random.between(14, 64));
  if (i % 2) for (const at of [16, 17, 24, 25, 38, 39]) out[at] = 0;
  return out;
}
