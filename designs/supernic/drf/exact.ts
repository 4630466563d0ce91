import { drfFormat } from "../config/index.ts";
import type { DrfProblem } from "./problem.ts";
import {
  add,
  compare,
  divide,
  isPositive,
  least,
  most,
  multiply,
  rational,
  type Rational,
  subtract,
  sum,
  zero,
} from "./rational.ts";

/** What a user gets beyond its floor. */
export interface ExactShare {
  /** As far as it has demand: what fairness is said of. */
  readonly wanted: Rational;
  /** With its part of what nobody asked for. */
  readonly rate: Rational;
  /** It has all that it asked for. */
  readonly satisfied: boolean;
}
export interface ExactAnswer {
  /** Of each resource, behind the floors; undefined: there is no such resource. */
  readonly left: readonly (Rational | undefined)[];
  /** A user's use of each resource per byte. */
  readonly uses: readonly (readonly Rational[])[];
  /** Largest share that a byte takes; undefined: the user has its floor, and no more. */
  readonly tops: readonly (Rational | undefined)[];
  readonly shares: readonly ExactShare[];
  /** Steps of both risings, in each of which somebody stopped. */
  readonly steps: number;
}

/** Users that rise together: what they have so far, and how fast they rise. */
interface Rising {
  readonly rates: Rational[];
  readonly speeds: readonly Rational[];
  readonly caps: readonly (Rational | undefined)[];
}
type Settings = Pick<ExactAnswer, "left" | "uses">;

/** What of each resource is not yet given out. */
const spareOf = ({ left, uses }: Settings, rates: readonly Rational[]): (Rational | undefined)[] =>
  left.map((c, j) => c && subtract(c, sum(rates.map((a, i) => multiply(a, uses[i]?.[j] ?? zero)))));

/** Raises `active` until each of them is at its cap or on a full resource; returns the steps. */
function rise(s: Settings, { rates, speeds, caps }: Rising, active: Set<number>): number {
  let steps = 0;
  const take = (i: number): Rational => rates[i] ?? zero,
    speed = (i: number): Rational => speeds[i] ?? zero,
    use = (i: number, j: number): Rational => s.uses[i]?.[j] ?? zero;
  while (active.size > 0) {
    const spare = spareOf(s, rates),
      loads = s.left.map((_, j) => sum([...active].map(i => multiply(use(i, j), speed(i)))));
    const times = [
      ...spare.flatMap((r, j) => (r && isPositive(loads[j] ?? zero) ? [divide(r, loads[j] ?? zero)] : [])),
      ...[...active].flatMap(i => (caps[i] ? [divide(subtract(caps[i], take(i)), speed(i))] : [])),
    ];
    const time = times.reduce(least);
    for (const i of active) rates[i] = add(take(i), multiply(time, speed(i)));
    const full = spareOf(s, rates).map(r => r !== undefined && !isPositive(r)),
      stops = [...active].filter(i => {
        const cap = caps[i];
        return (cap && compare(take(i), cap) >= 0) || full.some((f, j) => f && isPositive(use(i, j)));
      });
    if (stops.length === 0) throw new Error("nobody stops: a user uses nothing");
    for (const i of stops) active.delete(i);
    steps++;
  }
  return steps;
}

/** What is left of each resource behind the floors of all users. */
function leftOf({ capacities, users, floor }: DrfProblem, uses: ExactAnswer["uses"]): (Rational | undefined)[] {
  return capacities.map((c, j) => {
    if (c === 0) return undefined;
    const floors = multiply(rational(floor), sum(users.map((_, i) => uses[i]?.[j] ?? zero)));
    return most(subtract(rational(c), floors), zero);
  });
}
/** A user's largest share per byte; none for one without weight, without use, or on a resource that the floors fill. */
function topOf(weight: number, use: readonly Rational[], left: ExactAnswer["left"]): Rational | undefined {
  const used = use.flatMap((r, j) => (left[j] && isPositive(r) ? [{ r, left: left[j] }] : []));
  if (weight === 0 || used.length === 0 || used.some(u => !isPositive(u.left))) return undefined;
  return used.map(u => divide(u.r, u.left)).reduce(most);
}

/**
 * Dominant resource fairness as it is meant (paper §5.4.4; docs/supernic/drf.md), in fractions: floors first, then all
 * rise by weight until each is at its demand or on a full resource, then those at their demand rise on.
 */
export function drfExact(p: DrfProblem): ExactAnswer {
  const part = 2 ** drfFormat.vectorFraction,
    uses = p.users.map(u => u.vector.map(r => rational(r, part))),
    left = leftOf(p, uses),
    tops = p.users.map((u, i) => topOf(u.weight, uses[i] ?? [], left));
  const demands = p.users.map(u => rational(Math.max(0, u.demand - p.floor))),
    speeds = tops.map((top, i) => (top ? divide(rational(p.users[i]?.weight ?? 0), top) : zero)),
    rates = p.users.map(() => zero);
  const takesPart = (i: number): boolean => tops[i] !== undefined;
  const everybody = [...p.users.keys()].filter(takesPart);
  const first = rise({ left, uses }, { rates, speeds, caps: demands }, new Set(everybody));
  const wanted = [...rates],
    satisfied = p.users.map((_, i) => takesPart(i) && compare(wanted[i] ?? zero, demands[i] ?? zero) === 0);
  const more = everybody.filter(i => satisfied[i]);
  const second = rise({ left, uses }, { rates, speeds, caps: [] }, new Set(more));
  return {
    left,
    uses,
    tops,
    shares: p.users.map((_, i) => ({
      wanted: wanted[i] ?? zero,
      rate: rates[i] ?? zero,
      satisfied: satisfied[i] ?? false,
    })),
    steps: first + second,
  };
}
