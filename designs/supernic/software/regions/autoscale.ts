/** When a chain gets one more instance, or gives one back (paper §5.4.4; design: supernic.md, section 5). */

/** A chain in an epoch, in one unit for all: bytes, packets. */
export interface EpochLoad {
  /** What was intended for it, whether it was served or not. */
  readonly demand: number;
  /** What one instance does in an epoch. */
  readonly capacity: number;
  readonly instances: number;
}
export type Scaling = "out" | "in";

/** Of a period's epochs, those that have to agree; load that one instance less must leave room for. */
const agree = 0.95,
  spare = 0.9;

/** Epochs in a row, of which nearly all said the same. */
class Run {
  #seen = 0;
  #others = 0;
  readonly #period: number;
  constructor(period: number) {
    this.#period = period;
  }
  /** An epoch. @returns whether a period is over, and nearly all of it said so */
  epoch(says: boolean): boolean {
    if (this.#seen === 0 && !says) return false;
    this.#seen++;
    if (!says) this.#others++;
    // So many have said otherwise that the period cannot become one: the next one that says so begins anew.
    if (this.#others > (1 - agree) * this.#period) {
      this.forget();
      return false;
    }
    if (this.#seen < this.#period) return false;
    this.forget();
    return true;
  }
  forget(): void {
    this.#seen = 0;
    this.#others = 0;
  }
}

/**
 * A chain is overloaded in an epoch when more is intended for it than its instances do, and underloaded when 0.9 of
 * what one instance less does were enough. Who is so in 95 % of a period, from the first such epoch on, is scaled.
 */
export class Autoscaler {
  readonly #period: number;
  readonly #runs = new Map<number, { readonly over: Run; readonly under: Run }>();

  /** @param period epochs of MONITOR_PERIOD, 1 or more */
  constructor(period: number) {
    if (!Number.isInteger(period) || period < 1)
      throw new RangeError(`Autoscaler: period = ${period} epochs: must be a whole number of 1 or more`);
    this.#period = period;
  }
  /** @param loads by the chain's number; who is left out is forgotten @returns who is to be scaled */
  epoch(loads: ReadonlyMap<number, EpochLoad>): ReadonlyMap<number, Scaling> {
    for (const chain of [...this.#runs.keys()]) if (!loads.has(chain)) this.#runs.delete(chain);
    const scaled = new Map<number, Scaling>();
    for (const [chain, { demand, capacity, instances }] of loads) {
      const runs = this.#runs.get(chain) ?? { over: new Run(this.#period), under: new Run(this.#period) };
      this.#runs.set(chain, runs);
      const out = runs.over.epoch(demand > capacity * instances),
        less = runs.under.epoch(instances > 1 && demand < spare * capacity * (instances - 1));
      if (out) scaled.set(chain, "out");
      else if (less) scaled.set(chain, "in");
    }
    return scaled;
  }
  /** Its instances have changed: what was seen before says nothing of them. */
  changed(chain: number): void {
    this.#runs.delete(chain);
  }
}
/** Epochs of MONITOR_PERIOD. @param period and epoch in one unit */
export const periodEpochs = ({
  monitorPeriod,
  epoch,
}: {
  readonly monitorPeriod: number;
  readonly epoch: number;
}): number => Math.max(1, Math.round(monitorPeriod / epoch));
