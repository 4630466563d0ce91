/** When requests come: gaps of a stream, in nanoseconds. */
import type { Random } from "../../../hdl-dsl/index.ts";
import { draw, exponential } from "./distributions.ts";

/** The next gap, in nanoseconds. */
export type Gaps = () => number;
/** Constant bit rate: frames of one size, evenly. @param gbps Gbit/s, above 0 */
export const constantRate =
  (gbps: number, frameBytes: number): Gaps =>
  () =>
    (8 * frameBytes) / gbps;
/** Poisson: none knows of the one before it. @param gapNs mean gap */
export function poisson(gapNs: number, random: Random): Gaps {
  const gap = exponential(gapNs);
  return () => draw(gap, random);
}
