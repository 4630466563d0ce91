/** DAGs whose chains have no region: their frames stay in the class queues, and software is told of them. */
import { dagEntries, type TableWrite, tableWrite } from "../../wire/index.ts";
import type { ChainGate, LiveChain } from "../regions/index.ts";
import type { Dag } from "../setup/index.ts";
import type { SpillRings } from "./spill-rings.ts";

export interface GateDriver {
  write(entry: TableWrite): Promise<void>;
  /** The DAG of a frame that waits; each call looks for another one. */
  waiting(): Promise<number | undefined>;
  dagInside(dag: number): Promise<{ readonly inside: number; readonly settled: boolean }>;
}
export interface WaitingOptions {
  readonly dags: () => readonly Dag[];
  /** Whether a chain has a region, or one is being loaded for it. */
  readonly hasRegion: (chain: number) => boolean;
  /** Nanoseconds since some start, and between two looks. */
  readonly time: () => number;
  readonly wait: () => Promise<void>;
  /** Rings for their frames; left out: these stay in the class queues. */
  readonly rings?: SpillRings;
  /** Nanoseconds until packets that do not leave are left to the kill of their region. */
  readonly drain?: number;
}
const defaultDrain = 1_000_000;

/** Closes the gate of DAGs, and opens it again (docs/supernic/reconfigure.md). */
export class WaitingDags implements ChainGate {
  readonly #driver: GateDriver;
  readonly #o: Required<Omit<WaitingOptions, "rings">> & Pick<WaitingOptions, "rings">;
  readonly #closed = new Set<number>();
  /** Those of them that found no ring free: their frames wait in the class queues until one is. */
  readonly #ringless = new Set<number>();
  /** By DAG: what is done to it last. One thing after the other: a ring must not be given behind its drain. */
  readonly #last = new Map<number, Promise<void>>();

  constructor(driver: GateDriver, o: WaitingOptions) {
    this.#driver = driver;
    this.#o = { drain: defaultDrain, ...o };
  }
  /** DAGs that wait now, by number. */
  get closed(): ReadonlySet<number> {
    return this.#closed;
  }
  /** DAGs that wait without a ring, as none is free. */
  get ringless(): ReadonlySet<number> {
    return this.#ringless;
  }
  /** Its UID is not known yet: the first frame of a DAG that cannot run waits like all others. */
  async admit(dag: Dag): Promise<void> {
    if (!this.#runs(dag)) await this.#next(dag.number, () => this.#set(dag.number, true));
  }
  /** It is removed: what waits goes on, and is dropped and counted, as its chains may be nowhere. */
  removed({ number }: Dag): Promise<void> {
    return this.#next(number, async () => {
      // Also of a ring that drains, whose gate hardware would have opened.
      if ((await this.#o.rings?.discard(number)) !== true) return this.#set(number, false);
      this.#note(number, false);
      await this.#gate(number, false);
    });
  }
  async close(chain: LiveChain, drain: boolean): Promise<void> {
    const dags = this.#of(chain);
    for (const { number } of dags) await this.#next(number, () => this.#set(number, true));
    if (drain) for (const dag of dags) await this.#left(dag.number);
  }
  async open(chain: LiveChain): Promise<void> {
    // Without a region it never gets one: then nobody waits for it.
    const isGivenUp = !this.#o.hasRegion(chain.number);
    for (const dag of this.#of(chain))
      if (isGivenUp || this.#runs(dag)) await this.#next(dag.number, () => this.#set(dag.number, false));
  }
  changed(): Promise<void> {
    return Promise.resolve();
  }
  /** Looks for a frame that waits. @returns its DAG */
  async look(): Promise<Dag | undefined> {
    for (const dag of this.#ringless) await this.#next(dag, () => this.#fill(dag));
    // A frame that waits in a class queue, or those that went to a ring.
    const number = (await this.#driver.waiting()) ?? (await this.#o.rings?.waiting());
    return number === undefined ? undefined : this.#o.dags().find(d => d.number === number);
  }
  #of({ number }: LiveChain): Dag[] {
    return this.#o.dags().filter(d => d.peer === undefined && d.stages.flat().some(b => b.chain.number === number));
  }
  #runs({ stages }: Dag): boolean {
    return stages.flat().every(b => this.#o.hasRegion(b.chain.number));
  }
  async #set(dag: number, waits: boolean): Promise<void> {
    if (dag >= dagEntries || this.#closed.has(dag) === waits) return;
    this.#note(dag, waits);
    try {
      await (waits ? this.#stop(dag) : this.#start(dag));
    } catch (e) {
      // Whoever asks again does all of it again.
      this.#note(dag, !waits);
      throw e;
    }
  }
  #note(dag: number, waits: boolean): void {
    if (waits) this.#closed.add(dag);
    else this.#closed.delete(dag);
    this.#ringless.delete(dag);
  }
  async #start(dag: number): Promise<void> {
    // What lies in a ring goes first: then hardware opens the gate.
    if ((await this.#o.rings?.drain(dag)) !== true) await this.#gate(dag, false);
  }
  async #stop(dag: number): Promise<void> {
    const { rings } = this.#o;
    // A ring that still drains fills again. If it was empty just now the gate is open: so it is closed behind that.
    if ((await rings?.has(dag)) === true) await rings?.give(dag);
    await this.#gate(dag, true);
    if (rings === undefined) return;
    // What was taken before the gate was closed is in front of all that goes into the ring.
    while (!(await this.#driver.dagInside(dag)).settled) await this.#o.wait();
    await this.#fill(dag);
  }
  /** A ring for a DAG whose gate is closed, and of which all that was taken before has arrived. */
  async #fill(dag: number): Promise<void> {
    if (!this.#closed.has(dag)) return;
    if ((await this.#o.rings?.give(dag)) === false) this.#ringless.add(dag);
    else this.#ringless.delete(dag);
  }
  #next(dag: number, does: () => Promise<void>): Promise<void> {
    const now = (this.#last.get(dag) ?? Promise.resolve()).then(does);
    this.#last.set(
      dag,
      now.catch(() => undefined),
    );
    return now;
  }
  #gate(dag: number, waits: boolean): Promise<void> {
    return this.#driver.write(tableWrite("wait", dag, { waits: waits ? 1 : 0 }));
  }
  async #left(dag: number): Promise<void> {
    const from = this.#o.time();
    for (;;) {
      const { inside, settled } = await this.#driver.dagInside(dag);
      if ((settled && inside === 0) || this.#o.time() - from > this.#o.drain) return;
      await this.#o.wait();
    }
  }
}
