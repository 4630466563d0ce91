/**
 * The time to wait that the retry buffer says beside BUSY, held from both sides: who waits for it is served, and it is
 * no longer than that takes.
 */
import { expect } from "vitest";
import { clockPeriod } from "../../../../../../designs/clio/config/index.ts";
import { idleQuarters } from "../../../../../../designs/clio/rtl/retry/retry-clients.ts";
import type { Bench } from "../../../../../../sim/index.ts";
import { Client, script, type Size } from "./retry-benches.ts";
import { type Ask, type RetryPorts, RetryRig } from "./retry-rig.ts";

/** Cycles in which what happens is seen, from a request's acceptance to its answer. */
const seenWithin = 8;
/** Cycles by which the wait for a sweep may be too long. */
const sweepSlack = 16;
const cyclesOf = (ns: number): number => ns / clockPeriod;

type Refusal = RetryRig["refusals"][number];

/** One who asks for a place where all are taken, and those who have them. */
class Crowd {
  readonly rig: RetryRig;
  readonly places: readonly Client[];
  /** Cycles at which those who have places were heard of. */
  readonly heard: number[] = [];
  readonly #b: Bench<RetryPorts>;
  readonly #p: Size;
  #start: number;

  constructor(b: Bench<RetryPorts>, p: Size) {
    this.#b = b;
    this.#p = p;
    this.#start = b.cycle;
    this.rig = new RetryRig(b, p, { next: () => undefined, sweptAfter: () => this.sets + sweepSlack / 2 });
    const base = b.random.bits(44);
    this.places = Array.from({ length: p.clients }, (_, i) => new Client(base + BigInt(i) * 0x1_0001_0001n, 100 + i));
  }
  reset(): void {
    this.#b.sim.reset(2);
    this.#start = this.#b.cycle;
    this.heard.length = 0;
    this.rig.restart({ next: () => undefined });
  }
  get sets(): number {
    return this.#p.entries / 4;
  }
  get quarter(): number {
    return Math.ceil(this.#p.timeoutCycles / 4);
  }
  /** Two rounds of the places, in which a silence is found. */
  get rounds(): number {
    return 2 * this.#p.clients;
  }

  /** Says it and waits for its end. @returns what was said to it when there was no place */
  async say(ask: Ask): Promise<Refusal | undefined> {
    const { rig } = this,
      before = rig.taken.length,
      refused = rig.refusals.length;
    rig.say(script([ask]));
    await this.#b.until(() => rig.taken.length > before && rig.idle);
    return rig.refusals[refused];
  }
  async hear(place: number): Promise<void> {
    const c = this.places[place] as Client;
    await this.say(this.heard[place] === undefined ? c.hello() : c.read());
    this.heard[place] = (this.rig.taken.at(-1) as number) - this.#start;
  }
  /** All have been heard of, up to `apart` cycles after one another. */
  async fill(apart: number): Promise<void> {
    for (let i = 0; i < this.places.length; i++) {
      await this.#b.cycles(this.#b.random.between(0, apart));
      await this.hear(i);
    }
  }
  /** The cycle from which on somebody can be forgotten: he was heard of in a quarter, and thirteen more have begun. */
  get due(): number {
    const began = (heard: number): number => Math.floor((heard + seenWithin / 2) / this.quarter);
    return this.#start + (Math.min(...this.heard.map(began)) + idleQuarters) * this.quarter;
  }

  /** Asks until a wait is said that is shorter than the one before: when it has just been, there is least to spare. */
  async shortened(newcomer: Client): Promise<Refusal> {
    for (let before = Infinity; ;) {
      const said = (await this.say(newcomer.hello())) as Refusal;
      if (said.wait < before && before < Infinity) return said;
      before = said.wait;
    }
  }

  /** A wait that was said while nobody could be forgotten yet. */
  check({ at, wait }: Refusal): void {
    const left = this.due - at;
    expect(cyclesOf(wait), `cycles to wait, said in cycle ${at}: not too short`).toBeGreaterThanOrEqual(left);
    expect(cyclesOf(wait), `cycles to wait, said in cycle ${at}: not too long`).toBeLessThanOrEqual(
      left + this.quarter + 2 * this.rounds + 3 * seenWithin,
    );
  }
  /** A wait for a sweep that has just begun. */
  checkSweep({ at, wait }: Refusal): void {
    expect(cyclesOf(wait), `cycles of a sweep, said in cycle ${at}: one for each set`).toBeGreaterThanOrEqual(
      this.sets,
    );
    expect(cyclesOf(wait), `cycles of a sweep, said in cycle ${at}`).toBeLessThanOrEqual(this.sets + sweepSlack);
  }
}

/** Asked for all the time until somebody is forgotten: each wait that is said is right, also after another spoke. */
export async function askedAllTheTime(b: Bench<RetryPorts>, p: Size): Promise<void> {
  const crowd = new Crowd(b, p),
    newcomer = new Client(b.random.bits(48), 7),
    said = new Set<number>();
  const { rig, quarter } = crowd;
  await crowd.fill(p.clients > 8 ? 2 : quarter);
  await b.cycles(2 * crowd.rounds + seenWithin);
  let spoken = 0;
  for (;;) {
    const refused = await crowd.say(newcomer.hello());
    if (refused === undefined) throw new Error("there was a place, and nobody had been forgotten");
    if (rig.replacements.length > 0) {
      expect(rig.replacements[0], "nobody is forgotten too early").toBeGreaterThanOrEqual(crowd.due - seenWithin);
      crowd.checkSweep(refused);
      break;
    }
    crowd.check(refused);
    said.add(refused.wait);
    await b.cycles(b.random.between(0, quarter / 4));
    // Late, so that the wait grows again: by all that the next one has been heard of since. One stays silent, or it
    // would be a matter of turns (turn-benches.ts).
    if (spoken < p.clients - 1 && crowd.due - b.cycle < 4 * quarter && b.random.chance(0.3)) {
      spoken++;
      await crowd.hear(crowd.heard.indexOf(Math.min(...crowd.heard)));
      await b.cycles(2 * crowd.rounds + seenWithin);
    }
  }
  expect(said.size, "waits of many lengths").toBeGreaterThanOrEqual(quarter < 50 ? 5 : idleQuarters - 2);
  await rig.settled();
}

/** Waits kept to the cycle: after the first somebody is forgotten, after the second there is a place. */
export async function waitedOut(b: Bench<RetryPorts>, p: Size, rounds: number): Promise<void> {
  const crowd = new Crowd(b, p),
    { rig } = crowd;
  for (let round = 0; round < rounds; round++) {
    if (round > 0) crowd.reset();
    const newcomer = new Client(b.random.bits(48), 7);
    await crowd.fill(p.clients > 8 ? 2 : crowd.quarter);
    await b.cycles(b.random.between(crowd.rounds, 6 * crowd.quarter));
    const first = await crowd.shortened(newcomer);
    crowd.check(first);
    await b.cycles(cyclesOf(first.wait) - (b.cycle - first.at));
    const second = (await crowd.say(newcomer.hello())) as Refusal;
    expect(rig.replacements.length, "somebody is forgotten when the wait is over").toBe(1);
    crowd.checkSweep(second);
    // Halfway it is too early.
    if (crowd.sets > sweepSlack / 2) {
      await b.cycles(crowd.sets / 2 - 6);
      crowd.checkSweep((await crowd.say(newcomer.hello())) as Refusal);
    }
    await b.cycles(Math.max(0, cyclesOf(second.wait) - (b.cycle - second.at)));
    expect(await crowd.say(newcomer.hello()), "when the second wait is over there is a place").toBeUndefined();
    expect(rig.model.isKnown(newcomer.key)).toBe(true);
    await rig.settled();
  }
}
