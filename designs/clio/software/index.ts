/**
 * The slow path, which runs on the node's processor: in simulation today, over another transport on a board. And
 * the monitor's role.
 */
export type { SessionPorts } from "./requests/session-handlers.ts";
export { clearTable, drawProcessKey, SlowPath, type SlowPathOptions } from "./slow-path.ts";
export type { ActivityHardware, ControlRegister, SlowPathTransport } from "./transport/transport.ts";
export {
  errorNumber,
  MemoryManager,
  regionBytes,
  type AllocationRequest,
  type AllocationStatistics,
  type Failure,
  type PageObserver,
  type Result,
} from "./memory/memory-manager.ts";

export { ShadowTable } from "./memory/shadow-table.ts";
export { sessionTenureNs } from "./requests/session-owners.ts";
export { AtMostOnce, type AtMostOnceOptions, type AtMostOnceStatistics } from "./requests/at-most-once.ts";
export {
  softwareCounters,
  type SoftwareCounter,
  type SoftwareCounterName,
  type SoftwareStatistics,
} from "./statistics.ts";
export { AddressRanges } from "./memory/address-ranges.ts";
export { KvStore } from "./kv/kv-store.ts";
export { Monitor, RegionMap, regionState, type MemberNode, type Placement, type RegionState } from "./cluster/index.ts";
export { MalformedRequest, type SlowReply, type SlowRequest } from "./requests/handler.ts";
export { loadBytes, storeBytes, type MemoryMap, type Soon } from "./transport/memory-map.ts";
export {
  MappedTransport,
  WrongHardware,
  type MappedTransportOptions,
  type NodeMaps,
} from "./transport/mapped-transport.ts";
export { writeProcessKey } from "./transport/process-key.ts";
export { LineRefusal, LineTransport, type LineTransportOptions } from "./transport/line-transport.ts";
export { mapFile, uioInterrupt, type FileMap } from "./transport/mapped-file.ts";
export { OffloadControl, type OffloadMemory } from "./offload-control.ts";
export { OffloadWatch, type OffloadWatchOptions, type OffloadWatchStatistics } from "./offload-watch.ts";
export { isReply } from "./requests/senders.ts";
export * from "./cluster/index.ts";
export { goBackNSessions, type RegisterAccess, type TransportSessions } from "./go-back-n.ts";
