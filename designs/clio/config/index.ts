/**
 * The node's configuration: build parameters with what follows from them, run-time settings, and the list of counters.
 */
export { addressSpace, tableOf, tableParameters, type TableChoice } from "./address-space.ts";
export { ConfigError } from "./errors.ts";
export { counterNames, counters, type Counter, type CounterName, type DropReason } from "./counters.ts";
export {
  behindTransport,
  deriveConfig,
  firstMonitorPid,
  firstOffloadPid,
  gbnTimeoutCycles,
  offloadNames,
  offloadsOf,
  ofPartition,
  parametersOf,
  parametersSchema,
  partitionOfProcess,
  partitionsOf,
  type NodeConfig,
  type OffloadName,
  type Parameters,
} from "./parameters.ts";
export { narrowConfig, type NarrowParameters } from "./narrow.ts";
export { clockPeriod } from "./clock.ts";
export { regionEntry } from "./region-entry.ts";
export {
  retryKey,
  retrySetBits,
  retrySetOf,
  retryStampBits,
  retryStateBytes,
  retryWays,
  type RetrySize,
} from "./retry.ts";
export { runtimeSchema, type RuntimeSettings } from "./runtime.ts";
export { makeSettings, parseSettings, settingsBehindTransport, type Settings } from "./settings.ts";
export { formatBytes } from "../../shared/settings/index.ts";
