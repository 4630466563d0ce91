/** The unit with runs of beats and a scoreboard with the software's rates. */
import { drfFixed, type DrfProblem, type FixedAnswer } from "../../../../../../designs/supernic/drf/index.ts";
import { Drf, type DrfParameters } from "../../../../../../designs/supernic/rtl/drf/index.ts";
import { type Bench, never, type Pause, poke, StreamSink, StreamSource } from "../../../../../../sim/index.ts";

export const sizes = {
  small: { users: 4, resources: 6, lanes: 3, digitBits: 2, floor: 64 },
  /** A bit of the level a cycle, and no power of two of users. */
  slow: { users: 5, resources: 8, lanes: 2, digitBits: 1, floor: 1536 },
  full: { users: 16, resources: 40, lanes: 20, digitBits: 2, floor: 1536 },
} as const satisfies Readonly<Record<string, DrfParameters>>;
export type Size = keyof typeof sizes;
export const dut = (size: Size) => Drf(sizes[size]);
export type Ports = ReturnType<typeof dut>["ports"];

/** Cycles of the rounds: digits of all groups, what follows, and one a group for each user that stops or rises on. */
export function roundCycles({ first, second }: FixedAnswer, p: DrfParameters): number {
  const groups = p.resources / p.lanes,
    find = Math.ceil(p.lanes / 4) > 6 ? 3 : 2,
    round = (groups / 2) * (20 / p.digitBits + 2) + find;
  const stops = [...first.stops, ...second.stops].filter(users => users.length > 0),
    turns = stops.reduce((n, users) => n + users.length, first.satisfied.size);
  return groups + stops.length * round + groups * turns;
}

interface Run {
  readonly answer: FixedAnswer;
  /** Cycles of the last beat and of the rates. */
  lastBeat?: number;
  readonly rates: number[];
  readonly cycles: number[];
}

export class DrfRig {
  readonly b: Bench<Ports>;
  readonly p: DrfParameters;
  readonly vectors;
  readonly rates;
  #runs: Run[] = [];
  #resetting = false;
  readonly done: Run[] = [];

  constructor(b: Bench<Ports>, size: Size, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.p = sizes[size];
    this.vectors = new StreamSource(b.sim, b.io.vectors, { pause: o.from ?? never });
    this.rates = new StreamSink(b.sim, b.io.rates, { pause: o.to ?? never });
    b.onEdge({ sample: () => this.#sample() });
  }
  /** Software writes what resources have; nothing is under way. */
  async capacities(list: readonly number[]): Promise<void> {
    for (const [index, value] of list.entries()) {
      poke(this.b.io.capacities as never, { en: 1, index, value } as never);
      await this.b.cycles(1);
    }
    // What is written behind the last resource is nobody's.
    const { index } = this.b.io.capacities;
    for (let beyond = list.length; beyond < 2 ** index.width; beyond += list.length) {
      poke(this.b.io.capacities as never, { en: 1, index: beyond, value: 1 + beyond } as never);
      await this.b.cycles(1);
    }
    this.b.io.capacities.en.value = 0;
  }
  /** The beats of a run, behind those that wait. */
  ask(problem: DrfProblem): Run {
    const { lanes, resources } = this.p,
      run: Run = { answer: drfFixed(problem), rates: [], cycles: [] };
    for (const { weight, demand, vector } of problem.users)
      for (let at = 0; at < resources; at += lanes)
        this.#last = this.vectors.send({ weight, demand, uses: vector.slice(at, at + lanes) });
    const last = this.#last;
    this.#runs.push(Object.assign(run, { last }));
    return run;
  }
  #last: { readonly cycle?: number | undefined } | undefined;
  async solve(problem: DrfProblem): Promise<Run> {
    await this.capacities(problem.capacities);
    const run = this.ask(problem);
    await this.end();
    return run;
  }
  #sample(): void {
    if (this.#resetting) return;
    for (let s = this.rates.take(); s; s = this.rates.take()) {
      const [run] = this.#runs;
      if (!run) throw new Error("a rate of no run");
      const user = run.rates.length,
        { bytes } = s.value,
        wanted = run.answer.rates[user];
      if (s.value.user !== user) throw new Error(`a rate of user ${s.value.user}, not of user ${user}`);
      if (bytes !== wanted) throw new Error(`user ${user} has ${bytes} bytes, not ${wanted}`);
      run.rates.push(bytes);
      run.cycles.push(s.cycle);
      if (run.rates.length < this.p.users) continue;
      run.lastBeat = (run as unknown as { last: { cycle: number } }).last.cycle;
      this.done.push(run);
      this.#runs.shift();
    }
  }
  async end(): Promise<void> {
    await this.vectors.drained();
    await this.b.until(() => this.#runs.length === 0);
    await this.b.cycles(30);
    if (this.rates.received.length > 0) throw new Error("a rate too many");
    if (this.b.io.busy.value !== 0) throw new Error("the unit is busy with nothing");
  }
  /** Beats that wait are forgotten, and the run that is under way. */
  reset(): void {
    this.vectors.forget();
    this.#resetting = true;
    this.b.sim.reset(2);
    this.#resetting = false;
    this.#runs = [];
    this.rates.received.splice(0);
  }
  /** Cycles from the last beat to the first rate, and to the last. */
  static latency(run: Run): { readonly first: number; readonly last: number } {
    const from = run.lastBeat ?? NaN;
    return { first: (run.cycles[0] ?? NaN) - from, last: (run.cycles.at(-1) ?? NaN) - from };
  }
}
