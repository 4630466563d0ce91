/** Faults planted systematically into circuits: what they are, and how a simulation runs with one. */
export { type Mutant, mutantsOf, operators, withMutant } from "./mutants.ts";
export { FaultIn, Looped, OutOfTime, Seeing, verdictOf, type Verdict } from "./plants.ts";
export { plant } from "../backend/builtin/plant.ts";
