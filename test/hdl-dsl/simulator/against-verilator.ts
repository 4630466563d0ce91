/** Both simulators over the same inputs, output by output. */
import type { EmittedDesign } from "../../../hdl-dsl/index.ts";
import type { Random } from "../../../hdl-dsl/random.ts";
import { compileBuiltin, type Model, verilatorBackend } from "../../../sim/index.ts";

/**
 * Models of the built-in simulator, each with its own seed. A bit on which they differ depends on what the design
 * leaves open, and is not compared. So many take an open bit for a defined one once in 2^(models - 1).
 */
const SEEDS = 32;

export interface Difference {
  readonly step: number;
  readonly port: string;
  readonly builtin: number;
  readonly verilator: number;
  /** Bits that differ and are defined. */
  readonly bits: number;
}

/** The lanes of inputs and outputs. */
const lanesOf = (m: Model, dir: "in" | "out"): { readonly word: number; readonly name: string }[] =>
  [...m.slots.values()]
    .filter(s => s.port.dir === dir)
    .flatMap(s => Array.from({ length: s.words }, (_, i) => ({ word: s.word + i, name: s.port.name })));

/**
 * Steps both with the inputs that `drive` writes. @returns the first differences, and how many lanes were compared
 * whole. `gated` as in the options of the generator.
 */
export async function compareSimulators(
  design: EmittedDesign,
  o: {
    readonly steps: number;
    readonly clocks?: Readonly<Record<string, { readonly periodPs: number; readonly phasePs: number }>>;
    readonly gated?: boolean;
    readonly seeds?: number;
    /** Whether Verilator builds quickly rather than to run quickly; default yes. */
    readonly brief?: boolean;
    /** Step from which outputs are compared: before it registers are not reset. */
    readonly from?: number;
    /** Settles without an edge before every so many steps. */
    readonly settles?: Random;
  },
  drive: (words: Uint32Array, step: number, model: Model) => void,
): Promise<{ readonly differences: Difference[]; readonly compared: number }> {
  const clocks = o.clocks ?? {};
  const program = compileBuiltin(design, { gated: o.gated });
  const verilator = (await verilatorBackend.load(design, { trace: false, brief: o.brief ?? true })).create({
    seed: 5,
    clocks,
  });
  const models: Model[] = Array.from({ length: o.seeds ?? SEEDS }, (_, i) => program.create({ seed: 100 + i, clocks }));
  const first = models[0] as Model,
    inputs = lanesOf(verilator, "in"),
    outputs = lanesOf(verilator, "out");
  const differences: Difference[] = [];
  let compared = 0;
  const compare = (step: number): void => {
    if (step < (o.from ?? 0)) return;
    for (const { word, name } of outputs) {
      const want = verilator.words[word] ?? 0,
        got = first.words[word] ?? 0;
      let open = 0;
      for (const m of models) open |= (m.words[word] ?? 0) ^ got;
      if (open === 0) compared++;
      const bits = (want ^ got) & ~open;
      if (bits !== 0) differences.push({ step, port: name, builtin: got, verilator: want, bits });
    }
  };
  for (let step = 0; step < o.steps && differences.length < 10; step++) {
    drive(verilator.words, step, verilator);
    for (const m of models) for (const { word } of inputs) m.words[word] = verilator.words[word] ?? 0;
    if (o.settles?.chance(0.3) === true) {
      for (const m of [verilator, ...models]) m.settle();
      compare(step);
    }
    for (const m of [verilator, ...models]) m.step(1);
    compare(step);
    if (
      first.rose() !== verilator.rose() ||
      first.edges() !== verilator.edges() ||
      first.timePs() !== verilator.timePs()
    )
      differences.push({
        step,
        port: "time or clocks",
        builtin: first.timePs(),
        verilator: verilator.timePs(),
        bits: 0,
      });
  }
  for (const m of [verilator, ...models]) m.free();
  return { differences, compared };
}
