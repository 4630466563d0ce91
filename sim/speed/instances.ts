/** The inputs of each instance of a design, recorded while the whole runs. */
import type { Backend, Model } from "../backend/backend.ts";
import { builtinBackend } from "../backend/builtin/builtin.ts";
import { type EmittedDesign, emittedInstances } from "../../hdl-dsl/index.ts";
import type { Agent, Simulation } from "../simulation.ts";
import type { Inputs } from "./simulators.ts";

export interface RecordedInstance {
  /** Of the instance, and of its module. */
  readonly name: string;
  readonly module: string;
  readonly design: EmittedDesign;
  readonly inputs: Inputs;
}

interface Lane {
  readonly from: number;
  readonly to: number;
}

class InstanceRecording {
  readonly rows: Uint32Array;
  readonly width: number;
  readonly first: number;
  readonly #lanes: readonly Lane[];

  constructor(model: Model, outer: Model, path: string, cycles: number) {
    const inputs = [...model.slots].filter(([, s]) => s.port.dir === "in");
    this.first = Math.min(...inputs.map(([, s]) => s.word));
    this.width = inputs.reduce((n, [, s]) => n + s.words, 0);
    this.rows = new Uint32Array(this.width * cycles);
    this.#lanes = inputs.flatMap(([name, s]) => {
      const place = outer.inner?.get(`${path}.${name}`) ?? outer.slots.get(name);
      return place === undefined
        ? []
        : Array.from({ length: s.words }, (_, i) => ({ from: place.word + i, to: s.word - this.first + i }));
    });
  }
  take(words: Uint32Array, cycle: number): void {
    const row = cycle * this.width;
    for (const { from, to } of this.#lanes) this.rows[row + to] = words[from] as number;
  }
}

interface RecordedPart {
  readonly name: string;
  readonly module: string;
  readonly design: EmittedDesign;
  readonly r: InstanceRecording;
}

/** Records up to `most` cycles of the inputs of the instances right below the top, in a simulation with `signals`. */
export class InstancesRecording implements Agent {
  readonly #sim: Simulation;
  readonly #most: number;
  readonly #all: readonly RecordedPart[];
  #cycles = 0;

  private constructor(sim: Simulation, most: number, all: readonly RecordedPart[]) {
    this.#sim = sim;
    this.#most = most;
    this.#all = all;
  }

  static async of(sim: Simulation, most: number, backend: Backend = builtinBackend): Promise<InstancesRecording> {
    const all = [];
    for (const part of emittedInstances(sim.design.emitted)) {
      const program = await backend.load(part.design, { trace: false }),
        model = program.create({ seed: 1, clocks: {} });
      const r = new InstanceRecording(model, sim.model, part.instance, most);
      model.free();
      all.push({ name: part.instance, module: part.design.top, design: part.design, r });
    }
    return new InstancesRecording(sim, most, all);
  }

  sample(): void {
    if (this.#cycles >= this.#most) return;
    for (const { r } of this.#all) r.take(this.#sim.model.words, this.#cycles);
    this.#cycles++;
  }
  get cycles(): number {
    return Math.min(this.#cycles, this.#most);
  }
  /** @param from cycles before it are not timed */
  recorded(from = 0): readonly RecordedInstance[] {
    const cycles = this.#cycles;
    return this.#all.map(({ name, module, design, r }) => ({
      name,
      module,
      design,
      inputs: { rows: r.rows.subarray(0, cycles * r.width), width: r.width, first: r.first, cycles, from },
    }));
  }
}
