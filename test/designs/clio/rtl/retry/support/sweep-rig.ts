import type { RetrySweep, RetrySweepParameters } from "../../../../../../designs/clio/rtl/retry/retry-sweep.ts";
import type { Bench } from "../../../../../../sim/index.ts";

export type SweepPorts = ReturnType<typeof RetrySweep>["ports"];

/** A set of a client. */
interface Place {
  readonly row: number;
  readonly client: number;
}
/** What the sweep says in a cycle. */
interface Step extends Place {
  readonly valid: boolean;
  readonly urgent: boolean;
  readonly purge: boolean;
}

/** In a purge one cycle of 16 is the sweep's; else as few as see all sets in a sixteenth of the numbers. */
const purgeEvery = 16;
const ageEvery = ({ sets, clients, operationBits }: RetrySweepParameters): number =>
  Math.max(purgeEvery, 2 ** operationBits / 16 / sets / clients);

/** The reference of `RetrySweep`, to the cycle. */
export class SweepModel {
  readonly p: RetrySweepParameters;
  /** Cycles since the reset. */
  cycle = 0;
  /** Steps of ageing so far. */
  aged = 0;
  purge: Place | undefined;

  constructor(p: RetrySweepParameters) {
    this.p = p;
  }
  get every(): number {
    return ageEvery(this.p);
  }
  get step(): Step {
    const { sets, clients } = this.p,
      turn = this.cycle % purgeEvery === purgeEvery - 1;
    const ageing = { row: this.aged % sets, client: Math.floor(this.aged / sets) % clients };
    return this.purge === undefined
      ? { valid: turn, urgent: this.cycle % this.every === this.every - 1, purge: false, ...ageing }
      : { valid: true, urgent: turn, purge: true, ...this.purge };
  }
  /** The last set of a purge is looked at. */
  ends(take: boolean): boolean {
    return take && this.purge?.row === this.p.sets - 1;
  }
  /** A cycle passes. @param begins the client whose purge begins */
  pass(take: boolean, begins?: number): void {
    if (take && this.purge === undefined) this.aged++;
    else if (this.ends(take)) this.purge = undefined;
    else if (take && this.purge !== undefined) this.purge = { ...this.purge, row: this.purge.row + 1 };
    if (begins !== undefined) this.purge = { row: 0, client: begins };
    this.cycle++;
  }
}

/** Drives a sweep and holds all that it says against the model, in every cycle. */
export class SweepRig {
  readonly #b: Bench<SweepPorts>;
  model: SweepModel;
  /** Steps taken, urgent ones among them. */
  readonly taken: Step[] = [];

  constructor(b: Bench<SweepPorts>, p: RetrySweepParameters) {
    this.#b = b;
    this.model = new SweepModel(p);
  }
  /**
   * One cycle. @param takes whether a step is taken: never one that is not offered
   * @param purges the client that is to be purged, when nobody is being
   */
  async cycle(takes: (step: Step) => boolean, purges?: number): Promise<void> {
    const { io, sim } = this.#b,
      { step } = this.model,
      take = step.valid && takes(step),
      begins = step.purge ? undefined : purges;
    io.take.value = +take;
    io.purge.valid.value = +(begins !== undefined);
    // What is not valid does not count.
    io.purge.index.value = begins ?? this.#b.random.between(0, this.model.p.clients - 1);
    sim.settle();
    this.#check(step, take);
    if (take) this.taken.push(step);
    await this.#b.risingEdge();
    this.model.pass(take, begins);
  }
  #check(step: Step, take: boolean): void {
    const { io } = this.#b,
      shown = {
        valid: io.step.valid.value === 1,
        urgent: io.step.urgent.value === 1,
        purge: io.step.purge.value === 1,
        row: io.step.row.num,
        client: io.step.client.num,
      };
    for (const name of ["valid", "urgent", "purge", "row", "client"] as const)
      if (shown[name] !== step[name])
        throw new Error(`cycle ${this.model.cycle}: ${name} is ${shown[name]}, and should be ${step[name]}`);
    if (io.purged.value !== +this.model.ends(take)) throw new Error(`cycle ${this.model.cycle}: purged or not`);
  }
  reset(): void {
    const { io, sim } = this.#b;
    io.take.value = 0;
    io.purge.valid.value = 0;
    sim.reset(2);
    this.model = new SweepModel(this.model.p);
  }
}
