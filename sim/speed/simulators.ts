/** The built-in simulator beside Verilator: the same inputs to both, by turns, in one process. */
import type { EmittedDesign } from "../../hdl-dsl/index.ts";
import type { Backend, Model, Program } from "../backend/backend.ts";
import { builtinBackend, compileBuiltin } from "../backend/builtin/builtin.ts";
import { verilatorBackend } from "../backend/verilator/verilator.ts";
import { SimulationError } from "../errors.ts";
import type { Recording } from "./recording.ts";

/** Inputs of a run, a row a cycle: lanes of the model's memory from `first` on. */
export interface Inputs extends Pick<Recording, "rows" | "width" | "first" | "cycles"> {
  /** Cycles before this one bring the design where it is to be, and are not timed. */
  readonly from?: number;
}

/** Simulated cycles per second of processor time, of both. */
export interface SimulatorSpeeds {
  readonly name: string;
  readonly cycles: number;
  readonly builtin: number;
  readonly verilator: number;
}

/** What this process took, on all its threads: what else runs on the machine counts for little. */
function processorSeconds(run: () => void): number {
  const begun = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

/** Rows that are alike come as one step of many edges, as a bench that waits gives them. */
function play(model: Model, inputs: Inputs): number {
  const { cycles, from = 0 } = inputs;
  playCycles(model, inputs, 0, from);
  return (cycles - from) / processorSeconds(() => playCycles(model, inputs, from, cycles));
}

function playCycles(model: Model, { rows, width, first }: Inputs, from: number, to: number): void {
  const { words } = model;
  for (let i = from; i < to;) {
    const row = i * width;
    for (let k = 0; k < width; k++) words[first + k] = rows[row + k] as number;
    let end = i + 1;
    while (end < to && same(rows, row, end * width, width)) end++;
    model.step(end - i);
    const stop = model.stopped();
    if (stop !== undefined)
      throw new SimulationError(`the recorded inputs stop the design at cycle ${i}: ${model.output()}`);
    i = end;
  }
}

function same(rows: Uint32Array, a: number, b: number, width: number): boolean {
  for (let k = 0; k < width; k++) if (rows[a + k] !== rows[b + k]) return false;
  return true;
}

const best = (speeds: readonly number[]): number => Math.max(...speeds);

/**
 * Runs a design's recorded inputs in both simulators, by turns; the best of `repeats` counts, for what else runs on the
 * machine only ever takes time. @throws SimulationError when the inputs stop the design, or Verilator is not there
 * @param o.seed of what the design leaves open; default 1
 * @param o.repeats runs of each, the fastest counts; default 5
 */
export async function compareSimulatorSpeed(
  name: string,
  design: EmittedDesign,
  inputs: Inputs,
  { seed = 1, repeats = 5 }: { readonly seed?: number; readonly repeats?: number } = {},
): Promise<SimulatorSpeeds> {
  const speeds = { builtin: [] as number[], verilator: [] as number[] };
  const load = (b: Backend): Promise<Program> => b.load(design, { trace: false });
  const [builtin, verilator] = [await load(builtinBackend), await load(verilatorBackend)];
  const turn = (program: Program): number => {
    const model = program.create({ seed, clocks: {} });
    try {
      return play(model, inputs);
    } finally {
      model.free();
    }
  };
  for (let i = 0; i < repeats; i++) {
    speeds.builtin.push(turn(builtin));
    speeds.verilator.push(turn(verilator));
  }
  return {
    name,
    cycles: inputs.cycles - (inputs.from ?? 0),
    builtin: best(speeds.builtin),
    verilator: best(speeds.verilator),
  };
}

/** Processor milliseconds from an emitted design to a model that can run, nothing of it kept: the best of `repeats`. */
export function builtinLoadMs(emit: () => EmittedDesign, repeats = 5): number {
  const times = Array.from({ length: repeats }, () => {
    const design = emit();
    return 1000 * processorSeconds(() => compileBuiltin(design).create({ seed: 1, clocks: {} }).free());
  });
  return Math.min(...times);
}
