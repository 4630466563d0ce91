import type { Def } from "../../../hdl-dsl/index.ts";
import type { Block } from "../../shared/command-line/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import { makeParameters } from "../config/index.ts";
import { type DeviceBuild, deviceOf, deviceSizes, memoryOf, parseDevice, spillOf } from "./device.ts";
import {
  balancer,
  checksum,
  ClassQueues,
  Control,
  CreditTable,
  DagGate,
  Decision,
  Decoupler,
  decrypt,
  DemandMonitor,
  Deparser,
  Descriptors,
  Dispatch,
  Drf,
  drfOf,
  dummy,
  Egress,
  encrypt,
  Enqueue,
  FairLoop,
  FairVectors,
  firewall,
  FlowTable,
  gcmOpen,
  gcmSeal,
  goBackN,
  HeaderStore,
  Join,
  Judge,
  kvCache,
  LinkReceive,
  Loader,
  Match,
  Memory,
  MemoryWay,
  Merge,
  nat,
  PacketStore,
  PageMover,
  PageTable,
  PayloadJobs,
  PickTurn,
  Queues,
  region,
  regions,
  replicate,
  Reserve,
  Return,
  RxPort,
  Scheduler,
  Slot,
  Spill,
  statePatience,
  StateReader,
  tunnel,
  TxPort,
  UseMonitor,
  WrittenWay,
  xor,
} from "../rtl/index.ts";

/** Sizes of the default build. */
const sizes = deviceSizes(makeParameters());
const storeSizes = { cells: 1024, cellBeats: 4, beatBytes: 64, payloadBeats: 140 } as const;
/** Memory of four tasks. */
const memorySizes = memoryOf(makeParameters(), 4);
/** The blocks with these sizes, as they are measured. */
const blocks = {
  PacketStore: () => PacketStore(storeSizes),
  Judge: () => Judge({ frameBytes: 1536 }),
  Match: () => Match({ ports: 4, rules: 32, macs: 64 }),
  RxPort: () => RxPort(sizes),
  ClassQueues: () => ClassQueues(sizes),
  Merge: () => Merge(sizes),
  Drf: () => Drf(drfOf(sizes)),
  FairLoop: () => FairLoop(sizes),
  UseMonitor: () => UseMonitor(sizes),
  DemandMonitor: () => DemandMonitor(sizes),
  FairVectors: () => FairVectors(sizes),
  HeaderStore: () => HeaderStore({ contexts: 256, users: 16 }),
  CreditTable: () => CreditTable({ regions: 4, slots: 4, credits: 24 }),
  FlowTable: () => FlowTable({ regions: 4, groups: 4, hashBits: 8, contexts: 256, generationBits: 4 }),
  PickTurn: () => PickTurn({ regions: 4, slots: 4, users: 16 }),
  Reserve: () => Reserve({ regions: 4, slots: 4, users: 16 }),
  Decision: () => Decision({ regions: 4, slots: 4, users: 16, credits: 24 }),
  Enqueue: () => Enqueue(sizes),
  Queues: () => Queues(sizes),
  Scheduler: () => Scheduler(sizes),
  Join: () => Join({ contexts: 256, branches: 4 }),
  Slot: () => Slot({ contexts: 256, places: 24, chain: [tunnel, dummy, dummy, dummy].map(t => t.declared), slot: 0 }),
  Region: () => region([dummy, dummy, dummy, dummy])({ contexts: 256, places: 24 }),
  Regions: () => regions(Array.from({ length: 4 }, () => [dummy, dummy, dummy, dummy]))(sizes),
  DagGate: () => DagGate(sizes),
  Decoupler: () => Decoupler({ contexts: 1024, slots: 4, places: 24 }),
  Loader: () => Loader({ regions: 4, reprogramCycles: 1_250_000, first: [1, 1, 1, 1] }),
  StateReader: () => StateReader({ patience: statePatience }),
  Dispatch: () => Dispatch(sizes),
  Return: () => Return(sizes),
  Descriptors: () => Descriptors(sizes),
  Control: () => Control(sizes),
  ChecksumTask: () => checksum.hardware,
  FirewallTask: () => firewall.hardware,
  BalancerTask: () => balancer.hardware,
  NatTask: () => nat.hardware,
  TunnelTask: () => tunnel.hardware,
  EncryptTask: () => encrypt.hardware,
  GcmSealTask: () => gcmSeal.hardware,
  GcmOpenTask: () => gcmOpen.hardware,
  DecryptTask: () => decrypt.hardware,
  XorTask: () => xor.hardware,
  KvCacheTask: () => kvCache("lru", 4096).hardware,
  KvCacheSlot: () => Slot({ contexts: 256, places: 24, chain: [kvCache("lru", 4096).declared], slot: 0 }),
  GoBackNTask: () => goBackN.hardware,
  ReplicateTask: () => replicate.hardware,
  PayloadJobs: () => PayloadJobs({ ...sizes, store: storeSizes, uses: ["write", "write"] }),
  WrittenWay: () => WrittenWay({ contexts: 256 }),
  PayloadSlot: () => Slot({ contexts: 256, places: 24, chain: [xor.declared], slot: 0 }),
  Memory: () => Memory(memorySizes),
  MemoryWay: () => MemoryWay(memorySizes),
  PageTable: () => PageTable(memorySizes),
  PageMover: () => PageMover(memorySizes),
  Spill: () => Spill(spillOf(makeParameters())),
  LinkReceive: () => LinkReceive({ ackEvery: 16, ackCycles: 500 }),
  Egress: () => Egress(sizes),
  TxPort: () =>
    TxPort({
      beats: 1024,
      frames: 1024,
      frameBytes: 1600,
      resendCycles: 5000,
      tries: 8,
      rounds: 512,
      pauseQuanta: 8192,
    }),
  Deparser: () => Deparser({ contexts: 256, toBits: 11 }),
} as const satisfies Readonly<Record<string, () => Def>>;
export type BlockName = keyof typeof blocks;
export const blockNames = Object.keys(blocks) as readonly BlockName[];

/** What is built: the device, or one block of it. */
export type Settings = { readonly block: BlockName } | { readonly device: DeviceBuild };
const isBlock = (name: string | undefined): name is BlockName => blockNames.some(b => b === name);

/** Reads `block=PacketStore`, or the device's parameters. @throws UsageError for what there is not, or twice */
export function parseSettings(set: readonly string[]): Settings {
  const [first, second] = set.filter(s => s.startsWith("block="));
  if (first === undefined) return { device: parseDevice(set) };
  const value = first.slice("block=".length);
  if (second !== undefined || set.length > 1)
    throw new UsageError(
      `${first} is all that can be set of a block, and there are ${set.length} settings; give it alone`,
    );
  if (!isBlock(value)) throw new UsageError(`block = "${value}": must be one of ${blockNames.join(", ")}`);
  return { block: value };
}

export const buildOf = (s: Settings): Def => ("block" in s ? blocks[s.block]() : deviceOf(s.device));
/**
 * Measured beside the device's own blocks, and not among them: wholes of what the device is measured by, parts of its
 * blocks, and the tasks. A name stands once in the baseline.
 */
const beside: readonly BlockName[] = [
  "RxPort",
  "Regions",
  "Scheduler",
  "Egress",
  "TxPort",
  "CreditTable",
  "FlowTable",
  "PickTurn",
  "Reserve",
  "Slot",
  "Spill",
  "ChecksumTask",
  "FirewallTask",
  "BalancerTask",
  "NatTask",
  "TunnelTask",
  "GoBackNTask",
  "WrittenWay",
];
/** Blocks that are smaller in a device of two ports, which is what the paper's table is of. */
export const twoPortBlocks = [
  "RxPort",
  "Merge",
  "SwitchLane",
  "Destination",
  "Lists",
  "Fetch",
  "Pauses",
  "Deparser",
  "Control",
] as const;
export const twoPortEnding = "_two_ports";
export const blocksBeside = (): readonly Block[] => [
  ...beside.map(name => ({ definition: blocks[name](), names: [name] })),
  { definition: deviceOf(parseDevice(["ports=2"])), names: twoPortBlocks, ending: twoPortEnding },
];
/** What the device is made of stands there block by block. */
export const madeOfBlocks: readonly string[] = ["RxPort", "Scheduler", "Regions", "Egress", "TxPort", "FairLoop"];
