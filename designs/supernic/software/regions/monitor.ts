/** What chains were intended to do in an epoch, from the counts of their slots, and what follows from it. */
import type { Autoscaler, EpochLoad } from "./autoscale.ts";
import type { LiveChain, RegionManager } from "./manager.ts";

/** What is read of the device. Counts are of 32 bits, and wrap. */
export interface MonitorDriver {
  /** Packets that a slot's task has taken. */
  took(region: number, slot: number): Promise<number>;
  /** Packets that the scheduler has sent to a region and that are not back: those without credits among them. */
  sent(region: number): Promise<number>;
}
const wrap = 2 ** 32;

/**
 * The load of each chain that runs, in packets: what its tasks took, and what waits for them at the end of the epoch.
 * Its capacity is what the slowest task that is in demand takes in an epoch.
 */
export class LoadMonitor {
  readonly #driver: MonitorDriver;
  readonly #epochCycles: number;
  readonly #before = new Map<string, number>();

  /** @param epochCycles cycles between two calls of `epoch` */
  constructor(driver: MonitorDriver, epochCycles: number) {
    this.#driver = driver;
    this.#epochCycles = epochCycles;
  }
  async epoch(chains: readonly LiveChain[]): Promise<ReadonlyMap<number, EpochLoad>> {
    const loads = new Map<number, EpochLoad>();
    for (const chain of chains) if (chain.regions.length > 0) loads.set(chain.number, await this.#loadOf(chain));
    return loads;
  }
  async #loadOf({ regions, tasks }: LiveChain): Promise<EpochLoad> {
    let waits = 0;
    const took = tasks.map(() => 0);
    for (const region of regions) {
      waits += await this.#driver.sent(region);
      for (const slot of tasks.keys()) took[slot] = (took[slot] ?? 0) + (await this.#since(region, slot));
    }
    // The task that is nearest to its bound tells of the chain.
    const part = tasks.map(({ interval }, slot) => ((took[slot] ?? 0) + waits) * interval),
      most = Math.max(...part),
      interval = tasks[part.indexOf(most)]?.interval ?? 1;
    return { demand: most / interval, capacity: this.#epochCycles / interval, instances: regions.length };
  }
  /** Counts since the last look; after a reset of the slot they begin anew. */
  async #since(region: number, slot: number): Promise<number> {
    const key = `${region} ${slot}`,
      now = await this.#driver.took(region, slot),
      before = this.#before.get(key);
    this.#before.set(key, now);
    if (before === undefined) return 0;
    const moved = (now - before + wrap) % wrap;
    return moved > wrap / 2 ? now : moved;
  }
}

/** Scales the chains of a device, epoch by epoch. */
export class ScalingLoop {
  readonly #manager: RegionManager;
  readonly #monitor: Pick<LoadMonitor, "epoch">;
  readonly #scaler: Autoscaler;
  /** Chains that are being scaled: they are not scaled twice for one load. */
  readonly #underWay = new Set<number>();
  readonly done = { out: 0, in: 0, refused: 0 };

  constructor(manager: RegionManager, monitor: Pick<LoadMonitor, "epoch">, scaler: Autoscaler) {
    this.#manager = manager;
    this.#monitor = monitor;
    this.#scaler = scaler;
  }
  /** At the end of an epoch. What is to be scaled is scaled beside the next epochs. */
  async epoch(): Promise<void> {
    const chains = this.#manager.chains,
      loads = await this.#monitor.epoch(chains);
    for (const [number, scaling] of this.#scaler.epoch(loads)) {
      const chain = chains.find(c => c.number === number);
      if (chain === undefined || this.#underWay.has(number)) continue;
      this.#underWay.add(number);
      void this.#manager.scale(chain, scaling).then(isDone => {
        this.#underWay.delete(number);
        if (isDone) this.#scaler.changed(number);
        this.done[isDone ? scaling : "refused"]++;
      });
    }
  }
}
