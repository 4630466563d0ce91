/** Which simulator runs a design: `MNEMO_BACKEND`, else the built-in one. */
import { SimulationError } from "../errors.ts";
import type { Backend } from "./backend.ts";
import { builtinBackend, whyNotBuiltin } from "./builtin/builtin.ts";
import { whyNoVerilator } from "./verilator/tools.ts";
import { verilatorBackend } from "./verilator/verilator.ts";

const NAMES = ["builtin", "verilator"] as const;
type Name = (typeof NAMES)[number];
const DEFAULT: Name = "builtin";

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

/** The simulator that was chosen. What the built-in one cannot run goes to Verilator; one sentence says why. */
export const chosenBackend: Backend = {
  name: "chosen",
  load(design, options) {
    if ((backendFromEnvironment() ?? DEFAULT) === "verilator") return verilatorBackend.load(design, options);
    const why = whyNotBuiltin(design, options.trace);
    if (why === undefined) return builtinBackend.load(design, options);
    const missing = whyNoVerilator();
    if (!options.trace || missing !== undefined)
      tell(
        `Verilator runs ${design.top}, not the built-in simulator: ${why}${missing === undefined ? "" : `; ${missing}`}.`,
      );
    return verilatorBackend.load(design, options);
  },
};
