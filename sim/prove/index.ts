/** Formal proofs: a portfolio of engines behind one call. */
export type { Counterexample } from "./counterexample.ts";
export type { Covered } from "./covers.ts";
export type { Budget, Engine, Finding } from "./engine.ts";
export { boundedEngines, engines } from "./portfolio.ts";
export { planted, unbroken, withFault } from "./planted.ts";
export type { Property } from "./properties.ts";
export { holds, noCounterexample, prove, type Proved, type ProveOptions } from "./prove.ts";
export { replay, type ReplayOptions } from "./replay.ts";
