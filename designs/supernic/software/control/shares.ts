/** What fair shares in the device have to know: which tasks there are, what DAGs use, weights (paper §5.4.4). */
import { drfFormat } from "../../config/index.ts";
import { dagEntries, mostTypes, resourcePlaces, type TableWrite, tableWrite } from "../../wire/index.ts";
import type { LiveChain, SlotTypes } from "../regions/index.ts";
import type { Dag, Setup } from "../setup/index.ts";

/** How a build of the device numbers resources; types of tasks come first. */
export interface ResourceNumbers {
  readonly types: number;
  readonly all: number;
  readonly lane: number;
  readonly writes: number;
  readonly reads: number;
  readonly ports: readonly number[];
  /** Units of a byte. */
  readonly unit: number;
  /** Users of the build, also those that no setup names. */
  readonly users: number;
}
export interface SharesOptions {
  readonly resources: ResourceNumbers;
  /** Bytes that a port can send in a cycle; 12.5 ns of 100 Gbit/s are 50 where this is left out. */
  readonly portBytes?: number;
}
/** Part of what there is that is given out, so that what waits inside drains. */
const given = 0.9;
const mostUnits = 2 ** drfFormat.capacityBits - 1;
/** Bytes that a packet counts as in a task, and those of a beat. */
const packetBytes = 64,
  beatBytes = 64;
/** Use of a new user: a byte of each resource by byte, in parts of 2^-8 units (design: 1 per task). */
const vectorParts = 256,
  /** Times of a type that a DAG can be said to use. */
  mostTimes = 3;

/**
 * Keeps the tables `capacity`, `dagUse`, `weight` and `firstUse` as the regions and DAGs are now. Each slot of a chain
 * that has regions is a type of tasks of its own: a DAG is served by the instances of its chain, and by no others.
 */
export class FairShares implements SlotTypes {
  readonly #write: (entry: TableWrite) => Promise<void>;
  readonly #o: Required<SharesOptions>;
  readonly #setup: Setup;
  readonly #dags: () => readonly Dag[];
  /** By type, the chain's slot that has it. */
  readonly #slots: (string | undefined)[];
  readonly #weights = new Map<number, number>();
  readonly #known = new Set<number>();

  constructor(
    setup: Setup,
    write: (entry: TableWrite) => Promise<void>,
    dags: () => readonly Dag[],
    { portBytes = 50, ...o }: SharesOptions,
  ) {
    this.#setup = setup;
    this.#write = write;
    this.#dags = dags;
    this.#o = { portBytes, ...o };
    this.#slots = Array.from({ length: Math.min(mostTypes, o.resources.types) }, () => undefined);
  }
  /** Everything, before frames come: users have a weight of 1. */
  async start(chains: readonly LiveChain[]): Promise<void> {
    const { lane, writes, reads, ports, all } = this.#o.resources,
      { epoch, users } = this.#setup;
    await this.#forget();
    for (let j = 0; j < all; j++) await this.#capacity(j, 0, false);
    for (const j of [lane, writes, reads]) await this.#capacity(j, beatBytes * epoch, false);
    for (const j of ports) await this.#capacity(j, this.#o.portBytes * epoch, false);
    for (let dag = 0; dag < dagEntries; dag++) if (this.#named(dag)) await this.#use(dag);
    for (const { number } of users) await this.weigh(number, 1);
    for (const chain of chains) if (chain.regions.length > 0) await this.changed(chain);
    for (const dag of this.#dags()) await this.added(dag);
  }
  /** The chain's regions are others now. */
  async changed({ number, tasks, regions }: LiveChain): Promise<void> {
    for (const [slot, { interval }] of tasks.entries()) {
      const had = this.typeOf(number, slot),
        type = had ?? this.#slots.indexOf(undefined);
      if (type < 0 || (had === undefined && regions.length === 0)) continue;
      this.#slots[type] = regions.length > 0 ? key(number, slot) : undefined;
      await this.#capacity(type, (packetBytes * this.#setup.epoch * regions.length) / interval, true);
    }
    for (const dag of this.#dags())
      if (dag.stages.flat().some(b => b.chain.number === number)) await this.#use(dag.number);
  }
  /** A DAG that can have packets from now on. */
  async added(dag: Dag): Promise<void> {
    await this.#use(dag.number);
    if (this.#known.has(dag.user.number)) return;
    this.#known.add(dag.user.number);
    const { lane, writes, reads } = this.#o.resources,
      types = dag.stages.flat().flatMap(b => b.run.flatMap(slot => this.typeOf(b.chain.number, slot) ?? []));
    for (const j of new Set([...types, lane, writes, reads]))
      await this.#firstUse(dag.user.number, j, this.#o.resources.unit * vectorParts);
  }
  /** From the next epoch on. */
  async weigh(user: number, weight: number): Promise<void> {
    this.#weights.set(user, weight);
    await this.#write(tableWrite("weight", user, { weight }));
  }
  weightOf(user: number): number {
    return this.#weights.get(user) ?? 0;
  }
  typeOf(chain: number, slot: number): number | undefined {
    const at = this.#slots.indexOf(key(chain, slot));
    return at < 0 ? undefined : at;
  }
  /** Packets of an epoch that one instance of a task is given, at most. */
  packetsOf(interval: number): number {
    return (given * this.#setup.epoch) / interval;
  }
  /** Packets of a type by byte of a user, from what the device shows. */
  packetsByByte(use: number): number {
    return use / vectorParts / this.#o.resources.unit / packetBytes;
  }

  /**
   * Nobody uses anything. Memories keep what they had over a reset, and hold anything when the device is new. A user
   * who never sends counts with his use, too: it would take what there is.
   */
  async #forget(): Promise<void> {
    const { all, users } = this.#o.resources;
    for (let user = 0; user < users; user++) {
      await this.#write(tableWrite("weight", user, { weight: 0 }));
      for (let j = 0; j < all; j++) await this.#firstUse(user, j, 0);
    }
    this.#known.clear();
  }
  async #firstUse(user: number, resource: number, use: number): Promise<void> {
    await this.#write(tableWrite("firstUse", resourcePlaces * user + resource, { use }));
  }
  async #capacity(resource: number, bytes: number, packets: boolean): Promise<void> {
    // What has no room binds nobody: instances that do more than the lane brings.
    const units = Math.min(mostUnits, Math.floor(given * bytes * this.#o.resources.unit));
    await this.#write(tableWrite("capacity", resource, { units, packets: packets ? 1 : 0 }));
  }
  #named(number: number): Dag | undefined {
    return this.#dags().find(d => d.number === number);
  }
  /** How often a packet goes through each type. */
  async #use(number: number): Promise<void> {
    const uses: Record<`uses${number}`, number> = {};
    for (const { chain, run } of this.#named(number)?.stages.flat() ?? [])
      for (const slot of run) {
        const type = this.typeOf(chain.number, slot);
        if (type !== undefined) uses[`uses${type}`] = Math.min(mostTimes, (uses[`uses${type}`] ?? 0) + 1);
      }
    await this.#write(tableWrite("dagUse", number, uses));
  }
}
const key = (chain: number, slot: number): string => `${chain} ${slot}`;
