/** The device's DAGs as they are now: UIDs with their generation, entries, and rules that lead to them. */
import { dagEntries, type RuleKey, ruleKey, type TableWrite, tableWrite, uidEntries } from "../../wire/index.ts";
import {
  type Branch,
  checkPlan,
  type Dag,
  dagWrites,
  deviceConfig,
  type DeviceConfig,
  everyPort,
  Refuse,
  ruleWrites,
  type Setup,
  type SetupRule,
  uidValues,
  type User,
} from "../setup/index.ts";

export interface DagDriver {
  write(entry: TableWrite): Promise<void>;
  configure?(config: DeviceConfig): Promise<void>;
  /** A DAG has its entries, and no way leads to it yet. */
  added?(dag: Dag): Promise<void>;
  /** No way leads to it any more. */
  removed?(dag: Dag): Promise<void>;
}
export interface NewDag extends Pick<Dag, "way" | "port" | "keepShim" | "unordered"> {
  readonly stages: readonly (readonly Branch[])[];
}
/**
 * Generations of a UID; how long frames of a removed DAG may still be inside, or wait in a class queue that is
 * paused.
 */
const generations = 64,
  defaultRest = 20_000_000;
interface Freed {
  readonly number: number;
  readonly at: number;
}
const none: RuleKey = { dst: 0n, etherType: 0, ipDst: 0, protocol: 0, dstPort: 0, hasIp: 0, hasPorts: 0 };

export class DagTable {
  readonly #setup: Setup;
  readonly #driver: DagDriver;
  readonly #time: () => number;
  readonly #rest: number;
  readonly #dags: Dag[];
  readonly #rules: (SetupRule | undefined)[];
  /** Numbers and places of UIDs that were given back, oldest first. */
  readonly #freeNumbers: Freed[] = [];
  readonly #freeUids: Freed[] = [];
  readonly #generation = new Map<number, number>();

  /** @param rest nanoseconds until what a removed DAG had is given to another */
  constructor(setup: Setup, driver: DagDriver, time: () => number, rest = defaultRest) {
    this.#setup = setup;
    this.#driver = driver;
    this.#time = time;
    this.#rest = rest;
    this.#dags = [...setup.dags];
    this.#rules = [...setup.rules];
    const longAgo = -Infinity,
      used = new Set(setup.dags.map(d => d.uid % uidEntries));
    for (let n = setup.dags.length; n < dagEntries; n++) this.#freeNumbers.push({ number: n, at: longAgo });
    // UID 0 is no shim's.
    for (let n = 1; n < uidEntries; n++) if (!used.has(n)) this.#freeUids.push({ number: n, at: longAgo });
  }
  get dags(): readonly Dag[] {
    return this.#dags;
  }
  named(uid: number): Dag | undefined {
    return this.#dags.find(d => d.uid === uid);
  }
  /** Ports at which a user's DAGs count: those of its DAGs in the setup; without any, all that lead to no peer. */
  portsOf(user: User): number {
    const { dags, ports, sizes } = this.#setup,
      own = dags.filter(d => d.user.number === user.number && d.peer === undefined);
    if (own.length > 0) return own.reduce((m, d) => m | d.ports, 0);
    return ports.reduce((m, p, i) => (p.peer ? m : m | (1 << i)), 1 << sizes.ports) & everyPort(sizes);
  }

  /**
   * A DAG in the device. @returns undefined: there is no room for it now
   * @throws ConfigError when the planner says that it cannot be
   */
  async add(user: User, dag: NewDag): Promise<Dag | undefined> {
    const refuse: Refuse = new Refuse("CTRL");
    checkPlan({ stages: dag.stages, user }, this.#setup, this.#setup.sizes, "ADD_DAG", refuse);
    const number = this.#take(this.#freeNumbers, this.#freeUids),
      place = number === undefined ? undefined : this.#freeUids.shift()?.number;
    if (number === undefined || place === undefined) return undefined;
    const uid = (this.#generation.get(place) ?? 1) * uidEntries + place,
      isSlow = dag.stages.flat().some(b => b.run.some(slot => (b.chain.tasks[slot]?.interval ?? 1) > 1));
    const added: Dag = {
      ...dag,
      number,
      name: `uid 0x${uid.toString(16)}`,
      user,
      uid,
      ports: this.portsOf(user),
      peer: undefined,
      slow: isSlow,
    };
    // The way to it comes last.
    for (const w of dagWrites({ dags: [added] })) await this.#driver.write(w);
    this.#dags.push(added);
    await this.#driver.added?.(added);
    await this.#driver.write(tableWrite("uid", place, uidValues(added, true), added.ports));
    return added;
  }
  /** The oldest number that has rested, if a UID has, too. */
  #take(numbers: Freed[], uids: readonly Freed[]): number | undefined {
    const has = (list: readonly Freed[]): boolean => {
      const [oldest] = list;
      return oldest !== undefined && this.#time() - oldest.at >= this.#rest;
    };
    return has(numbers) && has(uids) ? numbers.shift()?.number : undefined;
  }
  /** Its frames are refused from now on; its number and its UID rest. */
  async remove(dag: Dag): Promise<void> {
    const place = dag.uid % uidEntries,
      generation = Math.floor(dag.uid / uidEntries),
      at = this.#time();
    await this.#unbind(dag);
    await this.#driver.write(tableWrite("uid", place, {}, everyPort(this.#setup.sizes)));
    this.#dags.splice(this.#dags.indexOf(dag), 1);
    await this.#driver.removed?.(dag);
    this.#generation.set(place, (generation + 1) % generations);
    this.#freeUids.push({ number: place, at });
    this.#freeNumbers.push({ number: dag.number, at });
  }

  /** Whether no other user's DAG counts at these ports: else a rule would take others' frames. */
  isAlone(user: User, ports: number): boolean {
    return this.#dags.every(d => d.user.number === user.number || (d.ports & ports) === 0);
  }
  /** Frames that meet this take the DAG. @returns false: there is no room for a rule */
  async bind(dag: Dag, key: Partial<RuleKey>, mask: Partial<RuleKey>): Promise<boolean> {
    const place = Array.from({ length: this.#setup.sizes.rules }, (_, i) => i).find(i => this.#rules[i] === undefined);
    if (place === undefined) return false;
    const bits = ruleKey({ ...none, ...mask }),
      value = ruleKey({ ...none, ...key }) & bits;
    const rule: SetupRule = { name: dag.name, value, mask: bits, action: "uid", port: 0, uid: dag.uid, ports: 0 };
    this.#rules[place] = rule;
    // Its words first: it counts nowhere yet.
    await this.#writeRules();
    this.#rules[place] = { ...rule, ports: dag.ports };
    await this.#driver.configure?.(deviceConfig({ ...this.#setup, rules: this.#list() }));
    return true;
  }
  async #unbind(dag: Dag): Promise<void> {
    const own = this.#rules.flatMap((r, i) =>
      r?.action === "uid" && r.uid === dag.uid && r.name === dag.name ? [i] : [],
    );
    if (own.length === 0) return;
    for (const i of own) this.#rules[i] = undefined;
    await this.#driver.configure?.(deviceConfig({ ...this.#setup, rules: this.#list() }));
  }
  /** A place without a rule has one that counts nowhere. */
  #list(): SetupRule[] {
    return Array.from(
      this.#rules,
      r => r ?? { name: "", value: 0n, mask: 0n, action: "drop", port: 0, uid: 0, ports: 0 },
    );
  }
  async #writeRules(): Promise<void> {
    for (const w of ruleWrites({ rules: this.#list(), sizes: this.#setup.sizes })) await this.#driver.write(w);
  }
}
