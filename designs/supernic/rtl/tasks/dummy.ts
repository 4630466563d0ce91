import { connect, map, module, stage } from "../../../../hdl-dsl/index.ts";
import type { Declared } from "../../wire/index.ts";
import { asItWas, type Task, TaskAnswer, taskPorts, TaskVerdict } from "./interface.ts";

const declared: Declared = {
  name: "dummy",
  reads: 0n,
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency: 1,
  interval: 1,
  holds: 2,
  state: "none",
};

/** Passes every packet on as it is. Latency 1, initiation interval 1. Reset: nothing is inside. */
const Dummy = module("DummyTask", taskPorts, io => {
  const inside = stage(io.packet, "forward", { name: "inside" });
  connect(
    map(inside, TaskAnswer, ({ tag }) => ({ tag, verdict: TaskVerdict.forward, ...asItWas })),
    io.answer,
  );
  io.quiet.set(inside.valid.not());
});

/** The task that does nothing: what a packet's way costs without one (paper §5.7). */
export const dummy: Task = { declared, hardware: Dummy() };
