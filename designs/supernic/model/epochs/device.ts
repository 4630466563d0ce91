/** A device, epoch by epoch: users ask, fair shares answer, regions come and go (docs/supernic/epochs.md). */
import { type Needs, needsOf, type Placement } from "./placement.ts";
import { loadsOf } from "./overload.ts";
import { Shares } from "./shares.ts";
import { demandOf, type EpochSizes, type EpochUser, partOf, taskLoad } from "./sizes.ts";

/** What happened in an epoch. */
export interface EpochSeen {
  /** From 1. */
  readonly epoch: number;
  /** Bytes by user: wanted, allowed by fair shares, sent. */
  readonly demands: readonly number[];
  readonly rates: readonly number[];
  readonly sent: readonly number[];
  /** Instances by chain. */
  readonly instances: readonly number[];
  readonly occupied: number;
  readonly reprogramming: number;
}

export class EpochDevice {
  readonly sizes: EpochSizes;
  readonly users: readonly EpochUser[];
  readonly #placement: Placement;
  readonly #shares: Shares;
  readonly #tasks: readonly { readonly task: string; readonly chain: number }[];
  #epoch = 0;
  /** Rates of the epoch before, and of this one from where its fair shares are there. */
  #before: readonly number[];
  #rates: readonly number[];
  #known: { readonly demands: readonly number[]; readonly needs: Needs } = { demands: [], needs: [] };
  /** What was asked for when this epoch's rates were made. */
  #asked: readonly number[];

  constructor(sizes: EpochSizes, users: readonly EpochUser[], placement: Placement) {
    this.sizes = sizes;
    this.users = users;
    this.#placement = placement;
    this.#shares = new Shares(sizes, users);
    this.#tasks = sizes.chains.flatMap((tasks, chain) => tasks.map(task => ({ task, chain })));
    this.#asked = users.map(demandOf);
    this.#rates = this.#fair(this.#asked);
    this.#before = this.#rates;
  }
  get done(): boolean {
    return this.users.every(u => u.endpoint.done);
  }
  async step(): Promise<EpochSeen> {
    const { sizes, users } = this,
      at = this.#epoch++ * sizes.epoch,
      demands = this.#demands();
    await this.#placement.begin(at, this.#needs(demands));
    const rates = this.#allowed(),
      can = this.#clipped(rates, demands),
      sent = users.map((u, i) => (u.isHere?.() === false ? 0 : u.endpoint.pass(can[i] ?? 0)));
    const { occupied, reprogramming } = this.#placement,
      instances = sizes.chains.map((_, c) => this.#placement.instances(c));
    await this.#placement.end(at + sizes.epoch, this.#loads(instances));
    this.#asked = demands;
    this.#before = this.#rates;
    this.#rates = this.#fair(demands);
    return { epoch: this.#epoch, demands, rates, sent, instances, occupied, reprogramming };
  }
  /** What users want now; the list of the epoch before, where it is the same. */
  #demands(): readonly number[] {
    const now = this.users.map(demandOf);
    return now.every((d, i) => d === this.#asked[i]) ? this.#asked : now;
  }
  /** Most epochs want what the one before wanted: what follows from it is kept. */
  #needs(demands: readonly number[]): Needs {
    if (this.#known.demands !== demands) this.#known = { demands, needs: needsOf(this.sizes, this.users, demands) };
    return this.#known.needs;
  }
  /** What the rates of this epoch, and what they were made of, say of chains. */
  #loads(instances: readonly number[]): Needs {
    const isHeld = this.#asked.some((a, i) => a > (this.#rates[i] ?? 0));
    return isHeld
      ? loadsOf(this.sizes, this.users, this.#asked, this.#rates, instances)
      : this.#needs(this.#asked).map((n, c) => Math.min(n, instances[c] ?? 0));
  }
  /** For as long as fair shares take, those of the epoch before hold. */
  #allowed(): readonly number[] {
    if (this.#rates === this.#before) return this.#rates;
    const late = this.sizes.drfTime / this.sizes.epoch;
    return this.#rates.map((r, i) => (this.#before[i] ?? 0) * late + r * (1 - late));
  }
  /** Credits hold back what tasks cannot do, from all who use them alike; who lacks a task waits. */
  #clipped(rates: readonly number[], demands: readonly number[]): number[] {
    const { users, sizes } = this,
      doing = this.#tasks.map(({ task, chain }) => (sizes.taskBytes[task] ?? 0) * this.#placement.instances(chain));
    const can = rates.map((r, i) => {
      const waits = this.#tasks.some(({ task }, t) => doing[t] === 0 && partOf(users[i] as EpochUser, task) > 0);
      return waits ? 0 : Math.min(r, demands[i] ?? 0);
    });
    const hold = (load: number, capacity: number, uses: (u: EpochUser) => boolean): void => {
      if (load > capacity)
        for (const [i, u] of users.entries()) if (uses(u)) can[i] = ((can[i] ?? 0) * capacity) / load;
    };
    for (const [t, { task }] of this.#tasks.entries())
      hold(taskLoad(users, can, task), doing[t] ?? 0, u => partOf(u, task) > 0);
    hold(
      can.reduce((a, b) => a + b, 0),
      sizes.laneBytes,
      () => true,
    );
    // Who is not held may go on into a larger load of its own.
    return can.map((c, i) => (c === demands[i] ? (rates[i] ?? 0) : c));
  }
  /** Fair shares of what is asked for, and of the instances that there are. */
  #fair(demands: readonly number[]): readonly number[] {
    const promised = this.sizes.chains.map((_, c) => this.#placement.promised(c));
    return this.#shares.rates(demands, promised);
  }
}
