/**
 * CLib, the client library of the memory node (paper §4.3.1, §4.4.4, §4.4.5): the same code in simulation and over
 * a UDP socket.
 */
export { Client, type ClientWindows } from "./client.ts";
export { RemoteProcess } from "./process.ts";
export { ClusterProcess, type ClusterStatistics } from "./cluster-process.ts";
export { type LeaseOptions } from "./lease.ts";
export { Thread, type AllocationOptions, type Dereferenced, type LeasedLock } from "./thread.ts";
export { Handle } from "./handle.ts";
export { KeyValue } from "./key-value.ts";
export { MultiVersion, type StoredVersion } from "./multi-version.ts";
export { DataFrame, type Aggregate, type Field, type Predicate, type Table, type Where } from "./data-frame.ts";
export type { Chased, ChaseRequest } from "./pointer-chase.ts";
export { ClientError, OperationError, type FailureReason } from "./link/errors.ts";
export { mostBusy, mostRetries, piecesAtOnce, type ClientOptions, type ResolvedOptions } from "./link/options.ts";
export type { ClientStatistics } from "./link/statistics.ts";
export type { ClientClock, ClientTransport, NodeAddress, Receiver, Timer } from "./link/transport.ts";
export { CongestionWindow, type CongestionSettings } from "./link/congestion-window.ts";
export { IncastWindow } from "./link/incast-window.ts";
export { DependencyTracker, type Effect, type Footprint } from "./dependencies.ts";
export { GoBackNTransport, type GoBackNOptions } from "./go-back-n.ts";
export { pythonWire } from "./bindings/python.ts";
export { withCWire } from "./bindings/c.ts";
