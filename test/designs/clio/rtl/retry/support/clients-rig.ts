import type { RetryClients, RetryClientsParameters } from "../../../../../../designs/clio/rtl/retry/retry-clients.ts";
import type { Bench } from "../../../../../../sim/index.ts";

export type ClientsPorts = ReturnType<typeof RetryClients>["ports"];

/** Quarters of TIMEOUT: three times TIMEOUT, and the one that had begun. */
const idleQuarters = 13;

/** A place: whose it is, and the cycle in which that client was last heard of, once it has been. */
interface Known {
  readonly key: bigint;
  heard: number | undefined;
}
/** What happens in a cycle. */
interface Moves {
  readonly look?: { readonly key: bigint; readonly asks: boolean };
  readonly add?: bigint;
  readonly touch?: number;
  readonly retire?: boolean;
  readonly freed?: boolean;
}

/**
 * The reference of `RetryClients`, with time: who is known where, who is found, which place can be had. Of the idle
 * client it says from when on it may be offered, from when on it must be, and that nobody has been silent for longer.
 */
export class ClientsModel {
  readonly p: RetryClientsParameters;
  readonly known = new Map<number, Known>();
  /** Cycles since the reset. */
  cycle = 0;
  used = 0;
  vacant: { readonly place: number; swept: boolean } | undefined;
  found: number | undefined;
  lookedUp: bigint | undefined;
  /** What happened, by name. */
  readonly seen = {
    retired: 0,
    entered: 0,
    offered: 0,
    mustOffer: 0,
    longest: 0,
    round: 0,
    lookAtRetired: 0,
    waits: new Set<number>(),
  };
  /** The cycle in which the silent clients were last others, or one of them was heard of. */
  #changed = 0;
  #silent = "";
  /** The last cycle with a place to be had or one about to be, and the longest silences of the last cycles. */
  #filled = 0;
  readonly #silences: number[] = [];

  constructor(p: RetryClientsParameters) {
    this.p = p;
  }

  get quarter(): number {
    return Math.ceil(this.p.timeoutCycles / 4);
  }
  /** A place that can be had. */
  get place(): number | undefined {
    if (this.used < this.p.clients) return this.used;
    return this.vacant?.swept === true ? this.vacant.place : undefined;
  }
  isEntering(place: number): boolean {
    return this.entering === place;
  }
  placeOf(key: bigint): number | undefined {
    return [...this.known].find(([, k]) => k.key === key)?.[0];
  }
  /** A client entered and has not been heard of yet. */
  entering: number | undefined;

  /** Quarters that began since the client was heard of: a touch is written down in the cycle after. */
  #quarters(heard: number, at: number): number {
    return Math.floor(at / this.quarter) - Math.floor((heard + 1) / this.quarter);
  }
  /** The same as the hardware can tell: modulo the width of a time. */
  #shown({ heard }: Known): number {
    return heard === undefined ? 0 : this.#quarters(heard, this.cycle) % 2 ** this.p.stampBits;
  }

  check(io: Bench<ClientsPorts>["io"]): void {
    const at = `cycle ${this.cycle}`,
      shown = [io.found, io.place].map(x => (x.valid.value === 1 ? x.index.num : undefined));
    if (shown[0] !== this.found) throw new Error(`${at}: the key is found at ${shown[0]}, known at ${this.found}`);
    if (shown[1] !== this.place) throw new Error(`${at}: place ${shown[1]} can be had, and should be ${this.place}`);
    if (io.sweeping.value !== +(this.vacant?.swept === false)) throw new Error(`${at}: sweeping or not`);
    this.#checkWait(io.remaining.num, at);
    this.#checkIdle(io.idle.valid.value === 1 ? io.idle.index.num : undefined, at);
  }

  /**
   * What is said has a basis: the longest silence at some cycle of the last two rounds, less or more by the quarter
   * that began meanwhile. Before the first round has ended, and while someone enters or leaves, it says nothing.
   */
  #checkWait(wait: number, at: string): void {
    const window = 2 * this.p.clients + 4;
    if (this.entering !== undefined || this.vacant !== undefined || this.place !== undefined) this.#filled = this.cycle;
    const most = Math.max(0, ...[...this.known.values()].map(k => Math.min(idleQuarters, this.#shown(k))));
    this.#silences.push(most);
    if (this.#silences.length > window) this.#silences.shift();
    if (this.cycle - this.#filled <= window) return;
    const shown = idleQuarters - wait,
      least = Math.min(...this.#silences),
      longest = Math.max(...this.#silences);
    if (shown < least - 1 || shown > longest)
      throw new Error(`${at}: ${wait} quarters to wait, with silences of ${least} to ${longest} quarters`);
    this.seen.waits.add(wait);
  }

  #checkIdle(idle: number | undefined, at: string): void {
    const silent = [...this.known].filter(([, k]) => this.#shown(k) >= idleQuarters),
      names = silent.map(([place]) => place).join();
    if (names !== this.#silent) this.#changed = this.cycle;
    this.#silent = names;
    if (this.entering !== undefined || this.vacant !== undefined) this.#changed = this.cycle;
    // A round of all places may have begun just before, and one more is seen to its end; 3 cycles in the pipeline.
    const window = 2 * this.p.clients + 2,
      steady = this.cycle - this.#changed > window;
    if (idle === undefined) {
      if (!steady || silent.length === 0 || silent.some(([place]) => place === this.found)) return;
      throw new Error(`${at}: places ${names} have been silent for long, and none is offered`);
    }
    this.seen.offered++;
    // Before it is heard of for the first time nobody may be retired, so what is offered does not count.
    if (this.entering !== undefined) return;
    const who = this.known.get(idle);
    if (who === undefined || this.vacant !== undefined || idle === this.found)
      throw new Error(`${at}: place ${idle} is offered, which is not to be had`);
    const { heard } = who as { readonly heard: number },
      since = this.#quarters(heard, this.cycle - 3);
    if (since < idleQuarters || this.cycle - heard <= 3 * this.p.timeoutCycles)
      throw new Error(`${at}: place ${idle} is offered, which was heard of in cycle ${heard}, too lately`);
    if (since >= 2 ** this.p.stampBits) this.seen.round++;
    if (!steady) return;
    this.seen.mustOffer++;
    // A quarter that begins within the round makes those looked at later appear older by one.
    const slack = this.cycle % this.quarter <= window ? 1 : 0,
      longest = Math.max(...silent.map(([, k]) => this.#shown(k)));
    if (this.#shown(who) + slack < longest)
      throw new Error(`${at}: place ${idle} is offered, silent for ${this.#shown(who)} of ${longest} quarters`);
    if (silent.some(([, k]) => this.#shown(k) + 1 < longest)) this.seen.longest++;
  }

  /** What the cycle's end makes of it. @param idle the client that was offered in this cycle */
  step(m: Moves, idle: number): void {
    if (m.look !== undefined) {
      const { key, asks } = m.look;
      this.found = asks ? this.placeOf(key) : undefined;
      this.lookedUp = asks ? key : undefined;
      if (m.retire === true && this.found === idle) {
        this.found = undefined;
        this.seen.lookAtRetired++;
      }
    }
    if (m.freed === true && this.vacant !== undefined) this.vacant.swept = true;
    if (m.retire === true) {
      this.known.delete(idle);
      this.vacant = { place: idle, swept: false };
      this.seen.retired++;
    }
    if (m.add !== undefined) {
      const place = this.place as number;
      if (m.add === this.lookedUp) this.found = place;
      this.known.set(place, { key: m.add, heard: undefined });
      this.entering = place;
      if (this.used < this.p.clients) this.used++;
      else this.vacant = undefined;
      this.seen.entered++;
    }
    if (m.touch !== undefined) {
      const k = this.known.get(m.touch) as Known;
      if (this.#shown(k) >= idleQuarters - 1) this.#changed = this.cycle;
      k.heard = this.cycle;
      if (m.touch === this.entering) this.entering = undefined;
    }
    this.cycle++;
  }

  reset(): void {
    this.known.clear();
    this.used = this.cycle = this.#changed = this.#filled = 0;
    this.vacant = this.found = this.lookedUp = this.entering = undefined;
    this.#silent = "";
  }
}

/** How busy a phase of the run is: chances per cycle. */
export interface Phase {
  readonly cycles: number;
  /** Clients that are heard of in this phase. */
  readonly talks: (place: number) => boolean;
  readonly touch: number;
  readonly look: number;
  readonly add: number;
  readonly retire: number;
  readonly freed: number;
}

/** Does what the retry buffer may do, at random, and holds the answers against the model in every cycle. */
export class ClientsRig {
  readonly model: ClientsModel;
  readonly #b: Bench<ClientsPorts>;
  #next = 0n;
  /** Keys of those forgotten last: they come back. */
  readonly #gone: bigint[] = [];

  constructor(b: Bench<ClientsPorts>, p: RetryClientsParameters) {
    this.#b = b;
    this.model = new ClientsModel(p);
  }

  /** A key that nobody known has: a new one, of one who was forgotten, or one bit off a client's. */
  #stranger(): bigint {
    const { random } = this.#b,
      all = (1n << BigInt(this.model.p.clientBits)) - 1n;
    for (;;) {
      const near = [...this.model.known.values()].map(k => k.key),
        x = random.between(0, 2),
        bit = 1n << BigInt(random.between(0, this.model.p.clientBits - 1));
      const key =
        x === 0 && this.#gone.length > 0
          ? random.pick(this.#gone)
          : x === 1 && near.length > 0
            ? random.pick(near) ^ bit
            : (this.#next += 0x9e37_79b9_7f4bn) & all;
      if (this.model.placeOf(key) === undefined) return key;
    }
  }

  #choose(o: Phase, idle: number | undefined): Moves {
    const { random } = this.#b,
      { model } = this,
      places = [...model.known.keys()];
    const { entering } = model;
    const known = (): bigint => (model.known.get(random.pick(places)) as Known).key;
    const freed = model.vacant?.swept === false && random.chance(o.freed) ? { freed: true } : {};
    if (entering !== undefined && random.chance(0.4)) return { touch: entering, ...freed };
    if (entering === undefined && model.place !== undefined && random.chance(o.add))
      return { add: model.lookedUp !== undefined && model.found === undefined ? model.lookedUp : this.#stranger() };
    const look = random.chance(o.look)
      ? {
          look: { key: places.length > 0 && random.chance(0.7) ? known() : this.#stranger(), asks: random.chance(0.8) },
        }
      : {};
    if (entering === undefined && idle !== undefined && random.chance(o.retire)) {
      const { key } = model.known.get(idle) as Known;
      this.#gone.splice(0, this.#gone.length > 3 ? 1 : 0);
      this.#gone.push(key);
      return { retire: true, ...(random.chance(0.5) ? { look: { key, asks: true } } : look) };
    }
    const talkers = places.filter(i => i !== entering && o.talks(i));
    const touch = talkers.length > 0 && random.chance(o.touch) ? { touch: random.pick(talkers) } : {};
    return { ...look, ...touch, ...freed };
  }

  async cycle(o: Phase): Promise<void> {
    const { io, sim } = this.#b;
    sim.settle();
    this.model.check(io);
    const idle = io.idle.valid.value === 1 ? io.idle.index.num : undefined;
    await this.#do(this.#choose(o, idle), idle);
  }
  async #do(m: Moves, idle: number | undefined): Promise<void> {
    const { io } = this.#b;
    io.look.value = m.look === undefined ? 0 : 1;
    io.asks.value = m.look?.asks === true ? 1 : 0;
    if (m.look !== undefined) io.key.value = m.look.key;
    io.add.valid.value = m.add === undefined ? 0 : 1;
    if (m.add !== undefined) io.add.key.value = m.add;
    io.add.same.value = m.add !== undefined && m.add === this.model.lookedUp ? 1 : 0;
    io.touch.valid.value = m.touch === undefined ? 0 : 1;
    // What is not valid does not count.
    io.touch.index.value = m.touch ?? this.#b.random.between(0, this.model.p.clients - 1);
    io.retire.value = m.retire === true ? 1 : 0;
    io.freed.value = m.freed === true ? 1 : 0;
    await this.#b.risingEdge();
    this.model.step(m, idle ?? -1);
  }

  async run(o: Phase): Promise<void> {
    for (let i = 0; i < o.cycles; i++) await this.cycle(o);
  }
  reset(): void {
    const { io } = this.#b;
    for (const v of [io.look, io.add.valid, io.touch.valid, io.retire, io.freed]) v.value = 0;
    this.#b.sim.reset(2);
    this.model.reset();
  }

  /**
   * All fall silent. Each is forgotten in its turn, and its place is had again: none is lost.
   */
  async everyPlaceComesBack(): Promise<void> {
    const { p, quarter } = this.model,
      had = new Set<number>();
    const still: Phase = { cycles: 1, talks: () => false, touch: 0, look: 0, add: 0, retire: 0, freed: 0 };
    while (this.model.used < p.clients || this.model.entering !== undefined || this.model.vacant !== undefined)
      await this.cycle({ ...still, add: 1, freed: 0.5 });
    // Nobody is sought.
    await this.#do({ look: { key: 0n, asks: false } }, undefined);
    // Times may have come round just now; then one after the other, with a round of the places each.
    const limit = this.model.cycle + 30 * quarter + 3 * p.clients * (2 * p.clients + 16);
    while (had.size < p.clients) {
      if (this.model.cycle > limit) throw new Error(`places ${[...had].join()} came back, no others`);
      const { place } = this.model;
      await this.cycle({ ...still, talks: i => had.has(i), touch: 0.9, retire: 1, freed: 0.2, add: 1 });
      if (place !== undefined && this.model.isEntering(place)) had.add(place);
    }
  }
}
