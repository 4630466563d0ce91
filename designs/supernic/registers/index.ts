/** The registers of the device, for the hardware and for its driver. */
export {
  countersOfBlock,
  driverOf,
  type PlainConfig,
  type RegionRegisters,
  type SlotRegisters,
  type SnicBus,
  type SnicDriver,
  type StateOutcomeName,
  type StateRead,
} from "./driver.ts";
export { type CounterNames, registerReference } from "./reference.ts";
export { memoryDriverOf, type PageStreams } from "./memory-driver.ts";
export { memoryAddressBits, memoryMap } from "./memory-map.ts";
export { type RingAskName, type RingSeen, type SpillDriver, spillDriverOf } from "./spill-driver.ts";
export { spillAddressBits, spillMap } from "./spill-map.ts";
export { buildValues, registerAddressBits, snicMap, valueWords } from "./map.ts";
