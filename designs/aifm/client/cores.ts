/** Cores of a machine and the threads on them, in simulated time: what is computed, and what is spent on polling. */

/** Times of a machine's software. */
export interface CoreTimes {
  /** ns to switch to a thread that has slept. */
  readonly switchNs: number;
  /** ns that a poller spends on one completion. */
  readonly completeNs: number;
}

/**
 * Who polls for completions (AIFM over RDMA, section 2): each thread for its own; one thread of the runtime for all;
 * the scheduler's core, which is there for the network's sake anyway.
 */
export const stages = ["thread", "runtime", "scheduler"] as const;
export type Stage = (typeof stages)[number];

interface Time {
  readonly now: () => number;
  readonly after: (ns: number, action: () => void) => unknown;
}

/** ns of all cores of the application: their sum is cores times the time that has passed. */
export interface CoreUse {
  /** Work of the application. */
  readonly work: number;
  /** Switches between threads. */
  readonly switches: number;
  /** Looking for a completion that is not there. */
  readonly polling: number;
  /** Handling completions. */
  readonly handling: number;
  /** No thread was ready: another program could have the core. */
  readonly free: number;
}

/**
 * Cores that threads take turns on. A thread has a core while it works. While it waits for the node it keeps the core
 * (stage `thread`) or leaves it. With stage `runtime` one core is the poller's for ever.
 */
export class Cores {
  readonly #time: Time;
  readonly #o: CoreTimes;
  readonly stage: Stage;
  readonly cores: number;
  readonly #ready: (() => void)[] = [];
  readonly #use: Record<"work" | "switches" | "polling" | "handling", number> = {
    work: 0,
    switches: 0,
    polling: 0,
    handling: 0,
  };
  readonly #began: number;
  #idle: number;
  /** When the poller has handled all that has come so far. */
  #pollerFree = 0;

  /** @param cores of the application; with stage `runtime` two or more */
  constructor(time: Time, stage: Stage, cores: number, o: CoreTimes) {
    if (stage === "runtime" && cores < 2)
      throw new RangeError(`${cores} core with a thread that polls for all: give two or more`);
    this.#time = time;
    this.#o = o;
    this.stage = stage;
    this.cores = cores;
    this.#began = time.now();
    this.#idle = stage === "runtime" ? cores - 1 : cores;
    this.#pollerFree = this.#began;
  }

  /** Takes a core, waiting for its turn. */
  async enter(): Promise<void> {
    if (this.#idle > 0) this.#idle--;
    else await new Promise<void>(go => this.#ready.push(go));
  }
  /** Gives the core to the thread that waits longest. */
  leave(): void {
    const next = this.#ready.shift();
    if (next === undefined) this.#idle++;
    else next();
  }
  /** Work of a thread that has a core. */
  async work(ns: number): Promise<void> {
    await this.#spend("work", ns);
  }
  /** A thread that has a core waits for the node, and has a core again when this ends. */
  async remote<T>(operation: () => Promise<T>): Promise<T> {
    if (this.stage === "thread") return this.#poll(operation);
    this.leave();
    try {
      return await operation();
    } finally {
      await this.#told();
      await this.enter();
      await this.#spend("switches", this.#o.switchNs);
    }
  }

  /** What the cores were used for until now. Nobody may be working. */
  use(): CoreUse {
    const passed = this.#time.now() - this.#began,
      own = this.stage === "scheduler" ? 0 : this.#use.handling;
    // The poller's core spins whenever it handles nothing.
    const polling = this.stage === "runtime" ? passed - own : this.#use.polling,
      { work, switches } = this.#use;
    return { work, switches, polling, handling: own, free: this.cores * passed - work - switches - polling - own };
  }

  async #poll<T>(operation: () => Promise<T>): Promise<T> {
    const from = this.#time.now();
    try {
      return await operation();
    } finally {
      this.#use.polling += this.#time.now() - from;
      await this.#spend("handling", this.#o.completeNs);
    }
  }
  /** The poller handles one completion behind the other. */
  async #told(): Promise<void> {
    const now = this.#time.now();
    this.#pollerFree = Math.max(this.#pollerFree, now) + this.#o.completeNs;
    this.#use.handling += this.#o.completeNs;
    await this.#sleep(this.#pollerFree - now);
  }
  async #spend(what: "work" | "switches" | "handling", ns: number): Promise<void> {
    await this.#sleep(ns);
    this.#use[what] += ns;
  }
  #sleep(ns: number): Promise<void> {
    return new Promise(done => {
      this.#time.after(ns, done);
    });
  }
}
