/** A task that reads payload and writes none: it drops packets whose payload has an odd number of ones. */
import {
  asItWas,
  asTask,
  readingTaskPorts,
  TaskAnswer,
  TaskVerdict,
} from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { taskTagBits } from "../../../../../../designs/supernic/wire/index.ts";
import {
  bit,
  connect,
  fifo,
  map,
  module,
  mux,
  node,
  reg,
  stream,
  struct,
  uint,
  when,
} from "../../../../../../hdl-dsl/index.ts";
import type { Tried } from "./test-tasks.ts";

const holds = 16,
  Kept = struct({ tag: uint(taskTagBits), some: bit });
const Parity = module("ParityTask", readingTaskPorts, io => {
  const kept = fifo(
    map(io.packet, Kept, p => ({ tag: p.tag, some: p.payloadBytes.any() })),
    holds,
    { name: "kept", style: "distributed" },
  );
  const answers = stream(TaskAnswer, { name: "answers" }),
    before = reg(bit, { init: 0, name: "before" });
  const { data, last } = io.payload.payload,
    { some, tag } = kept.payload,
    odd = node(before.xor(data.parity()), { name: "odd" }),
    whole = node(some.not().or(io.payload.valid.and(last)), { name: "whole" });
  answers.valid.set(kept.valid.and(whole));
  answers.payload.set({
    ...asItWas,
    tag,
    verdict: mux(some.and(odd), TaskVerdict.drop, TaskVerdict.forward),
  });
  kept.ready.set(answers.ready.and(whole));
  io.payload.ready.set(kept.valid.and(some).and(last.not().or(answers.ready)));
  when(io.payload.fire, () => before.set(odd.andNot(last)));
  connect(fifo(answers, holds, { name: "answered", style: "distributed" }), io.answer);
  io.quiet.set(kept.valid.or(io.answer.valid).not());
});
const onesOf = (b: number): number => b.toString(2).replaceAll("0", "").length;
export const parity: Tried = {
  declared: {
    name: "parity",
    payload: "read",
    reads: 0n,
    writes: 0n,
    growth: 0,
    leavesOut: 0,
    latency: 2,
    interval: 1,
    holds,
    state: "none",
  },
  hardware: asTask(Parity()),
  model: () => ({
    answer: ({ payload = new Uint8Array() }) => ({
      verdict: payload.reduce((n, b) => n + onesOf(b), 0) % 2 === 1 ? "drop" : "forward",
    }),
  }),
};
