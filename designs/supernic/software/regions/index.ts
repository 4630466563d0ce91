/** Software that manages regions: bitstreams, launching, victims, scaling. */
export { Autoscaler, type EpochLoad, periodEpochs, type Scaling } from "./autoscale.ts";
export { type Bitstreams, bitstreamsFor, mostBitstreams, type OrderedDag, type UsersOf } from "./bitstreams.ts";
export { type ChainMover, KeptState } from "./kept-state.ts";
export {
  type ChainGate,
  type ChainMemory,
  type LaunchOutcome,
  type LaunchReason,
  type LiveChain,
  type ManagerOptions,
  RegionManager,
} from "./manager.ts";
export { type Use } from "./placing.ts";
export { type IntendedDriver, IntendedMonitor, type SlotTypes, type UserSeen } from "./intended.ts";
export { LoadMonitor, type MonitorDriver, ScalingLoop } from "./monitor.ts";
export {
  defaultTimes,
  type RegionDriver,
  type RegionState,
  SwapFailed,
  Swapper,
  type SwapOptions,
  type SwapTimes,
} from "./swap.ts";
