/** A bench for offloads: plays the node that hosts one. */
export { OffloadHost, type OffloadBench, type OffloadHostOptions, type OffloadPorts, type OffloadStream } from "./offload-host.ts";
export type { OffloadCall, OffloadCallRequest, OffloadReplyOf } from "./calls.ts";
export type { MemoryTrace } from "./memory-side.ts";
