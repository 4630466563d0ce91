import { type Ports, Random } from "../hdl-dsl/index.ts";
import type { ClockSetting, Model } from "./backend/backend.ts";
import type { Scheduler } from "./bench/scheduler.ts";
import { type Checkpoint, restoreCheckpoint, saveCheckpoint } from "./checkpoint/checkpoint.ts";
import type { Design } from "./design.ts";
import { buildIo } from "./dut/io.ts";
import { Breakpoint, type Condition, conditionOf, signalInside } from "./dut/inside.ts";
import type { Io, OutSignal } from "./dut/types.ts";
import { type Profile, profileOf } from "./speed/profile.ts";
import { DesignStopped, SimulationError } from "./errors.ts";

/**
 * Something that lives on a clock: a bus model, a monitor, a checker. Called once per rising edge, as plain functions.
 */
export interface Agent {
  /**
   * After an edge: outputs read as they stood before it (so did the inputs). `cycle` counts the edges,
   * this one included.
   */
  sample?(cycle: number): void;
  /** After every `sample` and every waiting task of that edge: inputs written here take effect for the next edge. */
  drive?(cycle: number): void;
  /** What it holds, for a checkpoint: values that can be copied. Both, or it cannot be part of one. */
  save?(): unknown;
  restore?(state: unknown): void;
}

/** A clock domain: its agents and its count of edges. */
export class Domain {
  readonly name: string;
  readonly periodPs: number;
  /** Rising edges so far, those of the reset included. */
  cycle = 0;
  /** Whether agents are to drive before the next step. */
  due = true;
  samplers: Agent[] = [];
  drivers: Agent[] = [];
  constructor(name: string, periodPs: number) {
    this.name = name;
    this.periodPs = periodPs;
  }
}

/** A design running: typed ports, steps, agents. */
export class Simulation<P extends Ports = Ports> {
  readonly design: Design<P>;
  /** The ports by their names in the module's declaration. */
  readonly io: Io<P>;
  readonly seed: number;
  /** Numbers of this run; fork it by name for each user. */
  readonly random: Random;
  readonly model: Model;
  /** Set while a bench runs: bus models wait with it. */
  scheduler: Scheduler | undefined;
  readonly #domains: Domain[];
  readonly #resets: readonly { readonly word: number; readonly on: number }[];
  #busy = false;

  constructor(design: Design<P>, model: Model, seed: number, clocks: Readonly<Record<string, ClockSetting>>) {
    this.design = design;
    this.model = model;
    this.seed = seed;
    this.random = new Random(seed);
    this.io = buildIo(design.ports, model);
    this.#domains = model.clocks.map(c => new Domain(c.domain, clocks[c.domain]?.periodPs ?? 4000));
    for (const name of Object.keys(clocks)) this.domain(name);
    if (this.#domains.length === 0) this.#domains.push(new Domain("default", 1000));
    this.#resets = [...model.slots.values()]
      .filter(s => s.port.role === "reset")
      .map(s => ({ word: s.word, on: s.port.activeLow === true ? 0 : 1 }));
    this.#drive(false);
    this.#check();
  }

  /** Rising edges of the default clock (the first, when none has that name). */
  get cycle(): number {
    return this.domain().cycle;
  }
  /** Simulated time of the last edge, ns. */
  get timeNs(): number {
    return this.model.timePs() / 1000;
  }
  /** Output of the design (`$display`), the last 64 KB. */
  get output(): string {
    return this.model.output();
  }
  get domains(): readonly Domain[] {
    return this.#domains;
  }

  /** A clock domain by name. */
  domain(name?: string): Domain {
    const found =
      name === undefined
        ? (this.#domains.find(d => d.name === "default") ?? this.#domains[0])
        : this.#domains.find(d => d.name === name);
    if (!found) {
      throw new SimulationError(
        `the design has no clock domain ${name ?? "default"}; it has ${this.#domains.map(d => d.name).join(", ")}`,
      );
    }
    return found;
  }

  /** Adds a per-edge agent. @returns a function that removes it. */
  onEdge(agent: Agent, domain?: string): () => void {
    const d = this.domain(domain);
    // Lists are replaced, not changed: an agent may add or remove one while they are being called.
    if (agent.sample) d.samplers = [...d.samplers, agent];
    if (agent.drive) d.drivers = [...d.drivers, agent];
    d.due = true;
    return () => {
      d.samplers = d.samplers.filter(a => a !== agent);
      d.drivers = d.drivers.filter(a => a !== agent);
    };
  }

  /** Whether no agent needs each edge, so that several may run natively in one call. */
  get quiet(): boolean {
    return this.#domains.length === 1 && this.#domains.every(d => d.samplers.length === 0 && d.drivers.length === 0);
  }

  /**
   * `n` edges. Each: agents drive, inputs take effect, outputs are sampled, the clock rises, agents sample. Ports then
   * read as before the edge; writes count for the next. @throws DesignStopped when the design ends the simulation.
   */
  step(n = 1): void {
    if (this.#busy) throw new SimulationError("step() was called from within an agent; only a bench may step");
    this.#check();
    if (this.quiet) {
      this.model.step(n);
      (this.#domains[0] as Domain).cycle += n;
      this.#check();
      return;
    }
    this.#busy = true;
    try {
      if (this.#domains.length === 1) this.#stepOne(this.#domains[0] as Domain, n);
      else for (let i = 0; i < n; i++) this.#stepMany();
    } finally {
      this.#busy = false;
    }
  }

  #stepOne(d: Domain, n: number): void {
    for (let i = 0; i < n; i++) {
      const drivers = d.drivers;
      for (let k = 0; k < drivers.length; k++) drivers[k]?.drive?.(d.cycle);
      this.model.step(1);
      d.cycle++;
      this.#check();
      const samplers = d.samplers;
      for (let k = 0; k < samplers.length; k++) samplers[k]?.sample?.(d.cycle);
    }
  }

  #stepMany(): void {
    for (const d of this.#domains) {
      if (!d.due) continue;
      d.due = false;
      for (const a of d.drivers) a.drive?.(d.cycle);
    }
    this.model.step(1);
    this.#check();
    const rose = this.model.rose();
    this.#domains.forEach((d, i) => {
      if (((rose >> i) & 1) === 0) return;
      d.cycle++;
      d.due = true;
      for (const a of d.samplers) a.sample?.(d.cycle);
    });
  }

  /** For bus models: the first edge at whose sampling `test` holds. Only within a bench. */
  until(test: () => boolean, domain?: string): Promise<void> {
    if (!this.scheduler) throw new SimulationError("waiting needs a bench: use runBench, or poll between steps");
    return this.scheduler.until(this.#domains.indexOf(this.domain(domain)), test);
  }

  /** Lets written inputs take effect and samples the outputs without a clock edge: for combinational paths. */
  settle(): void {
    this.model.settle();
    this.#check();
  }

  /**
   * Steps until the sampled `signal` equals `value`, natively when no agent is attached.
   * @returns the edges taken, or undefined when `limit` edges did not suffice.
   */
  runUntil(signal: OutSignal, value: number | bigint, limit: number): number | undefined {
    const start = this.model.edges();
    if (this.quiet) {
      const hit = this.model.runUntil(signal.slot, BigInt.asUintN(signal.width, BigInt(value)), limit);
      (this.#domains[0] as Domain).cycle += this.model.edges() - start;
      this.#check();
      return hit ? this.model.edges() - start : undefined;
    }
    for (let i = 1; i <= limit; i++) {
      this.step();
      if (signal.big === BigInt(value)) return i;
    }
    return undefined;
  }

  /**
   * Holds every reset of the design for `edges` edges (enough of each clock when there are several), then releases it.
   */
  reset(edges = 2): void {
    this.#drive(true);
    const slowest = Math.max(...this.#domains.map(d => d.periodPs)),
      fastest = Math.min(...this.#domains.map(d => d.periodPs));
    this.step(edges * Math.ceil(slowest / fastest) * this.#domains.length);
    this.#drive(false);
  }

  /** Sets every reset of the design, whatever its level. */
  #drive(on: boolean): void {
    for (const r of this.#resets) this.model.words[r.word] = on ? r.on : 1 - r.on;
  }

  /**
   * A port, or a signal inside by its dotted path below the top, as the emitted text names it: `adder.sum`. It reads as
   * outputs do: as it stood before the last edge. @throws SimulationError with the nearest names when there is none
   */
  signal(path: string): OutSignal {
    return signalInside(this.model, this.design.emitted, path);
  }

  /**
   * A breakpoint: calls back after every edge at which the condition held. The condition gives signals by path and what
   * they have to be, numbers or names of states, or it is a function. @returns a function that removes it.
   */
  whenever(condition: Condition, callback: (cycle: number) => void, domain?: string): () => void {
    const holds = conditionOf(condition, path => this.signal(path), this.design.emitted);
    return this.onEdge(new Breakpoint(holds, callback), domain);
  }

  /** Steps until the condition held at an edge. @returns the edges taken, or undefined when `limit` did not suffice. */
  runTo(condition: Condition, limit: number): number | undefined {
    const holds = conditionOf(condition, path => this.signal(path), this.design.emitted);
    for (let i = 1; i <= limit; i++) {
      this.step();
      if (holds()) return i;
    }
    return undefined;
  }

  /** What each instance and module has cost the simulator. @throws SimulationError without the option `profile` */
  profile(): Profile {
    return profileOf(this.design.emitted.top, this.model.profile?.());
  }

  /**
   * All of the simulation at this moment: the design, its time, the agents on its clocks, `random`. Tasks of a bench
   * are code and no part of it. @param o.agents false leaves the agents out. @throws SimulationError naming an agent
   * that cannot be saved, or when the simulator cannot (Verilator).
   */
  save(o: { readonly agents?: boolean } = {}): Checkpoint {
    if (this.#busy) throw new SimulationError("save() was called from within an agent; call it between two steps");
    return saveCheckpoint(this, o.agents !== false);
  }

  /**
   * Goes back, or on, to a checkpoint of the same design. The same agents have to be there, made in the same order.
   * Within a bench no other task may wait for the simulation. @param o.agents false leaves the agents as they are.
   */
  restore(c: Checkpoint, o: { readonly agents?: boolean } = {}): void {
    if (this.#busy) throw new SimulationError("restore() was called from within an agent; call it between two steps");
    const before = this.model.edges();
    restoreCheckpoint(this, c, o.agents !== false);
    this.scheduler?.jump(this.model.edges() - before);
  }

  /** Ends it: ports cannot be read any more, memory is given back. Calling it twice is harmless. */
  free(): void {
    this.model.free();
  }
  [Symbol.dispose](): void {
    this.free();
  }

  #check(): void {
    // A freed model reads as an empty view, a stopped one as a cause in its header.
    if (this.model.words.length === 0) throw new SimulationError("the simulation was freed; simulate the design again");
    const cause = this.model.stopped();
    if (cause !== undefined) throw this.#stopped(cause);
  }

  #stopped(cause: "finish" | "stop" | "fatal" | "exception"): DesignStopped {
    const words = {
      finish: "called $finish",
      stop: "stopped ($stop, or an assertion or $error)",
      fatal: "called $fatal",
      exception: "broke",
    };
    const output = this.model.output(),
      cycle = this.model.edges();
    const tail = output.trim().split("\n").slice(-8).join("\n");
    return new DesignStopped(
      `${this.design.emitted.top} ${words[cause]} at cycle ${cycle}${tail === "" ? "" : `:\n${tail}`}`,
      cause,
      cycle,
      output,
    );
  }
}
