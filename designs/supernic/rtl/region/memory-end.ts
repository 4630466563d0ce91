/** A slot's end of the way to memory: docs/supernic/memory.md. */
import {
  type Bit,
  bit,
  input,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  struct,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { type Declared, usesMemory } from "../../wire/index.ts";
import { MemoryAsk, MemoryGot, MemoryPut, MemoryWrote } from "../tasks/index.ts";

/** What the way says: nothing is under way; it lets the task wait. */
const MemoryState = struct({ idle: bit, held: bit });
/** The ports of a slot whose task has memory. */
const memoryEndPorts = () => ({
  taskAsk: sink(MemoryAsk),
  taskPut: sink(MemoryPut),
  taskGot: source(MemoryGot),
  taskWrote: source(MemoryWrote),
  ask: source(MemoryAsk),
  put: source(MemoryPut),
  got: sink(MemoryGot),
  wrote: sink(MemoryWrote),
  memory: input(MemoryState),
});
export function memoryEndPortsOf(declared: Declared): ReturnType<typeof memoryEndPorts> {
  // A slot whose task has no memory has none of them, and nobody asks for them.
  return (usesMemory(declared) ? memoryEndPorts() : {}) as ReturnType<typeof memoryEndPorts>;
}

interface MemoryEnds {
  readonly taskAsk: StreamIn<typeof MemoryAsk>;
  readonly taskPut: StreamIn<typeof MemoryPut>;
  readonly taskGot: StreamOut<typeof MemoryGot>;
  readonly taskWrote: StreamOut<typeof MemoryWrote>;
  readonly ask: StreamOut<typeof MemoryAsk>;
  readonly put: StreamOut<typeof MemoryPut>;
  readonly got: StreamIn<typeof MemoryGot>;
  readonly wrote: StreamIn<typeof MemoryWrote>;
  readonly memory: Val<typeof MemoryState>;
}
/** Joins task and way. While the task is off nothing of it goes to the way, and what comes from there is swallowed. */
export function memoryEnd(io: MemoryEnds, off: Bit): Val<typeof MemoryState> {
  io.ask.valid.set(io.taskAsk.valid.andNot(off));
  io.ask.payload.set(io.taskAsk.payload);
  io.taskAsk.ready.set(io.ask.ready.andNot(off));
  io.put.valid.set(io.taskPut.valid.andNot(off));
  io.put.payload.set(io.taskPut.payload);
  io.taskPut.ready.set(io.put.ready.andNot(off));
  io.taskGot.valid.set(io.got.valid.andNot(off));
  io.taskGot.payload.set(io.got.payload);
  io.got.ready.set(io.taskGot.ready.or(off));
  io.taskWrote.valid.set(io.wrote.valid.andNot(off));
  io.taskWrote.payload.set(io.wrote.payload);
  io.wrote.ready.set(io.taskWrote.ready.or(off));
  return io.memory;
}
