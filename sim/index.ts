// A user's tsconfig need not name these: the declarations use Node's types, and `using`.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />
/** The simulation harness: builds a design, drives it cycle by cycle, and models what surrounds it. */
export * from "./core.ts";
export { verilatorBackend } from "./backend/verilator/verilator.ts";
export { packageAbove, projectFolder } from "./project.ts";
export { readCheckpoint, writeCheckpoint } from "./checkpoint/file.ts";
export { waveOf } from "./checkpoint/wave-of.ts";
export * from "./coverage/index.ts";
export { Recording } from "./speed/recording.ts";
export { type Cost, type Profile, profileTable } from "./speed/profile.ts";
export { compareSpeed, type Speeds } from "./speed/compare.ts";
export { InstancesRecording } from "./speed/instances.ts";
export { type Load, recordInputs } from "./speed/record-inputs.ts";
export { builtinLoadMs, compareSimulatorSpeed, type Inputs, type SimulatorSpeeds } from "./speed/simulators.ts";
export {
  type Budget,
  type Counterexample,
  type Covered,
  type Engine,
  engines,
  type Finding,
  boundedEngines,
  holds,
  noCounterexample,
  planted,
  type Property,
  prove,
  type Proved,
  type ProveOptions,
  replay,
  type ReplayOptions,
  unbroken,
  withFault,
} from "./prove/index.ts";
export * from "./mutate/index.ts";
export * from "./serve/index.ts";
export { cached, digest } from "./backend/verilator/cache.ts";
export { bytesOf, cacheEntries, type CacheEntry, cacheLimit, trimCache } from "./backend/verilator/cache-bound.ts";
export { cacheRoot } from "./backend/verilator/cache-root.ts";
export { run, toolsUntil } from "./backend/verilator/run.ts";
export { findTool } from "./backend/verilator/tools.ts";
