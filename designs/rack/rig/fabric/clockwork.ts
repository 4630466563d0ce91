/** Benches of several designs in one simulated time. */
import { type Bench, SimulatedTime } from "../../../../sim/index.ts";
import { type Elsewhere, SetTimes } from "./elsewhere.ts";
import { Signal } from "./signal.ts";
import { Step } from "./step.ts";
import { runWindows } from "./windows.ts";

/** Nanoseconds of a cycle: sNICs and memory nodes have the same clock. */
export const clockPeriod = 4;

/** What takes part in a run. */
export interface Members {
  readonly members: readonly Member[];
  /** Cycles of the shortest line between two. */
  readonly lookahead: number;
  /** Threads that simulate some of them. */
  readonly elsewhere?: readonly Elsewhere[];
  /** Told of each member that has started, with the cycle. */
  readonly started?: (member: number, cycle: number) => void;
}
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
  /** Times of members that another thread simulates. */
  readonly #set = new SetTimes(clockPeriod);
  #told: ((member: number, cycle: number) => void) | undefined;
  /** Cycle at which the last of the members had started. */
  #started = 0;

  private constructor(members: number) {
    this.#benches = Array.from({ length: members }, () => undefined);
    this.#from = this.#benches.map(() => 0);
    this.times = this.#benches.map((_, i) => new SimulatedTime(() => this.#set.of(i) ?? this.#cycle(i) * clockPeriod));
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
   * Runs `body` once all members have started, and then ends them. It begins in a cycle that does not depend on the
   * threads: some windows behind the last start.
   * @param made gives the members, whose parts may use the times
   * @throws what the body, or a bench, throws first
   */
  static async run<T>(
    members: number,
    made: (clockwork: Clockwork) => Members,
    body: (clockwork: Clockwork) => Promise<T>,
  ): Promise<T> {
    const clockwork = new Clockwork(members),
      all = made(clockwork);
    clockwork.#step.lookahead = all.lookahead;
    clockwork.#told = all.started;
    const { elsewhere = [] } = all;
    try {
      return await clockwork.#run(all, elsewhere, body);
    } finally {
      await Promise.all(elsewhere.map(e => e.end()));
    }
  }
  async #run<T>(
    { members, lookahead }: Members,
    elsewhere: readonly Elsewhere[],
    body: (clockwork: Clockwork) => Promise<T>,
  ): Promise<T> {
    const started = members.map(() => new Signal()),
      far = new Set(elsewhere.flatMap(e => e.members));
    if (far.size > 0) this.#step.stop();
    for (const m of far) this.#set.add(m);
    const joined = elsewhere.map(e => e.join());
    // It is heard of below, with all others.
    for (const j of joined) j.catch(() => undefined);
    const benches = await this.#begin(
      members.map((m, i) => (far.has(i) ? undefined : m)),
      started,
    );
    const ends = this.#ends(benches, elsewhere, joined, lookahead, started),
      work = async (): Promise<T> => {
        await Promise.all(started.map(s => s.told));
        const from = (Math.floor(this.#started / lookahead) + 2) * lookahead;
        await this.pause((from - this.cycle) * clockPeriod);
        return body(this);
      };
    // A member that fails ends the others.
    ends.catch(() => this.#over.tell());
    const [result] = await Promise.all([work().finally(() => this.#over.tell()), ends]);
    return result;
  }
  /** Begins the benches here, one behind another: so their order, and with it the run, is always the same. */
  async #begin(
    members: readonly (Member | undefined)[],
    started: readonly Signal[],
  ): Promise<readonly Promise<void>[]> {
    const benches: Promise<void>[] = [];
    for (const [i, member] of members.entries()) {
      if (member === undefined) {
        this.#step.leaveOut(i);
        continue;
      }
      const entered = new Signal(),
        bench = member.run((b, start) => this.#member(i, b, start, entered, started[i] as Signal));
      // A bench that fails early is heard of below.
      bench.catch(() => undefined);
      benches.push(bench);
      try {
        await Promise.race([entered.told, bench]);
      } catch (e) {
        // Those that have begun would wait for it for ever.
        this.#isAbandoned = true;
        this.#step.abandon();
        await Promise.allSettled(benches);
        throw e;
      }
    }
    return benches;
  }
  /** Resolves when all benches here are over; beside them the windows, where there are members elsewhere. */
  async #ends(
    benches: readonly Promise<void>[],
    elsewhere: readonly Elsewhere[],
    joined: readonly Promise<void>[],
    length: number,
    started: readonly Signal[],
  ): Promise<void> {
    if (elsewhere.length === 0) {
      await Promise.all(benches);
      return;
    }
    const { times } = this,
      windows = async (): Promise<void> => {
        try {
          await Promise.all(joined);
          const told = (member: number, cycle: number): void => {
            this.#hasStarted(cycle);
            started[member]?.tell();
          };
          await runWindows(
            { step: this.#step, elsewhere, length, times, set: this.#set, started: told },
            () => this.#step.isOver,
          );
        } finally {
          void this.#step.until(Infinity);
        }
      };
    await Promise.all([...benches, windows()]);
  }
  #hasStarted(cycle: number): void {
    this.#started = Math.max(this.#started, cycle);
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
      this.#hasStarted(this.#cycle(i));
      this.#told?.(i, this.#cycle(i));
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
    void bench.background(async () => {
      for (;;) {
        await bench.until(() => time.next <= time.now());
        time.advance();
      }
    });
  }
  /** Resolves when all stand at the beginning of the common time. */
  get joined(): Promise<void> {
    return this.#step.joined;
  }
  /** From here on nobody takes a cycle but for `until`: another thread has the common time. */
  stop(): void {
    this.#step.stop();
  }
  /** Lets all run to the beginning of a cycle, and resolves when they stand there. */
  until(cycle: number): Promise<void> {
    return this.#step.until(cycle);
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
