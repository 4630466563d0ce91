/** The device as a whole. */
export { boardBusOfDevice } from "./board.ts";
export { BoardBus, type BoardBusParameters, boardBusOf } from "./board-bus.ts";
export { Control } from "./control.ts";
export type { SuperNicPorts } from "./ports.ts";
export { superNic } from "./super-nic.ts";
export { type DeviceParameters } from "./records.ts";
export { counterBlocks } from "./control/ports.ts";
export { fateBits, loopCounterNames, middleCounterNames, portCounterNames } from "./counts.ts";
export { connectPayload } from "./payload.ts";
