/** The public face of the language. */
export * from "./types/bits.ts";
export * from "./types/by-name.ts";
export { codeOf, namesOf, type EnumType, type VariantType } from "./types/enumeration.ts";
export * from "./types/shape.ts";
export * from "./types/ports.ts";
export { leavesOfPort, type PlacedPort, placedPorts } from "./ir/port-leaves.ts";
export type * from "./types/value.ts";
export type * from "./types/emitted.ts";
export { simulationFiles, synthesisFiles } from "./types/emitted.ts";
export type { Circuit, ClockDomain, Position, Signal } from "./ir/circuit.ts";
export { diagnosticCodes } from "./ir/codes.ts";
export { HdlError, formatDiagnostic, isWarning, shortPosition, type Diagnostic } from "./ir/diagnostic.ts";
export { clockEnable } from "./build/clock-enable.ts";
export { clockDomain, type ClockDomainOptions, inDomain } from "./build/clock-domain.ts";
export { scope } from "./build/body.ts";
export { node, reg, wire, type DeclareOptions, type Init, type RegOptions } from "./build/declare.ts";
export { endOf } from "./build/ends.ts";
export { enumOf, fromCode, hasName, match, variantOf, type Arms } from "./build/enumeration.ts";
export { ram, type Ram, type RamOptions, type RamPort } from "./build/memory.ts";
export { fsm, type FsmControl, type FsmHandlers, type FsmOptions, type InnerFsmControl } from "./build/fsm.ts";
export type { FsmEncoding } from "./build/fsm-codes.ts";
export {
  blackBox,
  elaborate,
  instance,
  module,
  warningsOf,
  type Def,
  type Elaborated,
  type ElaborateOptions,
  type InstanceOf,
  type InstanceOptions,
  type ModuleOptions,
} from "./build/module.ts";
export { changed, fell, hasPast, past, rose, stable, type PastOptions } from "./build/past.ts";
export {
  assertAlways,
  assumeAlways,
  cover,
  mux,
  onehotMux,
  switchOn,
  when,
  type Else,
  type SwitchChain,
} from "./build/statements.ts";
export { cat, constant, repeat } from "./build/value.ts";
export { assignView, literalOf, pack, unpack } from "./build/view.ts";
export * from "./vectors/index.ts";
export { arbiter, merge, type ArbiterOptions } from "./stream/arbiter.ts";
export { fork } from "./stream/fork.ts";
export { framed, insertHeader, packetise, removeHeader, splitHeader, type Framed } from "./stream/framing.ts";
export { pipeline, type Pipe } from "./stream/pipeline.ts";
export { streamRules, type StreamRulesOptions, type WatchedStream } from "./stream/rules.ts";
export { link } from "./stream/link.ts";
export { stage, type StageKind } from "./stream/stage.ts";
export { connect, connectAny } from "./stream/connect.ts";
export { assignGiven, demux, filter, gate, join, map, stream } from "./stream/stream.ts";
export { throttle } from "./stream/throttle.ts";
export { creditReceiver, creditSender } from "./queues/credit.ts";
export { fifo, fifoWithLevel } from "./queues/fifo.ts";
export * from "./lib/index.ts";
export * from "./registers/index.ts";
export { catalogue, type CatalogueEntry } from "./catalogue/index.ts";
export { mulberry32, Random, sfc32, type RandomSource } from "./random.ts";
export { countNodes } from "./ir/count.ts";
export * as ir from "./ir/public.ts";
export { snakeCase } from "./ir/snake-case.ts";
export { emit, type Emitted, type EmittedInstance, emittedInstances } from "./emit.ts";
export { withPads } from "./pads.ts";
export { namesNear } from "./build/suggest.ts";
export { circuitOf } from "./verilog/emit.ts";
export { verilogNames } from "./verilog/name-map.ts";
export { moduleNames, structureOf, structuresOf, type Link, type Part, type Structure } from "./structure/structure.ts";
export {
  around,
  axi4MasterObeys,
  axi4SlaveObeys,
  busOf,
  isQueue,
  libraryProofs,
  liteMasterObeys,
  liteSlaveObeys,
  lruHarness,
  moduleObeys,
  offersWithin,
  producerObeys,
  type Axi4Rules,
  type Axi4Traffic,
  type Fault,
  type LiteRules,
  type Proof,
  type ShadowOptions,
  type Watched,
} from "./proofs/index.ts";
export { readSourceMap } from "./verilog/source-map.ts";
