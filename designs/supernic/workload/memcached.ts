/**
 * Requests of Facebook's memcached pool ETC (Atikoglu et al., SIGMETRICS 2012), which the paper's loads follow (§5.7.1,
 * §5.7.2).
 */
import type { Random } from "../../../hdl-dsl/index.ts";
import type { Gaps } from "./arrivals.ts";
import { draw, extremeValue, generalPareto } from "./distributions.ts";

/** Bytes of a key, at least 1 and at most memcached's 250. */
const keySize = extremeValue(30.7984, 8.20449, 0.078688),
  mostKey = 250;
/** Bytes of a value: the first sizes have probabilities of their own; the others follow the distribution. */
export const smallValues = [
  0.00536, 0.00047, 0.1782, 0.09239, 0.00018, 0.0274, 0.00065, 0.00606, 0.00023, 0.00837, 0.00837, 0.08989, 0.00092,
  0.00326, 0.0198,
] as const;
/** memcached's largest value is 1 MB. */
const valueSize = generalPareto(smallValues.length, 214.476, 0.348238),
  mostValue = 2 ** 20;
/** Microseconds between two requests at one server. */
const gapUs = generalPareto(0, 16.0292, 0.154971),
  getsPerSet = 30;

export interface KvRequest {
  readonly kind: "get" | "set";
  readonly keyBytes: number;
  /** Of the value that is set, or that the answer of a get brings. */
  readonly valueBytes: number;
}
export const keyBytes = (random: Random): number => Math.min(mostKey, Math.max(1, Math.round(draw(keySize, random))));
export function valueBytes(random: Random): number {
  let p = random.fraction();
  for (const [size, share] of smallValues.entries()) {
    if (p < share) return size;
    p -= share;
  }
  return Math.min(mostValue, Math.round(draw(valueSize, random)));
}
export const kvRequest = (random: Random): KvRequest => ({
  kind: random.below(getsPerSet + 1) === 0 ? "set" : "get",
  keyBytes: keyBytes(random),
  valueBytes: valueBytes(random),
});
/** Gaps of one server's requests. @param speed so many times as dense as those of the pool */
export const kvGaps =
  (random: Random, speed = 1): Gaps =>
  () =>
    (1000 * draw(gapUs, random)) / speed;
