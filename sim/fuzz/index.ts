/**
 * Coverage-guided fuzzing of a simulated design: the coverage of its control registers, and the inputs that reached it.
 */
export { observeControl, type ObserveOptions, type ObservedDesign, type ObservedInstance } from "./observe-control.ts";
export { ControlCoverage } from "./control-coverage.ts";
export { Corpus } from "./corpus.ts";
