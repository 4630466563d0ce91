/** Which simulator runs a design: `MNEMO_BACKEND`, else the default. */
import { SimulationError } from "../errors.ts";
import type { Backend } from "./backend.ts";
import { builtinBackend, whyNotBuiltin } from "./builtin/builtin.ts";
import { verilatorBackend } from "./verilator/verilator.ts";

const NAMES = ["builtin", "verilator"] as const;
type Name = (typeof NAMES)[number];
const DEFAULT: Name = "verilator";

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

/** The simulator that was chosen. What the built-in one cannot run goes to Verilator, and one sentence says why. */
export const chosenBackend: Backend = {
  name: "chosen",
  load(design, options) {
    const asked = backendFromEnvironment();
    if ((asked ?? DEFAULT) === "verilator") return verilatorBackend.load(design, options);
    const why = whyNotBuiltin(design, options.trace);
    if (why === undefined) return builtinBackend.load(design, options);
    if (asked !== undefined && !told.has(why)) {
      told.add(why);
      process.stderr.write(`Verilator runs ${design.top}, not the built-in simulator: ${why}.\n`);
    }
    return verilatorBackend.load(design, options);
  },
};
