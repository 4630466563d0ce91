import { describe, expect, it } from "vitest";
import { drfExact, drfFixed, type DrfProblem, rational } from "../../../../designs/supernic/drf/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";
import { cheated, envious, overfull, wasteful } from "./support/fairness.ts";
import { mutant } from "./support/mutants.ts";
import { longestProblem, randomProblem, wildProblem } from "./support/problems.ts";

type Software = Awaited<ReturnType<typeof mutant>>;
const instances = 300;
const problems: readonly DrfProblem[] = Array.from({ length: instances }, (_, seed) => {
  const r = new Random(seed),
    sizes = { users: r.between(2, 6), resources: r.between(2, 8), floor: r.pick([0, 64, 1536]) };
  return seed % 10 === 9 ? longestProblem({ ...sizes, floor: 64 }) : randomProblem(r, sizes);
});

/** What the claims say of the exact one; the first that does not hold. */
function wrongWithExact({ drfExact: exact }: Software): string | undefined {
  for (const p of problems) {
    const answer = exact(p),
      // Facts that the answer is judged by are its own but for who takes part.
      facts = { ...answer, tops: drfExact(p).tops, left: drfExact(p).left };
    const wanted = answer.shares.map(s => s.wanted),
      rates = answer.shares.map(s => s.rate);
    if (overfull(facts, rates).length > 0) return "overfull";
    if (wasteful(facts, wanted, i => answer.shares[i]?.satisfied ?? false).length > 0) return "wasteful";
    if (wasteful(facts, rates, () => false).length > 0) return "wasteful at the end";
    if (envious(p, facts, wanted).length > 0) return "envious";
    if (cheated(p, facts, wanted).length > 0) return "cheated";
  }
  return undefined;
}
/** Rates that are too high for a resource, or other than those of the fractions by more than rounding. */
function wrongWithFixed({ drfFixed: fixed }: Software): string | undefined {
  const r = new Random(1);
  for (const p of problems) {
    const { rates } = fixed(p),
      exact = drfExact(p);
    if (
      overfull(
        exact,
        rates.map(a => rational(a - p.floor)),
      ).length > 0
    )
      return "overfull";
    if (rates.some((a, i) => exact.tops[i] === undefined && a !== p.floor)) return "a rate of who has none";
    if (String(rates) !== String(drfFixed(p).rates)) return "other rates";
  }
  for (let i = 0; i < instances; i++) {
    const p = wildProblem(r, { users: 3, resources: 4, floor: 64 });
    if (String(fixed(p).rates) !== String(drfFixed(p).rates)) return "other rates of wild numbers";
  }
  return undefined;
}

const inExact: readonly (readonly [string, string, string])[] = [
  ["weights do not count", "divide(rational(p.users[i]?.weight ?? 0), top)", "divide(rational(1), top)"],
  ["the smallest share is the dominant one", "u.left)).reduce(most)", "u.left)).reduce(least)"],
  ["floors are not subtracted", "subtract(rational(c), floors)", "rational(c)"],
  ["nobody stops at its demand", "[divide(subtract(caps[i], take(i)), speed(i))]", "[]"],
  ["nobody rises on", "everybody.filter(i => satisfied[i])", "everybody.filter(() => false)"],
  ["all rise by bytes", "divide(rational(p.users[i]?.weight ?? 0), top)", "rational(p.users[i]?.weight ?? 0)"],
];
const inFixed: readonly (readonly [string, string, string])[] = [
  ["uses are rounded down", "shares.map(s => upBy(s * pitch, shift))", "shares.map(s => (s * pitch) >> BigInt(shift))"],
  ["floors are rounded down", "upBy(uses * BigInt(floor), f.vectorFraction)", "uses * BigInt(floor) / 256n"],
  ["the floor is not in the rate", "BigInt(p.floor) + asked + more", "asked + more"],
  ["full resources stop nobody", "!blocked && ", ""],
  ["a share without room is a small one", "&& !tooMuch", ""],
  ["a demand is rounded down", "upBy(share * byWeight, shift)", "(share * byWeight) >> BigInt(shift)"],
  ["the second rising begins with all users", "[...first.satisfied].sort((a, b) => a - b)", "rising"],
];

describe("a fault in the software is found", () => {
  it("and nothing without one", () => {
    expect(wrongWithExact({ drfExact, drfFixed })).toBeUndefined();
    expect(wrongWithFixed({ drfExact, drfFixed })).toBeUndefined();
  });
  it.each(inExact)("exact: %s", async (_, from, to) => {
    expect(wrongWithExact(await mutant(from, to))).toBeDefined();
  });
  it.each(inFixed)("fixed: %s", async (_, from, to) => {
    expect(wrongWithFixed(await mutant(from, to))).toBeDefined();
  });
});
