/** The ports of a task that declares payload, beside those of every task (docs/supernic/payload.md). */
import { bit, type Def, output, sink, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { trailerBytes } from "../../wire/index.ts";
import { type TaskPorts, taskPorts } from "./interface.ts";

/** Bits of a beat of a payload: 64 bytes, the first one lowest. */
export const payloadBits = 512;
/** A beat of a payload; `last` with the last one of a packet. Bytes behind the end are 0. */
export const PayloadBeat = struct({ data: uint(payloadBits), last: bit });

const reading = { payload: sink(PayloadBeat) },
  writing = { back: source(PayloadBeat) };
/**
 * `payload` has the beats of the packets that have any, in the order in which the task took them. Whoever reads takes
 * each of them, before or after the answer.
 */
export const readingTaskPorts = () => ({ ...taskPorts(), ...reading });
/** `back` takes as many beats for each packet, in the same order: they stand in the place of those that came. */
export const writingTaskPorts = () => ({ ...readingTaskPorts(), ...writing });

/** Beside an answer of a task that declares a trailer: that there is one, and of one that is put, its bytes. */
export const Trailer = struct({ valid: bit, bytes: uint(8 * trailerBytes) });
/** The trailer counts with the answer beside it. What is cut are the last 16 bytes of the payload; more stay. */
export const trailingTaskPorts = () => ({ ...writingTaskPorts(), trailer: output(Trailer) });

/** The same as every task's: what it declares says what more it has. */
export const asTask = (hardware: Def<ReturnType<typeof readingTaskPorts>>): Def<TaskPorts> => hardware;
