/** A task that takes payloads and gives none back: what it has been given is owed until its region goes off. */
import {
  asItWas,
  asTask,
  type Task,
  TaskAnswer,
  TaskVerdict,
  writingTaskPorts,
} from "../../../../../../designs/supernic/rtl/index.ts";
import { bit, connect, fifo, map, module, reg, when } from "../../../../../../hdl-dsl/index.ts";

const holds = 16;
const Hoarding = module("HoardingTask", writingTaskPorts, io => {
  // An answer waits until its payload is back.
  const answers = fifo(
    map(io.packet, TaskAnswer, ({ tag }) => ({ tag, verdict: TaskVerdict.forward, ...asItWas })),
    holds,
    { name: "inside", style: "distributed" },
  );
  connect(answers, io.answer);
  // Software could tell it to give. Nobody does.
  const gives = reg(bit, { init: 0, name: "gives" });
  when(io.config.valid, () => gives.set(1));
  io.payload.ready.set(gives.not().or(io.back.ready));
  io.back.valid.set(io.payload.valid.and(gives));
  io.back.payload.set(io.payload.payload);
  io.quiet.set(answers.valid.not());
});
/** It declares that it holds packets enough to take more beats than may be owed. */
export const hoarding: Task = {
  declared: {
    ...{ name: "hoarding", payload: "write", reads: 0n, writes: 0n, growth: 0, leavesOut: 0 },
    ...{ latency: 1, interval: 1, holds, state: "none" },
  },
  hardware: asTask(Hoarding()),
};
