import {
  catalogue,
  type CatalogueEntry,
  emit,
  type EmittedDesign,
  libraryProofs,
  synthesisFiles,
} from "../../hdl-dsl/index.ts";
import { costKey, type Costs, type UnitCosts } from "./costs.ts";

/** An entry with all that is known of it. */
export interface CatalogueUnit {
  readonly entry: CatalogueEntry;
  readonly emitted: EmittedDesign;
  /** Undefined when this very text has not been measured. */
  readonly cost: UnitCosts | undefined;
  /** Proven properties, by the proofs' names. */
  readonly proofs: readonly string[];
}

const subject = (proof: string): string => (proof.split(",")[0] as string).toLowerCase();
/** The proofs of a unit: those that begin with its name. */
export function proofsOf(
  e: CatalogueEntry,
  names: readonly string[] = libraryProofs.map(p => p.module),
): readonly string[] {
  const wanted = (e.proofs ?? [e.name]).map(n => n.toLowerCase());
  return names.filter(
    n => wanted.includes(subject(n)) || wanted.some(w => subject(n).startsWith(`${w} `) && w.includes(" ")),
  );
}

/** The catalogue's units in order. */
export function catalogueUnits(costs: Costs): readonly CatalogueUnit[] {
  return catalogue.map(entry => {
    const emitted = emit(entry.def),
      cost = costs.units[emitted.top];
    return {
      entry,
      emitted,
      cost: cost?.content === costKey(synthesisFiles(emitted)) ? cost : undefined,
      proofs: proofsOf(entry),
    };
  });
}
