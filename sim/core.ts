/**
 * The part of the harness that needs no Node: the built-in simulator, benches and their models. A browser has this part
 * alone (`browser` in package.json takes it in place of `index.ts`).
 */
export { runBench, benchWith, type BenchOptions, type Test } from "./bench/run-bench.ts";
export { Bench, Clock, type Awaitable, type Span } from "./bench/bench.ts";
export { Lockstep } from "./bench/lockstep.ts";
export { Event, Lock, Queue } from "./bench/sync.ts";
export { Task } from "./bench/task.ts";
export type { Backend, ClockSetting, Model, ModelOptions, ModelState, PortSlot, Program } from "./backend/backend.ts";
export { builtinBackend, compileBuiltin } from "./backend/builtin/builtin.ts";
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
export { Random } from "../hdl-dsl/index.ts";
export { seedFromEnvironment } from "./seed.ts";
export { simulate, type SimulateOptions } from "./simulate.ts";
export type { Condition } from "./dut/inside.ts";
export type { Checkpoint } from "./checkpoint/checkpoint.ts";
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
export { type InterfaceFrame, readCapture } from "./net/pcapng-reader.ts";
export { writePcapng } from "./net/pcapng-writer.ts";
export { writePcap, writePcapWithFcs } from "./net/pcap-writer.ts";
export * from "./fuzz/index.ts";
export { Fifo } from "./fifo.ts";
