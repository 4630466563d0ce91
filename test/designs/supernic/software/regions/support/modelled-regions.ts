/** Regions as software sees them: the loader's model in simulated time, tables as written, and packets that leave. */
import { LoaderModel } from "../../../../../../designs/supernic/model/index.ts";
import type { MonitorDriver, RegionDriver, RegionState } from "../../../../../../designs/supernic/software/index.ts";
import { tables, type TableWrite } from "../../../../../../designs/supernic/wire/index.ts";

/** Cycles of a register access, and nanoseconds of a cycle. */
const access = 25,
  cycle = 4;

/** The fields of an entry. */
export function fieldsOf({ table, value }: TableWrite): Readonly<Record<string, number>> {
  let at = 0n;
  return Object.fromEntries(
    Object.entries(tables[table].fields).map(([name, { bits }]) => {
      const field = Number((value >> at) & ((1n << BigInt(bits)) - 1n));
      at += BigInt(bits);
      return [name, field];
    }),
  );
}

/** A write in words, if it is one of those that a swap is made of. */
function whatOf(entry: TableWrite): string | undefined {
  const { table, index } = entry,
    f = fieldsOf(entry);
  switch (table) {
    case "region":
      return `region ${index}:${f["isolate"] ? " isolate" : ""}${f["quiesce"] ? " quiesce" : ""}${f["load"] ? ` load ${f["chain"]}` : ""}`;
    case "chain":
      return `chain ${index}: regions ${(f["regions"] ?? 0).toString(2)} group ${f["group"]}`;
    case "slot":
      return (index & 7) === 0 ? `region ${index >> 3}: limit ${f["limit"]}` : undefined;
    case "task":
      return `region ${index >> 3}: row`;
    default:
      return undefined;
  }
}

export interface ModelledOptions {
  readonly regions: number;
  /** Cycles of a reprogramming. */
  readonly reprogramCycles: number;
  readonly first: readonly number[];
  /** Bitstreams whose chain names itself wrongly. */
  readonly wrong?: ReadonlySet<number>;
  /** Cycles in which a packet leaves a region that runs; undefined: none does. */
  readonly leaves?: number | undefined;
  /** Writes that never come. */
  readonly loses?: (what: string) => boolean;
}
/** What happened, in order, with its time in nanoseconds. */
export interface Happened {
  readonly at: number;
  readonly what: string;
}

export class ModelledRegions implements RegionDriver, MonitorDriver {
  readonly loader: LoaderModel;
  readonly writes: TableWrite[] = [];
  readonly log: Happened[] = [];
  /** Packets that are sent to each region and not back. */
  readonly packets: number[];
  readonly counts: number[][];
  readonly #o: ModelledOptions;
  #cycle = 0;
  /** By chain, the regions that its entry names. */
  readonly entries = new Map<number, number>();
  /** By region, the limits of its slots. */
  readonly limits: number[][];
  /** Loads of the other regions go on at the same time. */
  most = 0;

  constructor(o: ModelledOptions) {
    this.#o = o;
    this.loader = new LoaderModel(o.reprogramCycles, o.first);
    this.packets = Array.from({ length: o.regions }, () => 0);
    this.counts = Array.from({ length: o.regions }, () => Array.from({ length: 8 }, () => 0));
    // Those of the first chains were written when the device was brought up.
    this.limits = o.first.map(chain => Array.from({ length: 8 }, () => (chain === 0 ? 0 : 24)));
    this.#pass(20);
  }
  get time(): number {
    return this.#cycle * cycle;
  }
  #seen() {
    return this.loader.regions.map((r, i) => ({
      off: r.stage !== "on",
      empty: (this.packets[i] ?? 0) === 0,
      names: this.#o.wrong?.has(r.loaded) === true ? r.loaded + 1 : r.loaded,
    }));
  }
  #pass(cycles: number, write?: Parameters<LoaderModel["step"]>[1]): void {
    for (let i = 0; i < cycles; i++) {
      this.loader.step(this.#seen(), i === 0 ? write : undefined);
      this.#cycle++;
      const { leaves } = this.#o;
      for (const [r, region] of this.loader.regions.entries()) {
        const holds = (this.limits[r] ?? []).every(l => l === 0);
        // Off, all are killed that have credits; on, one leaves now and then.
        const gone = region.stage === "on" ? leaves !== undefined && this.#cycle % leaves === 0 : !holds;
        if (gone && (this.packets[r] ?? 0) > 0) this.packets[r] = (this.packets[r] ?? 0) - 1;
      }
      this.most = Math.max(this.most, this.loader.regions.filter(r => r.stage === "loading").length);
    }
  }
  /** Time passes for software that waits. */
  readonly wait = (): Promise<void> => {
    this.#pass(100);
    return Promise.resolve();
  };
  write(entry: TableWrite): Promise<void> {
    const what = whatOf(entry);
    this.writes.push(entry);
    this.#pass(access);
    if (what !== undefined && this.#o.loses?.(what) === true) return Promise.resolve();
    if (what !== undefined) this.log.push({ at: this.time, what });
    this.#apply(entry);
    return Promise.resolve();
  }
  #apply(entry: TableWrite): void {
    const { table, index } = entry,
      { isolate = 0, quiesce = 0, load = 0, chain = 0, regions = 0, limit = 0 } = fieldsOf(entry);
    if (table === "region") this.#pass(1, { region: index, ask: { isolate, quiesce, load, chain } });
    if (table === "chain") this.entries.set(index, regions);
    const limits = this.limits[index >> 3];
    if (table === "slot" && limits !== undefined) limits[index & 7] = limit;
    if (table === "task" && this.loader.regions[index >> 3]?.stage !== "on")
      throw new Error(`a row is written into region ${index >> 3}, whose tasks are in reset`);
  }
  region(region: number): Promise<RegionState> {
    this.#pass(access);
    const r = this.loader.regions[region];
    if (r === undefined) throw new RangeError(`there is no region ${region}`);
    const inside = this.packets[region] ?? 0,
      off = r.stage !== "on";
    return Promise.resolve({
      stage: r.stage,
      off,
      empty: inside === 0,
      quiet: r.quiesce && !off && inside === 0,
      wrong: r.wrong,
      refused: r.refused,
      chain: r.chain,
      sent: inside,
      inside,
      killed: 0,
    });
  }
  took(region: number, slot: number): Promise<number> {
    return Promise.resolve((this.counts[region]?.[slot] ?? 0) % 2 ** 32);
  }
  sent(region: number): Promise<number> {
    return Promise.resolve(this.packets[region] ?? 0);
  }
}
