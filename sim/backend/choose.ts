/** Which simulator runs a design: `MNEMO_BACKEND`, else the built-in one. */
import type { EmittedDesign } from "../../hdl-dsl/index.ts";
import { SimulationError } from "../errors.ts";
import type { Backend, WaveFormat } from "./backend.ts";
import { builtinBackend, whyNotBuiltin } from "./builtin/builtin.ts";
import { whyNoVerilator } from "./verilator/tools.ts";
import { verilatorBackend } from "./verilator/verilator.ts";

const NAMES = ["builtin", "verilator"] as const;
type Name = (typeof NAMES)[number];
const DEFAULT: Name = "builtin";
const WAVE_FORMATS = ["vcd", "fst"] as const;

/** The name in the environment. @throws SimulationError for any other than those that there are. */
export function backendFromEnvironment(): Name | undefined {
  const text = process.env["MNEMO_BACKEND"];
  if (text === undefined || text === "") return undefined;
  const name = NAMES.find(n => n === text);
  if (name === undefined)
    throw new SimulationError(`MNEMO_BACKEND is "${text}"; unset it or give ${NAMES.join(" or ")}`);
  return name;
}

const told = new Set<string>();

/** Says a sentence once in a process. */
function tell(sentence: string): void {
  if (told.has(sentence)) return;
  told.add(sentence);
  process.stderr.write(`${sentence}\n`);
}

/** The simulator that was chosen. What it cannot run goes to the other one; one sentence says why. */
export const chosenBackend: Backend = {
  name: "chosen",
  waveFormats: design => chosenFor(design).waveFormats(design),
  load: (design, options) => {
    const isBuiltin = isEditedHere(design, options.brief) || readsInside(design, options.signals);
    return (isBuiltin ? builtinBackend : chosenFor(design)).load(design, options);
  },
};

/** Whether a bench reads signals inside: Verilator was chosen, and shows none. */
function readsInside(design: EmittedDesign, signals = false): boolean {
  if (!signals || backendFromEnvironment() !== "verilator" || whyNotBuiltin(design) !== undefined) return false;
  tell(`The built-in simulator runs ${design.top}, not Verilator: the bench reads signals inside.`);
  return true;
}

/**
 * Whether the built-in simulator takes a design although Verilator is chosen: with `MNEMO_BRIEF=builtin` it takes those
 * that run briefly, as texts with a planted fault do. Compiling one costs more than all its cycles.
 */
const isEditedHere = (design: EmittedDesign, brief = false): boolean =>
  brief && process.env["MNEMO_BRIEF"] === "builtin" && whyNotBuiltin(design) === undefined;

function chosenFor(design: EmittedDesign): Backend {
  if ((backendFromEnvironment() ?? DEFAULT) === "verilator") return verilatorBackend;
  const why = whyNotBuiltin(design);
  if (why === undefined) return builtinBackend;
  const missing = whyNoVerilator();
  tell(
    `Verilator runs ${design.top}, not the built-in simulator: ${why}${missing === undefined ? "" : `; ${missing}`}.`,
  );
  return verilatorBackend;
}

/** The kind of a wave by its name. @throws SimulationError when it is none that there is. */
export function waveFormatOf(path: string): WaveFormat {
  const format = WAVE_FORMATS.find(f => path.toLowerCase().endsWith(`.${f}`));
  if (format !== undefined) return format;
  throw new SimulationError(`the wave's name is "${path}"; it must end in .vcd (text) or .fst (small, by Verilator)`);
}

/** The simulator for a wave: the chosen one where it writes that kind. */
export function backendForWave(format: WaveFormat, design: EmittedDesign, given: Backend | undefined): Backend {
  const chosen = given ?? chosenFor(design);
  if (chosen.waveFormats(design).includes(format)) return chosen;
  if (given === undefined) return verilatorBackend;
  throw new SimulationError(
    `the wave's name ends in .${format}, but the simulator that the option backend names writes ${given.waveFormats(design).join(" and ")}; change one of the two`,
  );
}
