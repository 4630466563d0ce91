/** What users ask beside QUERY and NT_CONFIG: tasks, DAGs, launching, rules, weights (paper §5.4.3). */
import { decode, encode, type FieldSet, type Layout, PacketError } from "../../../shared/wire/index.ts";
import { ConfigError, drfFormat } from "../../config/index.ts";
import {
  addDagBody,
  bindBody,
  ctrlOpcode,
  type CtrlStatusName,
  dagBranchBody,
  dagNameBody,
  deployBody,
  egressWays,
  mostBranchTasks,
  weightBody,
} from "../../wire/index.ts";
import { type Bitstreams, bitstreamsFor, type LiveChain, type RegionManager } from "../regions/index.ts";
import type { MemoryGrants } from "../memory/index.ts";
import type { Branch, Dag, Setup, User } from "../setup/index.ts";
import type { DagTable } from "./dag-table.ts";

export interface Answer {
  readonly status: CtrlStatusName;
  readonly body: Uint8Array;
}
const answer = (status: CtrlStatusName, body: Uint8Array = new Uint8Array()): Answer => ({ status, body });
/** Why a request is not done. */
class Refused extends Error {
  readonly status: CtrlStatusName;
  constructor(status: CtrlStatusName) {
    super(status);
    this.status = status;
  }
}
export interface RequestOptions {
  /** Tasks that there are netlists of, as a setup names them; their numbers begin with 1. */
  readonly catalogue: readonly string[];
  /** The weight that a user may have, at most. */
  readonly granted?: (user: number) => number;
  /** Gives tasks with memory theirs; left out: the device has none. */
  readonly memory?: Pick<MemoryGrants, "needs" | "give">;
  /** Told why memory was refused. */
  readonly onRefused?: (why: string) => void;
  /** Makes a weight count. */
  readonly weigh?: (user: number, weight: number) => Promise<void>;
}
interface Deployed {
  readonly users: Set<number>;
  shared: boolean;
}
/** The largest weight that fair shares know. */
const defaultWeight = 2 ** drfFormat.weightBits - 1;
export const changingRequests = ["DEPLOY_NT", "ADD_DAG", "REMOVE_DAG", "BIND", "LAUNCH", "STOP", "WEIGHT"] as const;
export const changes = (opcode: number): boolean => changingRequests.some(name => ctrlOpcode[name] === opcode);

export class Requests {
  readonly #setup: Setup;
  readonly #dags: DagTable;
  readonly #manager: RegionManager;
  readonly #o: Required<RequestOptions>;
  readonly #deployed = new Map<string, Deployed>();
  /** By DAG, whether its chains are wanted. */
  readonly #wanted = new Set<Dag>();
  readonly weights = new Map<number, number>();

  constructor(setup: Setup, dags: DagTable, manager: RegionManager, o: RequestOptions) {
    this.#setup = setup;
    this.#dags = dags;
    this.#manager = manager;
    this.#o = {
      ...{ granted: () => defaultWeight, weigh: () => Promise.resolve(), onRefused: () => undefined },
      ...{ memory: { needs: () => false, give: () => Promise.resolve(undefined) } },
      ...o,
    };
    // What the setup loads is everybody's; a task with memory is that of the users whose DAGs have it.
    for (const label of setup.chains.flatMap(c => c.labels))
      this.#deployed.set(
        label,
        this.#o.memory.needs(label)
          ? { users: new Set(usersOf(setup, label)), shared: false }
          : { users: new Set(), shared: true },
      );
    for (const dag of setup.dags) if (dag.peer === undefined) this.#wanted.add(dag);
  }
  get dags(): readonly Dag[] {
    return this.#dags.dags;
  }
  /** The bitstreams that should be there for the DAGs of now. */
  get bitstreams(): Bitstreams {
    const dags = this.dags.map(d => ({
      user: d.user.number,
      stages: d.stages.map(s => s.map(b => b.run.map(slot => b.chain.labels[slot] ?? ""))),
    }));
    return bitstreamsFor(
      dags,
      task => {
        const known = this.#deployed.get(task);
        return known === undefined || known.shared ? undefined : known.users;
      },
      this.#setup.sizes.slots,
    );
  }
  /** As QUERY tells it. */
  whereOf(dag: Dag): number {
    if (dag.peer !== undefined) return 0;
    const states = dag.stages.flat().map(b => this.#manager.stateOf(this.#live(b.chain)));
    if (states.every(s => s === "running")) return 1;
    return states.every(s => s !== "none") ? 2 : 3;
  }

  /** @param opcode one of those that change something */
  async do(opcode: number, body: Uint8Array, user: User): Promise<Answer> {
    const ways: Readonly<Record<number, () => Answer | Promise<Answer>>> = {
      [ctrlOpcode.DEPLOY_NT]: () => this.#deploy(body, user),
      [ctrlOpcode.ADD_DAG]: () => this.#add(body, user),
      [ctrlOpcode.REMOVE_DAG]: () => this.#remove(this.#own(body, user)),
      [ctrlOpcode.BIND]: () => this.#bind(body, user),
      [ctrlOpcode.LAUNCH]: () => this.#launch(this.#own(body, user)),
      [ctrlOpcode.STOP]: () => this.#stop(this.#own(body, user)),
      [ctrlOpcode.WEIGHT]: () => this.#weigh(body, user),
    };
    try {
      return (await ways[opcode]?.()) ?? answer("UNKNOWN");
    } catch (e) {
      if (e instanceof Refused) return answer(e.status);
      if (e instanceof PacketError || e instanceof ConfigError) return answer("INVALID");
      throw e;
    }
  }
  async #deploy(body: Uint8Array, user: User): Promise<Answer> {
    const { task, shared } = whole(deployBody, body),
      label = this.#o.catalogue[task - 1];
    if (label === undefined || shared > 1) throw new Refused("INVALID");
    const known = this.#deployed.get(label) ?? { users: new Set(), shared: false };
    // Its memory comes out of what the user may have.
    const refused = known.shared ? undefined : await this.#o.memory.give(label, user.number);
    if (refused !== undefined) {
      this.#o.onRefused(refused.why);
      throw new Refused(refused.status);
    }
    known.users.add(user.number);
    // Only who deployed it may open it, and nobody closes what others rely on.
    known.shared ||= shared === 1;
    this.#deployed.set(label, known);
    return answer("OK");
  }
  #mayUse(label: string, user: User): boolean {
    const known = this.#deployed.get(label);
    return known !== undefined && (known.shared || known.users.has(user.number));
  }
  async #add(body: Uint8Array, user: User): Promise<Answer> {
    const { way, port, keepShim, unordered, ahead, rest } = decode(addDagBody, body),
      name = egressWays[way];
    if (name === undefined || rest !== 0 || port >= this.#setup.sizes.ports) throw new Refused("INVALID");
    const stages = this.#stages(body.slice(addDagBody.bytes), user),
      added = await this.#dags.add(user, {
        stages,
        way: name,
        port,
        keepShim: keepShim === 1,
        unordered: unordered === 1,
      });
    if (added === undefined) throw new Refused("FULL");
    if (ahead === 1) {
      this.#wanted.add(added);
      for (const { chain } of stages.flat()) void this.#manager.launch(this.#live(chain), "ahead");
    }
    return answer("OK", encode(dagNameBody, { uid: added.uid }));
  }
  #stages(body: Uint8Array, user: User): Branch[][] {
    const { bytes } = dagBranchBody;
    if (body.length === 0 || body.length % bytes !== 0) throw new Refused("INVALID");
    const stages: Branch[][] = [];
    for (let from = 0; from < body.length; from += bytes) {
      const b = decode(dagBranchBody, body.slice(from, from + bytes)),
        codes = [b.task0, b.task1, b.task2, b.task3, b.task4, b.task5, b.task6, b.task7];
      const isNext = b.stage === stages.length || b.stage === stages.length - 1,
        fits = b.tasks >= 1 && b.tasks <= mostBranchTasks && codes.every((c, i) => i < b.tasks || c === 0);
      if (!isNext || !fits || b.blank !== 0) throw new Refused("INVALID");
      (stages[b.stage] ??= []).push(this.#branch(codes.slice(0, b.tasks), b.arg, user));
    }
    return stages;
  }
  #branch(codes: readonly number[], arg: number, user: User): Branch {
    const labels = codes.map(c => this.#o.catalogue[c - 1] ?? "");
    if (labels.includes("")) throw new Refused("INVALID");
    if (!labels.every(l => this.#mayUse(l, user))) throw new Refused("DENIED");
    const chain = this.#manager.chainFor(labels, all => all.every(l => this.#mayUse(l, user)));
    if (chain === undefined) throw new Refused("FULL");
    let at = 0;
    const run = labels.map(label => {
      const slot = chain.labels.indexOf(label, at);
      at = slot + 1;
      return slot;
    });
    return { chain, run, arg };
  }
  /** The DAG that a body names: another's is DENIED, and none is told from another's. */
  #own(body: Uint8Array, user: User): Dag {
    return this.#named(whole(dagNameBody, body).uid, user);
  }
  #named(uid: number, user: User): Dag {
    const dag = this.#dags.named(uid);
    if (dag?.user.number !== user.number || dag.peer !== undefined) throw new Refused("DENIED");
    return dag;
  }
  async #remove(dag: Dag): Promise<Answer> {
    await this.#dags.remove(dag);
    this.#stop(dag);
    return answer("OK");
  }
  /** The answer comes at once: loading takes milliseconds, and QUERY tells when it is done. */
  #launch(dag: Dag): Answer {
    this.#wanted.add(dag);
    for (const { chain } of dag.stages.flat()) void this.#manager.launch(this.#live(chain), "demand");
    return answer("OK");
  }
  /** A frame of the DAG is there, and waits: chains that have no region are launched. */
  async launchFor(dag: Dag): Promise<void> {
    this.#wanted.add(dag);
    const missing = dag.stages.flat().map(b => this.#live(b.chain));
    await Promise.all(missing.map(chain => this.#manager.launch(chain, "demand")));
  }
  #stop(dag: Dag): Answer {
    this.#wanted.delete(dag);
    const wanted = new Set([...this.#wanted].flatMap(d => d.stages.flat().map(b => b.chain.number)));
    for (const { chain } of dag.stages.flat())
      if (!wanted.has(chain.number)) void this.#manager.stop(this.#live(chain));
    return answer("OK");
  }
  async #weigh(body: Uint8Array, user: User): Promise<Answer> {
    const { weight } = whole(weightBody, body);
    if (weight === 0) throw new Refused("INVALID");
    if (weight > this.#o.granted(user.number)) throw new Refused("DENIED");
    this.weights.set(user.number, weight);
    await this.#o.weigh(user.number, weight);
    return answer("OK");
  }
  async #bind(body: Uint8Array, user: User): Promise<Answer> {
    const b = whole(bindBody, body),
      dag = this.#named(b.uid, user);
    if (b.spare !== 0 || b.toBits > 32) throw new Refused("INVALID");
    if (!this.#dags.isAlone(user, dag.ports)) throw new Refused("DENIED");
    const hasIp = b.toBits > 0 || b.hasProtocol === 1 ? 1 : 0;
    const key = { ipDst: b.to, protocol: b.protocol, dstPort: b.toPort, hasIp, hasPorts: b.hasPort },
      mask = {
        ipDst: 2 ** 32 - 2 ** (32 - b.toBits),
        protocol: b.hasProtocol * 0xff,
        dstPort: b.hasPort * 0xffff,
        hasIp,
        hasPorts: b.hasPort,
      };
    if (!(await this.#dags.bind(dag, key, mask))) throw new Refused("FULL");
    return answer("OK");
  }
  /** The chain as the manager knows it: the setup's DAGs name it as it was. */
  #live(chain: { readonly number: number }): LiveChain {
    const live = this.#manager.chains.find(c => c.number === chain.number);
    if (live === undefined) throw new RangeError(`there is no chain ${chain.number}`);
    return live;
  }
}
/** Users whose DAGs run a task of this name. */
const usersOf = (setup: Setup, label: string): number[] =>
  setup.dags.flatMap(d =>
    d.stages.flat().some(b => b.run.some(slot => b.chain.labels[slot] === label)) ? [d.user.number] : [],
  );
/** A body of one layout, and nothing behind it. */
function whole<const F extends FieldSet>(of: Layout<F>, body: Uint8Array) {
  if (body.length !== of.bytes) throw new Refused("INVALID");
  return decode(of, body);
}
