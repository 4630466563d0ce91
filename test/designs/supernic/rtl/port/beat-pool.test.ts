/** The pool of free beats alone: each is given out once, none is kept back, and what is free is counted. */
import { describe, expect, test } from "vitest";
import { BeatPool } from "../../../../../designs/supernic/rtl/port/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { sizes } from "./support/rx-rig.ts";

const beats = 16,
  dut = () => BeatPool({ ...sizes.small, beats });
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Cycles from a beat that comes back until it is on offer, when no other one is. */
const offeredWithin = 2;

interface Pace {
  readonly takes: number;
  readonly given: number;
  readonly dropped: number;
}

class Rig {
  readonly b: B;
  /** Cycles since when each beat is free; those that are out. */
  #free = new Map<number, number>();
  #out: number[] = [];
  #cycle = 0;
  /** Counts of what is free, the newest first: `free` shows the events of two cycles ago. */
  #counts: number[] = [];
  #offered: number | undefined;

  constructor(b: B) {
    this.b = b;
    this.#start();
  }
  #start(): void {
    this.#free = new Map(Array.from({ length: beats }, (_, i) => [i, -Infinity]));
    this.#out = [];
    this.#counts = [beats, beats];
    this.#offered = undefined;
    // The first one is on offer when the registers in front have it.
    this.#cycle = -2;
  }
  #back(chance: number): number | undefined {
    const { random } = this.b;
    return random.chance(chance) ? this.#out.splice(random.below(Math.max(1, this.#out.length)), 1)[0] : undefined;
  }
  async cycle(pace: Pace): Promise<void> {
    const { io, random } = this.b,
      given = this.#back(pace.given),
      dropped = this.#back(pace.dropped),
      // Without a beat the number is anything.
      any = random.below(beats);
    poke(io.given as never, { valid: given === undefined ? 0 : 1, beat: given ?? any } as never);
    poke(io.dropped as never, { valid: dropped === undefined ? 0 : 1, beat: dropped ?? any } as never);
    io.offer.ready.value = random.chance(pace.takes) ? 1 : 0;
    await this.b.cycles(1);
    expect(io.free.num, `free beats in cycle ${this.b.cycle}`).toBe(this.#counts[1]);
    const offer = io.offer.valid.num === 1 ? io.offer.payload.num : undefined,
      since = Math.min(...this.#free.values());
    if (offer === undefined && this.#cycle >= 0 && since <= this.#cycle - offeredWithin)
      throw new Error(`cycle ${this.b.cycle}: no beat is on offer, although one is free`);
    if (offer !== undefined && !this.#free.has(offer))
      throw new Error(`cycle ${this.b.cycle}: beat ${offer} is on offer, and is not free`);
    if (this.#offered !== undefined && offer !== this.#offered)
      throw new Error(`cycle ${this.b.cycle}: beat ${this.#offered} was on offer, and now ${offer ?? "none"} is`);
    const takes = offer !== undefined && io.offer.ready.value === 1;
    this.#offered = takes ? undefined : offer;
    if (takes) {
      this.#free.delete(offer);
      this.#out.push(offer);
    }
    for (const beat of [given, dropped]) if (beat !== undefined) this.#free.set(beat, this.#cycle);
    this.#counts = [this.#free.size, this.#counts[0] ?? beats];
    this.#cycle++;
  }
  async run(cycles: number, pace: Pace): Promise<void> {
    for (let i = 0; i < cycles; i++) await this.cycle(pace);
  }
  /** All come back; each is then given out once. */
  async end(): Promise<void> {
    await this.run(4 * beats, { takes: 0, given: 0.6, dropped: 0.6 });
    expect(this.#free.size).toBe(beats);
    await this.run(2 * beats, { takes: 1, given: 0, dropped: 0 });
    expect(this.#out.length).toBe(beats);
    await this.run(4 * beats, { takes: 0, given: 0.6, dropped: 0.6 });
  }
  reset(): void {
    const { io } = this.b;
    poke(io.given as never, { valid: this.#out.length > 0 ? 1 : 0, beat: this.#out[0] ?? 0 } as never);
    poke(io.dropped as never, { valid: this.#out.length > 1 ? 1 : 0, beat: this.#out[1] ?? 0 } as never);
    io.offer.ready.value = 1;
    this.b.sim.reset(1);
    this.#start();
  }
}

/** Hardly any is free, some are, all are; each as it comes back by one way, or by both. */
const paces: readonly Pace[] = [
  { takes: 0.9, given: 0.1, dropped: 0.1 },
  { takes: 0.5, given: 0, dropped: 0.4 },
  { takes: 0.5, given: 0.4, dropped: 0 },
  { takes: 1, given: 0.5, dropped: 0.5 },
  { takes: 0.3, given: 0.6, dropped: 0.6 },
];
async function life(b: B): Promise<void> {
  const rig = new Rig(b);
  for (const pace of paces) await rig.run(300, pace);
  await rig.end();
}
async function resets(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let i = 0; i < 40; i++) {
    await rig.run(b.random.between(1, 40), paces[i % paces.length]!);
    rig.reset();
    if (i % 8 === 0) await rig.end();
  }
}

describe("BeatPool", () => {
  bench("each free beat is given out once, and soon", dut(), { seed: 2 }, life);
  bench("all are free behind a reset", dut(), { seed: 3 }, resets);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of [life, resets].entries())
        await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["what waits in the register is not on offer", "drops_next_valid | dropped_offer_skid_full", "drops_next_valid"],
      ["what is dropped is not counted", "{4'd0, moved_1}", "5'd0"],
      ["a reset forgets that all are free", "free_beats <= 5'd16", "free_beats <= free_beats"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
