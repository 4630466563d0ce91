import {
  bit,
  type Bit,
  node,
  orTree,
  reg,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  type UIntVar,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { TaskAnswer, TaskPacket } from "./interface.ts";

/** The ports of a task that its stages need. */
interface Ends {
  readonly packet: StreamIn<typeof TaskPacket>;
  readonly answer: StreamOut<typeof TaskAnswer>;
  readonly quiet: UIntVar<1>;
}

/**
 * The stages of a task: all move together, unless an answer waits. Latency `count` cycles, initiation interval 1. The
 * task has `count` + 1 packets inside at most, as others see it. Reset: nothing is inside.
 */
export function stages(io: Ends, count: number) {
  const valid = Array.from({ length: count }, (_, i) => reg(bit, { init: 0, name: `valid_${i + 1}` })),
    out = valid[count - 1];
  if (out === undefined) throw new RangeError("a task has one stage at least");
  const moves = node(out.not().or(io.answer.ready), { name: "moves" });
  io.packet.ready.set(moves);
  io.answer.valid.set(out);
  io.quiet.set(orTree(valid).not());
  when(moves, () => valid.forEach((v, i) => v.set(valid[i - 1] ?? io.packet.valid)));
  return {
    moves,
    /**
     * A value of the stage before, in a register; `more`: as many stages later. Without a reset synthesis makes a shift
     * register of many stages, which is slow to read; `soon`: the last one has a reset, and is a register by itself.
     */
    later: <const W extends number>(name: string, value: UInt<W>, more = 1, soon = false): UInt<W> => {
      let at: UInt<W> = value;
      for (let i = 0; i < more; i++) {
        const isSoon = soon && i === more - 1,
          held = reg(uint(value.width), {
            name: more === 1 ? name : `${name}_${i + 1}`,
            ...(isSoon && { init: 0 }),
          }),
          from = at;
        when(moves, () => held.set(from));
        at = held.is(value.width);
      }
      return at;
    },
    valid: valid as readonly Bit[],
  };
}
