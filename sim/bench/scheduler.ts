import { Cancelled } from "../errors.ts";
import { afterOthers, afterPromises } from "../host.ts";
import type { Domain, Simulation } from "../simulation.ts";
import { currentTask, Task } from "./task.ts";
import { Timeline } from "./timeline.ts";
import { OpenWaits, Wait } from "./wait.ts";

/** Most edges in one native call when no wait needs each of them: a timer of the process may be late by so many. */
const EDGES_PER_CALL = 1000;

/** Waits on one clock. */
interface ClockWaits {
  readonly domain: Domain;
  readonly due: Timeline<Wait<void>>;
  /** The edge that all main-function waiters of it share. */
  edge: Wait<void> | undefined;
  /** Tasks that wait for the coming edge: the usual case, kept out of the timeline. */
  tasks: Wait<void>[];
}

interface Condition {
  readonly test: () => boolean;
  readonly wait: Wait<void>;
  readonly domain: Domain;
}

/**
 * Runs a bench: steps the simulation while anything waits for it, and wakes what an edge makes ready. All code between
 * two awaits runs between two edges. The simulation never moves while the bench awaits something else (a file, say), so
 * the same seed is the same run.
 */
export class Scheduler {
  readonly sim: Simulation;
  readonly waits = new OpenWaits();
  readonly tasks = new Set<Task<unknown>>();
  over = false;
  /** Edges after which timers and I/O of the process get a turn, so that a test framework's timeout can fire. */
  edgesPerTurn = EDGES_PER_CALL;
  /**
   * Asked before each edge: while what it gives is unsettled the clock stands still (several benches in
   * one time: `Lockstep`).
   */
  gate: (() => Promise<void> | undefined) | undefined;
  /** While this is unsettled the clock stands still. */
  #rest: Promise<unknown> | undefined;
  readonly #clocks: ClockWaits[];
  readonly #timers = new Timeline<Wait<void>>();
  #conditions: Condition[] = [];
  #failure: { readonly error: unknown } | undefined;
  #sinceTurn = 0;
  #limit: { readonly edges: number; readonly error: () => Error } = { edges: Infinity, error: () => new Error() };

  #deadline: { readonly at: number; readonly error: () => Error } = { at: Infinity, error: () => new Error() };

  constructor(sim: Simulation) {
    this.sim = sim;
    sim.scheduler = this;
    this.#clocks = sim.domains.map(domain => ({ domain, due: new Timeline<Wait<void>>(), edge: undefined, tasks: [] }));
  }

  /**
   * The coming edge. One promise serves all main-function waiters of an edge; a task has its own, which can
   * be cancelled alone.
   */
  edge(clock: number): Promise<void> {
    const c = this.#clock(clock);
    if (currentTask.getStore() !== undefined) {
      const w = new Wait<void>(this);
      c.tasks.push(w);
      return w.promise;
    }
    c.edge ??= new Wait<void>(this);
    return c.edge.promise;
  }

  /** `n` edges from now. */
  cycles(clock: number, n: number): Promise<void> {
    const c = this.#clock(clock),
      w = new Wait<void>(this);
    if (n <= 0) w.resolve();
    else c.due.add(c.domain.cycle + n, w);
    return w.promise;
  }

  /** The first edge after whose sampling `test` holds; at once when it holds now. */
  until(clock: number, test: () => boolean): Promise<void> {
    const wait = new Wait<void>(this);
    if (!wait.done) {
      if (test()) wait.resolve();
      else this.#conditions.push({ test, wait, domain: this.#clock(clock).domain });
    }
    return wait.promise;
  }

  /** The first edge at or after `ps` from now. */
  timer(ps: number): Promise<void> {
    const w = new Wait<void>(this);
    if (ps <= 0) w.resolve();
    else this.#timers.add(this.sim.model.timePs() + ps, w);
    return w.promise;
  }

  spawn<T>(body: () => Promise<T>): Task<T> {
    if (this.over) throw new Cancelled();
    const t = new Task<T>(this, body);
    this.tasks.add(t);
    const gone = (): void => {
      this.tasks.delete(t);
    };
    t.ended.then(gone, gone);
    return t;
  }

  /**
   * Starts what goes on beside all tasks, and is in nobody's hands: such as software, which begins things that it does
   * not await. When the bench ends it stands still where it waits. @returns settles when it has ended; its failure is
   * the bench's
   */
  background(body: () => Promise<void>): Promise<void> {
    return new Promise(resolve => {
      if (this.over) return;
      new Task<void>(this, body, true).ended.then(
        () => resolve(),
        () => undefined,
      );
    });
  }

  /** Fails the bench when it is not over after so many edges. */
  limit(edges: number, error: () => Error): void {
    this.#limit = { edges: this.sim.model.edges() + edges, error };
  }

  /** The simulation jumps by so many edges: the limit goes with it. */
  jump(edges: number): void {
    this.#limit = { ...this.#limit, edges: this.#limit.edges + edges };
  }

  /** Fails the bench when it is not over after so many milliseconds of the process's own time. */
  deadline(ms: number, error: () => Error): void {
    this.#deadline = { at: performance.now() + ms, error };
  }

  /**
   * The clock stands still after the present edge until `until` has settled or a wait begins, and the process may
   * sleep. This pause is for a bench whose next work comes from outside the simulation, at no cycle in particular. The
   * end of the bench's main function settles it, too.
   */
  rest(until: Promise<unknown>): void {
    this.#rest = until;
  }

  /** Ends the bench with this error unless it has failed already. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Runs `main` to its end, then cancels what still runs. @throws what `main`, a task or an agent threw first. */
  async run<T>(main: () => Promise<T>): Promise<T> {
    let result: { readonly value: T } | undefined;
    let ended = false;
    const body = (async () => main())()
      .then(
        value => {
          result = { value };
        },
        (e: unknown) => this.fail(e),
      )
      .finally(() => {
        ended = true;
      });
    await this.#loop(() => ended || this.#failure !== undefined);
    await this.#cancelAll(body);
    if (this.#failure) throw this.#failure.error;
    return (result as { readonly value: T }).value;
  }

  #clock(i: number): ClockWaits {
    return this.#clocks[i] as ClockWaits;
  }

  /** Steps until `ended`, giving promises their turn after each edge that resolved a wait. */
  #loop(ended: () => boolean): Promise<void> {
    return new Promise(resolve => {
      const turn = (): void => {
        try {
          for (;;) {
            if (ended()) {
              resolve();
              return;
            }
            if (this.#rest) {
              void this.#awake(this.#rest).then(() => {
                afterOthers(turn);
              });
              this.#rest = undefined;
              this.#sinceTurn = 0;
              return;
            }
            // No task waits for the simulation: the bench awaits something outside it, or its last promise is
            // about to settle.
            if (this.waits.size === 0 || this.#sinceTurn >= this.edgesPerTurn) {
              this.#sinceTurn = 0;
              if (performance.now() >= this.#deadline.at) throw this.#deadline.error();
              afterOthers(turn);
              return;
            }
            const held = this.gate?.();
            if (held) {
              void held.then(() => afterPromises(turn));
              return;
            }
            if (this.#advance()) break;
          }
        } catch (e) {
          this.fail(e);
          resolve();
          return;
        }
        // This runs after every promise that this edge settled. A call queued from a microtask runs once the
        // microtasks are done; queued from here it would run before them.
        queueMicrotask(() => afterPromises(turn));
      };
      queueMicrotask(() => afterPromises(turn));
    });
  }

  /** Settles when the clock is to go on. */
  async #awake(until: Promise<unknown>): Promise<void> {
    const begun = new Promise<void>(resolve => {
      this.waits.begun = resolve;
    });
    await Promise.race([until.catch(() => undefined), begun]);
    this.waits.begun = undefined;
  }

  /** One edge, or several when nothing can happen in between. @returns whether it resolved a wait. */
  #advance(): boolean {
    if (this.sim.model.edges() >= this.#limit.edges) throw this.#limit.error();
    const n = this.#idleEdges();
    this.#sinceTurn += n;
    this.sim.step(n);
    let woke = this.#wakeConditions();
    const rose = this.sim.model.rose();
    for (let i = 0; i < this.#clocks.length; i++) {
      if (this.#clocks.length > 1 && ((rose >> i) & 1) === 0) continue;
      const c = this.#clock(i);
      if (c.edge) {
        const w = c.edge;
        c.edge = undefined;
        w.resolve();
        woke = true;
      }
      if (c.tasks.length > 0) {
        const tasks = c.tasks;
        c.tasks = [];
        for (const w of tasks) w.resolve();
        woke = true;
      }
      while (c.due.next <= c.domain.cycle) {
        c.due.take(c.domain.cycle)?.resolve();
        woke = true;
      }
    }
    const now = this.sim.model.timePs();
    while (this.#timers.next <= now) {
      this.#timers.take(now)?.resolve();
      woke = true;
    }
    return woke;
  }

  /**
   * How many edges may run in one native call: until the first wait falls due, when no agent or condition looks
   * at each edge.
   */
  #idleEdges(): number {
    const c = this.#clock(0);
    if (
      this.gate ||
      !this.sim.quiet ||
      this.#conditions.length > 0 ||
      this.#timers.size > 0 ||
      c.edge ||
      c.tasks.length > 0
    )
      return 1;
    return Math.max(1, Math.min(c.due.next - c.domain.cycle, EDGES_PER_CALL));
  }

  #wakeConditions(): boolean {
    if (this.#conditions.length === 0) return false;
    let woke = false;
    for (const { test, wait } of this.#conditions) {
      if (wait.done) {
        woke = true;
        continue;
      }
      try {
        if (test()) {
          wait.resolve();
          woke = true;
        }
      } catch (e) {
        wait.reject(e);
        woke = true;
      }
    }
    if (woke) this.#conditions = this.#conditions.filter(c => !c.wait.done);
    return woke;
  }

  async #cancelAll(main: Promise<void>): Promise<void> {
    this.over = true;
    const running = [...this.tasks];
    for (const t of running) t.cancel();
    this.waits.withdraw(() => true);
    // A task that awaits something outside the simulation cannot be cancelled: it gets a few turns, then it
    // is left behind.
    const all = Promise.allSettled([main, ...running.map(t => t.ended)]);
    await Promise.race([all, turns(4)]);
  }
}

async function turns(n: number): Promise<void> {
  for (let i = 0; i < n; i++)
    await new Promise(r => {
      afterOthers(() => r(undefined));
    });
}
