/** Rates for the next epoch: the project's own fair shares, on what the model has (paper §5.4.4). */
import { drfFormat } from "../../config/index.ts";
import { drfFixed, type DrfProblem } from "../../drf/index.ts";
import { type EpochSizes, type EpochUser, partOf } from "./sizes.ts";

const largest = 2 ** drfFormat.capacityBits - 1,
  most = 2 ** drfFormat.rateBits - 1;
/** Answers that are kept: loads often stay as they are. */
const kept = 4096;

interface Answered {
  readonly asked: { readonly demands: readonly number[]; readonly instances: readonly number[] };
  readonly rates: readonly number[];
}

export class Shares {
  readonly #sizes: EpochSizes;
  readonly #users: readonly EpochUser[];
  readonly #tasks: readonly string[];
  /** Units of a byte of any resource, so that the largest capacity has all its bits. */
  readonly #unit: number;
  readonly #known = new Map<string, readonly number[]>();
  #last: Answered = { asked: { demands: [], instances: [] }, rates: [] };

  constructor(sizes: EpochSizes, users: readonly EpochUser[]) {
    this.#sizes = sizes;
    this.#users = users;
    this.#tasks = sizes.chains.flat();
    const capacities = [sizes.laneBytes, ...this.#tasks.map(t => (sizes.taskBytes[t] ?? 0) * sizes.regions)];
    this.#unit = 2 ** Math.floor(Math.log2(largest / Math.max(...capacities)));
  }
  /** @param demands bytes that users ask for @param instances by chain */
  problem(demands: readonly number[], instances: readonly number[]): DrfProblem {
    const unit = this.#unit,
      use = (part: number): number => Math.ceil(part * unit * 2 ** drfFormat.vectorFraction);
    return {
      floor: this.#sizes.floor,
      capacities: [
        ...this.#sizes.chains.flatMap((tasks, c) =>
          tasks.map(t => Math.floor((this.#sizes.taskBytes[t] ?? 0) * (instances[c] ?? 0) * unit)),
        ),
        Math.floor(this.#sizes.laneBytes * unit),
      ],
      users: this.#users.map((u, i) => ({
        weight: u.weight,
        demand: Math.min(most, Math.round(demands[i] ?? 0)),
        vector: [...this.#tasks.map(t => use(partOf(u, t))), use(1)],
      })),
    };
  }
  rates(demands: readonly number[], instances: readonly number[]): readonly number[] {
    const { asked } = this.#last;
    if (same(asked.demands, demands) && same(asked.instances, instances)) return this.#last.rates;
    const key = `${demands.join(" ")} ${instances.join(" ")}`,
      rates = this.#known.get(key) ?? drfFixed(this.problem(demands, instances)).rates;
    if (this.#known.size >= kept) this.#known.clear();
    this.#known.set(key, rates);
    this.#last = { asked: { demands, instances }, rates };
    return rates;
  }
}
const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);
