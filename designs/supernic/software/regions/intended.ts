/** What users intend for each chain in an epoch, before meters and credits (paper §5.4.4). */
import type { EpochLoad } from "./autoscale.ts";
import type { LiveChain } from "./manager.ts";

/** What the device shows of a user, and of its use of a type of tasks. */
export interface UserSeen {
  /** What its packets use of the type by byte. */
  readonly use: number;
  /** Bytes of an epoch: what it brought to its class queues, and what waits in them. */
  readonly demand: number;
  /** Bytes of an epoch that fair shares let in. */
  readonly rate: number;
}
export interface IntendedDriver {
  fair(user: number, type: number): Promise<UserSeen>;
}
/** Which types the slots of chains have now. */
export interface SlotTypes {
  typeOf(chain: number, slot: number): number | undefined;
  /** Packets of an epoch that one instance of a task with this interval is given. */
  packetsOf(interval: number): number;
  packetsByByte(use: number): number;
}
/** Fair shares are rounded, and use is of another epoch than demand: so much may be missing of all. */
const crumb = 1 / 32;
/** More than all instances do, by as little as makes it so. */
const more = 1.001;

/**
 * The load of each chain that has regions, in instances: demand in front of the meter times what a byte of it uses. A
 * task that is given away in full, while a user of it has less than it asked for, is overloaded. Who is held by another
 * task asks for more of this one, too, and would get no more of it by a second instance.
 */
export class IntendedMonitor {
  readonly #driver: IntendedDriver;
  readonly #types: SlotTypes;
  readonly #users: readonly number[];

  /** @param users whose traffic counts */
  constructor(driver: IntendedDriver, types: SlotTypes, users: readonly number[]) {
    this.#driver = driver;
    this.#types = types;
    this.#users = users;
  }
  async epoch(chains: readonly LiveChain[]): Promise<ReadonlyMap<number, EpochLoad>> {
    const loads = new Map<number, EpochLoad>();
    for (const chain of chains) if (chain.regions.length > 0) loads.set(chain.number, await this.#loadOf(chain));
    return loads;
  }
  async #loadOf({ number, regions, tasks }: LiveChain): Promise<EpochLoad> {
    const instances = regions.length;
    let most = 0;
    for (const [slot, { interval }] of tasks.entries()) {
      const type = this.#types.typeOf(number, slot);
      if (type !== undefined)
        most = Math.max(most, await this.#ofType(type, this.#types.packetsOf(interval), instances));
    }
    // In instances.
    return { demand: most, capacity: 1, instances };
  }
  /** Instances that a type's users ask for. */
  async #ofType(type: number, each: number, instances: number): Promise<number> {
    let intended = 0,
      given = 0,
      isHeld = false;
    for (const user of this.#users) {
      const { use, demand, rate } = await this.#driver.fair(user, type),
        packets = this.#types.packetsByByte(use);
      intended += (packets * demand) / each;
      given += (packets * Math.min(demand, rate)) / each;
      isHeld ||= use > 0 && rate < (1 - crumb) * demand;
    }
    const isFull = isHeld && given >= (1 - crumb) * instances;
    return isFull ? Math.max(intended, more * instances) : Math.min(intended, instances);
  }
}
