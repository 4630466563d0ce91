import type { EmittedPort } from "../../../hdl-dsl/index.ts";
import { SimulationError, type StopCause } from "../../errors.ts";
import type { Model, ModelOptions, PortSlot } from "../backend.ts";
import { type BlockLayout, HEADER_WORDS } from "../layout.ts";
import type { Loader, NativeModel } from "./loader.ts";

// Word offsets of native/abi.h.
const STATUS = 0,
  ROSE = 1,
  EDGES = 2,
  TIME = 4,
  WAVE_FROM = 6,
  CLOCKS = 8;
const CAUSES: readonly (StopCause | undefined)[] = [undefined, "finish", "stop", "fatal", "exception"];
const DEFAULT_PERIOD_PS = 4000;

function header(layout: BlockLayout, options: ModelOptions): Uint32Array {
  const h = new Uint32Array(HEADER_WORDS);
  h[WAVE_FROM] = options.wave?.fromCycle ?? 0;
  layout.clocks.forEach((c, i) => {
    const { periodPs, phasePs } = options.clocks[c.domain] ?? { periodPs: DEFAULT_PERIOD_PS, phasePs: 0 };
    for (const [what, ps, least] of [
      ["period", periodPs, 2],
      ["phase", phasePs, 0],
    ] as const) {
      if (!Number.isInteger(ps) || ps < least || ps > 0xffff_ffff) {
        throw new SimulationError(
          `the ${what} of clock domain ${c.domain} is ${ps} ps; give a whole number from ${least} to 4294967295`,
        );
      }
    }
    h[CLOCKS + 2 * i] = periodPs;
    h[CLOCKS + 2 * i + 1] = phasePs;
  });
  return h;
}

/** A model in the memory of this process, run by its design's shared object. */
export class VerilatorModel implements Model {
  readonly slots: ReadonlyMap<string, PortSlot>;
  readonly clocks: readonly EmittedPort[];
  readonly words: Uint32Array;
  readonly #native: NativeModel;
  readonly #reals: Float64Array;
  /** Facts of the moment it was freed: the views are gone by then. */
  #last: { edges: number; timePs: number; cause: StopCause | undefined; output: string } | undefined;

  constructor(loader: Loader, library: string, layout: BlockLayout, options: ModelOptions) {
    this.slots = layout.slots;
    this.clocks = layout.clocks;
    this.#native = loader.create(library, options.seed >>> 0 || 1, options.wave?.path ?? "", header(layout, options));
    this.words = new Uint32Array(this.#native.buffer);
    this.#reals = new Float64Array(this.#native.buffer, 0, HEADER_WORDS / 2);
  }

  step(n: number): void {
    this.#native.step(n);
  }
  settle(): void {
    this.#native.settle();
  }

  runUntil(slot: PortSlot, value: bigint, limit: number): boolean {
    const lanes = new Uint32Array(slot.words);
    for (let i = 0; i < lanes.length; i++) lanes[i] = Number((value >> BigInt(32 * i)) & 0xffff_ffffn);
    return this.#native.runUntil(slot.word, lanes, limit);
  }

  rose(): number {
    return this.words[ROSE] ?? 0;
  }
  edges(): number {
    return this.#last?.edges ?? this.#reals[EDGES / 2] ?? 0;
  }
  timePs(): number {
    return this.#last?.timePs ?? this.#reals[TIME / 2] ?? 0;
  }
  stopped(): StopCause | undefined {
    return this.#last ? this.#last.cause : CAUSES[this.words[STATUS] ?? 0];
  }
  output(): string {
    return this.#last?.output ?? this.#native.output();
  }

  save(): never {
    throw new SimulationError(
      "Verilator's models cannot be saved: use the built-in simulator (unset MNEMO_BACKEND; it says why where it cannot run the design)",
    );
  }
  restore(): never {
    this.save();
  }

  free(): void {
    if (this.#last) return;
    this.#last = { edges: this.edges(), timePs: this.timePs(), cause: this.stopped(), output: this.output() };
    this.#native.free();
  }
}
