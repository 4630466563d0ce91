/** The node on boards: what stands between it and pins, vendors' parts and clocks. */
export { BoardNode } from "./board_node.ts";
export { FrameBeat, FrameGuard, LinkBeat } from "./frame_guard.ts";
export { BlockMemory, type BlockMemoryParameters } from "./block_memory.ts";
export { SerialNode, type SerialNodeParameters } from "./serial_node.ts";
export { slip, SlipDecoder, SlipEncoder } from "./slip.ts";
export { LineByte, UartRx, UartTx, type UartParameters } from "./uart.ts";
