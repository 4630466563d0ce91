/**
 * Several nodes as one memory (paper §4.4.7): regions of 1 GB, given out by a global controller, that
 * migrate between nodes.
 */
export type { ClusterClock } from "./clock.ts";
export { ClusterNode, type ClusterNodeOptions } from "./cluster-node.ts";
export { GlobalController, type GlobalControllerOptions } from "./global-controller.ts";
export { PeerExchange, PeerGone, type PeerExchangeOptions, type PeerReply } from "./peer-exchange.ts";
export { RegionActivity } from "./region-activity.ts";
export { RegionReceiver } from "./region-receiver.ts";
export { RegionSender, type Migration, type MigrationReport } from "./region-sender.ts";
export { migrationResult, receiveStep, type MigrationMode, type RegionName } from "./steps.ts";
export { WriteEpochs } from "./write-epochs.ts";
export { Monitor } from "./monitor.ts";
export { type MemberNode, type Placement, RegionMap, regionState, type RegionState } from "./region-map.ts";
export { Turns } from "./turns.ts";
