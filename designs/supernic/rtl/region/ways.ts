/** A region's ways to payloads and memory: one for each of its tasks that declares it, in the order of their slots. */
import {
  type AnyPort,
  assignView,
  connect,
  constant,
  input,
  type Inside,
  type InstanceOf,
  mergePorts,
  mux,
  node,
  orTree,
  output,
  type Outside,
  portArray,
  type PortArray,
  portOf,
  reg,
  type Shape,
  sink,
  source,
  type StreamOut,
  uint,
  unpack,
  type Val,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { keptOf, makesFrames, payloadUse, type PayloadUse, type TrailerUse, usesMemory } from "../../wire/index.ts";
import {
  MadeBeat,
  MemoryAsk,
  MemoryGot,
  type memoryPayloadTaskPorts,
  MemoryPut,
  MemoryWrote,
  PayloadBeat,
  type statePorts,
  type Task,
  type writingTaskPorts,
} from "../tasks/index.ts";
import { PayloadJob } from "./payload-end.ts";
import type { ChainParameters } from "./records.ts";
import { StateAsk, StateSaid } from "./state-end.ts";
import { TrailerSaid } from "./trailer-end.ts";
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

/** Ways to memory; those that there are say what they do, a bit each. */
const memoryStates = (ways: number) => ({
  memoryOff: output(uint(ways)),
  memoryIdle: input(uint(ways)),
  memoryHeld: input(uint(ways)),
});
export function memoryPortsOf(ways: number) {
  const states = memoryStates(Math.max(1, ways));
  return mergePorts(
    portArray("ask", ways, source(MemoryAsk)),
    portArray("put", ways, source(MemoryPut)),
    portArray("got", ways, sink(MemoryGot)),
    portArray("wrote", ways, sink(MemoryWrote)),
    // Without ways there are none of them, and nobody asks for them.
    ways === 0 ? ({} as typeof states) : states,
  );
}
/** A port for each task that makes frames. */
export const makePortsOf = (makers: number) => portArray("make", makers, source(MadeBeat));
/** How many of the tasks make frames. */
export const makersOf = (tasks: readonly Task[]): number => tasks.filter(t => makesFrames(t.declared)).length;
/** A port for each task with a trailer. */
export const trailerPortsOf = (p: ChainParameters, trailers: number) =>
  portArray("trailer", trailers, output(TrailerSaid(p)));
/** What the tasks do with trailers: those that have any. */
export const trailerUses = (tasks: readonly Task[]): readonly TrailerUse[] =>
  tasks.flatMap(t => t.declared.trailer ?? []);
/** Whether any of the tasks keeps state that software may read. */
export const keepsState = (tasks: readonly Task[]): boolean => tasks.some(t => keptOf(t.declared) !== undefined);
const stateWayPorts = () => ({ stateAsk: input(StateAsk), stateSaid: output(StateSaid) });
/** The way to the state of a chain's tasks, if any of them keeps some. */
export const statePortsOf = (keeps: boolean): ReturnType<typeof stateWayPorts> =>
  // Without it there are no such ports, and nobody asks for them.
  keeps ? stateWayPorts() : ({} as ReturnType<typeof stateWayPorts>);
/** How many of the tasks have memory. */
export const memoryWays = (tasks: readonly Task[]): number => tasks.filter(t => usesMemory(t.declared)).length;

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

/** The same with a way to memory. */
export function connectMemory(
  io: Inside<ReturnType<typeof memoryPortsOf>>,
  way: number,
  slot: InstanceOf<typeof Slot>,
  task: Outside<ReturnType<typeof memoryPayloadTaskPorts>>,
): void {
  connect(task.ask, slot.taskAsk);
  connect(task.put, slot.taskPut);
  connect(slot.taskGot, task.got);
  connect(slot.taskWrote, task.wrote);
  connect(slot.ask, portOf(io, "ask", way));
  connect(slot.put, portOf(io, "put", way));
  connect(portOf(io, "got", way), slot.got);
  connect(portOf(io, "wrote", way), slot.wrote);
  slot.memory.set({ idle: io.memoryIdle.bit(way), held: io.memoryHeld.bit(way) });
}

/**
 * Joins a region's way to state with those of its slots; a slot that keeps nothing, or that there is not, refuses.
 * Latency: none in, 1 cycle back.
 */
export function connectState(
  io: Inside<ReturnType<typeof stateWayPorts>>,
  slots: readonly {
    readonly number: number;
    readonly slot: InstanceOf<typeof Slot>;
    readonly task: Outside<ReturnType<typeof statePorts>>;
  }[],
): void {
  const { slot: to, valid, ...ask } = io.stateAsk,
    there = slots.map(({ number }) => node(to.eq(number), { name: `asks_slot_${number}` })),
    nobody = reg(StateSaid, { init: 0, name: "no_state" });
  nobody.set({
    valid: valid.andNot(orTree(there)),
    done: 0,
    number: ask.number,
    data: 0,
  });
  slots.forEach(({ slot, task }, i) => {
    task.stateAsk.set(slot.taskStateAsk);
    slot.taskStateSaid.set(task.stateSaid);
    slot.stateAsk.set({ ...ask, slot: to, valid: valid.and(there[i] ?? valid) });
  });
  io.stateSaid.set(firstSaid([nobody, ...slots.map(({ slot }) => slot.stateSaid)], "state_said"));
}
/** What was said first of several, a cycle later. Of two at once one is lost: the ask of the other is late. */
export function firstSaid(all: readonly Val<typeof StateSaid>[], name: string): Val<typeof StateSaid> {
  const said = reg(StateSaid, { init: 0, name });
  said.set(all.reduceRight((rest, one) => mux(one.valid, one, rest)));
  return said;
}
