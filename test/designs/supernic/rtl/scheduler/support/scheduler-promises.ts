/** What the scheduler promises, checked in every cycle (docs/supernic/scheduler.md). */
import { schedulerModel } from "../../../../../../designs/supernic/model/index.ts";

const { must } = schedulerModel;
type Inside = schedulerModel.Inside;
type Setup = schedulerModel.Setup;

interface Signals {
  readonly held: readonly { readonly num: number }[];
  readonly inside: { readonly packets: { readonly num: number }; readonly waiting: { readonly num: number } };
}
export interface Start {
  readonly inside: Inside;
  readonly branch: number;
  readonly region: number;
  /** With which slots it starts, of those that it has yet to go through. */
  readonly run: readonly number[];
  readonly rest: readonly number[];
  /** Cycles since it was handed over. */
  readonly waited: number;
}
export interface CameBack {
  readonly inside: Inside;
  readonly branch: number;
  readonly region: number;
  readonly refund: readonly number[];
  readonly dropped: boolean;
  /** It has been through its whole run. */
  readonly whole: boolean;
}

export class Promises {
  readonly #setup: Setup;
  readonly #slots: number;
  /** Credits that are out, by region and slot of the hardware. */
  readonly #out: number[];
  readonly #limits: readonly number[];
  /** Refunds that do not count yet: `back` is held up while a packet that is done is not taken. */
  readonly #refunds: (readonly number[])[] = [];
  #given: number[] = [];
  #packets = 0;
  #change = 0;
  readonly #last = new Map<string, number>();
  /** By queue, who has stopped short. */
  readonly #stopped = new Map<string, string>();
  readonly seen = { starts: 0, short: 0, stages: 0, refunds: 0, freed: 0, ends: 0, dropped: 0, most: 0, waiting: 0 };

  constructor(setup: Setup, sizes: { readonly regions: number; readonly slots: number }) {
    this.#setup = setup;
    this.#slots = sizes.slots;
    this.#out = Array.from({ length: sizes.regions * sizes.slots }, () => 0);
    this.#limits = this.#out.map((_, i) => {
      const chain = setup.regions[Math.floor(i / sizes.slots)];
      return chain === undefined ? 0 : (setup.credits[chain]?.[i % sizes.slots] ?? 0);
    });
  }
  #at(region: number, slots: readonly number[]): number[] {
    return slots.map(s => region * this.#slots + s);
  }
  #inOrder(place: string, { packet }: Inside): void {
    const key = `${place} of flow ${packet.flow}`,
      before = this.#last.get(key) ?? -1;
    if (packet.id <= before) throw new Error(`packet ${packet.id} is behind ${before} at ${key}`);
    this.#last.set(key, packet.id);
  }
  #queueOf({ packet, user }: Inside, region: number): string {
    return `${user} ${region} ${must(this.#setup.dags, packet.dag).slow ? 1 : 0}`;
  }

  /** Slots whose task takes a packet in this cycle: it counts in the next. */
  gives(region: number, slots: readonly number[]): void {
    this.#given.push(...this.#at(region, slots));
  }
  arrives(): void {
    this.#change++;
  }
  starts({ inside, branch, region, run, rest, waited }: Start): void {
    const { packet, stage } = inside,
      who = `packet ${packet.id}, stage ${stage}, branch ${branch}`,
      queue = this.#queueOf(inside, region),
      stopped = this.#stopped.get(queue);
    if (run.length === 0 || run.some((s, i) => s !== rest[i]))
      throw new Error(`${who} starts with slots ${run.join()} of ${rest.join()}`);
    if (stopped !== undefined && stopped !== who)
      throw new Error(`${who} starts although ${stopped} has stopped short`);
    if (stopped === undefined) this.#inOrder(`the start of stage ${stage}, branch ${branch}`, inside);
    for (const i of this.#at(region, run)) this.#out[i] = (this.#out[i] ?? 0) + 1;
    this.seen.starts++;
    if (run.length === rest.length) this.#stopped.delete(queue);
    else {
      if (waited < this.#setup.patience) throw new Error(`${who} stops short after ${waited} cycles`);
      this.#stopped.set(queue, who);
      this.seen.short++;
    }
  }
  comesBack({ inside, branch, region, refund, dropped, whole }: CameBack): void {
    if (refund.length > 0) this.#refunds.push(this.#at(region, refund));
    const queue = this.#queueOf(inside, region),
      who = `packet ${inside.packet.id}, stage ${inside.stage}, branch ${branch}`;
    if (dropped) {
      if (this.#stopped.get(queue) === who) {
        this.#stopped.delete(queue);
        this.seen.freed++;
      }
      // What is dropped goes past the tasks behind it, and so past earlier packets.
    } else if (whole && !inside.dropped) this.#inOrder(`the end of stage ${inside.stage}, branch ${branch}`, inside);
    if (inside.stage > 0) this.seen.stages++;
  }
  ends(inside: Inside): void {
    this.#change--;
    this.seen.ends++;
    if (inside.dropped) this.seen.dropped++;
    else this.#inOrder("the way out", inside);
  }

  /** What the hardware counts in this cycle. To be called when what starts in it has been told. */
  counts({ held, inside }: Signals): void {
    const now = held.map(h => h.num),
      [refund] = this.#refunds,
      isBack = refund !== undefined && refund.every(i => now[i] === (this.#out[i] ?? 0) - 1);
    if (isBack) {
      for (const i of refund) this.#out[i] = (this.#out[i] ?? 0) - 1;
      this.#refunds.shift();
      this.seen.refunds++;
    }
    now.forEach((n, i) => {
      const out = this.#out[i] ?? 0,
        place = `region ${Math.floor(i / this.#slots)}, slot ${i % this.#slots}`;
      if (n !== out) throw new Error(`${place}: ${n} credits are held, and ${out} are out`);
      if (n > (this.#limits[i] ?? 0)) throw new Error(`${place}: ${n} credits are out of ${this.#limits[i] ?? 0}`);
    });
    for (const i of this.#given) this.#out[i] = (this.#out[i] ?? 0) - 1;
    this.#given = [];
    if (inside.packets.num !== this.#packets)
      throw new Error(`${inside.packets.num} packets are inside, and ${this.#packets} should be`);
    this.seen.most = Math.max(this.seen.most, this.#packets);
    this.seen.waiting = Math.max(this.seen.waiting, inside.waiting.num);
    this.#packets += this.#change;
    this.#change = 0;
  }
  /** At the end everything is back. */
  allBack({ held, inside }: Signals): void {
    const out = held.findIndex(h => h.num !== 0);
    if (out >= 0) throw new Error(`${held[out]?.num ?? 0} credits of place ${out} are not back`);
    if (this.#refunds.length > 0) throw new Error("a refund never counted");
    if (inside.packets.num !== 0) throw new Error(`${inside.packets.num} packets are inside at the end`);
    if (inside.waiting.num !== 0) throw new Error(`${inside.waiting.num} branches wait at the end`);
    if (this.#stopped.size > 0) throw new Error("a queue is held at the end");
  }
  /** All is forgotten. */
  reset(): void {
    this.#out.fill(0);
    this.#refunds.length = 0;
    this.#given = [];
    this.#packets = this.#change = 0;
    this.#last.clear();
    this.#stopped.clear();
  }
}
