/** Regions in steps of epochs: what software sees of them while time is told from outside. */
import type { RegionDriver, RegionState } from "../../software/index.ts";
import { tables, type TableWrite } from "../../wire/index.ts";

interface Region {
  stage: RegionState["stage"];
  chain: number;
  /** When a load that goes on is over. */
  ends: number;
  refused: boolean;
}
/** The fields of an entry for a region. */
function askOf({ value }: TableWrite): Readonly<Record<string, number>> {
  let at = 0n;
  return Object.fromEntries(
    Object.entries(tables.region.fields).map(([name, { bits }]) => {
      const field = Number((value >> at) & ((1n << BigInt(bits)) - 1n));
      at += BigInt(bits);
      return [name, field];
    }),
  );
}

/**
 * All but a reprogramming takes much less than an epoch: draining, cutting and waking are over when they are asked for.
 */
export class EpochRegions implements RegionDriver {
  readonly #regions: readonly Region[];
  readonly #reprogramTime: number;
  #now = 0;
  #waiting: (() => void)[] = [];

  /** @param first chain of each region, from 1; 0: none @param reprogramTime nanoseconds */
  constructor(first: readonly number[], reprogramTime: number) {
    this.#reprogramTime = reprogramTime;
    this.#regions = first.map(chain => ({ stage: chain === 0 ? "cut" : "on", chain, ends: 0, refused: false }));
  }
  get time(): number {
    return this.#now;
  }
  /** For software that waits: until the next `advance`. */
  readonly wait = (): Promise<void> => new Promise(resolve => this.#waiting.push(resolve));
  /** It is later now, in nanoseconds; loads end, and who waits looks again. @returns whether somebody waited */
  advance(to: number): boolean {
    this.#now = to;
    for (const r of this.#regions) if (r.stage === "loading" && r.ends <= to) r.stage = "cut";
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
    return waiting.length > 0;
  }
  write(entry: TableWrite): Promise<void> {
    const region = this.#regions[entry.index];
    if (entry.table !== "region" || region === undefined) return Promise.resolve();
    const { isolate, load, chain = 0 } = askOf(entry);
    if (load === 1) {
      region.refused = region.stage !== "cut" || this.#regions.some(r => r.stage === "loading");
      if (!region.refused) Object.assign(region, { stage: "loading", chain, ends: this.#now + this.#reprogramTime });
    } else if (region.stage !== "loading") region.stage = isolate === 1 ? "cut" : "on";
    return Promise.resolve();
  }
  region(index: number): Promise<RegionState> {
    const r = this.#regions[index];
    if (r === undefined) throw new RangeError(`there is no region ${index}`);
    const off = r.stage !== "on",
      still = { empty: true, quiet: !off, wrong: false, sent: 0, inside: 0, killed: 0 };
    return Promise.resolve({ stage: r.stage, off, refused: r.refused, chain: r.chain, ...still });
  }
}
