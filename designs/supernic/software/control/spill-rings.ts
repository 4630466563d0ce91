/** Which DAG has which ring for its frames while it waits (docs/supernic/spill.md). */

/** What software asks of a ring, and sees of it. */
export interface RingDriver {
  rings(): Promise<number>;
  ask(ring: number, ask: "fill" | "drain" | "discard", dag: number): Promise<void>;
  ring(ring: number): Promise<{
    readonly held: boolean;
    readonly dag: number;
    readonly drains: boolean;
    readonly discards: boolean;
    readonly inside: number;
  }>;
}

export class SpillRings {
  readonly #driver: RingDriver;
  readonly #wait: () => Promise<void>;
  /** By DAG: its ring. Known until the ring was seen to be free. */
  readonly #of = new Map<number, number>();
  /** The ring that `waiting` named last. */
  #shown = -1;
  /** One after the other: registers name the ring that is looked at. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(driver: RingDriver, wait: () => Promise<void>) {
    this.#driver = driver;
    this.#wait = wait;
  }
  /** DAGs with a ring, as far as software knows. */
  get held(): ReadonlySet<number> {
    return new Set(this.#of.keys());
  }
  /**
   * A DAG whose gate is closed gets a ring, if one is free.
   * @returns whether it has one
   */
  give(dag: number): Promise<boolean> {
    return this.#next(async () => {
      const rings = await this.#driver.rings(),
        seen = await this.#look(rings);
      const own = seen.find(s => s.held && s.dag === dag) ?? seen.find(s => !s.held);
      if (own === undefined) return false;
      await this.#driver.ask(own.ring, "fill", dag);
      this.#of.set(dag, own.ring);
      return true;
    });
  }
  /**
   * A DAG that waits no more: what lies in its ring leaves first, and hardware opens the gate behind it.
   * @returns whether that is so; else the gate is software's to open
   */
  drain(dag: number): Promise<boolean> {
    return this.#next(() => this.#end(dag, "drain"));
  }
  /**
   * A DAG that is removed: its ring is emptied, and free when this ends.
   * @returns whether it had one; then the gate is software's to open
   */
  discard(dag: number): Promise<boolean> {
    return this.#next(async () => {
      if (!(await this.#end(dag, "discard"))) return false;
      while (await this.#has(dag)) await this.#wait();
      this.#of.delete(dag);
      return true;
    });
  }
  /** The ring is still the DAG's: so its gate is closed, whatever software has written last. */
  has(dag: number): Promise<boolean> {
    return this.#next(() => this.#has(dag));
  }
  /** A DAG whose frames lie in a ring that is not asked to give them out; each in its turn. */
  waiting(): Promise<number | undefined> {
    return this.#next(async () => {
      const seen = await this.#look(await this.#driver.rings()),
        behind = [...seen.filter(s => s.ring > this.#shown), ...seen],
        found = behind.find(s => s.held && s.inside > 0 && !s.drains && !s.discards);
      if (found !== undefined) this.#shown = found.ring;
      return found?.dag;
    });
  }
  async #look(rings: number) {
    const seen: ({ ring: number } & Awaited<ReturnType<RingDriver["ring"]>>)[] = [];
    for (let ring = 0; ring < rings; ring++) seen.push({ ring, ...(await this.#driver.ring(ring)) });
    return seen;
  }
  async #has(dag: number): Promise<boolean> {
    const ring = this.#of.get(dag);
    if (ring === undefined) return false;
    const seen = await this.#driver.ring(ring);
    return seen.held && seen.dag === dag;
  }
  async #end(dag: number, ask: "drain" | "discard"): Promise<boolean> {
    const ring = this.#of.get(dag);
    if (ring === undefined || !(await this.#has(dag))) {
      this.#of.delete(dag);
      return false;
    }
    await this.#driver.ask(ring, ask, dag);
    return true;
  }
  #next<T>(does: () => Promise<T>): Promise<T> {
    const now = this.#last.then(does);
    this.#last = now.catch(() => undefined);
    return now;
  }
}
