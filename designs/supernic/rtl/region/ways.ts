/** A region's ways to payloads: one for each of its tasks that declares it, in the order of their slots. */
import {
  assignView,
  connect,
  constant,
  type Inside,
  type InstanceOf,
  mergePorts,
  type Outside,
  portArray,
  portOf,
  type Shape,
  sink,
  source,
  type StreamOut,
  unpack,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { payloadUse, type PayloadUse } from "../../wire/index.ts";
import { PayloadBeat, type Task, type writingTaskPorts } from "../tasks/index.ts";
import { PayloadJob } from "./payload-end.ts";
import type { ChainParameters } from "./records.ts";
import type { Slot } from "./slot.ts";

export const payloadPortsOf = (p: ChainParameters, ways: number) =>
  mergePorts(
    portArray("job", ways, source(PayloadJob(p))),
    portArray("payload", ways, sink(PayloadBeat)),
    portArray("back", ways, source(PayloadBeat)),
  );
/** What the tasks do with payloads: those that have any. */
export const payloadUses = (tasks: readonly Task[]): readonly PayloadUse[] =>
  tasks.map(t => payloadUse(t.declared)).filter(use => use !== "none");

/** Nothing comes on this stream. */
export function silent<S extends Shape>(to: StreamOut<S>): void {
  to.valid.set(0);
  assignView(to.payload, unpack(to.shape, constant(0, widthOf(to.shape))), "payload");
}

type Io = Inside<ReturnType<typeof payloadPortsOf>>;
/** Joins a slot and its task with a way of their region. A task that only reads gives nothing back. */
export function connectWay(
  io: Io,
  way: number,
  { declared }: Task,
  slot: InstanceOf<typeof Slot>,
  task: Outside<ReturnType<typeof writingTaskPorts>>,
): void {
  connect(slot.job, portOf(io, "job", way));
  connect(portOf(io, "payload", way), slot.payload);
  connect(slot.taskPayload, task.payload);
  const back = portOf(io, "back", way);
  if (payloadUse(declared) === "read") silent(back);
  else {
    connect(task.back, slot.taskBack);
    connect(slot.back, back);
  }
}
