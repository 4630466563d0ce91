/** The device's bus to the board's memory: of the tasks' spaces, of the rings, or of both. */
import {
  axi4Master,
  type Axi4Parameters,
  type Axi4Ports,
  connect,
  type Inside,
  instance,
} from "../../../../hdl-dsl/index.ts";
import { busOf as memoryBusOf, memoryBytesOf } from "../memory/index.ts";
import { firstRingByte, busOf as ringsBusOf } from "../spill/index.ts";
import { BoardBus, boardBusOf, type BoardBusParameters } from "./board-bus.ts";
import type { MemoryBlock } from "./memory.ts";
import type { DeviceParameters } from "./records.ts";
import { type SpillBlock, spillSizes } from "./spill.ts";

/** Of a device with both. @throws RangeError in a sentence: the tasks' pages would reach the rings */
function sharedOf({ memory, spill, ...p }: DeviceParameters): BoardBusParameters | undefined {
  if (memory === undefined || spill === undefined) return undefined;
  const firstRing = firstRingByte(spill),
    pages = memoryBytesOf(memory) / 2 ** memory.pageShift,
    most = Math.floor(firstRing / 2 ** memory.pageShift);
  if (pages > most)
    throw new RangeError(
      `SuperNic: tasks may have ${pages} pages of ${2 ** memory.pageShift} bytes, and ${most} lie in front of the rings; give frames = ${most}`,
    );
  const tasks = memoryBusOf(memory),
    { beatBytes, addressBits } = ringsBusOf(spillSizes(p, spill));
  return { beatBytes, addressBits, tasksId: memory.ways, tasksBits: tasks.addressBits, firstRing };
}
/** The bus of a device that keeps something in the board's memory. */
export function boardBusOfDevice(p: DeviceParameters): Axi4Parameters | undefined {
  const shared = sharedOf(p);
  if (shared !== undefined) return boardBusOf(shared);
  return p.memory ? memoryBusOf(p.memory) : p.spill && ringsBusOf(spillSizes(p, p.spill));
}
/** A device with neither has none, and nobody asks for it. */
export function boardPorts(p: DeviceParameters): Axi4Ports<"m", "out"> {
  const bus = boardBusOfDevice(p);
  return (bus === undefined ? {} : axi4Master("m", bus)) as Axi4Ports<"m", "out">;
}
/** Joins who has bursts with the board's memory. */
export function joinBoard(
  io: Inside<ReturnType<typeof boardPorts>>,
  p: DeviceParameters,
  { memory, spill }: { readonly memory: MemoryBlock | undefined; readonly spill: SpillBlock | undefined },
): void {
  const shared = sharedOf(p);
  if (shared === undefined || memory === undefined || spill === undefined) {
    const one = memory ?? spill;
    if (one === undefined) return;
    connect(one.mAr, io.mAr);
    connect(io.mR, one.mR);
    connect(one.mAw, io.mAw);
    connect(one.mW, io.mW);
    connect(io.mB, one.mB);
    return;
  }
  const bus = instance("board", BoardBus(shared));
  connect(memory.mAr, bus.tasksAr);
  connect(bus.tasksR, memory.mR);
  connect(memory.mAw, bus.tasksAw);
  connect(memory.mW, bus.tasksW);
  connect(bus.tasksB, memory.mB);
  connect(spill.mAr, bus.ringsAr);
  connect(bus.ringsR, spill.mR);
  connect(spill.mAw, bus.ringsAw);
  connect(spill.mW, bus.ringsW);
  connect(bus.ringsB, spill.mB);
  connect(bus.mAr, io.mAr);
  connect(io.mR, bus.mR);
  connect(bus.mAw, io.mAw);
  connect(bus.mW, io.mW);
  connect(io.mB, bus.mB);
}
