/** One engine in hardware among modelled nodes: a commit, a crash of the node or of its coordinator, recovery. */
import { expect } from "vitest";
import { opcode } from "../../../../designs/clio/wire/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import type { OffloadPorts } from "../../../../designs/clio/rig/index.ts";
import {
  type Action,
  type Commit,
  Coordinator,
  copyCid,
  type Phase,
  takeOver,
} from "../../../../designs/hotpot/coordinator/index.ts";
import { NodeModel } from "../../../../designs/hotpot/model/index.ts";
import { answered, clusterPid, CommitHost, FallibleMemory, homeAt } from "../../../../designs/hotpot/rig/index.ts";
import { type Answer, bounds, logBytes, marks, type Message } from "../../../../designs/hotpot/wire/index.ts";
import type { Bench } from "../../../../sim/index.ts";
import { areaBytes, contentOf, vaOf } from "./commits.ts";
import { base, director, parameters } from "./random-run.ts";

export type Crash = "kept" | "zeroed" | "coordinator";
export interface Role {
  readonly name: string;
  /** Areas of node 0, the hardware, of node 1 and of node 2, and who has copies of each. */
  readonly shares: readonly { readonly node: number; readonly replica: number; readonly areas: readonly number[] }[];
}
export const roles: readonly Role[] = [
  {
    name: "an owner",
    shares: [
      { node: 0, replica: 2, areas: [0, 1] },
      { node: 1, replica: 2, areas: [2] },
    ],
  },
  {
    name: "a replica",
    shares: [
      { node: 1, replica: 0, areas: [0, 1] },
      { node: 2, replica: 0, areas: [2] },
    ],
  },
  { name: "the single owner", shares: [{ node: 0, replica: 1, areas: [0, 1] }] },
];
const areas = 4,
  homeBytes = areas * 4096,
  lane = 3;

/** What was seen of one crash. */
export interface Seen {
  readonly phase: Phase;
  readonly tries: number;
  readonly action: Action | undefined;
  readonly cycles: number;
  /** Cycles from its beginning at which it came to another phase, before the crash. */
  readonly changes: readonly number[];
}

export class Sweep {
  readonly #b: Bench<OffloadPorts>;
  readonly #h: CommitHost;
  readonly #memories: FallibleMemory[];
  readonly #models: NodeModel[];
  #c = this.#coordinator(0);
  #start = 0;
  #version = 0;
  #up = true;
  /** Messages that the hardware has; forgotten when it is reset. */
  #calls: { readonly key: string; readonly call: ReturnType<CommitHost["request"]> }[] = [];

  #waiting: { readonly key: string; readonly message: Message }[] = [];

  constructor(b: Bench<OffloadPorts>) {
    this.#b = b;
    this.#memories = Array.from({ length: 3 }, () => new FallibleMemory(base, [[clusterPid, homeAt, homeBytes]]));
    this.#h = new CommitHost(b, { parameters, memory: this.#memories[0] as FallibleMemory, latency: 5 });
    this.#models = this.#memories.map(memory => new NodeModel({ memory, base, director }));
  }
  #coordinator(seq: number): Coordinator {
    const c = new Coordinator({ lane, timeout: 400, backoff: 5 });
    c.seq = c.finished = seq;
    return c;
  }
  async begin(): Promise<void> {
    await this.#recover();
    for (const n of [1, 2]) for (const kind of ["recover", "open"] as const) this.#model(n, { kind, seq: 1 }, director);
    for (const m of this.#grants(0)) {
      expect((await this.#h.send(m, director)).verdict).toBe("done");
      for (const n of [1, 2]) expect(this.#model(n, m, director).verdict).toBe("done");
    }
  }
  /** The lane and that of its copies. */
  #grants(seq: number): Message[] {
    return [copyCid({ lane, seq }), { lane, seq }].map(cid => ({ kind: "grant", ...cid, grantee: clusterPid }));
  }
  #model(n: number, m: Message, pid = clusterPid): Answer {
    return (this.#models[n] as NodeModel).take(m, pid) as Answer;
  }
  async #recover(): Promise<void> {
    this.#start++;
    for (const kind of ["recover", "open"] as const)
      expect((await this.#h.send({ kind, seq: this.#start }, director)).verdict).toBe("done");
    this.#up = true;
  }
  /** Messages go, answers come; a cycle. */
  async #step(): Promise<void> {
    const c = this.#c;
    if (this.#up) {
      for (const { key, call } of this.#calls.filter(k => k.call.done !== undefined))
        c.answer(key, answered(call), this.#b.cycle);
      this.#calls = this.#calls.filter(k => k.call.done === undefined);
    }
    for (const { to, key, message } of c.poll(this.#b.cycle)) {
      if (to !== 0) c.answer(key, this.#model(to, message), this.#b.cycle);
      else if (this.#up) this.#waiting.push({ key, message });
    }
    // The line to the node brings one message after the other, so that a crash comes between them as well.
    const [next] = this.#calls.length === 0 ? this.#waiting.splice(0, 1) : [];
    if (next) this.#calls.push({ key: next.key, call: this.#h.request(next.message, clusterPid) });
    await this.#b.cycles(1);
  }
  #home(n: number, area: number): Uint8Array {
    return (this.#memories[n] as FallibleMemory).load(clusterPid, vaOf(area), areaBytes);
  }
  /** Every copy of every area of the commit shows one version. */
  #shows(role: Role, versions: readonly number[]): void {
    const shown = role.shares.flatMap(s =>
      s.areas.flatMap(a =>
        [s.node, s.replica].map(n => {
          const bytes = this.#home(n, a);
          const is = versions.find(v => Buffer.compare(bytes, contentOf(a, v)) === 0);
          if (is === undefined)
            throw new Error(`area ${a} at node ${n} shows none of the versions ${versions.join(", ")}`);
          return is;
        }),
      ),
    );
    expect(new Set(shown).size, `not atomic: the areas show versions ${shown.join(", ")}`).toBe(1);
  }

  /** A commit, with a crash `at` cycles after its beginning, or without one. */
  async run(role: Role, crash: Crash, at: number): Promise<Seen> {
    const before = this.#version++,
      version = this.#version,
      from = this.#b.cycle,
      commit: Commit = {
        shares: role.shares.map(s => ({
          ...{ node: s.node, replicas: [s.replica] },
          areas: s.areas.map(a => ({ va: vaOf(a), data: contentOf(a, version) })),
        })),
      };
    // All copies begin the same, whichever role was before.
    for (const m of this.#memories)
      for (const s of role.shares) for (const a of s.areas) m.store(clusterPid, vaOf(a), contentOf(a, before));
    this.#c.begin(commit, this.#b.cycle);
    const changes: number[] = [];
    while (this.#c.phase !== "idle" && this.#b.cycle < from + at) {
      const before = this.#c.phase;
      await this.#step();
      if (this.#c.phase !== before) changes.push(this.#b.cycle - from);
    }
    const { phase, outcome } = this.#c;
    let action: Action | undefined;
    if (crash === "coordinator") action = await this.#loseCoordinator();
    else await this.#crash(role, crash);
    if (outcome === "committed") this.#shows(role, [version]);
    while (this.#c.phase !== "idle") {
      await this.#step();
      if (this.#c.phase === "wait") this.#shows(role, [before]);
    }
    const { tries } = this.#c,
      cycles = this.#b.cycle - from;
    if (crash === "coordinator") {
      this.#shows(role, [action === "undo" ? before : action === "none" && outcome === undefined ? before : version]);
      this.#c = this.#coordinator(this.#c.seq);
    } else {
      expect(this.#c.outcome).toBe("committed");
      this.#shows(role, [version]);
    }
    await this.#h.host.drained();
    for (let part = 0; part < bounds.commits; part++)
      for (const a of [
        await this.#h.send({ kind: "inspect", part }, director),
        ...[1, 2].map(n => this.#model(n, { kind: "inspect", part }, director)),
      ])
        expect(a.state).toBe("free");
    return { phase, tries, action, cycles, changes };
  }

  /** The node is reset in this cycle. Of a write that is under way memory has any words. */
  async #crash(role: Role, kind: "kept" | "zeroed"): Promise<void> {
    const memory = this.#memories[0] as FallibleMemory,
      last = this.#h.host.trace.at(-1);
    this.#up = false;
    this.#calls = [];
    this.#waiting = [];
    this.#h.host.reset();
    if (last?.answered === undefined && last?.opcode === opcode.WRITE)
      for (let i = 0; i < last.data.length; i += 8)
        if (this.#b.random.chance(0.5)) memory.store(last.pid, last.va + BigInt(i), last.data.subarray(i, i + 8));
    if (kind === "kept") return this.#recover();
    memory.map(offloadPid(0), base, logBytes);
    memory.map(clusterPid, homeAt, homeBytes);
    this.#start++;
    const tell = async (m: Message): Promise<void> => {
      expect((await this.#h.send(m, director)).verdict).toBe("done");
    };
    await tell({ kind: "recover", seq: this.#start });
    for (const m of this.#grants(this.#c.finished)) await tell({ ...m, marks: marks.redo });
    for (const s of role.shares)
      for (const a of s.areas) {
        const other = s.node === 0 ? s.replica : s.replica === 0 ? s.node : undefined;
        if (other !== undefined) memory.store(clusterPid, vaOf(a), this.#home(other, a));
      }
    this.#up = true;
    this.#c.lost(0, this.#b.cycle);
    while (!this.#c.settled(0)) await this.#step();
    await tell({ kind: "open", seq: this.#start });
    this.#c.opened(0);
  }
  async #loseCoordinator(): Promise<Action> {
    const { seq } = this.#c;
    this.#waiting = [];
    await this.#h.host.drained();
    this.#calls = [];
    const { action } = await takeOver(lane, [0, 1, 2], (n, m, by) => {
      const who = by === "director" ? director : clusterPid;
      return n === 0 ? this.#h.send(m, who) : Promise.resolve(this.#model(n, m, who));
    });
    this.#c = this.#coordinator(seq);
    return action;
  }
}
