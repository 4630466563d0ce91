/**
 * Coverage-guided fuzzing of a simulated design: what its control registers have shown, and the inputs that showed it.
 */
export { observeControl, type ObserveOptions, type ObservedDesign, type ObservedInstance } from "./observe-control.ts";
export { ControlCoverage } from "./control-coverage.ts";
export { Corpus } from "./corpus.ts";
