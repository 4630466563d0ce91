/** From a definition to Verilog. */
import { requireDefinition } from "./build/definition.ts";
import { type Def, elaborate, type ElaborateOptions, warningsOf } from "./build/module.ts";
import type { Diagnostic } from "./ir/diagnostic.ts";
import type { EmittedDesign } from "./types/emitted.ts";
import { circuitOf, emitCircuit } from "./verilog/emit.ts";

/** A design, and what was found in it that is legal and hardly meant. */
export interface Emitted extends EmittedDesign {
  readonly warnings: readonly Diagnostic[];
}

/**
 * The Verilog-2005 of a definition and of all that it instantiates: one file per module, the same bytes from
 * run to run.
 * @throws HdlError with every error of the run; `strict`: with every warning, too
 */
export function emit(def: Def, o: ElaborateOptions = {}): Emitted {
  requireDefinition(def, "emit");
  return { ...emitCircuit(elaborate(def, o)), warnings: warningsOf(def) };
}

/** An instance of a design, as a design of its own. */
export interface EmittedInstance {
  /** Name of the instance. */
  readonly instance: string;
  readonly design: EmittedDesign;
}

/** The instances right below a design's top, each as a design of its own; black boxes and texts have none. */
export function emittedInstances(design: EmittedDesign): readonly EmittedInstance[] {
  return (circuitOf(design)?.instances ?? [])
    .filter(i => i.circuit.blackBox === undefined)
    .map(i => ({ instance: i.name, design: { ...emitCircuit(i.circuit), warnings: [] } }));
}
