/** The memory node's hardware. */
export { EntryExchange } from "./entry_exchange.ts";
export { ClioNode } from "./node.ts";
export { nodeBus, translateParameters } from "./widths.ts";
export { nodeProofs } from "./proofs.ts";
export { SmallNode, smallBus, smallNodeParameters, type SmallNodeParameters } from "./small_node.ts";
export { Exchange, SocPort } from "./soc_port.ts";
export { ClioNodeGbn, goBackNNode, type BehindGoBackN, type GbnNodeParameters } from "./gbn_node.ts";
export { ClioNodePartitioned } from "./partitioned_node.ts";
export { Align, AlignInput, AlignJob, AlignOutput, type AlignParameters } from "./align.ts";
export { OffloadControl, OffloadEvents, OffloadState } from "./events.ts";
export { cutFields, joinBytes, joinFields } from "./fields.ts";
export { keepAll, keepTo } from "./keep.ts";
export { Shootdown } from "./translate.ts";
export { axi4Address, axi4Read, axi4Response, AxisBeat, axi4Write, NetConfig } from "./types.ts";
export { gbnDefaults } from "./gbn_shims.ts";
export { partBit } from "./gbn_types.ts";
export { configPort, framePorts, handThrough, memoryPorts } from "./node_ports.ts";
