/** A slot's end of the way to its task's state: docs/supernic/state.md. */
import {
  type Bit,
  bit,
  type Given,
  input,
  mux,
  node,
  output,
  reg,
  struct,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type Declared, keptOf, mostSlots, stateBits } from "../../wire/index.ts";
import { TaskStateAsk, TaskStateSaid } from "../tasks/index.ts";

/** Bits of an ask's number: an answer that comes too late has another one than the ask that waits. */
export const stateNumberBits = 8;
const slotBits = Math.log2(mostSlots);

/** Software asks for a word of a task's state; for a cycle. */
export const StateAsk = struct({
  ...TaskStateAsk.fields,
  slot: uint(slotBits),
  number: uint(stateNumberBits),
});
/** The answer, for a cycle. Without `done` it is refused, and nothing has happened. */
export const StateSaid = struct({
  valid: bit,
  done: bit,
  number: uint(stateNumberBits),
  data: uint(stateBits.data),
});

/** What a slot keeps of an ask. */
const { write, at, data } = TaskStateAsk.fields,
  AskedState = struct({ write, at, data, number: uint(stateNumberBits) });

const stateEndPorts = () => ({
  taskStateAsk: output(TaskStateAsk),
  taskStateSaid: input(TaskStateSaid),
  stateAsk: input(StateAsk),
  stateSaid: output(StateSaid),
});
export function stateEndPortsOf(declared: Declared): ReturnType<typeof stateEndPorts> {
  // A slot whose task keeps nothing has no such ports, and nobody asks for them.
  return (keptOf(declared) === undefined ? {} : stateEndPorts()) as ReturnType<typeof stateEndPorts>;
}
interface StateEnds {
  readonly taskStateAsk: { set(v: Given<typeof TaskStateAsk>): void };
  readonly taskStateSaid: Val<typeof TaskStateSaid>;
  readonly stateAsk: Val<typeof StateAsk>;
  readonly stateSaid: { set(v: Given<typeof StateSaid>): void };
}
/**
 * Passes an ask on while the slot is quiet; else, or while another is under way, it is refused. Latency: 1 cycle in, 1
 * back. What a task says without being asked is thrown away. @param off the task is in reset
 * @returns an answer that nobody asked for
 */
export function stateEnd(io: StateEnds, quiet: Bit, off: Bit): Bit {
  const { stateAsk: ask, taskStateSaid: said } = io,
    pending = reg(bit, { init: 0, name: "state_pending" }),
    asked = reg(AskedState, { name: "state_asked" }),
    passes = reg(bit, { init: 0, name: "state_passes" }),
    refuses = reg(bit, { init: 0, name: "state_refuses" });
  const mayAsk = node(quiet.andNot(off).andNot(pending), { name: "state_may_ask" }),
    ends = node(said.valid.and(pending), { name: "state_ends" }),
    refused = reg(uint(stateNumberBits), { name: "state_refused_number" });
  passes.set(ask.valid.and(mayAsk));
  refuses.set(ask.valid.andNot(mayAsk));
  refused.set(ask.number);
  when(ask.valid.and(mayAsk), () => asked.set({ write: ask.write, at: ask.at, data: ask.data, number: ask.number }));
  pending.set(ask.valid.and(mayAsk).or(pending.andNot(said.valid)).andNot(off));
  io.taskStateAsk.set({ valid: passes, write: asked.write, at: asked.at, data: asked.data });

  const ended = reg(bit, { init: 0, name: "state_ended" }),
    word = reg(uint(stateBits.data), { name: "state_word" });
  ended.set(ends.andNot(off));
  when(ends, () => word.set(said.data));
  // Of two at once the other one was given up by who asked: only the numbers tell.
  io.stateSaid.set({
    valid: ended.or(refuses),
    done: ended,
    number: mux(ended, asked.number, refused),
    data: word,
  });
  return node(said.valid.andNot(pending), { name: "state_stray" });
}
