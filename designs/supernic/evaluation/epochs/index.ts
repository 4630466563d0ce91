/** What is told by a model in steps of an epoch, by hops, prices and caches: no device is simulated. */
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
export { type Load, mixes, partOf, taskNames, taskUnits, type UserName, userNames } from "./example.ts";
export { cachePolicies, type CachePolicy, cacheSizes, hitRate, workloads } from "./hit-rates.ts";
export {
  client,
  type CoreCycles,
  macs,
  meanNs,
  node,
  type Replication,
  replications,
  secondCopyNs,
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
