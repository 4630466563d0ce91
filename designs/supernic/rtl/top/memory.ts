/** The board's memory in the device: what is outside of it, and its ways to the tasks that declare memory. */
import {
  axi4Master,
  connect,
  type Inside,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  mergePorts,
  type Outside,
  portOf,
  sink,
  source,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { memoryAddressBits } from "../../registers/index.ts";
import type { RegionsPorts } from "../core/index.ts";
import { busOf, type MemoryParameters, MemoryWithControl } from "../memory/index.ts";
import { MemoryPut } from "../tasks/index.ts";

/** Registers of the memory, its AXI4 bus, and pages on their way out and in. */
export const memoryDevicePorts = (p: MemoryParameters) =>
  mergePorts(axi4Master("m", busOf(p)), {
    memoryAw: sink(liteAddress(memoryAddressBits)),
    memoryW: sink(LiteWrite),
    memoryB: source(LiteResponse),
    memoryAr: sink(liteAddress(memoryAddressBits)),
    memoryR: source(LiteRead),
    pageOut: source(MemoryPut),
    pageIn: sink(MemoryPut),
  });
/** Joins the regions' tasks with the memory, and the memory with what is outside. */
export function connectMemories(
  io: Inside<ReturnType<typeof memoryDevicePorts>>,
  regions: Outside<RegionsPorts>,
  part: UInt<1>,
  p: MemoryParameters,
): void {
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
  connect(memory.mAr, io.mAr);
  connect(io.mR, memory.mR);
  connect(memory.mAw, io.mAw);
  connect(memory.mW, io.mW);
  connect(io.mB, memory.mB);
  connect(memory.pageOut, io.pageOut);
  connect(io.pageIn, memory.pageIn);
  connect(io.memoryAw, memory.sAw);
  connect(io.memoryW, memory.sW);
  connect(memory.sB, io.memoryB);
  connect(io.memoryAr, memory.sAr);
  connect(memory.sR, io.memoryR);
}
