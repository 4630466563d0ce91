/** Distributions that loads are drawn from, each as a draw of a seeded random number. */
import type { Random } from "../../../hdl-dsl/index.ts";

/** A distribution: the value that a part `p` of all draws stays below, for 0 < `p` < 1. */
export type Quantile = (p: number) => number;
/** Above 0 and below 1: no quantile is infinite. */
const inside = (random: Random): number => (random.word() + 0.5) / 0x1_0000_0000;
/** A draw, by inversion. */
export const draw = (of: Quantile, random: Random): number => of(inside(random));

/** Generalised extreme value. @param shape not 0; above 0 large values are frequent (Fréchet) */
export const extremeValue =
  (location: number, scale: number, shape: number): Quantile =>
  p =>
    location + (scale * ((-Math.log(p)) ** -shape - 1)) / shape;
/** Generalised Pareto: nothing is below `location`. @param shape not 0; below 1 there is a mean */
export const generalPareto =
  (location: number, scale: number, shape: number): Quantile =>
  p =>
    location + (scale * ((1 - p) ** -shape - 1)) / shape;
/** Gaps of a Poisson process. */
export const exponential =
  (mean: number): Quantile =>
  p =>
    -mean * Math.log(1 - p);

/** Mean 0 and variance 1 (Box and Muller). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(inside(random))) * Math.cos(2 * Math.PI * random.fraction());
