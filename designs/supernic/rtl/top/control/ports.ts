/** The ports of the control block, and its registers. */
import {
  bit,
  bitsFor,
  input,
  instance,
  liteSlavePorts,
  output,
  RegisterSlave,
  uint,
  vec,
  type Inside as Within,
} from "../../../../../hdl-dsl/index.ts";
import { counterBits } from "../../../../shared/counters/rtl/index.ts";
import { buildValues, registerAddressBits, snicMap } from "../../../registers/index.ts";
import { branchesOf, SlotConfig } from "../../core/index.ts";
import { dagBits, inlets, TableBus } from "../../inside/index.ts";
import { Shown } from "../../monitor/index.ts";
import { GateShown, RegionStateAsk, RegionStatus } from "../../reconfigure/index.ts";
import { SlotControl, SlotState, StateSaid } from "../../region/index.ts";
import { FairSet } from "../fairness.ts";
import { type DeviceParameters, DeviceSet, Inside } from "../records.ts";

/** Bits of the number of a counter of a block, and of the number of a block. */
export const counterIndexBits = 6;
export const counterBlockBits = 4;
/** Blocks that count: each port, the loop port, and the middle of the device. */
export const counterBlocks = (p: DeviceParameters): number => inlets(p) + 1;

export const controlPorts = (p: DeviceParameters) => ({
  ...liteSlavePorts(registerAddressBits),
  set: output(DeviceSet(p)),
  bus: output(TableBus),
  part: output(bit),
  fair: output(FairSet(p)),
  shown: input(Shown),
  /** DAGs that wait: the one that is looked at, what is seen, and that the scan goes on. */
  dagLook: output(uint(dagBits)),
  dagNext: output(bit),
  gate: input(GateShown),
  slots: output(vec(SlotControl({ ...p, places: p.credits }), p.regions * p.slots)),
  config: output(SlotConfig),
  state: input(vec(SlotState({ ...p, places: p.credits }), p.regions * p.slots)),
  /** To the state of the tasks, and what they say. */
  stateAsk: output(RegionStateAsk),
  stateSaid: input(StateSaid),
  /** Of the regions: how each is, and branches that the scheduler has sent there. */
  regions: input(vec(RegionStatus(branchesOf(p)), p.regions)),
  loads: input(vec(uint(bitsFor(branchesOf(p).contexts)), p.regions)),
  down: input(uint(p.ports)),
  freeContexts: input(uint(Math.log2(p.contexts) + 1)),
  freeCells: input(uint(Math.log2(p.cells) + 1)),
  counter: output(uint(counterIndexBits)),
  counts: input(vec(uint(counterBits), counterBlocks(p))),
  /** Frames that each of these blocks has now. */
  inside: input(vec(Inside, counterBlocks(p))),
});
/** The ports as the module's body sees them. */
export type ControlIo = Within<ReturnType<typeof controlPorts>>;

export const registersOf = (p: DeviceParameters) =>
  instance("registers", RegisterSlave({ map: snicMap, values: buildValues(p) }));
export type Registers = ReturnType<typeof registersOf>;
