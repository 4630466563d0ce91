/** The scheduler as an executable model, a cycle at a time, with what watches it and what measures it. */
export {
  alone,
  byCredits,
  chain,
  chaining,
  chainRate,
  contended,
  parallel,
  pushed,
  pushing,
  rateOf,
  shares,
  sharesOf,
  traffic,
} from "./measure.ts";
export { figures } from "./page.ts";
export { randomSetup } from "./random.ts";
export { type Entry, type Inside, Region } from "./region.ts";
export { SchedulerModel, type Events } from "./scheduler.ts";
export {
  type Fault,
  faults,
  must,
  type Packet,
  type Setup,
  starving,
  type Task,
  timing,
  type Timing,
} from "./setup.ts";
export { type Outcome, type Traffic, watch, waitingBound } from "./watch.ts";
