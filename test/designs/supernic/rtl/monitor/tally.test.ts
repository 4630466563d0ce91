/** A tally alone, beside lists of numbers: what it shows of any user in any cycle, and what is left of its range. */
import { describe, expect, test } from "vitest";
import { Tally, type TallyParameters } from "../../../../../designs/supernic/rtl/monitor/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets = {
  one: { users: 2, columns: 1, amountBits: 24, wraps: 0 },
  odd: { users: 3, columns: 5, amountBits: 23, wraps: 2 },
  wrapping: { users: 8, columns: 2, amountBits: 24, wraps: 2 },
  /** As what arrives is counted: by type, and more columns than any other has. */
  device: { users: 16, columns: 35, amountBits: 16, wraps: 0 },
} as const satisfies Readonly<Record<string, TallyParameters>>;
type SetName = keyof typeof parameterSets;
const dut = (set: SetName) => Tally(parameterSets[set]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** A count's largest number. */
const most = 2 ** 24 - 1;

/** Counts of an epoch, by user; a user that added nothing has none. */
type Epoch = Map<number, number[]>;

class Rig {
  readonly b: B;
  readonly p: TallyParameters;
  #now: Epoch = new Map();
  #before: Epoch = new Map();
  /** Counts that came to their largest, and past it. */
  readonly met = { full: 0, wrapped: 0, silent: 0, shown: 0 };

  constructor(b: B, set: SetName) {
    this.b = b;
    this.p = parameterSets[set];
  }
  #add(user: number, amounts: readonly number[]): void {
    const had = this.#now.get(user) ?? amounts.map(() => 0);
    const sums = amounts.map((amount, c) => {
      const sum = amount + (had[c] ?? 0),
        wraps = c >= this.p.columns - this.p.wraps;
      if (sum > most) this.met[wraps ? "wrapped" : "full"]++;
      return wraps ? sum % (most + 1) : Math.min(most, sum);
    });
    this.#now.set(user, sums);
  }
  /** A cycle in which all inputs are random; `large`: amounts that fill a count soon. */
  async cycle(
    o: { readonly adds: number; readonly ends: number; readonly large: number },
    whose?: number,
  ): Promise<void> {
    const { b, p } = this,
      { random: r } = b;
    const users = 2 ** Math.ceil(Math.log2(p.users)),
      valid = r.chance(o.adds) ? 1 : 0,
      ends = r.chance(o.ends) ? 1 : 0,
      user = whose ?? r.below(users),
      of = r.below(users),
      amounts = Array.from({ length: p.columns }, () =>
        r.chance(o.large)
          ? r.between(whose === undefined ? 0 : 2 ** p.amountBits - 9, 2 ** p.amountBits - 1)
          : r.between(0, 3),
      );
    poke(b.io.add as never, { valid, user, amounts } as never);
    b.io.ends.value = ends;
    b.io.of.value = of;
    await b.cycles(1);
    const shown = this.#before.get(of);
    this.met[shown ? "shown" : "silent"]++;
    expect(b.io.some.num, `user ${of} has added, in cycle ${b.cycle}`).toBe(shown ? 1 : 0);
    for (let c = 0; c < p.columns; c++) {
      const is = b.io.counts[c]?.num,
        wanted = shown?.[c] ?? 0;
      if (is !== wanted) expect.fail(`count ${c} of user ${of} in cycle ${b.cycle} is ${is}, not ${wanted}`);
    }
    if (valid) this.#add(user, amounts);
    if (ends) {
      this.#before = this.#now;
      this.#now = new Map();
    }
  }
  /** Counts of two users, by the largest amounts, until they have no room; others add little meanwhile. */
  async fill(): Promise<void> {
    const { b, p } = this,
      largest = 2 ** p.amountBits - 1;
    for (let i = 0; i < Math.ceil((3 * most) / largest); i++)
      await this.cycle({ adds: 1, ends: 0, large: 0.95 }, b.random.chance(0.9) ? b.random.below(2) : undefined);
    await this.cycle({ adds: 0, ends: 1, large: 0 });
    for (let i = 0; i < 4 * p.users; i++) await this.cycle({ adds: 0, ends: 0, large: 0 });
  }
  /** What is offered in the cycle of a reset counts for nothing. */
  reset(): void {
    poke(this.b.io.add as never, { valid: 1, user: 1, amounts: Array(this.p.columns).fill(5) } as never);
    this.b.io.ends.value = this.b.random.below(2);
    this.b.sim.reset(1);
    this.#now = new Map();
    this.#before = new Map();
  }
}

async function life(b: B, set: SetName): Promise<Rig> {
  const rig = new Rig(b, set);
  // Amounts of few bits fill a count in a long epoch only.
  if (2 ** rig.p.amountBits * 200 < most) await rig.fill();
  for (const adds of [1, 0.6, 0.1])
    for (const [ends, large] of [
      [0.02, 0.3],
      [0.3, 0],
      [0.9, 0.5],
    ] as const)
      for (let i = 0; i < 150; i++) await rig.cycle({ adds, ends, large });
  return rig;
}
async function resets(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set);
  for (let i = 0; i < 40; i++) {
    const cycles = b.random.between(1, 12);
    for (let n = 0; n < cycles; n++) await rig.cycle({ adds: 0.8, ends: 0.3, large: 0.1 });
    rig.reset();
  }
}

describe("Tally", () => {
  testOfResets(dut("odd"), {}, b => life(b, "odd"));
  for (const set of Object.keys(parameterSets) as SetName[]) {
    bench(`${set}: counts of random traffic in every cycle`, dut(set), { seed: 3 }, async b => {
      const { met } = await life(b, set),
        { columns, wraps } = parameterSets[set];
      expect(Math.min(met.silent, met.shown)).toBeGreaterThan(50);
      if (wraps < columns) expect(met.full, "counts that have no room").toBeGreaterThan(20);
      if (wraps > 0) expect(met.wrapped, "counts that wrap").toBeGreaterThan(10);
    });
    bench(`${set}: a reset beside all that comes leaves no count`, dut(set), { seed: 4 }, b => resets(b, set));
  }

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "odd"), b => resets(b, "odd")];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("odd")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a count goes on in the next epoch", /goes_on = [^;]*;/, "goes_on = 1'b1;"],
      ["what comes beside an end is lost", "if (add_valid) list_0", "if (add_valid & ~ends) list_0"],
      ["a count has no room, and wraps", /sum_1_over \? 24'hffffff : /, ""],
      ["a reset leaves counts", "if (rst) written_0 <= 4'd0;", "if (1'b0) written_0 <= 4'd0;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("odd"), from, to)));
    });
  });
});
