/** The simulation harness: builds a design, drives it cycle by cycle, and models what surrounds it. */
export { runBench, benchWith, type BenchOptions, type Test } from "./bench/run-bench.ts";
export { Bench, Clock, type Awaitable, type Span } from "./bench/bench.ts";
export { Event, Lock, Queue } from "./bench/sync.ts";
export { Task } from "./bench/task.ts";
export type { Backend, ClockSetting, Model, ModelOptions, PortSlot, Program } from "./backend/backend.ts";
export { verilatorBackend } from "./backend/verilator/verilator.ts";
export { fromVerilog, type Design } from "./design.ts";
export { peek, poke } from "./dut/io.ts";
export type { InputOf, InSignal, IntValue, Io, OutSignal, StreamIo, ValueOf } from "./dut/types.ts";
export {
  BuildError, Cancelled, DesignStopped, HangError, ProtocolError, SimulationError, type StopCause, TimeoutError,
} from "./errors.ts";
export { Random, seedFromEnvironment } from "./random.ts";
export { simulate, type SimulateOptions } from "./simulate.ts";
export { type Agent, Domain, Simulation } from "./simulation.ts";
export { bernoulli, bursts, never, pattern, type Pause } from "./bus/pause.ts";
export { type Seen, type Sent, StreamMonitor, type StreamOptions, StreamSink, StreamSource } from "./bus/stream.ts";
export { StreamWatch, watchStreams } from "./bus/stream-watch.ts";
