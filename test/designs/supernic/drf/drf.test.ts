import { describe, expect, it } from "vitest";
import {
  add,
  drfExact,
  drfFixed,
  type DrfProblem,
  isPositive,
  one,
  rational,
  type Rational,
  subtract,
  toNumber,
} from "../../../../designs/supernic/drf/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";
import { cheated, envious, overfull, trueWorth, wasteful } from "./support/fairness.ts";
import { longestProblem, randomProblem } from "./support/problems.ts";
import { hangMs } from "../../../support/hang-ms.ts";

const instances = Number(process.env["MNEMO_DRF_INSTANCES"] ?? 2_000);
const sizesOf = (r: Random) => ({ users: r.between(2, 6), resources: r.between(2, 8), floor: r.pick([0, 64, 1536]) });
/** The same questions for every claim. */
function everyProblem(count: number, look: (p: DrfProblem, r: Random) => void): void {
  for (let seed = 0; seed < count; seed++) {
    const r = new Random(seed),
      p = randomProblem(r, sizesOf(r));
    try {
      look(p, r);
    } catch (e) {
      throw new Error(`instance ${seed}: ${JSON.stringify(p)}`, { cause: e });
    }
  }
}
const kilo = (values: readonly number[]): number[] => values.map(v => Math.round(v * 256));
/** Users by vectors per task of 1,000 bytes, over capacities in tasks' units. */
function byTasks(
  capacities: readonly number[],
  users: readonly { vector: readonly number[]; weight?: number; demand?: number }[],
) {
  const unit = 2 ** 18,
    bytesPerUnit = 1_000;
  return {
    floor: 0,
    capacities: capacities.map(c => Math.round(c * unit)),
    users: users.map(u => ({
      weight: u.weight ?? 1,
      demand: Math.round(((u.demand ?? 15) * unit) / bytesPerUnit),
      vector: kilo(u.vector.map(v => v * bytesPerUnit)),
    })),
    tasks: (rate: number): number => (rate * bytesPerUnit) / unit,
  };
}
const exactRates = (p: DrfProblem): readonly Rational[] => drfExact(p).shares.map(s => s.rate);
const exactWanted = (p: DrfProblem): readonly Rational[] => drfExact(p).shares.map(s => s.wanted);

describe("published and own examples", () => {
  it("<9, 18>, <1, 4>, <3, 1>: 3 and 2 tasks", () => {
    const p = byTasks([9, 18], [{ vector: [1, 4] }, { vector: [3, 1] }]);
    expect(exactRates(p).map(a => p.tasks(toNumber(a)))).toEqual([3, 2]);
    const { rates } = drfFixed(p);
    [3, 2].forEach((tasks, i) => {
      const rate = rates[i] ?? NaN;
      expect(p.tasks(rate)).toBeLessThanOrEqual(tasks);
      expect(p.tasks(rate + 1), "a byte more is too much").toBeGreaterThan(tasks * (1 - 2 ** -12));
    });
  });
  it("5.20: NT2 and NT4 of two users, before and behind the scale-out", () => {
    // User 1 brings 8: NT1 6, NT2 8, NT3 4, NT4 2. User 2 brings 4, then 8: all NT4, half NT2.
    const nts = (two: number, second: number) =>
      byTasks(
        [10, 10 * two, 7, 10],
        [
          { vector: [6 / 8, 1, 4 / 8, 2 / 8], demand: 8 },
          { vector: [0, 1 / 2, 0, 1], demand: second },
        ],
      );
    const wanted = (two: number, second: number): number[] => {
      const p = nts(two, second);
      return exactWanted(p).map(a => p.tasks(toNumber(a)));
    };
    const ntUse = ([a = 0, b = 0]: readonly number[]) => ({ nt2: [a, b / 2], nt4: [a / 4, b] });
    const near = (is: ReturnType<typeof ntUse>, nt2: readonly number[], nt4: readonly number[]): void => {
      nt2.forEach((v, i) => expect(is.nt2[i]).toBeCloseTo(v, 2));
      nt4.forEach((v, i) => expect(is.nt4[i]).toBeCloseTo(v, 2));
    };
    near(ntUse(wanted(1, 4)), [8, 2], [2, 4]);
    near(ntUse(wanted(1, 8)), [6.67, 3.33], [1.67, 6.67]);
    near(ntUse(wanted(2, 8)), [8, 4], [2, 8]);
  });
  it("weights: three times the weight, three times the share", () => {
    const p = byTasks([8], [{ vector: [1], weight: 3 }, { vector: [1] }]);
    expect(exactRates(p).map(a => p.tasks(toNumber(a)))).toEqual([6, 2]);
  });
  it("floors are subtracted first, and the rest is divided", () => {
    const p: DrfProblem = {
      floor: 1536,
      capacities: [2 ** 23],
      users: [1, 1].map(weight => ({ weight, demand: 2 ** 23, vector: [32 * 256] })),
    };
    const { rates } = drfFixed(p);
    const each = (2 ** 23 / 32 - 2 * 1536) / 2 + 1536;
    for (const rate of rates) expect(Math.abs(rate - each)).toBeLessThan(16);
  });
  it("idle users have spare capacity by their default vector, and their floor when there is none", () => {
    const user = (demand: number) => ({ weight: 1, demand, vector: [32 * 256] });
    const of = (demands: readonly number[]): readonly number[] =>
      drfFixed({ floor: 64, capacities: [2 ** 23], users: demands.map(user) }).rates;
    const [, idle = NaN] = of([1_000, 0]);
    expect(idle).toBeGreaterThan(2 ** 18 / 2 - 1_200);
    expect(of([2 ** 20, 0])[1]).toBeLessThan(64 + 16);
  });
  it("users without use or weight, and absent or filled resources, are skipped", () => {
    const p: DrfProblem = {
      floor: 64,
      capacities: [2 ** 23, 0, 2 ** 10],
      users: [
        { weight: 1, demand: 1_000_000, vector: [8_192, 8_192, 0] },
        { weight: 1, demand: 1_000_000, vector: [0, 0, 0] },
        { weight: 0, demand: 1_000_000, vector: [8_192, 0, 0] },
        { weight: 1, demand: 1_000_000, vector: [8_192, 0, 8_192] },
      ],
    };
    const { rates } = drfFixed(p);
    expect(rates.slice(1)).toEqual([64, 64, 64]);
    expect(rates[0]).toBeGreaterThan(250_000);
    expect(exactRates(p).slice(1).map(toNumber)).toEqual([0, 0, 0]);
  });
  it("numbers without room are refused by name", () => {
    const p = longestProblem({ users: 2, resources: 2, floor: 64 });
    expect(() => drfFixed({ ...p, capacities: [2 ** 24, 1] })).toThrow("capacity 0 is 16777216");
    expect(() => drfFixed({ ...p, capacities: [1] })).toThrow("user 0 has 2 uses: must be 1");
  });
});

describe(`${instances} random instances`, { timeout: hangMs + instances * 300 }, () => {
  it("the exact one is feasible, wastes nothing, and leaves nobody envious or cheated", () => {
    let contended = 0,
      satisfied = 0;
    everyProblem(instances, p => {
      const answer = drfExact(p),
        wanted = answer.shares.map(s => s.wanted),
        rates = answer.shares.map(s => s.rate),
        has = (i: number): boolean => answer.shares[i]?.satisfied ?? false;
      expect(overfull(answer, wanted)).toEqual([]);
      expect(overfull(answer, rates)).toEqual([]);
      expect(wasteful(answer, wanted, has)).toEqual([]);
      expect(wasteful(answer, rates, () => false)).toEqual([]);
      expect(envious(p, answer, wanted)).toEqual([]);
      expect(cheated(p, answer, wanted)).toEqual([]);
      expect(answer.steps).toBeLessThanOrEqual(2 * p.users.length);
      contended += answer.shares.filter((s, i) => answer.tops[i] && !s.satisfied).length;
      satisfied += answer.shares.filter(s => s.satisfied).length;
    });
    expect(contended, "users that got less than they asked for").toBeGreaterThan(instances / 2);
    expect(satisfied, "users that got all").toBeGreaterThan(instances / 2);
  });
  it("the fixed one never overfills, and wastes no more than it may", () => {
    everyProblem(instances, p => {
      const exact = drfExact(p),
        fixed = drfFixed(p);
      const rates = fixed.rates.map(r => rational(r - p.floor));
      expect(overfull(exact, rates)).toEqual([]);
      fixed.rates.forEach((r, i) => {
        if (!exact.tops[i]) expect(r).toBe(p.floor);
      });
      // Resources that the floors nearly fill are full for the unit. What it cuts off below a byte is no waste.
      const risen = { ...exact, tops: exact.tops.map((t, i) => (fixed.first.levels.has(i) ? t : undefined)) };
      const most = 2 ** 24 - 1,
        given = fixed.rates.reduce((n, r) => n + r, 0),
        crumb = add(rational(1, 2 ** 11), rational(given, 2 ** 34));
      const withByte = rates.map(r => (isPositive(r) ? add(r, one) : r));
      expect(wasteful(risen, withByte, i => fixed.rates[i] === most, crumb)).toEqual([]);
    });
  });
  it("nobody gains by asking for more or less than it needs", () => {
    everyProblem(Math.ceil(instances / 4), (p, r) => {
      const i = r.between(0, p.users.length - 1),
        truth = drfExact(p),
        demand = rational(Math.max(0, (p.users[i]?.demand ?? 0) - p.floor));
      const said = r.between(0, 2 ** 24 - 1),
        lie = drfExact({ ...p, users: p.users.map((u, k) => (k === i ? { ...u, demand: said } : u)) });
      const gains = subtract(
        trueWorth(truth, i, lie, lie.shares[i]?.wanted ?? rational(0), demand),
        truth.shares[i]?.wanted ?? rational(0),
      );
      expect(isPositive(gains)).toBe(false);
    });
  });
  it("nobody gains by using more or less of something than it needs", () => {
    everyProblem(Math.ceil(instances / 4), (given, r) => {
      // Floors of others depend on what is said, so there are none here.
      const p = { ...given, floor: 0 },
        i = r.between(0, p.users.length - 1),
        truth = drfExact(p),
        demand = rational(p.users[i]?.demand ?? 0);
      const vector = (p.users[i]?.vector ?? []).map(v =>
          v > 0 && r.chance(0.5) ? Math.max(1, Math.round(v * r.pick([0.3, 0.8, 1.5, 4]))) : v,
        ),
        lie = drfExact({ ...p, users: p.users.map((u, k) => (k === i ? { ...u, vector } : u)) });
      if (!truth.tops[i]) return;
      const gains = subtract(
        trueWorth(truth, i, lie, lie.shares[i]?.wanted ?? rational(0), demand),
        truth.shares[i]?.wanted ?? rational(0),
      );
      expect(isPositive(gains)).toBe(false);
    });
  });
});
