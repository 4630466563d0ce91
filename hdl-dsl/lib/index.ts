/**
 * Modules of general use, written in the language; each file says latency, initiation interval and what happens
 * full and empty.
 */
import { uint } from "../types/shape.ts";
import type { Def } from "../build/module.ts";
import { AxisRegister, WidthAdapter } from "./axi/index.ts";
import { Fifo, SkidBuffer } from "./queues/index.ts";
import { RoundRobinArbiter } from "./interconnect/index.ts";

export * from "./axi/index.ts";
export * from "./clocks/index.ts";
export * from "./codes/index.ts";
export * from "./dma/index.ts";
export * from "./ethernet/index.ts";
export * from "./interconnect/index.ts";
export * from "./io/index.ts";
export * from "./math/index.ts";
export * from "./queues/index.ts";
export * from "./tables/index.ts";

/** One instance of each with usual parameters: they are generated to be read and tried. */
export const libraryModules: readonly Def[] = [
  Fifo({ shape: uint(64), depth: 16 }),
  RoundRobinArbiter({ shape: uint(32), sources: 4 }),
  SkidBuffer({ shape: uint(32) }),
  AxisRegister({ bytes: 8 }),
  WidthAdapter({ fromBytes: 8, toBytes: 64 }),
];
