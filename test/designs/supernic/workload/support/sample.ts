/** Whether draws follow a distribution: its parts below some values, and its mean, each within what chance allows. */

export interface Expected {
  /** Part of all draws that is at most `x`. */
  readonly below: (x: number) => number;
  /** Values at which this is looked at. */
  readonly at: readonly number[];
  /** Left out: there is none, or its variance is too large for a sample. */
  readonly mean?: number;
}
/** Standard errors that a right sample may be off: once in a million. */
const allowed = 5;

export const meanOf = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
/** What is off, in words; nothing of a sample that may well be of this distribution. */
export function deviations(sample: readonly number[], { below, at, mean }: Expected): readonly string[] {
  const n = sample.length,
    off: string[] = [];
  for (const x of at) {
    const p = below(x),
      found = sample.filter(y => y <= x).length / n,
      error = Math.sqrt((p * (1 - p)) / n);
    if (Math.abs(found - p) > allowed * error + 1 / n) off.push(`${found} are up to ${x}, in place of ${p}`);
  }
  if (mean !== undefined) {
    const found = meanOf(sample),
      variance = meanOf(sample.map(y => (y - found) ** 2));
    if (Math.abs(found - mean) > allowed * Math.sqrt(variance / n))
      off.push(`the mean is ${found}, in place of ${mean}`);
  }
  return off;
}
/** Correlation of two rows. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [meanOf(a), meanOf(b)],
    product = (x: readonly number[], mx: number, y: readonly number[], my: number): number =>
      meanOf(x.map((v, i) => (v - mx) * ((y[i] ?? 0) - my)));
  return product(a, ma, b, mb) / Math.sqrt(product(a, ma, a, ma) * product(b, mb, b, mb));
}
