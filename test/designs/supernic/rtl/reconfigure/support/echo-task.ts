/** A task that reads payload and makes a frame of it, slowly: so a kill finds both under way. */
import {
  asItWas,
  asMakingTask,
  makePorts,
  readingTaskPorts,
  type Task,
  TaskAnswer,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { taskTagBits } from "../../../../../../designs/supernic/wire/index.ts";
import { bit, connect, fifo, map, module, node, reg, stream, struct, uint } from "../../../../../../hdl-dsl/index.ts";

const holds = 4,
  Kept = struct({ tag: uint(taskTagBits), some: bit });
/** A beat in three cycles. A packet without payload has no frame. */
const Echo = module(
  "EchoTask",
  () => ({ ...readingTaskPorts(), ...makePorts() }),
  io => {
    const kept = fifo(
      map(io.packet, Kept, p => ({ tag: p.tag, some: p.payloadBytes.any() })),
      holds,
      { name: "kept", style: "distributed" },
    );
    const answers = stream(TaskAnswer, { name: "answers" }),
      turn = reg(uint(2), { init: 0, name: "turn" }),
      mine = node(turn.eq(0), { name: "is_turn" });
    turn.set(turn.add(1));
    const { data, last } = io.payload.payload,
      { some, tag } = kept.payload,
      beat = node(kept.valid.and(some).and(io.payload.valid).and(mine), { name: "has_beat" }),
      // The last one needs room for the answer, too.
      goes = node(beat.and(last.not().or(answers.ready)), { name: "beat_may_go" });
    io.make.valid.set(goes);
    io.make.payload.set({ data, count: 64, last, bad: 0, port: 1 });
    io.payload.ready.set(goes.and(io.make.ready));
    answers.valid.set(kept.valid.and(some.not().or(io.payload.fire.and(last))));
    answers.payload.set({ ...asItWas, tag, verdict: TaskVerdict.forward });
    kept.ready.set(answers.fire);
    connect(fifo(answers, holds, { name: "answered", style: "distributed" }), io.answer);
    io.quiet.set(kept.valid.or(io.answer.valid).not());
  },
);
export const echo: Task = {
  declared: {
    ...{ name: "echo", payload: "read", makes: true, reads: 0n, writes: 0n, growth: 0, leavesOut: 0 },
    ...{ latency: 2, interval: 1, holds, state: "none" },
  },
  hardware: asMakingTask(Echo()),
};
