/** What dominant resource fairness promises, each as a question in fractions: what breaks it, or nothing. */
import {
  compare,
  divide,
  type DrfProblem,
  type ExactAnswer,
  isPositive,
  least,
  multiply,
  rational,
  type Rational,
  subtract,
  sum,
  zero,
} from "../../../../../designs/supernic/drf/index.ts";

/** Rates beyond the floors, of whoever computed them. */
export type Rates = readonly Rational[];
type Facts = Pick<ExactAnswer, "left" | "uses" | "tops">;

/** What is given out of each resource: undefined where there is none. */
const spare = ({ left, uses }: Facts, rates: Rates): (Rational | undefined)[] =>
  left.map((c, j) => c && subtract(c, sum(rates.map((a, i) => multiply(a, uses[i]?.[j] ?? zero)))));
const takesPart = ({ tops }: Facts, i: number): boolean => tops[i] !== undefined;
const demandOf = (p: DrfProblem, i: number): Rational => rational(Math.max(0, (p.users[i]?.demand ?? 0) - p.floor));
/** How much of its work a user could do with what another uses: no more than with the scarcest part of it. */
function worth({ uses, left }: Facts, i: number, bundle: readonly Rational[]): Rational | undefined {
  const parts = (uses[i] ?? []).flatMap((r, j) => (left[j] && isPositive(r) ? [divide(bundle[j] ?? zero, r)] : []));
  return parts.length === 0 ? undefined : parts.reduce(least);
}

/** No resource is given out twice. */
export const overfull = (facts: Facts, rates: Rates): number[] =>
  spare(facts, rates).flatMap((r, j) => (r && compare(r, zero) < 0 ? [j] : []));
/** Nobody could have more without taking it from another: every user is on a full resource, or `has` what it wants. */
export function wasteful(facts: Facts, rates: Rates, has: (i: number) => boolean, crumb: Rational = zero): number[] {
  const free = spare(facts, rates).map((r, j) => r && compare(r, multiply(crumb, facts.left[j] ?? zero)) > 0);
  return rates.flatMap((_, i) => {
    const stopped = facts.left.some((c, j) => c && free[j] === false && isPositive(facts.uses[i]?.[j] ?? zero));
    return takesPart(facts, i) && !has(i) && !stopped ? [i] : [];
  });
}
/** Users that would rather have what another has, weight for weight. */
export function envious(p: DrfProblem, facts: Facts, rates: Rates): (readonly [number, number])[] {
  const weight = (i: number): Rational => rational(p.users[i]?.weight ?? 0);
  return rates.flatMap((own, i) =>
    rates.flatMap((other, k): (readonly [number, number])[] => {
      if (i === k || !takesPart(facts, i) || !takesPart(facts, k)) return [];
      const scale = divide(weight(i), weight(k)),
        bundle = facts.left.map((_, j) => multiply(scale, multiply(other, facts.uses[k]?.[j] ?? zero))),
        would = least(worth(facts, i, bundle) ?? zero, demandOf(p, i));
      return compare(would, own) > 0 ? [[i, k]] : [];
    }),
  );
}
/** Users that would have more if every resource were divided by weight, once for all. */
export function cheated(p: DrfProblem, facts: Facts, rates: Rates): number[] {
  const all = p.users.reduce((n, u, i) => n + (takesPart(facts, i) ? u.weight : 0), 0);
  return rates.flatMap((own, i) => {
    if (!takesPart(facts, i)) return [];
    const part = rational(p.users[i]?.weight ?? 0, all),
      bundle = facts.left.map(c => multiply(part, c ?? zero));
    return compare(least(worth(facts, i, bundle) ?? zero, demandOf(p, i)), own) > 0 ? [i] : [];
  });
}
/** What a user can do of its true demand with what it got by another vector. */
export function trueWorth(truth: Facts, i: number, lie: Facts, rate: Rational, demand: Rational): Rational {
  const bundle = lie.left.map((_, j) => multiply(rate, lie.uses[i]?.[j] ?? zero));
  return least(worth(truth, i, bundle) ?? zero, demand);
}
