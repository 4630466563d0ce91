/** A region's ways to payloads: one for each of its tasks that declares it, in the order of their slots. */
import {
  type AnyPort,
  assignView,
  connect,
  constant,
  type Inside,
  type InstanceOf,
  mergePorts,
  type Outside,
  portArray,
  type PortArray,
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

/** A port for each way that writes, with the way's number. */
export const ofWriters = <const N extends string, const P extends AnyPort>(
  name: N,
  uses: readonly PayloadUse[],
  port: P,
): PortArray<N, P> =>
  Object.fromEntries(uses.flatMap((use, i) => (use === "write" ? [[`${name}${i}`, port]] : []))) as PortArray<N, P>;
export const payloadPortsOf = (p: ChainParameters, uses: readonly PayloadUse[]) =>
  mergePorts(
    portArray("job", uses.length, source(PayloadJob(p))),
    portArray("payload", uses.length, sink(PayloadBeat)),
    ofWriters("back", uses, source(PayloadBeat)),
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
/** Joins a slot and its task with a way of their region. */
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
  if (payloadUse(declared) === "read") return;
  connect(task.back, slot.taskBack);
  connect(slot.back, portOf(io, "back", way));
}
