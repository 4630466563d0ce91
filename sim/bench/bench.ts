import type { Ports, Random } from "../../hdl-dsl/index.ts";
import type { Io } from "../dut/types.ts";
import { TimeoutError } from "../errors.ts";
import type { Agent, Simulation } from "../simulation.ts";
import type { Scheduler } from "./scheduler.ts";
import { Event, Lock, Queue } from "./sync.ts";
import type { Task } from "./task.ts";
import type { OpenWaits } from "./wait.ts";

/** Values to wait for: a task, a wait of the harness, or a function, which is spawned and so can be cancelled. */
export type Awaitable<T> = Task<T> | Promise<T> | (() => Promise<T>);
/** An amount of simulated time. */
export type Span = { readonly cycles: number } | { readonly ns: number };

/** Waits on one clock. */
export class Clock {
  readonly #scheduler: Scheduler;
  readonly #index: number;
  constructor(scheduler: Scheduler, index: number) {
    this.#scheduler = scheduler;
    this.#index = index;
  }
  /** Rising edges so far, reset included. */
  get cycle(): number {
    return this.#scheduler.sim.domains[this.#index]?.cycle ?? 0;
  }
  /** The coming rising edge; afterwards ports read as they stood before it, and writes count for the next one. */
  risingEdge(): Promise<void> {
    return this.#scheduler.edge(this.#index);
  }
  /** `n` rising edges. */
  cycles(n: number): Promise<void> {
    return this.#scheduler.cycles(this.#index, n);
  }
  /** The first edge at whose sampling `test` holds; at once when it holds already. */
  until(test: () => boolean): Promise<void> {
    return this.#scheduler.until(this.#index, test);
  }
}

/** Interface of a bench to the simulation, in the manner of cocotb. */
export class Bench<P extends Ports = Ports> {
  readonly sim: Simulation<P>;
  readonly io: Io<P>;
  readonly clk: Clock;
  readonly scheduler: Scheduler;
  readonly #clocks: readonly Clock[];

  constructor(sim: Simulation<P>, scheduler: Scheduler) {
    this.sim = sim;
    this.io = sim.io;
    this.scheduler = scheduler;
    this.#clocks = sim.domains.map((_, i) => new Clock(scheduler, i));
    this.clk = this.clock();
  }

  get seed(): number {
    return this.sim.seed;
  }
  /** Random numbers of this run. */
  get random(): Random {
    return this.sim.random;
  }
  /** Rising edges of the default clock so far, reset included. */
  get cycle(): number {
    return this.sim.cycle;
  }

  /** A clock by its domain. */
  clock(domain?: string): Clock {
    return this.#clocks[this.sim.domains.indexOf(this.sim.domain(domain))] as Clock;
  }
  risingEdge(): Promise<void> {
    return this.clk.risingEdge();
  }
  cycles(n: number): Promise<void> {
    return this.clk.cycles(n);
  }
  until(test: () => boolean): Promise<void> {
    return this.clk.until(test);
  }
  /** The first edge at or after `ns` nanoseconds of simulated time. */
  timer(ns: number): Promise<void> {
    return this.scheduler.timer(Math.round(ns * 1000));
  }
  /** Per-edge agent. @returns a function that removes it. */
  onEdge(agent: Agent, domain?: string): () => void {
    return this.sim.onEdge(agent, domain);
  }

  /** Starts a task beside this one. */
  spawn<T>(body: () => Promise<T>): Task<T> {
    return this.scheduler.spawn(body);
  }

  /**
   * Starts what goes on beside all tasks and begins things that it does not await, such as a device's software. When
   * the bench ends it stands still where it waits: it gets no `Cancelled`, and its `finally` blocks do not run.
   * @returns settles when it has ended; its failure is the bench's
   */
  background(body: () => Promise<void>): Promise<void> {
    return this.scheduler.background(body);
  }

  /** All results, in order; the first failure cancels the others. */
  async all<T>(items: readonly Awaitable<T>[]): Promise<T[]> {
    const started = items.map(i => this.#start(i));
    try {
      return await Promise.all(started);
    } catch (e) {
      started.forEach(s => cancel(s, this.scheduler.waits));
      throw e;
    }
  }

  /** The first to end, well or badly; the others are cancelled. */
  async race<T>(items: readonly Awaitable<T>[]): Promise<T> {
    const started = items.map(i => this.#start(i));
    try {
      return await Promise.race(started);
    } finally {
      started.forEach(s => cancel(s, this.scheduler.waits));
    }
  }

  /** The result, or a `TimeoutError` (and a cancelled task) after that much simulated time. */
  async withTimeout<T>(item: Awaitable<T>, span: Span, what = "the wait"): Promise<T> {
    const from = this.cycle;
    const late = async (): Promise<never> => {
      await ("cycles" in span ? this.cycles(span.cycles) : this.timer(span.ns));
      const given = "cycles" in span ? `${span.cycles} cycles` : `${span.ns} ns`;
      throw new TimeoutError(`${what} took longer than ${given} (from cycle ${from} to ${this.cycle})`);
    };
    return this.race<T>([item, late]);
  }

  event<T = void>(): Event<T> {
    return new Event<T>(this.scheduler);
  }
  lock(): Lock {
    return new Lock(this.scheduler);
  }
  queue<T>(capacity?: number): Queue<T> {
    return new Queue<T>(this.scheduler, capacity);
  }

  #start<T>(item: Awaitable<T>): Task<T> | Promise<T> {
    return typeof item === "function" ? this.spawn(item) : item;
  }
}

/** Cancels a task or withdraws a wait; a promise from elsewhere is left alone. */
function cancel(item: Task<unknown> | Promise<unknown>, waits: OpenWaits): void {
  if ("cancel" in item) {
    item.cancel();
    return;
  }
  waits.withdraw(w => w.promise === item);
}
