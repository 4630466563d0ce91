/** What is measured on the device in simulation. */
export {
  type ByCredits,
  type CoreFigures,
  measureByCredits,
  measureCore,
  measureThroughput,
  type Throughput,
} from "./core.ts";
export { capEx, prices, racks, saved } from "./cap-ex.ts";
export {
  allocations,
  type Correlation,
  type Loads,
  loadsOf,
  runScheme,
  type RunSeen,
  type Scheme,
  schemes,
} from "./consolidated.ts";
export { type FairMeasured, type Load, measureFairStep, partOf, taskNames } from "./fair-step.ts";
export { cachePolicies, type CachePolicy, cacheSizes, hitRate, workloads } from "./hit-rates.ts";
export {
  client,
  type CoreCycles,
  macs,
  meanNs,
  node,
  type Replication,
  replications,
  setNs,
  type System,
  systems,
  throughput,
  torSwitch,
  type Way,
  wayNs,
  ways,
} from "./hops.ts";
export { type PoolRun, runPool, topologies, type Topology } from "./pools.ts";
export { timeline, type TimelineEpoch, type TimelineOptions } from "./timeline.ts";
export { recordedLoads } from "./recorded.ts";
export { beatsOf, lineGbps, type Rate } from "./rate.ts";
export { pushedOn, type Shown } from "./pushing.ts";
export type { StageCycles } from "./stages.ts";
export { branching, type ByLength, grouping, lengths, measureChaining, measureWays } from "./sequences.ts";
