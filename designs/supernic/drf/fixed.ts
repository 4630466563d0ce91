import { drfFormat as f } from "../config/index.ts";
import { fill, type Filled } from "./fill.ts";
import { checkProblem, type DrfProblem, type DrfUser } from "./problem.ts";
import { atMost, power, upBy, upOf } from "./rounding.ts";

/** What the unit gives out, and how it came to that. */
export interface FixedAnswer {
  /** Bytes in an epoch, floor included: for the meter. */
  readonly rates: readonly number[];
  /** The first rising, up to demands, and the second, of those who have theirs. */
  readonly first: Filled;
  readonly second: Filled;
}

/** One by what is left of a resource; "full" behind the floors, or "absent". */
function inverseOf({ capacities, users, floor }: DrfProblem, j: number): bigint | "full" | "absent" {
  const capacity = BigInt(capacities[j] ?? 0);
  if (capacity === 0n) return "absent";
  const uses = users.reduce((n, u) => n + BigInt(u.vector[j] ?? 0), 0n),
    left = capacity - upBy(uses * BigInt(floor), f.vectorFraction);
  return left <= BigInt(f.leastLeft) ? "full" : upOf(power(f.inverseFraction), left);
}

/** A user as a point in shares. */
interface Shares {
  /** Of each resource, per byte. */
  readonly shares: readonly bigint[];
  readonly top: bigint;
  /** It takes part: it has weight, uses enough of something, and nothing that is full or that it needs too much of. */
  readonly rises: boolean;
}
function sharesOf({ vector, weight }: DrfUser, inverses: readonly ReturnType<typeof inverseOf>[]): Shares {
  const most = power(f.shareBits) - 1n,
    shift = f.vectorFraction + f.inverseFraction - f.shareFraction;
  const shares = inverses.map((inverse, j) =>
    typeof inverse === "string" ? 0n : atMost(upBy(BigInt(vector[j] ?? 0) * inverse, shift), f.shareBits),
  );
  const blocked = inverses.some((inverse, j) => inverse === "full" && (vector[j] ?? 0) > 0),
    tooMuch = shares.some(s => s === most),
    largest = shares.reduce((a, s) => (s > a ? s : a), 0n);
  return {
    shares,
    top: largest > BigInt(f.leastTop) ? largest : BigInt(f.leastTop),
    rises: weight > 0 && largest > BigInt(f.leastTop) && !blocked && !tooMuch,
  };
}
/** What of each resource goes when the level rises by 1. */
function usesOf(weight: number, { shares, top, rises }: Shares): bigint[] {
  const pitch = rises ? BigInt(weight) * upOf(power(f.pitchFraction), top) : 0n,
    shift = f.pitchFraction - f.useFraction;
  return shares.map(s => upBy(s * pitch, shift));
}
/** Level at which a user has its demand. */
function needOf({ demand, weight }: DrfUser, top: bigint, floor: number): bigint {
  const asked = BigInt(Math.max(0, demand - floor)),
    share = atMost(upBy(asked * top, f.shareFraction - f.demandShareFraction), f.demandShareBits),
    byWeight = upOf(power(f.weightFraction), BigInt(Math.max(1, weight))),
    shift = f.demandShareFraction + f.weightFraction - f.levelFraction;
  return atMost(upBy(share * byWeight, shift), f.levelBits);
}
/** Bytes of a level. */
const bytesOf = (weight: number, level: bigint, top: bigint): bigint =>
  (BigInt(weight) * level * power(f.shareFraction - f.levelFraction)) / top;

/**
 * Dominant resource fairness in the unit's own arithmetic: the same rates, bit for bit. Uses and what is subtracted are
 * rounded up, rates down, so that no resource is ever given out twice (docs/supernic/drf.md).
 * @throws RangeError for a number that has no room
 */
export function drfFixed(p: DrfProblem): FixedAnswer {
  checkProblem(p);
  const inverses = p.capacities.map((_, j) => inverseOf(p, j)),
    points = p.users.map(u => sharesOf(u, inverses)),
    uses = p.users.map((u, i) => usesOf(u.weight, points[i] as Shares)),
    needs = p.users.map((u, i) => needOf(u, (points[i] as Shares).top, p.floor));
  const left = p.capacities.map(() => power(f.useFraction + f.levelFraction)),
    rising = [...p.users.keys()].filter(i => points[i]?.rises);
  const first = fill({ uses, needs, left }, rising),
    more = [...first.satisfied].sort((a, b) => a - b),
    second = fill({ uses, needs: [], left }, more);
  const rates = p.users.map(({ demand, weight }, i) => {
    const level = second.levels.get(i) ?? first.levels.get(i) ?? 0n,
      asked = first.satisfied.has(i) ? BigInt(Math.max(0, demand - p.floor)) : 0n,
      more = bytesOf(weight, level, (points[i] as Shares).top);
    return Number(atMost(BigInt(p.floor) + asked + more, f.rateBits));
  });
  return { rates, first, second };
}
