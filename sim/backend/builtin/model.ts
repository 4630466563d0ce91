/** One running design: the harness's view of the generated code. */
import type { EmittedPort } from "../../../hdl-dsl/index.ts";
import { SimulationError, type StopCause } from "../../errors.ts";
import type { ClockSetting, Evaluated, Model, ModelOptions, ModelState, PortSlot } from "../backend.ts";
import type { BlockLayout } from "../layout.ts";
import { firstDifference, type StateMap } from "./state.ts";
import type { Recorder } from "./wave/recorder.ts";
import type { Exports, WasmMemory } from "./web-assembly.ts";

const DEFAULT: ClockSetting = { periodPs: 4000, phasePs: 0 };
/** Time of an edge of a design without a clock. */
const NO_CLOCK_PS = 1000;

/** Thrown by a check through the generated code. */
export class Failed extends Error {
  readonly check: number;
  constructor(check: number) {
    super();
    this.check = check;
  }
}

export interface Running {
  readonly memory: WasmMemory;
  readonly code: Exports;
}

export class BuiltinModel implements Model {
  readonly slots: ReadonlyMap<string, PortSlot>;
  readonly inner: ReadonlyMap<string, PortSlot> | undefined;
  readonly clocks: readonly EmittedPort[];
  readonly words: Uint32Array;
  readonly #running: Running;
  readonly #done: number;
  readonly #settings: readonly ClockSetting[];
  readonly #next: number[];
  readonly #textOf: (check: number) => string;
  readonly #release: () => void;
  readonly #recorder: Recorder | undefined;
  readonly #state: () => StateMap;
  readonly #profile: (() => readonly Evaluated[]) | undefined;
  readonly #start: (seed: number) => void;
  readonly #leave: () => void;
  #seed: number;
  #edges = 0;
  #time = 0;
  #rose = 0;
  #cause: StopCause | undefined;
  #output = "";
  #freed = false;

  /**
   * @param o.done word in which `run` counts. @param o.release takes the memory back. @param o.recorder of a traced
   * build, for its clocks. @param o.start fills the memory as a new model of that seed has it
   */
  constructor(
    running: Running,
    layout: BlockLayout,
    options: ModelOptions,
    o: {
      readonly done: number;
      readonly textOf: (check: number) => string;
      readonly release: () => void;
      /** Signals inside, and the lanes with them. */
      readonly inner?: { readonly slots: ReadonlyMap<string, PortSlot>; readonly words: number } | undefined;
      readonly profile?: (() => readonly Evaluated[]) | undefined;
      readonly state: () => StateMap;
      readonly start: (seed: number) => void;
      /** Called before the memory is given another state. */
      readonly leave: () => void;
      readonly recorder?: ((clocks: readonly ClockSetting[]) => Recorder) | undefined;
    },
  ) {
    this.slots = layout.slots;
    this.clocks = layout.clocks;
    this.#settings = layout.clocks.map(c => settingOf(c.domain, options.clocks[c.domain] ?? DEFAULT));
    this.#next = this.#settings.map(c => c.phasePs + c.periodPs);
    this.#running = running;
    this.#done = o.done;
    this.#textOf = o.textOf;
    this.#release = o.release;
    this.#recorder = o.recorder?.(this.#settings);
    this.#state = o.state;
    this.#profile = o.profile;
    this.#start = o.start;
    this.#leave = o.leave;
    this.#seed = options.seed;
    o.start(options.seed);
    this.words = new Uint32Array(running.memory.buffer, 0, o.inner?.words ?? layout.words);
    this.inner = o.inner?.slots;
    this.settle();
  }

  step(n: number): void {
    if (this.#freed || this.#cause !== undefined) return;
    try {
      if (this.#settings.length === 1 && this.#recorder === undefined) this.#run(n);
      else for (let i = 0; i < n; i++) this.#edge();
    } catch (e) {
      this.#stop(e);
    }
  }

  #run(n: number): void {
    const { code } = this.#running;
    if (n === 1) {
      code.settle();
      this.#count(1);
      code.tick(1);
      return;
    }
    try {
      code.run(n);
    } finally {
      this.#count(new Uint32Array(this.#running.memory.buffer)[this.#done] ?? 0);
    }
  }
  #count(n: number): void {
    const period = (this.#settings[0] as ClockSetting).periodPs;
    if (n === 0) return;
    this.#edges += n;
    this.#time = (this.#next[0] as number) + (n - 1) * period;
    this.#next[0] = this.#time + period;
    this.#rose = 1;
  }

  /** The next instant at which any clock rises. */
  #edge(): void {
    const { code } = this.#running,
      next = this.#next;
    code.settle();
    this.#recorder?.sample(this.#edges, this.#time);
    this.#edges++;
    if (next.length === 0) {
      this.#time += NO_CLOCK_PS;
      return;
    }
    let now = Infinity;
    for (const t of next) now = t < now ? t : now;
    let rising = 0;
    for (let i = 0; i < next.length; i++) {
      if (next[i] !== now) continue;
      rising |= 1 << i;
      next[i] = now + (this.#settings[i] as ClockSetting).periodPs;
    }
    this.#time = now;
    this.#rose = rising;
    this.#recorder?.rise(now, rising);
    code.tick(rising);
  }

  settle(): void {
    if (this.#freed || this.#cause !== undefined) return;
    this.#running.code.settle();
  }

  runUntil(slot: PortSlot, value: bigint, limit: number): boolean {
    const lanes = Array.from({ length: slot.words }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffff_ffffn));
    for (let i = 0; i < limit; i++) {
      this.step(1);
      if (this.#freed || this.#cause !== undefined) return false;
      if (lanes.every((l, k) => this.words[slot.word + k] === l)) return true;
    }
    return false;
  }

  #stop(e: unknown): void {
    if (!(e instanceof Failed)) throw e;
    this.#output = (this.#output + this.#textOf(e.check)).slice(-65536);
    this.#cause = "stop";
    this.#recorder?.end();
  }

  profile(): readonly Evaluated[] | undefined {
    if (this.#freed) throw new SimulationError("profile: the simulation was freed; ask before free()");
    return this.#profile?.();
  }

  save(): ModelState {
    if (this.#freed) throw new SimulationError("save: the simulation was freed; save before free()");
    if (this.#cause !== undefined)
      throw new SimulationError("save: the design has stopped, half of its last edge is done; save before that edge");
    const state = this.#state();
    return {
      design: state.design,
      seed: this.#seed,
      edges: this.#edges,
      timePs: this.#time,
      rose: this.#rose,
      next: [...this.#next],
      ...state.read(new Uint32Array(this.#running.memory.buffer)),
    };
  }

  restore(s: ModelState): void {
    if (this.#freed) throw new SimulationError("restore: the simulation was freed; simulate the design again");
    const state = this.#state();
    if (s.design !== state.design)
      throw new SimulationError(
        `restore: the state is of another design: ${firstDifference(state.design, s.design)}; save it again`,
      );
    this.#recorder?.jump(s.timePs, s.next);
    this.#leave();
    // What is never written, such as words beyond a depth, comes from the seed.
    this.#seed = s.seed;
    this.#start(s.seed);
    state.write(new Uint32Array(this.#running.memory.buffer), s);
    this.#edges = s.edges;
    this.#time = s.timePs;
    this.#rose = s.rose;
    s.next.forEach((t, i) => {
      this.#next[i] = t;
    });
    this.#cause = undefined;
    this.#output = "";
  }

  rose(): number {
    return this.#rose;
  }
  edges(): number {
    return this.#edges;
  }
  timePs(): number {
    return this.#time;
  }
  stopped(): StopCause | undefined {
    return this.#cause;
  }
  output(): string {
    return this.#output;
  }
  free(): void {
    if (this.#freed) return;
    if (this.#recorder !== undefined) {
      this.settle();
      this.#recorder.sample(this.#edges, this.#time);
      this.#recorder.end();
    }
    this.#freed = true;
    // Detaches every view; the memory itself serves the next model.
    this.#running.memory.grow(0);
    this.#release();
  }
}

function settingOf(domain: string, c: ClockSetting): ClockSetting {
  for (const [what, ps, least] of [
    ["period", c.periodPs, 2],
    ["phase", c.phasePs, 0],
  ] as const)
    if (!Number.isInteger(ps) || ps < least || ps > 0xffff_ffff)
      throw new SimulationError(
        `the ${what} of clock domain ${domain} is ${ps} ps; give a whole number from ${least} to 4294967295`,
      );
  return c;
}
