import type { EmittedDesign, EmittedPort } from "../../hdl-dsl/index.ts";
import type { StopCause } from "../errors.ts";

/** Where a port's bits are: 32-bit little-endian lanes from `word` on; unused high bits of the last lane are zero. */
export interface PortSlot {
  readonly port: EmittedPort;
  readonly word: number;
  readonly words: number;
}

/** A clock of the design, times in picoseconds. */
export interface ClockSetting {
  readonly periodPs: number;
  readonly phasePs: number;
}

/** Seed, clocks and wave of one model. */
export interface ModelOptions {
  /** Seed of everything the design starts with that it does not initialise itself (not 0). */
  readonly seed: number;
  /** By clock domain; a domain that is not named gets 4 ns. */
  readonly clocks: Readonly<Record<string, ClockSetting>>;
  /** Wave file to write (a traced build only), from the given rising edge on. */
  readonly wave?: { readonly path: string; readonly fromCycle: number };
}

/** All that a model holds. Any build of the same design takes it, with or without a wave. */
export interface ModelState {
  /** Names and sizes of all that has a state: of another design it is refused. */
  readonly design: string;
  readonly seed: number;
  readonly edges: number;
  readonly timePs: number;
  readonly rose: number;
  /** Next rising edge of each clock, ps. */
  readonly next: readonly number[];
  /** Lanes of the ports, of registers, of memories. */
  readonly ports: Uint32Array;
  readonly registers: Uint32Array;
  readonly memories: Uint32Array;
}

/** What an instance cost the simulator so far, without the instances below it. */
export interface Evaluated {
  /** Dotted, from below the top on; empty for the top. */
  readonly path: string;
  readonly module: string;
  /** Runs of functions of generated code. */
  readonly evaluations: number;
  /** Bytes of code of each, summed over the runs. */
  readonly cost: number;
}

/** One instance of a design. Its ports are memory; only the calls here cross into the simulator. */
export interface Model {
  readonly slots: ReadonlyMap<string, PortSlot>;
  /** Signals inside by their dotted paths, in a build that has them. They read as the outputs do. */
  readonly inner?: ReadonlyMap<string, PortSlot> | undefined;
  /** Clock ports, in the order of the bits of `rose`. */
  readonly clocks: readonly EmittedPort[];
  /** All ports' lanes. Its length is 0 once the model is freed. */
  readonly words: Uint32Array;
  /**
   * `n` clock edges. Each: inputs written since the last edge take effect, outputs are sampled, then the clock rises.
   * So what is read afterwards is what stood before the edge. With several clocks an edge is the next instant at which
   * any of them rises.
   */
  step(n: number): void;
  /** Lets inputs take effect and samples the outputs, with no clock edge. */
  settle(): void;
  /** Edges until the sampled bits of a port equal `value`, at most `limit` edges. @returns whether it did. */
  runUntil(slot: PortSlot, value: bigint, limit: number): boolean;
  /** Clocks that rose at the last edge, a bit each. */
  rose(): number;
  /** Edges so far. */
  edges(): number;
  /** Simulated time of the last edge, ps. */
  timePs(): number;
  /** Set once the design ended the simulation. */
  stopped(): StopCause | undefined;
  /** Output of the design's print statements, the last 64 KB. */
  output(): string;
  /** What each instance cost so far, in a build with a profile. */
  profile?(): readonly Evaluated[] | undefined;
  /** All that it holds at this moment. @throws SimulationError where the simulator cannot, or it has ended. */
  save(): ModelState;
  /** Goes back, or on, to a state of this design. A model that has stopped runs again. */
  restore(state: ModelState): void;
  /** Ends it: views read as detached, memory is given back. Calling it twice is harmless. */
  free(): void;
}

/** A design made ready to run; any number of models can be made of it. */
export interface Program {
  /** Whether it had to be compiled, for the figures. */
  readonly built: boolean;
  create(options: ModelOptions): Model;
}

/** Kinds of wave files: VCD is text that every tool reads, FST is small. */
export type WaveFormat = "vcd" | "fst";

/** A simulator. Nothing above this interface knows which one it is. */
export interface Backend {
  readonly name: string;
  /** Waves that it writes of this design, the usual one first. */
  waveFormats(design: EmittedDesign): readonly WaveFormat[];
  /**
   * Builds the design, or finds an earlier build. @param options.trace a build of its own that can write waves. @param
   * options.brief it will run for few cycles: built quickly rather than to run quickly. @param options.signals signals
   * inside can be read. @param options.profile evaluations are counted.
   */
  load(
    design: EmittedDesign,
    options: {
      readonly trace: WaveFormat | false;
      readonly brief?: boolean;
      readonly signals?: boolean;
      readonly profile?: boolean;
    },
  ): Promise<Program>;
}
