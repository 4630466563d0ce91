/** Regions whose chain comes and goes while the device runs. */
export { DagGate, type DagGateParameters, gatedHeads, GateShown } from "./dag-gate.ts";
export { Decoupler } from "./decoupler.ts";
export { Loader, type LoaderParameters } from "./loader.ts";
export { type Chain, nameOfChain, nameOfVariants, partition, type PartitionPorts } from "./partition.ts";
export { MakeGate, mostMakers } from "./make-ways.ts";
export { mostWays } from "./memory-ways.ts";
export { mostPayloads, mostTrailers, WrittenWay } from "./payload-ways.ts";
export {
  DecouplerStatus,
  defaultReprogramCycles,
  LoaderStatus,
  RegionStage,
  RegionStatus,
  variantBits,
  wakingCycles,
} from "./records.ts";
export { reconfigurable, type ReconfigurablePorts } from "./reconfigurable.ts";
export {
  RegionStateAsk,
  StateGo,
  StateOutcome,
  statePatience,
  StateReader,
  type StateReaderParameters,
  StateShown,
  stateWordCycles,
} from "./state-reader.ts";
