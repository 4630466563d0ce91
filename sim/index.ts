// A user's tsconfig need not name these: the declarations use Node's types, and `using`.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />
/** The simulation harness: builds a design, drives it cycle by cycle, and models what surrounds it. */
export { runBench, benchWith, type BenchOptions, type Test } from "./bench/run-bench.ts";
export { Bench, Clock, type Awaitable, type Span } from "./bench/bench.ts";
export { Lockstep } from "./bench/lockstep.ts";
export { Event, Lock, Queue } from "./bench/sync.ts";
export { Task } from "./bench/task.ts";
export type { Backend, ClockSetting, Model, ModelOptions, ModelState, PortSlot, Program } from "./backend/backend.ts";
export { builtinBackend, compileBuiltin } from "./backend/builtin/builtin.ts";
export { verilatorBackend } from "./backend/verilator/verilator.ts";
export { type Design, designOf, type Dut, fromVerilog } from "./design.ts";
export { peek, poke } from "./dut/io.ts";
export type { InputOf, InSignal, IntValue, Io, OutSignal, StreamIo, ValueOf } from "./dut/types.ts";
export {
  BuildError,
  Cancelled,
  DesignStopped,
  HangError,
  ProtocolError,
  SimulationError,
  type StopCause,
  TimeoutError,
} from "./errors.ts";
export { packageAbove, projectFolder } from "./project.ts";
export { Random } from "../hdl-dsl/index.ts";
export { seedFromEnvironment } from "./seed.ts";
export { simulate, type SimulateOptions } from "./simulate.ts";
export type { Condition } from "./dut/inside.ts";
export type { Checkpoint } from "./checkpoint/checkpoint.ts";
export { readCheckpoint, writeCheckpoint } from "./checkpoint/file.ts";
export { waveOf } from "./checkpoint/wave-of.ts";
export { type Agent, Domain, Simulation } from "./simulation.ts";
export { bernoulli, bursts, never, pattern, type Pause } from "./bus/pause.ts";
export { type Seen, type Sent, StreamMonitor, type StreamOptions, StreamSink, StreamSource } from "./bus/stream.ts";
export { StreamWatch, watchStreams } from "./bus/stream-watch.ts";
export type { AxisAny, AxisIn, AxisOut } from "./bus/axis-ports.ts";
export { AxisSource, type AxisSourceOptions, type FrameOptions, type SentFrame } from "./bus/axis-source.ts";
export { AxisMonitor, type AxisMonitorOptions, AxisSink, type AxisSinkOptions, type Frame } from "./bus/axis-sink.ts";
export { type AxiPorts, axiPorts, type HasAxi } from "./bus/axi-ports.ts";
export { type AxiRamOptions, type ErrorRange, legalMemories, type WriteOrder } from "./bus/axi-options.ts";
export { AxiRam } from "./bus/axi-ram.ts";
export { LiteMaster, type LitePorts } from "./bus/lite-master.ts";
export { SparseMemory, type SparseMemoryOptions } from "./bus/sparse-memory.ts";
export { EthernetMac, LEAST_FRAME, LINE_OVERHEAD, type MacOptions } from "./net/ethernet-mac.ts";
export { Link, type Delivery, type LinkOptions, type LinkStatistics } from "./net/link.ts";
export { NetworkModel, type Attachment, type NetworkOptions, type StationOptions } from "./net/network-model.ts";
export { SimulatedTime } from "./net/simulated-time.ts";
export type { CapturedFrame } from "./net/pcap-format.ts";
export { CaptureError, readPcap } from "./net/pcap-reader.ts";
export { writePcap } from "./net/pcap-writer.ts";
export * from "./coverage/index.ts";
export { Recording } from "./speed/recording.ts";
export { type Cost, type Profile, profileTable } from "./speed/profile.ts";
export { compareSpeed, type Speeds } from "./speed/compare.ts";
export {
  type Budget,
  type Counterexample,
  type Covered,
  type Engine,
  engines,
  type Finding,
  boundedEngines,
  holds,
  noCounterexample,
  planted,
  type Property,
  prove,
  type Proved,
  type ProveOptions,
  replay,
  type ReplayOptions,
  unbroken,
} from "./prove/index.ts";
export * from "./fuzz/index.ts";

export * from "./serve/index.ts";
export { cached, digest } from "./backend/verilator/cache.ts";
export { bytesOf, cacheEntries, type CacheEntry, cacheLimit, trimCache } from "./backend/verilator/cache-bound.ts";
export { cacheRoot } from "./backend/verilator/cache-root.ts";
export { run, toolsUntil } from "./backend/verilator/run.ts";
export { findTool } from "./backend/verilator/tools.ts";
export { Fifo } from "./fifo.ts";
