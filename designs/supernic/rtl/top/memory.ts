/** The board's memory in the device: what is outside of it, and its ways to the tasks that declare memory. */
import {
  connect,
  type Inside,
  instance,
  type InstanceOf,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  type Outside,
  portOf,
  sink,
  source,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { memoryAddressBits } from "../../registers/index.ts";
import type { RegionsPorts } from "../core/index.ts";
import { type MemoryParameters, MemoryWithControl } from "../memory/index.ts";
import { MemoryPut } from "../tasks/index.ts";

/** Registers of the memory, and pages on their way out and in. */
export const memoryDevicePorts = () => ({
  memoryAw: sink(liteAddress(memoryAddressBits)),
  memoryW: sink(LiteWrite),
  memoryB: source(LiteResponse),
  memoryAr: sink(liteAddress(memoryAddressBits)),
  memoryR: source(LiteRead),
  pageOut: source(MemoryPut),
  pageIn: sink(MemoryPut),
});
/** Joins the regions' tasks with the memory, and its registers with what is outside. @returns it, without a bus yet */
export function connectMemories(
  io: Inside<ReturnType<typeof memoryDevicePorts>>,
  regions: Outside<RegionsPorts>,
  part: UInt<1>,
  p: MemoryParameters,
): MemoryBlock {
  const memory = instance("memory", MemoryWithControl(p));
  for (let i = 0; i < p.ways; i++) {
    connect(portOf(regions, "ask", i), portOf(memory, "ask", i));
    connect(portOf(regions, "put", i), portOf(memory, "put", i));
    connect(portOf(memory, "got", i), portOf(regions, "got", i));
    connect(portOf(memory, "wrote", i), portOf(regions, "wrote", i));
  }
  memory.off.set(regions.memoryOff.is(p.ways));
  regions.memoryIdle.set(memory.idle);
  regions.memoryHeld.set(memory.held);
  memory.part.set(part);
  connect(memory.pageOut, io.pageOut);
  connect(io.pageIn, memory.pageIn);
  connect(io.memoryAw, memory.sAw);
  connect(io.memoryW, memory.sW);
  connect(memory.sB, io.memoryB);
  connect(io.memoryAr, memory.sAr);
  connect(memory.sR, io.memoryR);
  return memory;
}
export type MemoryBlock = InstanceOf<typeof MemoryWithControl>;
