/** From a definition to Verilog. */
import { type Def, elaborate } from "./build/module.ts";
import type { EmittedDesign } from "./types/emitted.ts";
import { emitCircuit } from "./verilog/emit.ts";

/**
 * The Verilog-2005 of a definition and of all that it instantiates: one file per module, the same bytes from
 * run to run.
 * @throws HdlError with every error of the run.
 */
export function emit(def: Def): EmittedDesign {
  return emitCircuit(elaborate(def));
}
