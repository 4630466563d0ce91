/** The loader alone, beside a model in every cycle: what it may, how long it takes, and what it refuses. */
import { describe, test } from "vitest";
import { Loader, type LoaderParameters, wakingCycles } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const builds = {
  quick: { regions: 1, reprogramCycles: 1, first: [5] },
  three: { regions: 3, reprogramCycles: 12, first: [1, 0, 63] },
  long: { regions: 2, reprogramCycles: 32, first: [0, 2] },
} as const satisfies Readonly<Record<string, LoaderParameters>>;
type Build = keyof typeof builds;
const dut = (build: Build) => Loader(builds[build]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

const chains = 64;

/** What software asks of a region. */
interface Asks {
  readonly region: number;
  readonly isolate: number;
  readonly quiesce: number;
  readonly load: number;
  readonly chain: number;
}
/** What is seen of it. */
interface Seen {
  readonly off: boolean;
  readonly empty: boolean;
  readonly names: number;
}

class Region {
  stage: "on" | "cut" | "loading" | "waking";
  isolate: boolean;
  quiesce = false;
  chain: number;
  loaded: number;
  wrong = false;
  refused = false;
  /** Cycles in this stage. */
  #since = 0;

  constructor(first: number) {
    this.stage = first === 0 ? "cut" : "waking";
    this.isolate = first === 0;
    this.chain = this.loaded = first;
  }
  /** @returns whether its loading begins */
  step(asks: Asks | undefined, { off, empty, names }: Seen, busy: boolean, done: boolean): boolean {
    const may = this.stage === "cut" && this.isolate && off && empty && !busy,
      asked = asks?.load === 1,
      { stage, isolate } = this;
    if (asked) this.refused = !may;
    if (asked && may) {
      this.stage = "loading";
      this.chain = asks.chain;
      this.loaded = 0;
      this.wrong = false;
    } else if ((stage === "on" || stage === "waking") && isolate) this.stage = "cut";
    else if (stage === "waking" && this.#since === wakingCycles - 1) {
      const right = this.loaded !== 0 && names === this.loaded;
      this.stage = right ? "on" : "cut";
      this.wrong = !right;
    } else if (stage === "cut" && !isolate && !this.wrong) this.stage = "waking";
    else if (stage === "loading" && done) {
      this.stage = "cut";
      this.loaded = this.chain;
    }
    if (asks) {
      this.isolate = asks.isolate === 1;
      this.quiesce = asks.quiesce === 1;
    }
    this.#since = this.stage === stage ? this.#since + 1 : 0;
    return asked && may;
  }
}

class Rig {
  readonly b: B;
  readonly p: LoaderParameters;
  #regions: Region[] = [];
  /** Cycles of reprogramming that are left; none: undefined. */
  #left: number | undefined;
  /** How often each happened. */
  readonly met = { on: 0, wrong: 0, refused: 0, loads: 0, beside: 0 };

  constructor(b: B, build: Build) {
    this.b = b;
    this.p = builds[build];
    this.#start();
  }
  #start(): void {
    this.#regions = this.p.first.map(first => new Region(first));
    this.#left = undefined;
  }
  #check(): void {
    const { io } = this.b,
      word = (of: (r: Region) => boolean): number => this.#regions.reduce((n, r, i) => n + (of(r) ? 2 ** i : 0), 0);
    const wanted = {
        cut: word(r => r.stage !== "on"),
        held: word(r => r.stage === "cut" || r.stage === "loading"),
        noise: word(r => r.stage === "loading"),
        quiesce: word(r => r.quiesce),
        loaded: this.#regions.map(r => r.loaded),
        status: this.#regions.map(r => [r.stage, r.chain, r.wrong ? 1 : 0, r.refused ? 1 : 0]),
      },
      is = {
        ...{ cut: io.cut.num, held: io.held.num, noise: io.noise.num, quiesce: io.quiesce.num },
        loaded: this.#regions.map((_, r) => io.loaded.at(r)!.num),
        status: this.#regions.map((_, r) => {
          const { stage, chain, wrong, refused } = io.status.at(r)!;
          return [stage.value, chain.num, wrong.num, refused.num];
        }),
      };
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      throw new Error(`cycle ${this.b.cycle}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
  }
  async cycle(asks: Asks | undefined): Promise<void> {
    const { io, random: r } = this.b,
      anything: Asks = { region: r.below(this.p.regions), isolate: 0, quiesce: 1, load: 1, chain: r.below(chains) },
      { region, ...value } = asks ?? anything;
    poke(io.write as never, { en: asks ? 1 : 0, index: region, value } as never);
    const seen = this.#regions.map((x): Seen => ({
      off: r.chance(0.8),
      empty: r.chance(0.8),
      names: r.chance(0.8) ? x.loaded : r.below(chains),
    }));
    io.off.value = seen.reduce((n, s, i) => n + (s.off ? 2 ** i : 0), 0);
    io.empty.value = seen.reduce((n, s, i) => n + (s.empty ? 2 ** i : 0), 0);
    for (const [i, s] of seen.entries()) io.names.at(i)!.value = s.names;
    await this.b.cycles(1);
    this.#check();
    const busy = this.#left !== undefined,
      done = this.#left === 0;
    const starts = this.#regions.map((x, i) =>
      x.step(asks?.region === i ? asks : undefined, seen[i] as Seen, busy, done),
    );
    if (asks?.load === 1) {
      if (busy) this.met.beside++;
      if (!starts.includes(true)) this.met.refused++;
    }
    if (starts.includes(true)) {
      this.met.loads++;
      this.#left = this.p.reprogramCycles - 1;
    } else this.#left = this.#left === undefined || this.#left === 0 ? undefined : this.#left - 1;
    for (const x of this.#regions) {
      if (x.stage === "on") this.met.on++;
      if (x.wrong) this.met.wrong++;
    }
  }
  /** Software that isolates, loads, and lets go, at random; `writes`: how often. */
  async run(cycles: number, writes: number): Promise<void> {
    const { random: r } = this.b;
    for (let i = 0; i < cycles; i++) {
      const asks: Asks = {
        // Also a region that there is not.
        region: r.chance(0.9) ? r.below(this.p.regions) : r.between(this.p.regions, 7),
        ...{ isolate: r.chance(0.5) ? 1 : 0, quiesce: r.below(2), load: r.chance(0.6) ? 1 : 0 },
        chain: r.chance(0.1) ? 0 : r.below(chains),
      };
      await this.cycle(r.chance(writes) ? asks : undefined);
    }
  }
  reset(): void {
    const ask = { isolate: 1, quiesce: 1, load: 1, chain: 9 };
    poke(this.b.io.write as never, { en: 1, index: 0, value: ask } as never);
    this.b.io.off.value = this.b.io.empty.value = 2 ** this.p.regions - 1;
    this.b.sim.reset(1);
    this.#start();
  }
}
async function life(b: B, build: Build): Promise<Rig> {
  const rig = new Rig(b, build);
  // All wake as they are.
  for (let i = 0; i < 2 * wakingCycles; i++) await rig.cycle(undefined);
  for (const writes of [0.5, 0.08, 1, 0.02]) await rig.run(500, writes);
  return rig;
}
async function resets(b: B, build: Build): Promise<void> {
  const rig = new Rig(b, build);
  for (let i = 0; i < 40; i++) {
    await rig.run(b.random.between(1, 60), i % 2 ? 0.6 : 0.1);
    rig.reset();
  }
}

describe("Loader", () => {
  for (const build of Object.keys(builds) as Build[]) {
    bench(`${build}: each region's states, whatever software asks`, dut(build), { seed: 2 }, async b => {
      const { met } = await life(b, build),
        rare = Math.min(met.on, met.wrong, met.refused, met.loads, build === "quick" ? Infinity : met.beside);
      if (rare < 5) throw new Error(`too little happened: ${JSON.stringify(met)}`);
    });
    bench(`${build}: a reset beside all that is asked`, dut(build), { seed: 3 }, b => resets(b, build));
  }

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "three"), b => resets(b, "three")];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("three")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["it wakes a cycle early", "awake_1 + 4'd1", "awake_1 + {3'd0, awake_1 == 4'd7} + 4'd1"],
      ["two are loaded at once", / & ~busy/, ""],
      ["one that is not empty is loaded", /& empty\[1\]/, ""],
      ["reprogramming is a cycle shorter", "cycles_left <= 4'd11", "cycles_left <= 4'd10"],
      ["a region that named another chain comes back", /~wrong_0/, "1'b1"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("three"), from, to)));
    });
  });
});
