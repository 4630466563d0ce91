import type { Ports } from "../../hdl-dsl/index.ts";
import { SimulationError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";
import type { ObservedDesign, ObservedInstance } from "./observe-control.ts";

/** States kept of one instance at most; one with more says nothing any more, and costs nothing. */
const mostStates = 1 << 16;

interface Seen {
  readonly instance: ObservedInstance;
  readonly words: number;
  readonly before: Uint32Array;
  readonly states: Set<string | number>;
}

/**
 * Coverage of a simulated design's control (the control-register coverage of fuzzers for processors, per instance): the
 * states that an instance's control registers have had together. The same on every run of a seed; an instance whose
 * registers did not change costs a comparison a cycle. States are kept over several simulations of the design.
 */
export class ControlCoverage {
  readonly #seen: readonly Seen[];

  constructor({ observed }: Pick<ObservedDesign, "observed">) {
    this.#seen = observed.map(instance => {
      const words = Math.ceil(instance.bits.length / 32);
      return { instance, words, before: new Uint32Array(words), states: new Set() };
    });
  }

  /** States seen so far, of all instances. */
  get states(): number {
    let n = 0;
    for (const s of this.#seen) n += s.states.size;
    return n;
  }

  /** Watches a simulation of the observed design, from now on. */
  attach<P extends Ports>(sim: Simulation<P>): void {
    const { model } = sim;
    const places = this.#seen.map(seen => {
      const slot = model.slots.get(seen.instance.port);
      if (slot === undefined)
        throw new SimulationError(`the design has no output ${seen.instance.port}; simulate what observeControl gave`);
      // Coverage of another simulation says nothing about this one's registers.
      seen.before.fill(0);
      return { seen, at: slot.word };
    });
    sim.onEdge({
      sample: () => {
        const block = model.words;
        for (let k = 0; k < places.length; k++) {
          const { seen, at } = places[k] as { seen: Seen; at: number };
          let changed = false;
          for (let w = 0; w < seen.words; w++)
            if (block[at + w] !== seen.before[w]) {
              seen.before[w] = block[at + w] as number;
              changed = true;
            }
          if (changed && seen.states.size < mostStates)
            seen.states.add(seen.words === 1 ? (seen.before[0] as number) : seen.before.join(" "));
        }
      },
    });
  }

  /** All states by name, `path: words`: for comparisons. */
  names(): Set<string> {
    return new Set(this.#seen.flatMap(s => [...s.states].map(state => `${s.instance.path}: ${state}`)));
  }
}
