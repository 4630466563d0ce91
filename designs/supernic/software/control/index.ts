/** What the device's software answers. */
export { FairShares, type ResourceNumbers, type SharesOptions } from "./shares.ts";
export { type RingDriver, SpillRings } from "./spill-rings.ts";
export { type GateDriver, WaitingDags, type WaitingOptions } from "./waiting-dags.ts";
export { CtrlServer, type CtrlStatistics } from "./ctrl-server.ts";
export { type DagDriver, DagTable, type NewDag } from "./dag-table.ts";
export { changingRequests, type RequestOptions, Requests } from "./requests.ts";
export { TaskRows } from "./rows.ts";
export { type Sent, SnicSoftware, type SoftwareStatistics } from "./software.ts";
