/** The port of a task that declares `makes`: whole frames of its own (docs/supernic/tasks.md). */
import { bit, type Def, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { type TaskPorts } from "./interface.ts";
import { payloadBits } from "./payload.ts";

/** Beats of a frame that a task makes, at most. */
export const madeBeats = 32;
/**
 * A beat of such a frame: its bytes, all 64 but of the last one, and the port by which the frame leaves. `bad` on the
 * last: the frame is forgotten.
 */
export const MadeBeat = struct({ data: uint(payloadBits), count: uint(7), last: bit, bad: bit, port: uint(4) });
export const makePorts = () => ({ make: source(MadeBeat) });

/** The same as every task's: what it declares says what more it has. */
export const asMakingTask = (hardware: Def<TaskPorts & ReturnType<typeof makePorts>>): Def<TaskPorts> => hardware;
