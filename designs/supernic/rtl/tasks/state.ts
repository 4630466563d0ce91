/** The ports of a task whose state software may read and write, beside those of every task (docs/supernic/state.md). */
import {
  bit,
  type Bit,
  type Def,
  input,
  node,
  output,
  reg,
  struct,
  type StructShape,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { stateBits, type StatePart } from "../../wire/index.ts";
import { type TaskPorts, taskPorts } from "./interface.ts";

/** A word is to be read, or written, at a place of the task's schema; for a cycle. */
export const TaskStateAsk = struct({
  valid: bit,
  write: bit,
  at: uint(stateBits.at),
  data: uint(stateBits.data),
});
/** The answer, for a cycle: the word that was there, if it was asked for. */
export const TaskStateSaid = struct({ valid: bit, data: uint(stateBits.data) });

export const statePorts = () => ({ stateAsk: input(TaskStateAsk), stateSaid: output(TaskStateSaid) });
/**
 * Who asks waits for the answer before the next ask, and asks only while the task has no packet and gets none. An
 * answer may take as long as the task is busy with itself, after a reset for example.
 */
export const stateTaskPorts = () => ({ ...taskPorts(), ...statePorts() });
/** The same as every task's: what it declares says what more it has. */
export const asTaskWithState = (hardware: Def<ReturnType<typeof stateTaskPorts>>): Def<TaskPorts> => hardware;

type WordFields<F extends Readonly<Record<string, number>>> = {
  readonly [K in keyof F]: ReturnType<typeof uint<F[K]>>;
};
/** A word of state as hardware has it, from the description of its part. */
export function stateWord<const F extends Readonly<Record<string, number>>>(
  part: StatePart & { readonly fields: F },
): StructShape<WordFields<F>> {
  const fields = Object.fromEntries(Object.entries(part.fields).map(([name, bits]) => [name, uint(bits)]));
  // Each field of the description has a shape of as many bits, which the compiler cannot see through the entries.
  return struct(fields as unknown as WordFields<F>);
}

/** An ask that waits for its turn in the task. `done`: it has been answered. Reset: there is none. */
export function askedState(ask: Val<typeof TaskStateAsk>): {
  readonly waits: Bit;
  readonly write: Bit;
  readonly at: UInt<typeof stateBits.at>;
  readonly data: UInt<typeof stateBits.data>;
  readonly done: (served: Bit) => void;
} {
  const waits = reg(bit, { init: 0, name: "state_waits" }),
    write = reg(bit, { name: "state_writes" }),
    at = reg(uint(stateBits.at), { name: "state_at" }),
    data = reg(uint(stateBits.data), { name: "state_data" });
  when(ask.valid, () => {
    write.set(ask.write);
    at.set(ask.at);
    data.set(ask.data);
  });
  return {
    ...{ waits, write, at, data },
    done: served => waits.set(node(ask.valid.or(waits.andNot(served)), { name: "state_waits_on" })),
  };
}
