/** A random program of either kind. */
import type { Circuit } from "../../../hdl-dsl/ir/circuit.ts";
import { programOf } from "./program.ts";
import { type Model, vectorProgramOf } from "./vectors.ts";

export interface Generated {
  readonly circuit: Circuit;
  readonly model?: Model | undefined;
}

/**
 * Every sixteenth program is one of vectors, made by the builders; the others are made straight in
 * the intermediate representation.
 */
export function generate([kind = 0, ...choices]: readonly number[], name: string): Generated {
  return kind % 16 === 15 ? vectorProgramOf(choices, name) : { circuit: programOf(choices, name) };
}
