/** The node on boards: the logic between the node and pins, vendors' parts and clocks. */
export { boardHook, narrowedFor } from "./board-hook.ts";
export { BoardNode } from "./board-node.ts";
export { BlockMemory, type BlockMemoryParameters } from "./block-memory.ts";
export { SerialNode, type SerialNodeParameters } from "./serial-node.ts";
export { slip, SlipDecoder, SlipEncoder } from "./slip.ts";
export { LineByte, UartRx, UartTx, type UartParameters } from "./uart.ts";
