import {
  connect,
  fifo,
  map,
  module,
  mux,
  node,
  orTree,
  repeat,
  stage,
  stream,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { type Declared, taskTagBits } from "../../wire/index.ts";
import { asItWas, type Task, TaskAnswer, TaskVerdict } from "./interface.ts";
import { asTask, PayloadBeat, writingTaskPorts } from "./payload.ts";
import { besideBeats, tailMask, tailOf } from "./payload-tasks.ts";

const declared: Declared = {
  name: "xor",
  payload: "write",
  reads: 0n,
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency: 2,
  interval: 1,
  holds: 32,
  state: "none",
};
const Value = struct({ pattern: uint(8), tail: uint(6) });

/**
 * Changes every byte of a packet's payload by exclusive or with `arg`; twice is as it was. It is what a payload's way
 * costs without a task. Answers after 2 cycles, a beat comes out 1 cycle after it came. Initiation interval 1, for
 * packets and for beats. Reset: nothing is inside.
 */
const Xor = module("XorTask", writingTaskPorts, io => {
  const { arg, payloadBytes } = io.packet.payload,
    { packets, values } = besideBeats(io.packet, Value, { pattern: arg, tail: tailOf(payloadBytes) }, declared.holds);
  // An answer waits for its payload: meanwhile the next packets are taken.
  const tags = fifo(
    map(packets, uint(taskTagBits), ({ tag }) => tag, { name: "answering_tags" }),
    declared.holds,
    { name: "tags", style: "distributed" },
  );
  connect(
    map(tags, TaskAnswer, tag => ({ tag, verdict: TaskVerdict.forward, ...asItWas })),
    io.answer,
  );
  const changed = stream(PayloadBeat, { name: "changed" }),
    { data, last } = io.payload.payload,
    { pattern, tail } = values.payload,
    whole = node(data.xor(repeat(pattern, 64)), { name: "whole" });
  changed.valid.set(io.payload.valid.and(values.valid));
  changed.payload.set({ data: mux(last, whole.and(tailMask(tail)), whole).is(512), last });
  io.payload.ready.set(changed.ready.and(values.valid));
  values.ready.set(io.payload.fire.and(last));
  connect(stage(changed, "full", { name: "out" }), io.back);
  io.quiet.set(orTree([packets.valid, tags.valid, values.valid]).not());
});
/** The simplest task that writes payload. */
export const xor: Task = { declared, hardware: asTask(Xor()) };
