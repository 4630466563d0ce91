import type { Random } from "../../../hdl-dsl/index.ts";

/**
 * Numbers 0 .. n - 1 with probabilities as 1 / (i + 1)^theta, exactly, by bisection of the cumulated ones. 0 is
 * the most frequent.
 */
export class Zipf {
  private readonly upTo: Float64Array;
  private readonly random: Random;

  constructor(n: number, theta: number, random: Random) {
    this.random = random;
    this.upTo = new Float64Array(n);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum += (i + 1) ** -theta;
      this.upTo[i] = sum;
    }
  }

  next(): number {
    const wanted = this.random.fraction() * (this.upTo.at(-1) ?? 0);
    let low = 0,
      high = this.upTo.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.upTo[middle] ?? 0) > wanted) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
