/** The slow path, which runs on the node's processor: in simulation today, over another transport on a board. And the monitor's role. */
export type { SessionPorts } from "./node-handlers.ts";
export { clearTable, SlowPath, type SlowPathOptions } from "./slow-path.ts";
export type { ControlRegister, SlowPathTransport } from "./transport.ts";
export { errorNumber, MemoryManager, regionBytes, type AllocationRequest, type AllocationStatistics, type Failure, type PageObserver, type Result } from "./memory-manager.ts";
export { FramePool } from "./frame-pool.ts";
export { PageRefill } from "./page-refill.ts";
export { ShadowTable } from "./shadow-table.ts";
export { AtMostOnce, type AtMostOnceOptions, type AtMostOnceStatistics } from "./at-most-once.ts";
export { softwareCounters, type SoftwareCounter, type SoftwareCounterName, type SoftwareStatistics } from "./statistics.ts";
export { AddressRanges } from "./address-ranges.ts";
export { KvStore } from "./kv-store.ts";
export { Monitor } from "./monitor.ts";
export { RegionMap, regionState, type MemberNode, type Placement, type RegionState } from "./region-map.ts";
export { MalformedRequest, type SlowReply, type SlowRequest } from "./handler.ts";
export { loadBytes, storeBytes, type MemoryMap, type Soon } from "./memory-map.ts";
export { MappedTransport, WrongHardware, type MappedTransportOptions, type NodeMaps } from "./mapped-transport.ts";
export { mapFile, uioInterrupt, type FileMap } from "./mapped-file.ts";
export * from "./cluster/index.ts";
