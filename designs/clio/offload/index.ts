/** What hosts offloads in the node, and the interface that they are written against. */
export { Align, AlignInput, AlignJob, AlignOutput, cutFields, joinBytes, joinFields, type AlignParameters } from "../rtl/index.ts";
export { extendPath, type ExtendPathParameters, type Offload } from "./extend_path.ts";
export { extendedNode } from "./extended_node.ts";
export { FrameHead, HeaderInsert, type HeaderShiftParameters } from "./header_insert.ts";
export { HeaderStrip, StrippedHead } from "./header_strip.ts";
export { OnceTable, onceVerdict, onceWays, rememberedBytes, type OnceParameters } from "./once_table.ts";
export { slotDataProofs, slotProof } from "./slot_proof.ts";
export { OffloadSlot, offloadOpcodes, SlotEvents, type SlotParameters } from "./slot.ts";
export { mergeInternal, patience, splitInternal } from "./internal_link.ts";
export { packetData } from "./ip_data.ts";
export { OrderEnter, OrderLeave, RequestOrder, type RequestOrderParameters } from "./request_order.ts";
export { requestOrderProof } from "./request_order_proof.ts";
export {
  beatsOf, BodyBeat, bodyLengthBits, MemoryReply, MemoryRequest, memoryTagBits, offloadPid, offloadPorts, OffloadReply, OffloadRequest, type OffloadParameters,
} from "./types.ts";
