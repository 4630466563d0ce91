/** Exact fractions. Signs are kept above the line; a fraction is reduced when it has become long. */
export interface Rational {
  readonly above: bigint;
  /** More than 0. */
  readonly below: bigint;
}
/** Bits from which on reducing is worth its time. */
const long = 1n << 400n;

const size = (n: bigint): bigint => (n < 0n ? -n : n);
function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [size(a), size(b)];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
export function rational(above: bigint | number, below: bigint | number = 1n): Rational {
  const b = BigInt(below),
    a = b < 0n ? -BigInt(above) : BigInt(above);
  if (b === 0n) throw new RangeError(`${above} by 0 is no fraction`);
  if (size(b) < long) return { above: a, below: size(b) };
  const d = commonDivisor(a, b);
  return { above: a / d, below: size(b) / d };
}
export const zero = rational(0);
export const one = rational(1);
export const add = (a: Rational, b: Rational): Rational =>
  a.below === b.below
    ? rational(a.above + b.above, a.below)
    : rational(a.above * b.below + b.above * a.below, a.below * b.below);
export const negative = (a: Rational): Rational => ({ above: -a.above, below: a.below });
export const subtract = (a: Rational, b: Rational): Rational => add(a, negative(b));
export const multiply = (a: Rational, b: Rational): Rational => rational(a.above * b.above, a.below * b.below);
export const divide = (a: Rational, b: Rational): Rational => rational(a.above * b.below, a.below * b.above);
/** Below 0, 0 or above 0, as a - b is. */
export function compare(a: Rational, b: Rational): number {
  const left = a.above * b.below,
    right = b.above * a.below;
  return left < right ? -1 : left > right ? 1 : 0;
}
export const isPositive = (a: Rational): boolean => a.above > 0n;
export const least = (a: Rational, b: Rational): Rational => (compare(b, a) < 0 ? b : a);
export const most = (a: Rational, b: Rational): Rational => (compare(b, a) > 0 ? b : a);
export const sum = (list: readonly Rational[]): Rational => list.reduce(add, zero);
/** Rounded to what a number holds: for figures, never for a decision. */
export function toNumber(a: Rational): number {
  const bits = Math.max(0, size(a.below).toString(2).length - 60, size(a.above).toString(2).length - 960);
  const shift = BigInt(bits),
    whole = a.above / a.below;
  return whole > 1n << 53n || whole < -(1n << 53n)
    ? Number(whole)
    : Number(a.above >> shift) / Number(a.below >> shift);
}
