import {
  axi4Master,
  bit,
  connect,
  input,
  instance,
  liteSlavePorts,
  mergePorts,
  module,
  portOf,
  sink,
  source,
} from "../../../../hdl-dsl/index.ts";
import { memoryAddressBits } from "../../registers/index.ts";
import { MemoryPut } from "../tasks/index.ts";
import { MemoryControl } from "./control.ts";
import { Memory, memoryWayPorts } from "./memory.ts";
import { busOf, framesName, type MemoryParameters } from "./records.ts";

/** The memory with its registers, as the device has it: all that either says. */
export const MemoryWithControl = module(
  "MemoryWithControl",
  (p: MemoryParameters) =>
    mergePorts(memoryWayPorts(p.ways), liteSlavePorts(memoryAddressBits), axi4Master("m", busOf(p)), {
      part: input(bit),
      pageOut: source(MemoryPut),
      pageIn: sink(MemoryPut),
    }),
  (io, p) => {
    const memory = instance("memory", Memory(p)),
      control = instance("control", MemoryControl(p));
    for (let i = 0; i < p.ways; i++) {
      connect(portOf(io, "ask", i), portOf(memory, "ask", i));
      connect(portOf(io, "put", i), portOf(memory, "put", i));
      connect(portOf(memory, "got", i), portOf(io, "got", i));
      connect(portOf(memory, "wrote", i), portOf(io, "wrote", i));
      control.state.at(i).set(memory.state.at(i));
    }
    memory.off.set(io.off);
    io.idle.set(memory.idle);
    io.held.set(memory.held);
    connect(memory.mAr, io.mAr);
    connect(io.mR, memory.mR);
    connect(memory.mAw, io.mAw);
    connect(memory.mW, io.mW);
    connect(io.mB, memory.mB);
    connect(memory.pageOut, io.pageOut);
    connect(io.pageIn, memory.pageIn);

    connect(io.sAw, control.sAw);
    connect(io.sW, control.sW);
    connect(control.sB, io.sB);
    connect(io.sAr, control.sAr);
    connect(control.sR, io.sR);
    control.part.set(io.part);
    memory.epoch.set(control.epoch);
    memory.wayWrite.set(control.wayWrite);
    memory.spaceWrite.set(control.spaceWrite);
    memory.pageWrite.set(control.pageWrite);
    memory.seeAt.set(control.seeAt);
    control.seen.set(memory.seen);
    connect(control.move, memory.move);
    connect(memory.moved, control.moved);
    control.moving.set(memory.moving);
    control.freePages.set(memory.freePages);
    memory.fence.set(control.fence);
    control.fenced.set(memory.fenced);
  },
  {
    nameOf: p =>
      `MemoryWithControl_w${p.ways}_e${p.pages}_s${p.spaces}_a${p.pageShift}_${p.ppnBits}_f${p.freePages}${framesName(p)}`,
  },
);
