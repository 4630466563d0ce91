import { describe, expect, test } from "vitest";
import { type CreditParameters, CreditTable } from "../../../../../designs/supernic/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

export const parameterSets = {
  one: { regions: 1, slots: 1, credits: 1 },
  small: { regions: 2, slots: 3, credits: 3 },
  full: { regions: 4, slots: 4, credits: 24 },
  largest: { regions: 8, slots: 8, credits: 63 },
} as const satisfies Readonly<Record<string, CreditParameters>>;
type SetName = keyof typeof parameterSets;
const dut = (set: SetName) => CreditTable(parameterSets[set]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** The table as a list of numbers, and random traffic that keeps its contract. */
class Rig {
  readonly b: B;
  readonly p: CreditParameters;
  readonly limits: number[];
  /** As they were at the edge before: nothing before the first one. */
  #limitsBefore: number[];
  readonly held: number[];
  /** Takes beside what comes back; give and refund at one slot; last credits taken; limits below what is held. */
  readonly met = { all: 0, both: 0, last: 0, above: 0 };

  constructor(b: B, set: SetName) {
    this.b = b;
    this.p = parameterSets[set];
    const all = this.p.regions * this.p.slots;
    this.limits = Array.from({ length: all }, () => this.p.credits);
    this.held = Array.from({ length: all }, () => 0);
    this.#limitsBefore = Array.from({ length: all }, () => 0);
    this.#quiet();
    this.apply();
  }
  #quiet(): void {
    const { io } = this.b;
    io.take.valid.value = io.refund.valid.value = 0;
    for (let r = 0; r < this.p.regions; r++) io.give[r]!.value = 0;
  }
  /** The limits count from the next edge on. */
  apply(): void {
    this.limits.forEach((n, i) => (this.b.io.limits[i]!.value = n));
  }
  #check(): void {
    const { io } = this.b,
      { slots } = this.p;
    this.held.forEach((n, i) => {
      expect(io.held[i]!.num, `held ${i} in cycle ${this.b.cycle}`).toBe(n);
      const has = (io.has[Math.floor(i / slots)]!.num >> (i % slots)) & 1;
      expect(has, `has ${i} in cycle ${this.b.cycle}`).toBe(n < this.#limitsBefore[i]! ? 1 : 0);
    });
    this.#limitsBefore = [...this.limits];
  }
  /** What there will be; when nobody takes, and when somebody does. */
  #checkSoon(fewer: readonly number[], taken: readonly number[]): void {
    const { io } = this.b,
      { slots } = this.p;
    this.held.forEach((n, i) => {
      const bit = (port: B["io"]["soon"]): number => (port[Math.floor(i / slots)]!.num >> (i % slots)) & 1,
        left = this.limits[i]! - (n - fewer[i]!);
      expect([bit(io.next), bit(io.soon), bit(io.soonTwo)], `soon ${i} in cycle ${this.b.cycle}`).toEqual([
        left > taken[i]! ? 1 : 0,
        left > 0 ? 1 : 0,
        left > 1 ? 1 : 0,
      ]);
    });
  }
  /** A cycle: what is taken, given and refunded, by place. */
  async cycle(o: { take?: [number, number]; give?: readonly number[]; refund?: [number, number] } = {}): Promise<void> {
    const { io } = this.b,
      { slots, regions } = this.p;
    io.take.valid.value = o.take === undefined ? 0 : 1;
    if (o.take) [io.take.region.value, io.take.slots.value] = o.take;
    io.refund.valid.value = o.refund === undefined ? 0 : 1;
    if (o.refund) [io.refund.region.value, io.refund.slots.value] = o.refund;
    for (let r = 0; r < regions; r++) io.give[r]!.value = o.give?.[r] ?? 0;
    await this.b.cycles(1);
    this.#check();
    const fewerOf: number[] = [],
      takenOf: number[] = [];
    this.held.forEach((n, i) => {
      const r = Math.floor(i / slots),
        of = (word: number): number => (word >> (i % slots)) & 1;
      const more = o.take?.[0] === r ? of(o.take[1]) : 0,
        fewer = of(o.give?.[r] ?? 0) + (o.refund?.[0] === r ? of(o.refund[1]) : 0);
      fewerOf.push(fewer);
      takenOf.push(more);
      if (fewer === 2) this.met.both++;
      if (more === 1 && n === this.limits[i]! - 1) this.met.last++;
      if (n > this.limits[i]!) this.met.above++;
      if (more === 1 && fewer > 0) this.met.all++;
    });
    this.#checkSoon(fewerOf, takenOf);
    this.held.forEach((n, i) => (this.held[i] = n + takenOf[i]! - fewerOf[i]!));
  }
  /** Random traffic: `busy` is how often something is taken, against what comes back. */
  async traffic(cycles: number, busy: number): Promise<void> {
    const { random } = this.b,
      { regions, slots, credits } = this.p;
    for (let n = 0; n < cycles; n++) {
      if (random.chance(0.02)) {
        this.limits[random.below(this.limits.length)] = random.between(0, credits);
        this.apply();
      }
      const left = [...this.held];
      const word = (r: number, test: (i: number) => boolean): number =>
        Array.from({ length: slots }, (_, s) => (test(r * slots + s) ? 1 << s : 0)).reduce((a, b) => a | b, 0);
      const give = Array.from({ length: regions }, (_, r) =>
        word(r, i => {
          if (left[i]! === 0 || random.chance(busy)) return false;
          left[i]!--;
          return true;
        }),
      );
      const from = random.below(regions),
        refund: [number, number] = [from, word(from, i => left[i]! > 0 && random.chance(0.5))];
      const to = random.below(regions),
        take: [number, number] = [to, word(to, i => this.held[i]! < this.#limitsBefore[i]! && random.chance(0.8))];
      await this.cycle({
        give,
        ...(random.chance(busy) ? { take } : {}),
        ...(random.chance(0.3) ? { refund } : {}),
      });
    }
  }
  /** Every slot to its limit, each with a limit of its own, and one credit more nowhere. */
  async fill(): Promise<void> {
    const { regions, slots, credits } = this.p;
    this.limits.forEach((_, i) => (this.limits[i] = (i % 3) % (credits + 1)));
    this.apply();
    await this.cycle();
    for (let r = 0; r < regions; r++)
      for (let n = 0; n < 4; n++) {
        const has = Array.from({ length: slots }, (_, s) =>
          this.held[r * slots + s]! < this.#limitsBefore[r * slots + s]! ? 1 << s : 0,
        ).reduce((a, b) => a | b, 0);
        await this.cycle({ take: [r, has] });
      }
    expect(this.held).toEqual(this.limits);
    this.limits.fill(credits);
    this.apply();
  }
  reset(): void {
    this.b.sim.reset(1);
    this.held.fill(0);
    this.#limitsBefore.fill(0);
    this.#quiet();
  }
  /** All that is held comes back, and then everything is there again. */
  async end(): Promise<void> {
    while (this.held.some(n => n > 0)) {
      const { slots, regions } = this.p;
      const give = Array.from({ length: regions }, (_, r) =>
        Array.from({ length: slots }, (_, s) => (this.held[r * slots + s]! > 0 ? 1 << s : 0)).reduce(
          (a, b) => a | b,
          0,
        ),
      );
      await this.cycle({ give });
    }
    this.limits.fill(this.p.credits);
    this.apply();
    await this.cycle();
    await this.cycle();
    for (let r = 0; r < this.p.regions; r++) expect(this.b.io.has[r]!.num).toBe(2 ** this.p.slots - 1);
  }
}

async function life(b: B, set: SetName, cycles = 600): Promise<Rig> {
  const rig = new Rig(b, set);
  await rig.fill();
  for (const busy of [0.9, 0.4, 0.7]) await rig.traffic(cycles / 3, busy);
  await rig.end();
  return rig;
}
/**
 * Both sides of each bound, at every slot: from two more than the limit to two less are held, beside all that may be
 * taken, given and refunded in that cycle. Slots side by side have different limits.
 */
async function bounds(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set),
    { regions, slots, credits } = rig.p,
    all = 2 ** slots - 1,
    beside = (r: number, is: boolean): { give?: number[] } =>
      is ? { give: Array.from({ length: regions }, (_, i) => (i === r ? all : 0)) } : {};
  await rig.cycle();
  for (let r = 0; r < regions; r++) {
    const at = r * slots;
    for (let step = 0; step < 40; step++) {
      await rig.cycle();
      while (rig.held[at]! < 2 || rig.held[at] === credits)
        await rig.cycle(rig.held[at]! < 2 ? { take: [r, all] } : beside(r, true));
      for (let s = 0; s < slots; s++) {
        const left = ((Math.floor(step / 8) + s) % 5) - 2;
        rig.limits[at + s] = Math.min(credits, rig.held[at + s]! + left);
      }
      rig.apply();
      await rig.cycle({
        ...beside(r, (step & 1) !== 0),
        ...((step & 2) !== 0 ? { refund: [r, all] } : {}),
        ...((step & 4) !== 0 ? { take: [r, all] } : {}),
      });
      rig.limits.fill(credits);
      rig.apply();
    }
  }
}
async function resets(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set);
  for (let round = 0; round < 20; round++) {
    await rig.traffic(b.random.between(1, 40), 0.8);
    rig.reset();
    await rig.cycle();
  }
  await rig.end();
}

describe("CreditTable", () => {
  for (const set of Object.keys(parameterSets) as SetName[]) {
    bench(`${set}: each count and each credit in every cycle, limits that change`, dut(set), { seed: 3 }, async b => {
      // The largest has so many counts that it is the slowest.
      const { met } = await life(b, set, set === "largest" ? 240 : 600);
      // What is rare must have been met where the sizes let it: few credits, several slots.
      if (set === "small") expect(Math.min(met.all, met.both, met.last, met.above)).toBeGreaterThan(10);
    });
    if (set === "small" || set === "largest")
      bench(`${set}: both sides of each bound`, dut(set), { seed: 6 }, b => bounds(b, set));
    bench(`${set}: a reset beside traffic leaves nothing held`, dut(set), { seed: 4 }, b => resets(b, set));
  }

  bench(
    "a run is reserved every cycle, and a credit that comes back is there in the next",
    dut("full"),
    {},
    async b => {
      const rig = new Rig(b, "full");
      await rig.cycle();
      for (let n = 0; n < 24; n++) await rig.cycle({ take: [2, 15] });
      await rig.cycle();
      expect(b.io.has[2]!.num).toBe(0);
      await rig.cycle({ give: [0, 0, 5, 0] });
      for (let n = 0; n < 50; n++) await rig.cycle({ take: [2, 5], give: [0, 0, 5, 0] });
      await rig.end();
    },
  );

  const misuse: readonly (readonly [string, string, (rig: Rig) => Promise<void>])[] = [
    ["taken although there is none", "a credit that is taken is there", rig => rig.cycle({ take: [1, 1] })],
    ["given back although none is held", "a credit that comes back was held", rig => rig.cycle({ give: [0, 2] })],
    [
      "refunded and given at once, and only one is held",
      "a credit that comes back was held",
      rig => rig.cycle({ take: [0, 1] }).then(() => rig.cycle({ give: [1, 0], refund: [0, 1] })),
    ],
  ];
  test.each(misuse)("a credit that is %s is told", async (_, sentence, run) => {
    const broken = runBench("misuse", dut("small"), { wave: false, seed: 2 }, async b => {
      const rig = new Rig(b, "small");
      await rig.cycle();
      if (sentence.includes("taken is")) for (let n = 0; n < 3; n++) await rig.cycle({ take: [1, 1] });
      await run(rig);
      await rig.cycle();
    });
    await expect(broken).rejects.toThrow(sentence);
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [
        b => life(b, "small"),
        b => bounds(b, "small"),
        b => resets(b, "small"),
      ];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the last credit is never given", "left_0_1[1:0] > 2'd0", "left_0_1[1:0] > 2'd1"],
      ["one more than the limit", "left_0_1[1:0] > 2'd0", "1'b1"],
      ["every region takes", /takes_of_1 = take_valid & [^;]*/, "takes_of_1 = take_valid"],
      ["a refund comes to the region beside", /refunds_of_0 = refund_valid & ~?/, "refunds_of_0 = refund_valid & "],
      ["a refund beside a gift is lost", /two_back_1_2 = [^;]*;/, "two_back_1_2 = 1'b0;"],
      [
        "a reservation hides what comes back",
        /held_1_0 <= [^;]*;/,
        "held_1_0 <= more_1_0 ? held_1_0 + 2'd1 : held_1_0 - fewer_1_0;",
      ],
      [
        "one that is taken does not count against the next",
        "has_0_2 <= more_0_2 ? soon_two_0_2 :",
        "has_0_2 <= 1'b0 ? soon_two_0_2 :",
      ],
      ["what is taken is not seen in what there will be", "more_1_0 ? soon_two_1_0 : soon_1_0\n", "soon_1_0\n"],
      ["two that come back count as one", /two_back_0_0 = [^;]*;/, "two_back_0_0 = 1'b0;"],
      [
        "two that come back beside credits hide these",
        "~left_1_1[2] | (&left_1_1) : one_back_1_1",
        "&left_1_1 : one_back_1_1",
      ],
      ["a slot is not reset", /held_1_1 <= 2'd0;/, ""],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
