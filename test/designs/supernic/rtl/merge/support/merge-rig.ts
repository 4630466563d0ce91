/** The merge between its inlets and the two stores: a scoreboard on each packet, and what each user may. */
import { type MergeParameters } from "../../../../../../designs/supernic/rtl/merge/index.ts";
import { tableWrite } from "../../../../../../designs/supernic/wire/index.ts";
import { type Bench, never, type Pause, poke, StreamSink, StreamSource } from "../../../../../../sim/index.ts";
import { type Facts, Inlets, number, type Waiting } from "../../../support/inlets.ts";
import { entryOf } from "../../../support/tables.ts";
import { MergeStores } from "./merge-stores.ts";

export const sizes = {
  small: { ports: 2, users: 4, contexts: 32, cells: 64, frameBytes: 600 },
  /** Users that are no power of two. */
  odd: { ports: 2, users: 3, contexts: 32, cells: 64, frameBytes: 600 },
  /** Few cells for long frames. */
  scarce: { ports: 2, users: 4, contexts: 64, cells: 64, frameBytes: 1536 },
  full: { ports: 4, users: 16, contexts: 256, cells: 1024, frameBytes: 1536 },
} as const satisfies Readonly<Record<string, MergeParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => MergeStores(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];

export interface User {
  readonly limited: number;
  readonly bytes: number;
  readonly class: number;
  readonly contexts: number;
  readonly cells: number;
}
/** A packet that is inside. */
export interface Inside {
  readonly frame: Waiting;
  readonly ctx: number;
  readonly firstCell: number;
  readonly arrived: number;
}
interface Reading {
  readonly packet: Inside;
  header: boolean;
  beats: number;
}
const sum = (n: readonly number[]): number => n.reduce((a, x) => a + x, 0);
export const cellsOf = (bytes: number): number => Math.ceil(Math.max(0, bytes - 64) / 256);

export class MergeRig {
  readonly b: Bench<Ports>;
  readonly p: MergeParameters;
  readonly inlets: Inlets;
  readonly arrived;
  readonly leave;
  readonly left;
  readonly leaveJob;
  readonly payload;
  readonly cells;
  users: User[];
  /** Taken and not arrived, in their order. */
  #coming: Waiting[] = [];
  readonly inside = new Map<number, Inside>();
  #reading: Reading[] = [];
  #payloads: Reading[] = [];
  #ending: Inside[] = [];
  readonly #released: Inside[] = [];
  #resetting = false;
  readonly takes: Waiting[] = [];
  readonly latencies: number[] = [];
  /** Packets stay so many cycles inside; undefined: until they are let go. */
  stay: number | undefined = 20;
  count = 0;
  /** The most that each user held; bytes that were taken of it. */
  readonly mostOf: Record<"contexts" | "cells", number[]> = { contexts: [], cells: [] };
  readonly bytes: number[] = [];

  constructor(b: Bench<Ports>, size: Size, o: { readonly from?: () => Pause; readonly to?: () => Pause } = {}) {
    this.b = b;
    this.p = sizes[size];
    const { sim } = b,
      io = b.io as unknown as Record<string, never>,
      from = o.from ?? (() => never),
      to = o.to ?? (() => never),
      n = this.p.ports + 1;
    const array = (name: string) => Array.from({ length: n }, (_, i) => io[`${name}${i}`]);
    this.inlets = new Inlets(
      b,
      { heads: b.io.heads, takes: array("take"), frames: array("frames") },
      { from: from(), to: to() },
    );
    this.inlets.onTake = frame => this.#took(frame);
    this.arrived = new StreamSink(sim, b.io.arrived, { pause: to() });
    this.leave = new StreamSource(sim, b.io.leave, {});
    this.left = new StreamSink(sim, b.io.left, { pause: to() });
    this.leaveJob = new StreamSource(sim, b.io.leaveJob, {});
    this.payload = new StreamSink(sim, b.io.payload, { pause: to() });
    this.cells = new StreamSource(sim, b.io.releaseCells, {});
    this.users = Array.from({ length: this.p.users }, (_, i) => ({
      limited: 0,
      bytes: 0,
      // Two users share a class.
      class: i % 3,
      contexts: this.p.contexts,
      cells: this.p.cells,
    }));
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  /** Parts of epochs, each of so many cycles, until it is cancelled. */
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
  /** Software writes all users. */
  async setUsers(users: readonly User[] = this.users): Promise<void> {
    this.users = [...users];
    for (const [index, user] of users.entries()) {
      const { value } = tableWrite("user", index, user);
      poke(this.b.io.users as never, { en: 1, index, value: entryOf("user", value) } as never);
      const quota = this.b.io.quotas[index];
      if (quota) quota.value = user.contexts;
      await this.b.cycles(1);
    }
    this.b.io.users.en.value = 0;
    await this.b.cycles(2 * this.p.users + 12);
  }
  /** A frame for `user` at an inlet. */
  put(inlet: number, user: number, bytes: number): Waiting {
    const { facts } = this.#facts(user),
      data = new Uint8Array(bytes).map(() => this.b.random.between(0, 255));
    return this.inlets.put({ inlet, class: this.users[user]?.class ?? 0, bytes: data, facts });
  }
  #facts(user: number): { readonly facts: Facts } {
    const { random: r } = this.b,
      facts: Facts = {
        outcome: "core",
        ports: 0,
        peer: 0,
        uid: r.between(0, 65535),
        dag: r.between(0, 255),
        user,
        unordered: r.between(0, 1),
        noL4: r.between(0, 1),
        flowHash: r.between(0, 1023),
        tagged: r.between(0, 1),
        tag: r.between(0, 65535),
        shimmed: r.between(0, 1),
        ttl: r.between(1, 15),
      };
    return { facts };
  }
  /** A result that returns from a peer, first in the queue of its class. */
  result(inlet: number): Waiting {
    const { facts } = this.#facts(0);
    return this.inlets.put({
      inlet,
      class: 3,
      bytes: new Uint8Array(100),
      facts: { ...facts, outcome: "ports", ports: 1 },
    });
  }
  /** Frames that wait in the queue of one, behind it. */
  behind(first: Waiting): number {
    return this.inlets.waitingAt(first.inlet, first.class) - 1;
  }
  /** Users and bytes of frames that were taken, and that were told: a head is chosen before its inlet gives it. */
  readonly #given: string[] = [];
  readonly #told: string[] = [];
  #noteEvents(): void {
    const { taken, user, bytes } = this.b.io.events;
    if (taken.num === 1) this.#told.push(`${user.num} ${bytes.num}`);
  }
  #took(frame: Waiting): void {
    this.#given.push(`${frame.facts.user} ${frame.bytes.length}`);
    this.takes.push(frame);
    this.#coming.push(frame);
    this.#holds.add(frame);
    this.bytes[frame.facts.user] = (this.bytes[frame.facts.user] ?? 0) + frame.bytes.length;
    this.#check(frame.facts.user, true);
    this.#check(frame.facts.user, false);
  }
  readonly #holds = new Set<Waiting>();
  /** Contexts and cells of a user, and of all; of arrivals only, or with second passes. */
  #sums(user: number | undefined, arrivals: boolean) {
    const frames = [...this.#holds].filter(
      f => (user === undefined || f.facts.user === user) && !(arrivals && f.inlet === this.p.ports),
    );
    return { contexts: frames.length, cells: sum(frames.map(f => cellsOf(f.bytes.length))) };
  }
  /**
   * Nobody holds more than it may, and arrivals leave a context and the cells of one longest frame of their user's to
   * second passes, and 16 contexts and as many cells of the device's. Frames that were chosen may be taken in another
   * order, so that arrivals are counted by themselves.
   */
  #check(user: number, arrivals: boolean): void {
    const of = this.users[user] as User,
      longest = arrivals ? cellsOf(this.p.frameBytes) : 0,
      own = this.#sums(user, arrivals),
      all = this.#sums(undefined, arrivals);
    const most = { contexts: of.contexts - (arrivals ? 1 : 0), cells: of.cells - longest },
      there = { contexts: this.p.contexts - (arrivals ? 16 : 0), cells: this.p.cells - longest };
    for (const what of ["contexts", "cells"] as const) {
      if (own[what] > most[what])
        throw new Error(`user ${user} holds ${own[what]} ${what}, and may hold ${most[what]}`);
      if (all[what] > there[what]) throw new Error(`${all[what]} ${what} are held of ${there[what]}`);
      this.mostOf[what][user] = Math.max(this.mostOf[what][user] ?? 0, own[what]);
    }
  }
  get held(): number[] {
    return this.users.map((_, u) => this.#sums(u, false).contexts);
  }
  get heldCells(): number[] {
    return this.users.map((_, u) => this.#sums(u, false).cells);
  }
  #sample(): void {
    if (this.#resetting) return;
    this.#noteEvents();
    for (const p of this.#released.splice(0)) this.#holds.delete(p.frame);
    for (let s = this.arrived.take(); s; s = this.arrived.take()) this.#arrives(s.value, s.cycle);
    for (let s = this.left.take(); s; s = this.left.take()) {
      const reading = this.#reading.find(x => !x.header);
      if (!reading) throw new Error("a header that nobody asked for");
      reading.header = true;
      const head = reading.packet.frame.bytes.slice(0, 64);
      if (Number(s.value.ctx) !== reading.packet.ctx || BigInt(s.value.header) !== number(head))
        throw new Error(`the header of context ${s.value.ctx} is wrong`);
      this.#done(reading);
    }
    for (let s = this.payload.take(); s; s = this.payload.take()) {
      const [reading] = this.#payloads;
      if (!reading) throw new Error("a payload that nobody asked for");
      const { bytes } = reading.packet.frame,
        at = 64 + 64 * reading.beats++,
        wanted = number(bytes.slice(at, at + 64));
      if (BigInt(s.value.data) !== wanted) throw new Error(`beat ${reading.beats} of a payload is wrong`);
      if ((s.value.last === 1) !== at + 64 >= bytes.length || s.value.bad !== 0)
        throw new Error("a payload has a wrong end");
      if (s.value.last === 1) {
        this.#payloads.shift();
        this.#done(reading);
      }
    }
    for (const p of this.inside.values())
      if (!this.#kept.has(p.ctx) && this.stay !== undefined && this.b.cycle - p.arrived === this.stay) this.letGo(p);
  }
  #arrives(a: Record<string, number | bigint>, cycle: number): void {
    // Frames of an inlet keep their order; which inlet is next is the merge's choice.
    const at = this.#coming.findIndex(f => f.inlet === Number(a["ingress"])),
      [frame] = at < 0 ? [] : this.#coming.splice(at, 1);
    if (!frame) throw new Error("a packet of no frame arrives");
    const { facts, bytes } = frame;
    const wanted = {
      uid: facts.uid,
      dag: facts.dag,
      user: facts.user,
      ingress: frame.inlet,
      payloadBytes: Math.max(0, bytes.length - 64),
      headBytes: Math.min(64, bytes.length),
      unordered: facts.unordered,
      noL4: facts.noL4,
      flowHash: facts.flowHash,
      tagged: facts.tagged,
      tag: facts.tag,
      shimmed: facts.shimmed,
      ttl: facts.ttl,
    };
    for (const [name, value] of Object.entries(wanted))
      if (Number(a[name]) !== value) throw new Error(`${name} of a packet is ${a[name]}, not ${value}`);
    const ctx = Number(a["ctx"]);
    if (this.inside.has(ctx)) throw new Error(`context ${ctx} is given out twice`);
    this.latencies.push(cycle - (frame.taken ?? NaN));
    this.inside.set(ctx, { frame, ctx, firstCell: Number(a["firstCell"]), arrived: cycle });
  }
  /** All that are inside go, and those that come stay so many cycles. */
  letAllGo(stay: number): void {
    this.stay = stay;
    for (const p of this.inside.values()) this.letGo(p);
  }
  readonly #kept = new Set<number>();
  /** A packet stays until it is let go. */
  keep(ctx: number, kept = true): void {
    if (kept) this.#kept.add(ctx);
    else if (this.#kept.delete(ctx)) this.letGo(this.inside.get(ctx) as Inside);
  }
  /** Its header and payload are read, and then it is no more. */
  letGo(packet: Inside): void {
    const reading = { packet, header: false, beats: 0 };
    this.#reading.push(reading);
    this.leave.send({ ctx: packet.ctx });
    const payload = packet.frame.bytes.length - 64;
    if (payload <= 0) return;
    this.#payloads.push(reading);
    this.leaveJob.send({ first: packet.firstCell, beats: Math.ceil(payload / 64) });
  }
  #done(reading: Reading): void {
    const payload = Math.ceil(Math.max(0, reading.packet.frame.bytes.length - 64) / 64);
    if (!reading.header || reading.beats < payload) return;
    this.#reading.splice(this.#reading.indexOf(reading), 1);
    if (payload > 0) this.cells.send({ first: reading.packet.firstCell });
    this.#ending.push(reading.packet);
  }
  #drive(): void {
    const { io } = this.b,
      next = this.#resetting ? undefined : this.#ending.shift();
    poke(io.release as never, { valid: next ? 1 : 0, ctx: next?.ctx ?? 0 } as never);
    poke(
      io.released as never,
      {
        valid: next ? 1 : 0,
        // Of no packet it may be any number, and a user that there is not.
        user: next?.frame.facts.user ?? 2 ** Math.ceil(Math.log2(this.p.users)) - 1,
        cells: cellsOf(next?.frame.bytes.length ?? 0),
      } as never,
    );
    if (!next) return;
    this.inside.delete(next.ctx);
    this.#released.push(next);
    this.count++;
  }
  reset(): void {
    for (const s of [this.leave, this.leaveJob, this.cells]) s.forget();
    this.#ending = [];
    this.#resetting = true;
    this.#drive();
    this.inlets.during(() => this.b.sim.reset(1));
    this.#resetting = false;
    for (const s of [this.arrived, this.left, this.payload]) s.received.splice(0);
    this.#given.splice(0);
    this.#told.splice(0);
    this.#coming = [];
    this.#reading = [];
    this.#payloads = [];
    this.#released.splice(0);
    this.inside.clear();
    this.#holds.clear();
  }
  /** Nobody waits, all have gone, and all contexts and cells are free. */
  async end(): Promise<void> {
    await this.b.until(() => this.inlets.waiting === 0 && this.#coming.length === 0);
    this.stay ??= 1;
    for (const p of [...this.inside.values()])
      if (
        !this.#reading.some(r => r.packet === p) &&
        this.b.cycle - p.arrived >= this.stay &&
        !this.#ending.includes(p)
      )
        this.letGo(p);
    await this.b.until(() => this.inside.size === 0);
    await this.b.cycles(40);
    const { freeContexts, freeCells } = this.b.io;
    if (freeContexts.num !== this.p.contexts || freeCells.num !== this.p.cells)
      throw new Error(`${freeContexts.num} contexts and ${freeCells.num} cells are free at the end`);
    const told = this.#told.splice(0).sort().join(),
      given = this.#given.splice(0).sort().join();
    if (told !== given) throw new Error(`these were told as taken: ${told}; and taken were ${given}`);
    if (this.#holds.size > 0) throw new Error("a packet has not been released");
  }
}
