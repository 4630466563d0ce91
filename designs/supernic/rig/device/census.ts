/**
 * Where each frame is, in every cycle: frames in = frames out + dropped + inside. Events are those that the counters
 * count; what is inside is what the blocks hold: queues, contexts, the lane, the rings. Needs a bench with `signals`.
 */
import type { Simulation } from "../../../../sim/index.ts";
import { loopCounterNames } from "../../rtl/index.ts";
import { coreOf, inletOf, laneOf, outletOf, type Part, type Read } from "./census-places.ts";

/** Frames over all places in this cycle. */
export interface CensusTotals {
  readonly in: number;
  readonly out: number;
  readonly dropped: number;
  readonly inside: number;
}
const isQueued = loopCounterNames.map(n => n.startsWith("inQueued"));
const sum = (all: readonly number[]): number => all.reduce((n, x) => n + x, 0);

export class FrameCensus {
  readonly #inlets;
  readonly #outlets;
  readonly #core;
  readonly #lane;
  readonly #parts: readonly Part[];
  /** Cycles that were looked at, and the most frames that were inside in one. */
  cycles = 0;
  most = 0;

  /** @param ports those of the build, without the loop port */
  constructor(sim: Pick<Simulation, "signal">, ports: number) {
    const read: Read = path => {
      const signal = sim.signal(path);
      return () => signal.num;
    };
    const all = Array.from({ length: ports + 1 }, (_, i) => i);
    this.#inlets = all.map(i => inletOf(read, i === ports ? "rx_loop" : `rx_${i}`, isQueued));
    this.#outlets = all.slice(0, ports).map(i => outletOf(read, i));
    this.#core = coreOf(read, all, () => sum(this.#inlets.map(i => i.toCore)));
    this.#lane = laneOf(read, all, () => sum(this.#inlets.map(i => i.toLane)));
    this.#parts = [...this.#inlets, ...this.#outlets, this.#core, this.#lane];
  }
  get totals(): CensusTotals {
    const inlets = this.#inlets,
      [core, lane] = [this.#core, this.#lane];
    return {
      in: sum(inlets.slice(0, -1).map(i => i.came)) + lane.own + lane.copies,
      out: sum(this.#outlets.map(o => o.done)) + lane.toSoftware,
      dropped: sum(inlets.map(i => i.dropped)) + sum(this.#outlets.map(o => o.dropped)) + core.dropped + lane.dropped,
      inside: sum(this.#parts.flatMap(p => p.places().map(c => c.inside))),
    };
  }
  /** Looks at a cycle. @returns a sentence for each place whose frames do not sum up */
  sample(): readonly string[] {
    this.cycles++;
    for (const p of this.#parts) p.before();
    const problems = this.#parts
      .flatMap(p => p.places())
      .filter(c => c.came !== c.went + c.inside || c.inside < 0)
      .map(c => `${c.place}: ${c.came} frames came, ${c.went} have gone, and ${c.inside} are inside`);
    const { in: came, out, dropped, inside } = this.totals;
    this.most = Math.max(this.most, inside);
    if (came !== out + dropped + inside)
      problems.push(`frames in ${came}, out ${out}, dropped ${dropped}, inside ${inside}: they do not sum up`);
    problems.push(...[this.#core, ...this.#inlets, ...this.#outlets].flatMap(p => p.wrong()));
    for (const p of this.#parts) p.after();
    return problems;
  }
}
