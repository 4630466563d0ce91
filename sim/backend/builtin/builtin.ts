/** The simulator of the language: circuits compiled to WebAssembly in this process. */
import { circuitOf, type EmittedDesign } from "../../../hdl-dsl/index.ts";
import { BuildError } from "../../errors.ts";
import type { Backend, ModelOptions, PortSlot, Program } from "../backend.ts";
import { type BlockLayout, layoutOf } from "../layout.ts";
import { coverageFolder, ProgramCoverage } from "../coverage/record.ts";
import type { MemoryMap } from "./memory-map.ts";
import { textFile } from "../../wave/text-file.ts";
import { flatten } from "./circuit/flatten.ts";
import { emittedNames, writtenNames } from "./circuit/traced.ts";
import { generate, type Generated, type GenerateOptions } from "./generate.ts";
import { BuiltinModel, Failed, type Running } from "./model.ts";
import { readDesign } from "../reader/read-design.ts";
import { Unsupported } from "../unsupported.ts";
import type { Netlist } from "./circuit/netlist.ts";
import { type Plant, planted } from "./plant.ts";
import { evaluatedOf } from "./profile.ts";
import { start } from "./start.ts";
import { StateMap } from "./state.ts";
import { namedSlots, withTraced } from "./wave/places.ts";
import { Recorder, WaveMap } from "./wave/recorder.ts";
import { compileModule, instantiate, newMemory } from "./web-assembly.ts";

/** Memories of freed models that wait for the next one: a bench may make thousands. */
const KEPT = 4;

export interface CompileOptions extends GenerateOptions {
  /** It can write waves. */
  readonly trace?: boolean;
  /** Signals inside can be read. */
  readonly signals?: boolean;
}

class BuiltinProgram implements Program {
  readonly built = true;
  readonly #design: EmittedDesign;
  readonly #net: Netlist;
  readonly #layout: BlockLayout;
  readonly #generated: Generated;
  readonly #module: object;
  readonly #free: Running[] = [];
  readonly #wave: WaveMap | undefined;
  readonly #coverage: ProgramCoverage | undefined;
  readonly #inner: { readonly slots: ReadonlyMap<string, PortSlot>; readonly words: number } | undefined;
  #state: StateMap | undefined;
  /** The fault in it. */
  readonly #plant = planted();

  constructor(design: EmittedDesign, net: Netlist, layout: BlockLayout, options: CompileOptions) {
    this.#design = design;
    this.#net = net;
    this.#layout = layout;
    const traced = net.traced === undefined ? undefined : withTraced(net, layout, options.signals === true);
    this.#generated = generate(traced?.net ?? net, traced?.layout ?? layout, options);
    this.#wave = traced === undefined ? undefined : new WaveMap(traced, this.#generated.map, layout.clocks.length);
    if (traced !== undefined && options.signals === true)
      this.#inner = { slots: namedSlots(traced), words: traced.layout.words };
    this.#module = compileModule(this.#generated.bytes);
    this.#coverage = coverageOf(net, this.#generated.map);
  }

  create(options: ModelOptions): BuiltinModel {
    const model = this.#model(options);
    this.#plant?.watch(model);
    return model;
  }
  #model(options: ModelOptions): BuiltinModel {
    const { map: places, checks } = this.#generated;
    const running = this.#free.pop() ?? this.#instance();
    const { wave } = options,
      map = this.#wave;
    return new BuiltinModel(running, this.#layout, options, {
      recorder:
        wave === undefined || map === undefined
          ? undefined
          : clocks =>
              new Recorder(map, new Uint32Array(running.memory.buffer), {
                clocks,
                from: wave.fromCycle,
                open: () => textFile(wave.path),
              }),
      inner: this.#inner,
      profile:
        this.#generated.counted.length === 0
          ? undefined
          : () => evaluatedOf(this.#net, this.#generated.counted, running.memory.buffer),
      leave: () => this.#coverage?.take(new Uint32Array(running.memory.buffer)),
      start: seed => start(this.#net, this.#generated, running.memory.buffer, seed >>> 0 || 1),
      state: () => (this.#state ??= new StateMap(this.#net, places, this.#layout)),
      done: places.done / 4,
      textOf: n => this.#failure(checks[n]),
      release: () => {
        this.#coverage?.take(new Uint32Array(running.memory.buffer));
        if (this.#free.length < KEPT) this.#free.push(running);
      },
    });
  }
  #instance(): Running {
    const memory = newMemory(this.#generated.map.pages);
    const code = instantiate(this.#module, memory, check => {
      throw new Failed(check);
    });
    return { memory, code };
  }

  /** As Verilator prints it: the sentence, then the line of `$stop` in the emitted text. */
  #failure(check: Generated["checks"][number] | undefined): string {
    if (check === undefined) return "";
    const lines = this.#design.files.find(f => f.name === check.file)?.text.split("\n") ?? [];
    const at = lines.findIndex(l => l.includes(JSON.stringify(check.text).slice(1, -1)) && l.includes("$display"));
    return `${check.text}\n$stop at ${check.file}:${at + 2}\n`;
  }
}

/** Where the registers that remember what was reached lie, and the file that takes it. */
function coverageOf(net: Netlist, map: MemoryMap): ProgramCoverage | undefined {
  const folder = coverageFolder(),
    { covered } = net;
  if (covered === undefined || folder === undefined) return undefined;
  const places = new Map(covered.registers.map((r, place) => [r.source, place]));
  return new ProgramCoverage(
    folder,
    covered.points.map(({ point, source, lo }) => ({ point, place: places.get(source) ?? 0, lo })),
    covered.registers.map(({ source }) => ({
      lane: (map.sources.get(source) as number) / 4,
      lanes: Math.ceil(source.width / 32),
    })),
  );
}

/** Makes a design ready to run here. @throws Unsupported with one sentence when it cannot. */
export function compileBuiltin(design: EmittedDesign, options: CompileOptions = {}): Program {
  const trace = options.trace === true || options.signals === true;
  return new BuiltinProgram(design, netlistOf(design, trace), layoutOf(design), options);
}

/** From the circuit where there is one, else from the text: planted faults, hand-written modules, stand-ins. */
function netlistOf(design: EmittedDesign, trace: boolean): Netlist {
  const circuit = circuitOf(design);
  if (circuit === undefined) return netlistOfText(design, trace);
  try {
    const coverage = coverageFolder() !== undefined;
    const make = (): Netlist => flatten(circuit, { trace: trace ? emittedNames(design.names) : undefined, coverage });
    return planted()?.flatten(circuit, make) ?? make();
  } catch (e) {
    if (!(e instanceof Unsupported) || design.boxes === undefined) throw e;
    // Stand-ins of black boxes are text: with them the whole is read.
    try {
      return netlistOfText(design, trace);
    } catch {
      throw e;
    }
  }
}

/** Text may list its ports in any order; here they stand as the design has them. */
function netlistOfText(design: EmittedDesign, trace: boolean): Netlist {
  const net = flatten(readDesign(design), { trace: trace ? writtenNames : undefined });
  const inOrder = <T extends { readonly port: string }>(all: readonly T[], dir: "in" | "out"): T[] =>
    design.ports
      .filter(p => p.dir === dir && p.role !== "clock")
      .map(p => {
        const found = all.find(x => x.port === p.name);
        if (found === undefined) throw new Unsupported(`${design.top} has no port ${p.name} in its text`);
        return found;
      });
  return { ...net, inputs: inOrder(net.inputs, "in"), outputs: inOrder(net.outputs, "out") };
}

/** By the fault that is planted in them; those without one under `none`. */
const programs = new WeakMap<object, WeakMap<EmittedDesign, Map<string, Program>>>();
const none = {};

function programsWith(plant: Plant | undefined): WeakMap<EmittedDesign, Map<string, Program>> {
  const key = plant ?? none;
  let known = programs.get(key);
  if (known === undefined) programs.set(key, (known = new WeakMap()));
  return known;
}

/** Why a design cannot run here: one sentence; undefined when it can. */
export function whyNotBuiltin(design: EmittedDesign): string | undefined {
  try {
    program(design, {});
    return undefined;
  } catch (e) {
    if (e instanceof Unsupported) return e.message;
    throw e;
  }
}

function program(design: EmittedDesign, options: CompileOptions): Program {
  const known = programsWith(planted()).get(design) ?? new Map<string, Program>();
  programsWith(planted()).set(design, known);
  const kind = [options.trace, options.signals, options.profile].map(o => (o === true ? 1 : 0)).join("");
  let p = known.get(kind);
  if (p === undefined) known.set(kind, (p = compileBuiltin(design, options)));
  return p;
}

/** The built-in simulator alone: what it cannot run is an error. `chosenBackend` falls back instead. */
export const builtinBackend: Backend = {
  name: "builtin",
  waveFormats: () => ["vcd"],
  load(design, { trace, signals = false, profile = false }) {
    return new Promise(resolve => {
      const why = whyNotBuiltin(design);
      if (why !== undefined) throw new BuildError(`the built-in simulator cannot run this: ${why}`);
      resolve(program(design, { trace: trace !== false, signals, profile }));
    });
  },
};
