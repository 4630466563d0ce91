/** Benches of several designs in one simulated time. */
import { type Bench, SimulatedTime } from "../../../../sim/index.ts";
import { Signal } from "./signal.ts";
import { Step } from "./step.ts";

/** Nanoseconds of a cycle: sNICs and memory nodes have the same clock. */
export const clockPeriod = 4;

/** From the main function of a member's bench: takes part in the time from here on, until the run is over. */
export type Join = (bench: Bench, start: () => Promise<() => void | Promise<void>>) => Promise<void>;

/** A design with a bench of its own. */
export interface Member {
  readonly name: string;
  /** Runs the bench, which calls `join` once; its `start` brings the design up and returns what ends it. */
  readonly run: (join: Join) => Promise<void>;
}

/**
 * One simulated time for all members. Each has a clock of its own, and is ahead of no other by more than `lookahead`
 * cycles: the shortest line between two of them. What a member sends is due at its receiver after that, so every event
 * comes in its cycle. A run is the same each time.
 */
export class Clockwork {
  /** By member, in the order of the run; what is no member (endpoints, switches) lives in the first one's time. */
  readonly times: readonly SimulatedTime[];
  readonly #step: Step;
  readonly #over = new Signal();
  /** A member failed before all had begun. */
  #isAbandoned = false;
  /** Cycle of each member's bench in which the common time began. */
  readonly #benches: (Bench | undefined)[];
  readonly #from: number[];

  private constructor(members: number) {
    this.#benches = Array.from({ length: members }, () => undefined);
    this.#from = this.#benches.map(() => 0);
    this.times = this.#benches.map((_, i) => new SimulatedTime(() => this.#cycle(i) * clockPeriod));
    this.#step = new Step(members, i => this.#cycle(i));
  }
  #cycle(member: number): number {
    const bench = this.#benches[member];
    return bench === undefined ? 0 : bench.cycle - (this.#from[member] ?? 0);
  }
  /** Cycles since all members began, of the first. */
  get cycle(): number {
    return this.#cycle(0);
  }
  get time(): SimulatedTime {
    const [first] = this.times;
    if (first === undefined) throw new RangeError("a clockwork has a member or more");
    return first;
  }

  /**
   * Runs `body` once all members have started, and then ends them.
   * @param made gives the members, whose parts may use the times, and the cycles of the shortest line between two
   * @throws what the body, or a bench, throws first
   */
  static async run<T>(
    members: number,
    made: (clockwork: Clockwork) => { readonly members: readonly Member[]; readonly lookahead: number },
    body: (clockwork: Clockwork) => Promise<T>,
  ): Promise<T> {
    const clockwork = new Clockwork(members),
      started: Promise<void>[] = [],
      benches: Promise<void>[] = [],
      { members: all, lookahead } = made(clockwork);
    clockwork.#step.lookahead = lookahead;
    // One behind another, so that their order, and with it the run, is always the same.
    for (const [i, member] of all.entries()) {
      const entered = new Signal(),
        ready = new Signal(),
        bench = member.run((b, start) => clockwork.#member(i, b, start, entered, ready));
      // A bench that fails early is heard of below.
      bench.catch(() => undefined);
      started.push(ready.told);
      benches.push(bench);
      try {
        await Promise.race([entered.told, bench]);
      } catch (e) {
        // Those that have begun would wait for it for ever.
        clockwork.#isAbandoned = true;
        clockwork.#step.abandon();
        await Promise.allSettled(benches);
        throw e;
      }
    }
    const ends = Promise.all(benches),
      work = async (): Promise<T> => {
        await Promise.all(started);
        return body(clockwork);
      };
    // A member that fails ends the others.
    ends.catch(() => clockwork.#over.tell());
    const [result] = await Promise.all([work().finally(() => clockwork.#over.tell()), ends]);
    return result;
  }

  async #member(
    i: number,
    bench: Bench,
    start: () => Promise<() => void | Promise<void>>,
    entered: Signal,
    ready: Signal,
  ): Promise<void> {
    this.#benches[i] = bench;
    this.#from[i] = bench.cycle;
    const joined = this.#step.join(i, bench);
    entered.tell();
    await joined;
    try {
      if (this.#isAbandoned) return;
      this.#advance(i, bench);
      const stop = await start();
      ready.tell();
      await this.#over.told;
      await stop();
    } finally {
      this.#step.leave(i, bench);
    }
  }
  /** Does what is due. There is always a wait, for a bench in which nothing waits stands still, and with it all. */
  #advance(i: number, bench: Bench): void {
    const time = this.times[i] ?? this.time;
    bench.spawn(async () => {
      for (;;) {
        await bench.until(() => time.next <= time.now());
        time.advance();
      }
    });
  }
  /** The clocks of all stand still until this settles. */
  rest(until: Promise<void>): void {
    this.#step.hold(until);
  }
  /** Edges of each member after which timers and I/O of the process get a turn. */
  set edgesPerTurn(edges: number) {
    for (const b of this.#benches) if (b !== undefined) b.scheduler.edgesPerTurn = edges;
  }
  /** Calls `sample` at each edge of the first member. */
  onEdge(sample: () => void): void {
    this.#benches[0]?.onEdge({ sample });
  }
  /** So many nanoseconds of simulated time. */
  pause(ns: number): Promise<void> {
    return new Promise(resolve => {
      this.time.after(ns, resolve);
    });
  }
}
