import { drfFixed, type DrfProblem } from "../../drf/index.ts";
import { DemandModel } from "./demands.ts";
import type { FairEvents, FairSaid, FairSizes } from "./events.ts";
import { UseModel } from "./uses.ts";

const parts = 64,
  useEnd = 40;

/** What an epoch comes to. */
export interface FairRun {
  readonly problem: DrfProblem;
  readonly rates: readonly number[];
  readonly taken: readonly number[];
}
/** The monitors and the loop, cycle by cycle: what happens in a cycle, and what software has said by then. */
export class FairModel {
  readonly uses: UseModel;
  readonly #demands: DemandModel;
  readonly #p: FairSizes;
  #part = 0;
  /** Cells are sampled a cycle longer. */
  #usesEnded = false;

  constructor(p: FairSizes) {
    this.#p = p;
    this.uses = new UseModel(p);
    this.#demands = new DemandModel(p);
  }
  reset(): void {
    this.#part = 0;
    this.#usesEnded = false;
    this.uses.reset();
    this.#demands.reset();
  }
  /** A run, in the cycle in which an epoch ends. */
  step(e: FairEvents, said: FairSaid): FairRun | undefined {
    this.uses.sampleCells();
    if (this.#usesEnded) this.uses.end();
    this.#usesEnded = false;
    this.uses.count(e, said);
    this.#demands.count(e);
    if (!e.part) return undefined;
    const next = (this.#part + 1) % parts;
    this.#part = next;
    this.#usesEnded = next === useEnd;
    return next === 0 ? this.#run(said) : undefined;
  }
  #run(said: FairSaid): FairRun {
    const demands = this.#demands.end(said),
      { resources, floor } = this.#p;
    const problem: DrfProblem = {
      floor,
      capacities: Array.from({ length: resources }, (_, j) => said.capacities[j] ?? 0),
      users: demands.map(({ asked }, u) => ({
        weight: said.weights[u] ?? 0,
        demand: asked,
        vector: this.uses.vectorOf(u),
      })),
    };
    return { problem, rates: drfFixed(problem).rates, taken: demands.map(d => d.taken) };
  }
}
