/** The decision with queues in front of it, and tasks behind that take a packet every so many cycles. */
import { expect } from "vitest";
import { Decision, type DecisionParameters } from "../../../../../../designs/supernic/rtl/index.ts";
import { Candidate } from "../../../../../../designs/supernic/rtl/scheduler/index.ts";
import { input, instance, module, onehotMux, vec } from "../../../../../../hdl-dsl/index.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { Waits } from "./waits.ts";

export const sizes = {
  small: { regions: 2, slots: 3, users: 3, credits: 3 },
  full: { regions: 4, slots: 4, users: 16, credits: 24 },
} as const satisfies Readonly<Record<string, DecisionParameters>>;
export type Size = keyof typeof sizes;
/** The decision, and the look-up of the chosen user's queues among all: by region, user, kind. */
const WithQueues = module(
  "DecisionWithQueues",
  (p: DecisionParameters) => {
    const { choice: _c, found: _f, ...ports } = Decision(p).ports;
    return { ...ports, heads: input(vec(Candidate(p), p.regions * p.users * 2)) };
  },
  (io, p) => {
    const dut = instance("dut", Decision(p));
    for (let at = 0; at < p.regions * p.slots; at++) {
      dut.ready.at(at).set(io.ready.at(at));
      dut.more.at(at).set(io.more.at(at));
      dut.waits.at(at).set(io.waits.at(at));
      dut.limits.at(at).set(io.limits.at(at));
      io.held.at(at).set(dut.held.at(at));
    }
    for (let r = 0; r < p.regions; r++) {
      dut.busy.at(r).set(io.busy.at(r));
      dut.give.at(r).set(io.give.at(r));
      io.has.at(r).set(dut.has.at(r));
      io.next.at(r).set(dut.next.at(r));
    }
    dut.refund.set(io.refund);
    io.start.set(dut.start);
    [0, 1].forEach(k => {
      const all = Array.from({ length: p.regions * p.users }, (_, i) => i);
      dut.found.at(k).set(
        onehotMux(
          all.map(i => dut.choice.region.eq(Math.floor(i / p.users)).and(dut.choice.user.eq(i % p.users))),
          all.map(i => io.heads.at(2 * i + k)),
        ),
      );
    });
  },
);
export const dut = (size: Size) => WithQueues(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];
export type B = Bench<Ports>;

export interface Packet {
  readonly id: number;
  run: readonly number[];
}
export interface Queue {
  readonly list: Packet[];
  /** The packet that stopped short: nothing starts until it is back. */
  stopped: { readonly packet: Packet; at: number } | undefined;
  since: number;
  started: number;
  /** The run of who has started in the cycle before: `ready` does not show it yet. */
  unseen: readonly number[] | undefined;
}
/** Cycles from a start to the first slot, between slots, and from a stop back to the queue; and patience. */
const [CARRY, HOP, BACK, PATIENCE] = [5, 2, 5, 32] as const;
const word = (list: readonly boolean[]): number => list.reduce((n, is, i) => n + (is ? 2 ** i : 0), 0);

/** Queues in front, and tasks behind that take a packet every so many cycles. */
export class World {
  readonly b: B;
  readonly p: DecisionParameters;
  readonly limit: number;
  /** By region and slot. */
  readonly interval: number[][];
  readonly fifo: number[][][];
  readonly #next: number[][];
  readonly held: number[][];
  /** By region, user and kind. */
  readonly queues: Queue[][][];
  /** How long users wait for their turn. */
  readonly waits: Waits;
  now = 0;
  short = 0;
  /** Chance of a cycle in which packets of a region are dropped: credits of theirs come back at once. */
  drops = 0;
  /** What `has` is to be in this cycle, as the one before has said; unknown in the first. */
  #has: readonly number[] | undefined;

  constructor(b: B, size: Size, limit: number) {
    this.b = b;
    this.p = sizes[size];
    this.limit = limit;
    const { regions, slots, users } = this.p,
      each = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
    this.interval = each(regions, () => each(slots, () => 1));
    this.fifo = each(regions, () => each(slots, () => []));
    this.#next = each(regions, () => each(slots, () => 0));
    this.held = each(regions, () => each(slots, () => 0));
    this.queues = each(regions, () =>
      each(users, () =>
        each(2, (): Queue => ({ list: [], stopped: undefined, since: 0, started: 0, unseen: undefined })),
      ),
    );
    this.waits = new Waits(this.p);
    for (let i = 0; i < regions * slots; i++) b.io.limits[i]!.value = limit;
    b.io.refund.valid.value = 0;
  }
  add(region: number, user: number, kind: number, packet: Packet): void {
    const q = this.queues[region]![user]![kind]!;
    if (q.list.length === 0) q.since = this.now;
    q.list.push(packet);
  }
  get left(): number {
    return this.queues.flat(2).reduce((n, q) => n + q.list.length + (q.stopped ? 1 : 0), 0);
  }
  #head(q: Queue): Packet | undefined {
    return q.stopped === undefined ? q.list[0] : undefined;
  }
  /** The run of its candidate, as the turn sees it. */
  #shown(q: Queue): readonly number[] {
    return q.unseen ?? this.#head(q)?.run ?? [];
  }
  #busy(region: number, slot: number): boolean {
    return this.fifo[region]![slot]!.filter(at => at <= this.now).length >= 3;
  }
  /** Whether it may start, but for the turns of later slots: those are the reservation's. */
  #may(region: number, q: Queue): boolean {
    const run = this.#shown(q),
      free = run.map(s => this.held[region]![s]! < this.limit);
    if (run.length === 0 || run.some(s => this.#busy(region, s))) return false;
    return free.every(Boolean) || (free[0] === true && this.now - q.since >= PATIENCE);
  }
  #drive(): void {
    const { io } = this.b,
      { slots } = this.p;
    this.queues.forEach((users, r) => {
      io.busy[r]!.value = word(Array.from({ length: slots }, (_, s) => this.#busy(r, s)));
      for (let s = 0; s < slots; s++) {
        const at = (q: Queue): boolean => this.#shown(q)[0] === s,
          put = (port: B["io"]["ready"], is: (q: Queue) => boolean): void => {
            port[r * slots + s]!.value = word(users.map(kinds => kinds.some(q => at(q) && is(q))));
          };
        put(io.ready, q => this.#may(r, q));
        put(io.more, q => this.#may(r, q) && q.list.length + (q.unseen ? 1 : 0) > 1);
        put(io.waits, q => this.#shown(q).every(x => !this.#busy(r, x)));
      }
    });
    const of = (run: readonly number[]): number => run.reduce((n, x) => n | (1 << x), 0);
    this.queues.flat(2).forEach((q, i) => {
      io.heads[i]!.run.value = of(this.#head(q)?.run ?? []);
      io.heads[i]!.over.value = this.now - q.since >= PATIENCE ? 1 : 0;
      io.heads[i]!.next.value = of((q.stopped === undefined ? q.list[1]?.run : undefined) ?? []);
    });
  }
  /** What tasks take in this cycle: their credits come back. */
  #take(): void {
    this.fifo.forEach((slots, r) => {
      const gives = slots.map((list, s) => {
        const takes = list.length > 0 && list[0]! <= this.now && this.#next[r]![s]! <= this.now;
        if (takes) {
          list.shift();
          this.#next[r]![s] = this.now + this.interval[r]![s]!;
        }
        return takes;
      });
      this.b.io.give[r]!.value = word(gives);
      gives.forEach((is, s) => (this.held[r]![s]! -= is ? 1 : 0));
    });
  }
  /** The last packet of each of some slots of a region is dropped in front of its task. */
  #drop(): void {
    const { refund } = this.b.io,
      { random } = this.b,
      region = random.below(this.p.regions),
      drops = this.drops > 0 && random.chance(this.drops);
    const slots = this.fifo[region]!.map((list, s) => {
      if (!drops || list.length === 0 || random.chance(0.3)) return false;
      list.pop();
      this.held[region]![s]!--;
      return true;
    });
    refund.valid.value = drops ? 1 : 0;
    refund.region.value = region;
    // Without a drop they say nothing.
    refund.slots.value = drops ? word(slots) : 1;
  }
  async cycle(): Promise<void> {
    const { io } = this.b;
    for (const q of this.queues.flat(2))
      if (q.stopped !== undefined && q.stopped.at <= this.now) {
        q.list.unshift(q.stopped.packet);
        q.stopped = undefined;
        q.since = this.now;
      }
    this.#drive();
    for (const q of this.queues.flat(2)) q.unseen = undefined;
    const before = this.held.map(h => [...h]);
    this.#take();
    this.#drop();
    await this.b.cycles(1);
    before.forEach((h, r) =>
      h.forEach((n, s) => expect(io.held[r * h.length + s]!.num, `held of slot ${r}.${s}`).toBe(n)),
    );
    if (this.#has)
      expect(
        io.has.map(x => x.num),
        "as it was to be",
      ).toEqual(this.#has);
    this.#has = io.next.map(x => x.num);
    // A limit counts a cycle after it is set.
    const limit = this.now === 0 ? 0 : this.limit;
    before.forEach((h, r) => expect(io.has[r]!.num, `credits of region ${r}`).toBe(word(h.map(n => n < limit))));
    this.#watch();
    if (io.start.valid.num !== 0) this.#start(io.start);
    this.now++;
  }
  /** Users that wait for a credit of a slot, or for its turn, and for nothing else. */
  #watch(): void {
    this.queues.forEach((users, r) =>
      users.forEach((kinds, u) => {
        const slots = kinds.flatMap(q => {
          const [first, ...later] = this.#head(q)?.run ?? [];
          if (first === undefined || [first, ...later].some(s => this.#busy(r, s))) return [];
          return later.every(s => this.held[r]![s]! < this.limit) ? [first] : [];
        });
        this.waits.cycle(r, u, slots, s => this.held[r]![s]! < this.limit);
      }),
    );
  }
  #start(start: B["io"]["start"]): void {
    const [region, user, kind, bits] = [start.region.num, start.user.num, start.slow.num, start.slots.num],
      q = this.queues[region]![user]![kind]!,
      packet = this.#head(q);
    if (packet === undefined) throw new Error(`cycle ${this.now}: user ${user} starts, and has no candidate`);
    const slots = packet.run.filter(s => (bits >> s) & 1),
      short = slots.length < packet.run.length;
    expect([slots, short ? 1 : 0]).toEqual([packet.run.slice(0, slots.length), start.short.num]);
    this.waits.starts(region, user, slots);
    let at = this.now + CARRY;
    for (const s of slots) {
      this.fifo[region]![s]!.push((at += HOP));
      this.held[region]![s]!++;
      expect(this.held[region]![s]).toBeLessThanOrEqual(this.limit);
    }
    q.list.shift();
    q.unseen = packet.run;
    q.since = this.now + 1;
    if (!short) q.started++;
    else {
      this.short++;
      q.stopped = { packet: { ...packet, run: packet.run.slice(slots.length) }, at: at + BACK };
    }
  }
}
