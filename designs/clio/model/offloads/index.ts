/** Reference models of the offloads (paper §4.6), and the virtual memory that they run on. */
export { chase, type OffloadAnswer } from "./chase.ts";
export {
  malformation,
  ModelMemory,
  type MemoryAccess,
  type MemoryAnswer,
  type ModelMemoryOptions,
  OffloadAccess,
  type OffloadMemory,
  type Rights,
} from "./memory.ts";
export type { OffloadAsked, OffloadFrame } from "./answer.ts";
export { DataFrameModel } from "./data-frame.ts";
export { halfSipHash, kvContents, kvHash, type KvPlacing, KvModel, type KvModelOptions, type KvPair } from "./kv.ts";
export { MultiVersionModel, type MultiVersionOptions } from "./multi-version.ts";
