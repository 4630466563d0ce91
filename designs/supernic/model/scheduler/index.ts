/** The scheduler as an executable model, a cycle at a time, with what watches it and what measures it. */
export { byCredits, chaining, chainRate, parallel, shares } from "./measure.ts";
export { figures } from "./page.ts";
export { randomSetup } from "./random.ts";
export { SchedulerModel, type Events } from "./scheduler.ts";
export { type Fault, faults, type Setup, starving, timing, type Timing } from "./setup.ts";
export { type Outcome, type Traffic, watch, waitingBound } from "./watch.ts";
