/** Where a DAG's packets go, as entries of tables: here, to a peer, or nowhere. */
import { mostSlots, type TableWrite, tableWrite, uidEntries } from "../../wire/index.ts";
import type { LiveChain } from "../regions/index.ts";
import {
  type Dag,
  dagWrites,
  everyPort,
  loopPort,
  type PeerWay,
  type Setup,
  slotTimes,
  uidValues,
  wayWrites,
} from "../setup/index.ts";

export interface WaysDriver {
  write(entry: TableWrite): Promise<void>;
}

export class Ways {
  readonly #setup: Pick<Setup, "sizes" | "stations" | "peers">;
  readonly #driver: WaysDriver;

  constructor(setup: Pick<Setup, "sizes" | "stations" | "peers">, driver: WaysDriver) {
    this.#setup = setup;
    this.#driver = driver;
  }
  /** New packets of an own DAG: to its chains, or to a peer by its place in the table of peers. */
  async lead(dag: Dag, to: "here" | number): Promise<void> {
    const values = uidValues({ ...dag, peer: to === "here" ? undefined : to }, true);
    await this.#driver.write(tableWrite("uid", dag.uid % uidEntries, values, dag.ports));
  }
  /** New packets of an own DAG are refused, and counted: nothing runs it. */
  async close(dag: Dag): Promise<void> {
    await this.#driver.write(tableWrite("uid", dag.uid % uidEntries, uidValues(dag, false), dag.ports));
  }
  /** A guest's packets come from the loop port only: there peers' redirects are opened. */
  async admit(dag: Dag): Promise<void> {
    for (const w of dagWrites({ dags: [dag] })) await this.#driver.write(w);
    await this.#driver.write(tableWrite("uid", dag.uid % uidEntries, uidValues(dag, true), this.#loop));
  }
  async refuse(dag: Dag): Promise<void> {
    await this.#driver.write(tableWrite("uid", dag.uid % uidEntries, {}, this.#loop));
  }
  /** All that goes to a peer takes this way from now on, and so do results for those behind it. */
  async turn(peer: number, way: PeerWay): Promise<void> {
    for (const w of wayWrites(this.#setup, peer, way)) await this.#driver.write(w);
  }
  /** No credits: packets of the chain wait inside. It must have none inside that hold some. */
  async hold(chain: LiveChain): Promise<void> {
    for (const region of chain.regions)
      for (let slot = 0; slot < this.#setup.sizes.slots; slot++)
        await this.#driver.write(tableWrite("slot", region * mostSlots + slot, {}));
  }
  async open(chain: LiveChain): Promise<void> {
    for (const region of chain.regions)
      for (const [slot, values] of slotTimes(chain, this.#setup.sizes.credits).entries())
        await this.#driver.write(tableWrite("slot", region * mostSlots + slot, values));
  }
  get #loop(): number {
    return (1 << loopPort(this.#setup)) & everyPort(this.#setup.sizes);
  }
}
