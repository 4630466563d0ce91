/** Benches of several designs in one simulated time. */
import { type Bench, Lockstep, SimulatedTime } from "../../../../sim/index.ts";

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

interface Signal {
  readonly told: Promise<void>;
  readonly tell: () => void;
}
function signal(): Signal {
  let tell: () => void = () => undefined;
  const told = new Promise<void>(resolve => {
    tell = resolve;
  });
  return { told, tell: () => tell() };
}

/**
 * One simulated time for all members: no bench is more than a cycle ahead of another (`Lockstep`), and the first one's
 * clock is the time. What is due happens between two edges of the first. So an event has its cycle exactly at the first
 * member and to a cycle at the others, and a run is the same each time.
 */
export class Clockwork {
  readonly time: SimulatedTime;
  readonly #lockstep: Lockstep;
  readonly #over = signal();
  #leader: { readonly bench: Bench; readonly from: number } | undefined;

  private constructor(members: number) {
    this.#lockstep = new Lockstep(members);
    this.time = new SimulatedTime(() => this.cycle * clockPeriod);
  }
  /** Cycles since all members began. */
  get cycle(): number {
    return this.#leader === undefined ? 0 : this.#leader.bench.cycle - this.#leader.from;
  }

  /**
   * Runs `body` once all members have started, and then ends them.
   * @param made gives the members, whose parts may use the time
   * @throws what the body, or a bench, throws first
   */
  static async run<T>(
    members: number,
    made: (clockwork: Clockwork) => readonly Member[],
    body: (clockwork: Clockwork) => Promise<T>,
  ): Promise<T> {
    const clockwork = new Clockwork(members),
      started: Promise<void>[] = [],
      benches: Promise<void>[] = [];
    // One behind another, so that their order, and with it the run, is always the same.
    for (const member of made(clockwork)) {
      const entered = signal(),
        ready = signal(),
        bench = member.run((b, start) => clockwork.#member(b, start, entered, ready));
      // A bench that fails early is heard of below.
      bench.catch(() => undefined);
      started.push(ready.told);
      benches.push(bench);
      await Promise.race([entered.told, bench]);
    }
    const all = Promise.all(benches),
      work = async (): Promise<T> => {
        await Promise.all(started);
        return body(clockwork);
      };
    // A member that fails ends the others.
    all.catch(clockwork.#over.tell);
    const [result] = await Promise.all([work().finally(clockwork.#over.tell), all]);
    return result;
  }

  async #member(
    bench: Bench,
    start: () => Promise<() => void | Promise<void>>,
    entered: Signal,
    ready: Signal,
  ): Promise<void> {
    const joined = this.#lockstep.join(bench);
    const leads = this.#leader === undefined;
    this.#leader ??= { bench, from: bench.cycle };
    entered.tell();
    await joined;
    try {
      if (leads) this.#advance(bench);
      // A bench in which nothing waits stands still, and with it all others.
      else bench.spawn(() => bench.until(() => false));
      const stop = await start();
      ready.tell();
      await this.#over.told;
      await stop();
    } finally {
      this.#lockstep.leave(bench);
    }
  }
  #advance(bench: Bench): void {
    const { time } = this;
    bench.spawn(async () => {
      for (;;) {
        await bench.until(() => time.next <= time.now());
        time.advance();
      }
    });
  }
  /** So many nanoseconds of simulated time. */
  pause(ns: number): Promise<void> {
    return new Promise(resolve => {
      this.time.after(ns, resolve);
    });
  }
}
