/** Regions: chains of slots, and the wrapper of a slot. */
export { bitsOfBytes, bytesAt, carriedBy, countOf, gathered, scattered } from "./carried.ts";
export {
  chainOf,
  ChainPacket,
  type ChainParameters,
  RegionConfig,
  RegionEnter,
  RegionLeave,
  SlotControl,
  type SlotParameters,
  SlotState,
} from "./records.ts";
export { region, type RegionParameters, type RegionPorts } from "./region.ts";
export { level } from "./level.ts";
export { wholeFrames } from "./make-end.ts";
export { pastPlaces, sentLate } from "./way-out.ts";
export { Slot, slotOf, slotPorts } from "./slot.ts";
export { StateAsk, stateNumberBits, StateSaid } from "./state-end.ts";
export { TrailerSaid } from "./trailer-end.ts";
export { PayloadJob } from "./payload-end.ts";
export {
  firstSaid,
  keepsState,
  makePortsOf,
  makersOf,
  memoryPortsOf,
  memoryWays,
  ofWriters,
  payloadPortsOf,
  payloadUses,
  silent,
  statePortsOf,
  trailerPortsOf,
  trailerUses,
} from "./ways.ts";
