/** A bench for offloads: plays the node that hosts one. */
export { OffloadHost, type OffloadBench, type OffloadHostOptions } from "./offload-host.ts";
export { type OffloadPorts, type OffloadStream } from "./surroundings.ts";
export type { OffloadCall, OffloadCallRequest, OffloadReplyOf } from "./calls.ts";
export type { MemoryTrace } from "./memory-side.ts";
