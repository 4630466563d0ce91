/**
 * Modules of general use, written in the language; each file says latency, initiation interval and what happens
 * full and empty.
 */
import { uint } from "../types/shape.ts";
import type { Def } from "../build/module.ts";
import { AxisRegister } from "./axi/axis-register.ts";
import { Fifo } from "./fifo.ts";
import { RoundRobinArbiter } from "./round-robin-arbiter.ts";
import { SkidBuffer } from "./skid-buffer.ts";
import { WidthAdapter } from "./axi/width-adapter.ts";

export { axisBeat, type AxisBeatShape, axiStream } from "./axi/axis.ts";
export { hexWords } from "./hex-words.ts";
export { generatedClock, type GeneratedClockOptions } from "./generated-clock.ts";
export {
  axi4Address,
  axi4Bus,
  axi4Master,
  axi4Read,
  Axi4Register,
  axi4Response,
  axi4Slave,
  axi4Write,
  axiResponse,
  type Axi4Address,
  type Axi4Channels,
  type Axi4Parameters,
  type Axi4Ports,
  type Axi4Read,
  type Axi4RegisterParameters,
  type Axi4Response,
  type Axi4Write,
} from "./axi/axi4.ts";
export {
  liteAddress,
  liteBus,
  LiteRead,
  LiteResponse,
  liteSlave,
  liteSlavePorts,
  LiteWrite,
  type LiteAddress,
  type LiteChannels,
  type LiteReadAccess,
  type LiteSlave,
  type LiteSlavePorts,
  type LiteWriteAccess,
} from "./axi/axi4-lite.ts";
export { AxisRegister } from "./axi/axis-register.ts";
export { atLeast, carryEqual, isAfter, without } from "./compare.ts";
export { AsyncFifo, type AsyncFifoParameters } from "./async-fifo.ts";
export { Cam, type CamParameters } from "./cam.ts";
export { InternetChecksum, onesAdd } from "./checksum.ts";
export { Crc32, crc32Next, crc32Step } from "./crc.ts";
export { frameDigest, type Digest } from "./frame-digest.ts";
export { fromGray, toGray } from "./gray.ts";
export { lastLane, onlyKept } from "./axi/lanes.ts";
export { Lfsr, lfsrStep, lfsrTaps, type LfsrParameters } from "./lfsr.ts";
export { linearMap } from "./linear.ts";
export { Lru, type LruParameters } from "./lru.ts";
export { PacketFifo, type PacketFifoParameters } from "./packet-fifo.ts";
export {
  LevelSynchroniser,
  PulseSynchroniser,
  ResetSynchroniser,
  synchronise,
  type SynchroniserOptions,
} from "./synchroniser.ts";
export { Fifo, type FifoParameters } from "./fifo.ts";
export { RoundRobinArbiter, type RoundRobinArbiterParameters } from "./round-robin-arbiter.ts";
export { SkidBuffer, type SkidBufferParameters } from "./skid-buffer.ts";
export { WidthAdapter, type WidthAdapterParameters } from "./axi/width-adapter.ts";

/** One instance of each with usual parameters: they are generated to be read and tried. */
export const libraryModules: readonly Def[] = [
  Fifo({ shape: uint(64), depth: 16 }),
  RoundRobinArbiter({ shape: uint(32), sources: 4 }),
  SkidBuffer({ shape: uint(32) }),
  AxisRegister({ bytes: 8 }),
  WidthAdapter({ fromBytes: 8, toBytes: 64 }),
];
