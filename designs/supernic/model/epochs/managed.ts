/** Regions as software's own rules give them: launching, victims and scaling are designs/supernic/software/regions. */
import {
  Autoscaler,
  type Chain,
  type EpochLoad,
  type LiveChain,
  periodEpochs,
  RegionManager,
  ScalingLoop,
} from "../../software/index.ts";
import type { Declared } from "../../wire/index.ts";
import type { Needs, Placement } from "./placement.ts";
import { EpochRegions } from "./regions.ts";
import type { EpochSizes } from "./sizes.ts";

export interface ManagedPlacementOptions {
  /** Instances of each chain at the beginning. */
  readonly first: readonly number[];
  /** Whether a region that was given up may keep its chain; else its area goes to others. */
  readonly keeps?: () => boolean;
  /** Epochs without load after which users stop a chain; left out: never. */
  readonly stopAfter?: number;
  /** Nanoseconds for which a victim is kept from others; software's own, where it is left out. */
  readonly victimLife?: number;
}
/** Nothing of it matters here but its name. */
const declared = (name: string): Declared => ({
  name,
  reads: 0n,
  writes: 0n,
  growth: 0,
  leavesOut: 0,
  latency: 1,
  interval: 1,
  holds: 1,
  state: "none",
});
/** Tells whether its last look has led to anything. */
class WatchedAutoscaler extends Autoscaler {
  acted = false;
  override epoch(loads: Parameters<Autoscaler["epoch"]>[0]): ReturnType<Autoscaler["epoch"]> {
    const scaled = super.epoch(loads);
    this.acted = scaled.size > 0;
    return scaled;
  }
}
/** What software was asked to do comes to where it waits for time. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export class ManagedPlacement implements Placement {
  readonly #regions: EpochRegions;
  readonly #manager: RegionManager;
  readonly #loop: ScalingLoop;
  readonly #scaler: WatchedAutoscaler;
  #started = false;
  readonly #o: ManagedPlacementOptions;
  readonly #monitorPeriod: number;
  #needs: Needs = [];
  readonly #idle: number[];
  /** Regions that were victims when last looked at. */
  #victims: ReadonlySet<number> = new Set();

  constructor(sizes: EpochSizes, o: ManagedPlacementOptions) {
    const holds = sizes.chains.flatMap((_, c) => Array.from({ length: o.first[c] ?? 0 }, () => c));
    if (holds.length > sizes.regions)
      throw new RangeError(`${holds.length} instances at the beginning, and ${sizes.regions} regions`);
    const chains = sizes.chains.map((labels, number): Chain => ({
      number,
      name: labels.join("+"),
      labels,
      tasks: labels.map(declared),
      regions: holds.flatMap((c, r) => (c === number ? [r] : [])),
      group: 0,
    }));
    const placed = Array.from({ length: sizes.regions }, (_, r) => holds[r]);
    this.#o = o;
    this.#monitorPeriod = sizes.monitorPeriod;
    this.#idle = sizes.chains.map(() => 0);
    this.#regions = new EpochRegions(
      placed.map(c => (c === undefined ? 0 : c + 1)),
      sizes.reprogramTime,
    );
    this.#manager = new RegionManager(this.#regions, chains, {
      time: () => this.#regions.time,
      wait: this.#regions.wait,
      credits: 1,
      slots: Math.max(...sizes.chains.map(c => c.length)),
      regions: placed.map(c => ({ labels: (c === undefined ? undefined : sizes.chains[c]) ?? [], fixed: false })),
      bitstreams: sizes.chains,
      declared,
      words: () => [],
      loadOf: r => Promise.resolve(this.#loadOfRegion(r)),
      // Who may be launched is asked for below.
      hold: 0,
      ...(o.victimLife !== undefined && { victimLife: o.victimLife }),
    });
    const monitor = { epoch: (all: readonly LiveChain[]) => Promise.resolve(this.#loads(all)) };
    this.#scaler = new WatchedAutoscaler(periodEpochs(sizes));
    this.#loop = new ScalingLoop(this.#manager, monitor, this.#scaler);
  }
  get counted(): RegionManager["counted"] {
    return this.#manager.counted;
  }
  get scaled(): ScalingLoop["done"] {
    return this.#loop.done;
  }
  get reprogramming(): number {
    return this.#manager.places.filter(p => p.use === "loading").length;
  }
  get occupied(): number {
    return this.#manager.places.filter(p => p.use === "active" || p.use === "fixed").length + this.reprogramming;
  }
  instances(chain: number): number {
    return this.#manager.places.filter(p => p.use === "active" && p.chain?.number === chain).length;
  }
  promised(chain: number): number {
    return this.instances(chain);
  }
  async begin(at: number, now: Needs): Promise<void> {
    if (!this.#started) await this.#manager.start();
    this.#started = true;
    if (this.#regions.advance(at)) await settle();
    this.#needs = now;
    if (this.#launchMissing()) await settle();
  }
  async end(at: number, seen: Needs): Promise<void> {
    if (this.#regions.advance(at)) await settle();
    this.#needs = seen;
    await this.#loop.epoch();
    const stopped = this.#stopIdle();
    if (!this.#scaler.acted && !stopped) return;
    await settle();
    await this.#giveUp();
  }
  /**
   * Asks for a chain whose packets are there, and that is not. Another one is stopped for it only when one has run for
   * a MONITOR_PERIOD: else two chains take a region from each other, and neither ever runs.
   * @returns whether there is one
   */
  #launchMissing(): boolean {
    const missing = this.#manager.chains.find(
      c => (this.#needs[c.number] ?? 0) > 0 && this.#manager.stateOf(c) === "none",
    );
    if (missing === undefined || !this.#mayLaunch()) return false;
    void this.#manager.launch(missing, "demand");
    return true;
  }
  #mayLaunch(): boolean {
    const { places } = this.#manager,
      long = (p: (typeof places)[number]): boolean => this.#regions.time - p.since >= this.#monitorPeriod;
    if (places.some(p => p.use === "loading")) return false;
    return places.some(p => p.use === "free" || p.use === "victim" || (p.use === "active" && long(p)));
  }
  /** Chains without load for long. @returns whether there are any */
  #stopIdle(): boolean {
    let stopped = false;
    for (const chain of this.#manager.chains) {
      const { number } = chain,
        epochs = (this.#needs[number] ?? 0) > 0 ? 0 : (this.#idle[number] ?? 0) + 1;
      this.#idle[number] = epochs;
      if (epochs !== this.#o.stopAfter) continue;
      stopped = true;
      void this.#manager.stop(chain);
    }
    return stopped;
  }
  /** New victims stay, or their area is given to others. */
  async #giveUp(): Promise<void> {
    const victims = this.#manager.places.flatMap((p, r) => (p.use === "victim" ? [r] : []));
    const gone = victims.filter(r => !this.#victims.has(r) && this.#o.keeps?.() === false);
    for (const region of gone) await this.#manager.erase(region);
    this.#victims = new Set(victims.filter(r => !gone.includes(r)));
  }
  #loads(chains: readonly LiveChain[]): ReadonlyMap<number, EpochLoad> {
    const running = chains.filter(c => this.instances(c.number) > 0);
    return new Map(
      running.map(c => [
        c.number,
        { demand: this.#needs[c.number] ?? 0, capacity: 1, instances: this.instances(c.number) },
      ]),
    );
  }
  #loadOfRegion(region: number): number {
    const chain = this.#manager.places[region]?.chain?.number ?? -1;
    return (this.#needs[chain] ?? 0) / Math.max(1, this.instances(chain));
  }
}
