/** Milliseconds without a frame after which what is silent ages: clients that are still there repeat sooner. */
const AGE_AFTER_MS = 500;
/** Edges after which sockets get their turn while the design works, and while it waits for more to do. */
const EDGES_PER_TURN = { working: 100, quiet: 8 };

/** What the clock of a served design is made of. */
export interface RestingClockOptions {
  /** Of the simulation. */
  readonly cycle: () => number;
  /** Whether something is under way; asked at each edge. */
  readonly working: () => boolean;
  /** Cycles without anything under way after which the clock stands still. */
  readonly quietCycles: number;
  /** Cycles in which all that was silent has aged. */
  readonly ageCycles: number;
  /** Stops the clock until this settles. */
  readonly rest: (until: Promise<void>) => void;
  /** Sets after how many edges sockets get their turn. */
  readonly edgesPerTurn: (edges: number) => void;
}

/**
 * When the clock of a served design runs: while something is under way and `quietCycles` longer. Two more reasons make
 * it run for `ageCycles`, because something waits for time to pass: the owner says so (`age`), or no frame has come for
 * `AGE_AFTER_MS`; that once, until a frame comes. Otherwise the clock stands still and the process sleeps.
 */
export class RestingClock {
  readonly #o: RestingClockOptions;
  #quietSince: number;
  /** Cycles for which the clock goes on beyond the quiet ones. */
  #age = 0;
  /** Whether all that was silent when the clock stopped has aged. */
  #aged = false;
  #ageing: NodeJS.Timeout | undefined;
  #stopped = false;
  #wake: () => void = () => undefined;
  readonly #begun = performance.now();
  #idleMs = 0;
  #asleepSince: number | undefined;

  constructor(o: RestingClockOptions) {
    this.#o = o;
    this.#quietSince = o.cycle();
  }

  /** Something has moved at this cycle. */
  moved(): void {
    this.#quietSince = this.#o.cycle();
  }
  /** A frame has come from outside: the clock runs. */
  arrived(): void {
    this.moved();
    this.#aged = false;
    this.#wake();
  }
  /** Something waits for time to pass: the clock goes on until all that is silent has aged. */
  age(): void {
    this.#age = this.#o.ageCycles;
  }
  /** The clock runs from now on. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
    clearTimeout(this.#ageing);
  }
  /** Real time for which the clock ran, and for which it stood still, until now. */
  get times(): { readonly busySeconds: number; readonly idleSeconds: number } {
    const now = performance.now(),
      idle = this.#idleMs + (this.#asleepSince === undefined ? 0 : now - this.#asleepSince);
    return { busySeconds: (now - this.#begun - idle) / 1000, idleSeconds: idle / 1000 };
  }

  /** To be called at each edge, when what has come out of the design is taken. */
  watch(): void {
    const cycle = this.#o.cycle();
    if (this.#asleepSince !== undefined) {
      this.#idleMs += performance.now() - this.#asleepSince;
      this.#asleepSince = undefined;
      clearTimeout(this.#ageing);
      this.#quietSince = cycle;
    }
    const working = this.#o.working();
    this.#o.edgesPerTurn(EDGES_PER_TURN[working || this.#age > 0 ? "working" : "quiet"]);
    if (working) {
      this.#quietSince = cycle;
      return;
    }
    if (cycle - this.#quietSince < this.#o.quietCycles + this.#age || this.#stopped) return;
    if (this.#age > 0) this.#aged = true;
    this.#age = 0;
    this.#asleepSince = performance.now();
    this.#o.rest(this.#nextWork());
  }

  /** The next frame, or the time at which the silent design ages: once, and then nothing more until a frame. */
  #nextWork(): Promise<void> {
    return new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#aged) return;
      this.#ageing = setTimeout(() => {
        this.#age = this.#o.ageCycles;
        resolve();
      }, AGE_AFTER_MS);
    });
  }
}
