/** What a region that can be reprogrammed must do with software's writes (docs/supernic/reconfigure.md). */
export const regionStages = ["on", "cut", "loading", "waking"] as const;
export type RegionStageName = (typeof regionStages)[number];

export interface RegionAsk {
  readonly isolate: number;
  readonly quiesce: number;
  readonly load: number;
  readonly chain: number;
}
/** A region now. `seen`: what its decoupler and partition say in this cycle. */
interface Region {
  stage: RegionStageName;
  isolate: boolean;
  quiesce: boolean;
  chain: number;
  loaded: number;
  wrong: boolean;
  refused: boolean;
  awake: number;
}
export interface RegionSeen {
  readonly off: boolean;
  readonly empty: boolean;
  readonly names: number;
}
/** Cycles for which a chain runs before its region comes on. */
const waking = 16;

export class LoaderModel {
  readonly regions: readonly Region[];
  readonly #cycles: number;
  /** Cycles of the reprogramming that are left; undefined: none goes on. */
  #left: number | undefined;

  /** @param cycles of a reprogramming @param first chain of each region after a reset; 0: none */
  constructor(cycles: number, first: readonly number[]) {
    this.#cycles = cycles;
    this.regions = first.map(chain => ({
      stage: chain === 0 ? "cut" : "waking",
      isolate: chain === 0,
      quiesce: false,
      chain,
      loaded: chain,
      wrong: false,
      refused: false,
      awake: 0,
    }));
  }
  get loading(): boolean {
    return this.#left !== undefined;
  }
  /** A cycle. @param write what software asks of which region */
  step(seen: readonly RegionSeen[], write?: { readonly region: number; readonly ask: RegionAsk }): void {
    const done = this.#left === 0,
      busy = this.#left !== undefined;
    if (this.#left !== undefined) this.#left = done ? undefined : this.#left - 1;
    for (const [r, region] of this.regions.entries()) {
      const ask = write?.region === r ? write.ask : undefined,
        is = seen[r] ?? { off: true, empty: true, names: 0 };
      this.#region(region, is, ask, busy, done);
    }
  }
  #region(r: Region, seen: RegionSeen, ask: RegionAsk | undefined, busy: boolean, done: boolean): void {
    const may = r.stage === "cut" && r.isolate && seen.off && seen.empty && !busy,
      { isolate } = r;
    if (ask) {
      r.isolate = ask.isolate === 1;
      r.quiesce = ask.quiesce === 1;
      if (ask.load === 1) r.refused = !may;
    }
    if (ask?.load === 1 && may) {
      Object.assign(r, { stage: "loading", chain: ask.chain, loaded: 0, wrong: false });
      this.#left = this.#cycles - 1;
    } else if ((r.stage === "on" || r.stage === "waking") && isolate) r.stage = "cut";
    else if (r.stage === "waking" && r.awake === waking - 1) {
      const right = r.loaded !== 0 && seen.names === r.loaded;
      r.stage = right ? "on" : "cut";
      r.wrong = !right;
    } else if (r.stage === "cut" && !isolate && !r.wrong) r.stage = "waking";
    else if (r.stage === "loading" && done) {
      r.stage = "cut";
      r.loaded = r.chain;
    } else {
      if (r.stage === "waking") r.awake++;
      return;
    }
    r.awake = 0;
  }
}
