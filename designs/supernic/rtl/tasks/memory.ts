/** The ports of a task that declares memory, beside those of every task (docs/supernic/memory.md). */
import { bit, type Def, enumOf, sink, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { type Task, type TaskPorts, taskPorts } from "./interface.ts";
import { makePorts } from "./make.ts";
import { payloadBits, trailingTaskPorts } from "./payload.ts";
import { statePorts } from "./state.ts";

/** Bits of a byte's address in a task's space: 8,192 pages of 2 MB. */
export const memoryAddressBits = 34;
/** Bytes of an access, at most; its number of bytes less one has so many bits. */
export const memoryMostBytes = 1024;
export const memoryLengthBits = 10;

/** An access: `bytes` less one, from `address` on. */
export const MemoryAsk = struct({ write: bit, address: uint(memoryAddressBits), lastByte: uint(memoryLengthBits) });
/** A beat of what is written: the bytes stand where they stand in a beat of memory, byte 0 lowest. */
export const MemoryPut = struct({ data: uint(payloadBits) });
/** How an access ended. `denied`: it is not the task's, or it has no right to it. `failed`: the memory did. */
export const MemoryError = enumOf("MemoryError", ["none", "denied", "failed"]);
/** A beat of what was read; `error` counts with `last`. A beat of which anything failed is 0. */
export const MemoryGot = struct({ data: uint(payloadBits), last: bit, error: MemoryError });
export const MemoryWrote = struct({ error: MemoryError });

/** The four streams of a way to memory, as the task has them. */
export const memoryPorts = () => ({
  ask: source(MemoryAsk),
  put: source(MemoryPut),
  got: sink(MemoryGot),
  wrote: sink(MemoryWrote),
});
/**
 * Reads are answered in their order, and writes in theirs. Of a read and a write nobody says which is done first until
 * one of them has been answered. A write's beats come in the order of the asks, before or after them.
 */
export const memoryTaskPorts = () => ({ ...taskPorts(), ...memoryPorts() });
/** A task that has payload, memory, and frames of its own. */
export const memoryPayloadTaskPorts = () => ({ ...trailingTaskPorts(), ...memoryPorts(), ...makePorts() });
/** A task that has all, and state that moves, too. */
export const allTaskPorts = () => ({ ...memoryPayloadTaskPorts(), ...statePorts() });

/** The hardware of a task with all the ports that a task may have; it has those that it declares. */
export const withAllWays = ({ hardware }: Task): Def<ReturnType<typeof allTaskPorts>> =>
  // A task is kept with the ports that all have.
  hardware as unknown as Def<ReturnType<typeof allTaskPorts>>;
/** The same as every task's: what it declares says what more it has. */
export const asMemoryTask = (hardware: Def<ReturnType<typeof memoryTaskPorts>>): Def<TaskPorts> => hardware;
