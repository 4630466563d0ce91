/** The device in simulation, and frames played through it. */
export { clearingCycles, configureDevice } from "./bring-up.ts";
export { type AllCounts, type Counts } from "./counters.ts";
export { leftAtRest } from "./at-rest.ts";
export { type CensusTotals, FrameCensus } from "./census.ts";
export {
  framesInside,
  type Inside,
  type Joint,
  joints,
  readInside,
  type Totals,
  totals,
  unaccounted,
  waitingLedger,
} from "./ledger.ts";
export { type ManagedOptions, type ManagedRegions, managedRegions, resourceNumbers } from "./managed.ts";
export { isOwn } from "./own-frames.ts";
export { planRegions } from "./region-plan.ts";
export { play, type Played, type PlayedOut, type PlayFrame, type PlayOptions, type PlayResult } from "./play.ts";
export {
  type BuildOptions,
  deviceDefinition,
  type LineOptions,
  SimulatedSuperNic,
  withDevice,
} from "./simulated-device.ts";
export { TaskMemory, type TaskMemoryOptions } from "./task-memory.ts";
