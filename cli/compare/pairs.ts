import {
  AxisRegister,
  AxisSwitch,
  CompareTimer,
  type Def,
  Divider,
  Fifo,
  Fir,
  I2cMaster,
  I2cSlave,
  InterruptController,
  MultiplyAdd,
  ReedSolomonSyndromes,
  RoundRobinArbiter,
  SkidBuffer,
  SpiMaster,
  SpiSlave,
  UartReceiver,
  UartTransmitter,
  uint,
  WidthAdapter,
} from "../../hdl-dsl/index.ts";

/**
 * A module of the library, and the file with the same module as an expert writes it by hand: the same ports, the same
 * cycles. `name`: of the latter.
 */
export interface Pair {
  readonly name: string;
  readonly ours: Def;
  readonly hand: string;
  /**
   * Figures that are told and not judged. Lines: streams of many fields, and stages that each have a ready, take them.
   * LUTs where ours has one more: 166 and 47. Flip-flops of I2cSlave, three more of 46, and of Fir, one of 150.
   */
  readonly unjudged?: readonly string[];
}

type Written = Omit<Pair, "hand">;
const modules: readonly Written[] = [
  { name: "Fifo", ours: Fifo({ shape: uint(64), depth: 16, style: "distributed" }) },
  { name: "Fifo_block", ours: Fifo({ shape: uint(64), depth: 512, style: "block" }) },
  { name: "RoundRobinArbiter", ours: RoundRobinArbiter({ shape: uint(32), sources: 4 }) },
  { name: "SkidBuffer", ours: SkidBuffer({ shape: uint(32) }) },
  { name: "AxisRegister", ours: AxisRegister({ bytes: 8 }) },
  { name: "WidthAdapter", ours: WidthAdapter({ fromBytes: 8, toBytes: 16 }) },
  { name: "WidthAdapter_8_64", ours: WidthAdapter({ fromBytes: 8, toBytes: 64 }) },
  { name: "WidthAdapter_64_8", ours: WidthAdapter({ fromBytes: 64, toBytes: 8 }) },
  { name: "UartReceiver", ours: UartReceiver({ dataBits: 8 }) },
  { name: "CompareTimer", ours: CompareTimer({ channels: 2 }) },
  { name: "UartTransmitter", ours: UartTransmitter({ dataBits: 8 }) },
  { name: "InterruptController", ours: InterruptController({ sources: 16 }), unjudged: ["lut"] },
  { name: "I2cMaster", ours: I2cMaster() },
  { name: "I2cSlave", ours: I2cSlave({ setup: 8 }), unjudged: ["ff"] },
  { name: "SpiMaster", ours: SpiMaster({ width: 8, slaves: 2 }) },
  { name: "SpiSlave", ours: SpiSlave({ width: 8 }) },
  { name: "AxisSwitch", ours: AxisSwitch({ bytes: 4, inputs: 4, outputs: 2 }), unjudged: ["lines"] },
  { name: "Divider", ours: Divider({ width: 32 }) },
  {
    name: "MultiplyAdd",
    unjudged: ["lines"],
    ours: MultiplyAdd({ aBits: 18, bBits: 25, cBits: 43, shift: 17, resultBits: 24 }),
  },
  { name: "Fir", ours: Fir({ coefficients: [3, -7, 0, 20, 20, -1, 7], dataBits: 8 }), unjudged: ["ff"] },
  {
    name: "ReedSolomonSyndromes",
    unjudged: ["lines", "lut"],
    ours: ReedSolomonSyndromes({ symbolBits: 8, checkSymbols: 4, polynomial: 0x11d }),
  },
];
/** The hand-written modules stand in test/data/hand, `<name>.v`; a test simulates each beside ours. */
const withHand = (p: Written): Pair => ({ ...p, hand: `test/data/hand/${p.name}.v` });
/** What `mnemo compare` synthesizes and judges. */
export const pairs: readonly Pair[] = modules.map(withHand);
