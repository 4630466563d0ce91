/** SuperNIC's hardware: the blocks, and what is proved of them. */
export { supernicProofs } from "./proofs/index.ts";
export { Deparser, type DeparserParameters } from "./deparse/index.ts";
export { ContextPool, HeaderStore, type PoolParameters } from "./headers/index.ts";
export { Judge, type JudgeParameters } from "./judge/index.ts";
export { LinkReceive, TxPort } from "./link/index.ts";
export {
  type CreditParameters,
  CreditTable,
  Decision,
  type DecisionParameters,
  Enqueue,
  type FlowParameters,
  FlowTable,
  Join,
  type JoinParameters,
  type PickParameters,
  PickTurn,
  Queues,
  Reserve,
  Scheduler,
} from "./scheduler/index.ts";
export { Match, type MatchParameters } from "./match/index.ts";
export {
  ChainPacket,
  type ChainParameters,
  region,
  RegionEnter,
  RegionLeave,
  type RegionParameters,
  Slot,
  SlotState,
} from "./region/index.ts";
export {
  asItWas,
  asMakingTask,
  asMemoryTask,
  asTask,
  balancer,
  checksum,
  decrypt,
  delay,
  dummy,
  encrypt,
  gcmOpen,
  gcmSeal,
  firewall,
  kvCache,
  MadeBeat,
  makePorts,
  MemoryPut,
  memoryTaskPorts,
  nat,
  replicate,
  goBackN,
  noFront,
  PayloadBeat,
  readingTaskPorts,
  type Task,
  TaskAnswer,
  TaskConfig,
  TaskPacket,
  taskPorts,
  TaskVerdict,
  tunnel,
  writingTaskPorts,
  xor,
} from "./tasks/index.ts";
export { PacketStore, type StoreParameters } from "./store/index.ts";
export { beatBytes } from "./inside/index.ts";
export {
  type Bitstreams,
  Descriptors,
  Dispatch,
  memoryWaysOf,
  PayloadJobs,
  payloadWaysOf,
  type RegionContent,
  regionMemoryWays,
  regions,
  Return,
} from "./core/index.ts";
export {
  DagGate,
  type DagGateParameters,
  Decoupler,
  Loader,
  type LoaderParameters,
  statePatience,
  StateReader,
  WrittenWay,
} from "./reconfigure/index.ts";
export { Egress } from "./egress/index.ts";
export { FromSoftware, SwitchLane, ToSoftware } from "./lane/index.ts";
export { Drf, type DrfParameters } from "./drf/index.ts";
export {
  DemandMonitor,
  drfOf,
  FairLoop,
  type FairParameters,
  FairVectors,
  portResource,
  resourceAt,
  typesOf,
  type SharedResource,
  unitBits,
  UseMonitor,
} from "./monitor/index.ts";
export { Memory, type MemoryParameters, MemoryWay, PageMover, PageTable } from "./memory/index.ts";
export { Merge } from "./merge/index.ts";
export { RingAsk, type RingSizes, Spill, type SpillParameters } from "./spill/index.ts";
export { ClassQueues, queueSizes, RxPort } from "./port/index.ts";
export {
  BoardBus,
  boardBusOf,
  boardBusOfDevice,
  type BoardBusParameters,
  Control,
  counterBlocks,
  type DeviceParameters,
  loopCounterNames,
  middleCounterNames,
  portCounterNames,
  superNic,
  type SuperNicPorts,
} from "./top/index.ts";
export { queueClasses } from "./inside/index.ts";
