/** Hosts of offloads in the node, and the interface for offloads. */

export { extendPath, type ExtendPathParameters, type Offload } from "./extend-path.ts";
export { extendedNode } from "./extended-node.ts";
export { OnceTable, onceVerdict, onceWays, rememberedBytes, type OnceParameters } from "./once-table.ts";
export { slotDataProofs, slotProof } from "./proofs/slot.ts";
export { OffloadSlot } from "./slot.ts";
export { offloadOpcodes } from "./slot/accesses.ts";
export { SlotEvents, type SlotParameters } from "./slot/ports.ts";
export { mergeInternal, patience, splitInternal } from "./internal-link.ts";
export { packetData } from "./ip-data.ts";
export { OrderEnter, OrderLeave, RequestOrder, type RequestOrderParameters } from "./request-order.ts";
export { requestOrderProof } from "./proofs/request-order.ts";
export {
  beatsOf,
  BodyBeat,
  bodyLengthBits,
  forgetOpcode,
  keyedOffloadPorts,
  MemoryReply,
  MemoryRequest,
  memoryTagBits,
  offloadPid,
  offloadPorts,
  OffloadReply,
  OffloadRequest,
  type OffloadParameters,
} from "./types.ts";
