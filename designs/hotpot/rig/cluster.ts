/** Nodes, a network that loses, doubles and reorders, and coordinators, in time of their own. */
import { offloadPid } from "../../clio/offload/index.ts";
import type { Random } from "../../../sim/index.ts";
import { type Commit, Coordinator, copyCid } from "../coordinator/index.ts";
import { NodeModel } from "../model/index.ts";
import { type Answer, headBytes, logBytes, marks, type Message, messageBytes } from "../wire/index.ts";
import { FallibleMemory } from "./fallible-memory.ts";
import { frameBytes } from "./task-frames.ts";

export interface ClusterOptions {
  readonly nodes: number;
  readonly lanes: number;
  readonly random: Random;
  /** Of messages and of answers. */
  readonly lost: number;
  readonly doubled: number;
  /** Times of a way through the network, and of one that dawdles. */
  readonly delay: readonly [number, number];
  readonly late: number;
  readonly timeout: number;
  readonly backoff: number;
  /** Time from a lane to a node in place of `delay`, for races. */
  readonly way?: (lane: number, node: number) => number;
  /** Makes a lane's coordinator: one with a fault, in tests of the tests. */
  readonly coordinator?: (o: ConstructorParameters<typeof Coordinator>[0]) => Coordinator;
  /** Work of a node in its own time, before it answers. */
  readonly work?: (node: number, m: Message) => number;
}
export const clusterBase = 1n << 20n,
  clusterPid = 7,
  clusterDirector = 1,
  homeAt = 0x4000n;
export interface ClusterNode {
  readonly memory: FallibleMemory;
  readonly model: NodeModel;
  up: boolean;
  start: number;
  freeAt: number;
}

/** All copies of a page are at the same address. `homeBytes` from `homeAt` are what there is of it. */
export class Cluster {
  readonly nodes: ClusterNode[];
  readonly lanes: Coordinator[];
  readonly homeBytes: number;
  readonly #o: ClusterOptions;
  readonly #events: { at: number; order: number; run: () => void }[] = [];
  /** By lane: whose it is, and the number with which it was given. */
  readonly #grants = new Map<number, { readonly grantee: number; readonly seq: number }>();
  #order = 0;
  now = 0;
  /** Of all frames that were sent, both ways. */
  bytes = 0;

  constructor(o: ClusterOptions, homeBytes: number) {
    this.#o = o;
    this.homeBytes = homeBytes;
    this.nodes = Array.from({ length: o.nodes }, () => {
      const memory = new FallibleMemory(clusterBase, [[clusterPid, homeAt, homeBytes]]);
      return {
        memory,
        model: new NodeModel({ memory, base: clusterBase, director: clusterDirector }),
        up: true,
        start: 0,
        freeAt: 0,
      };
    });
    const make = o.coordinator ?? (c => new Coordinator(c));
    this.lanes = Array.from({ length: o.lanes }, (_, lane) => make({ lane, timeout: o.timeout, backoff: o.backoff }));
    for (const n of this.nodes.keys()) this.recover(n);
    for (const lane of this.lanes.keys()) this.grant(lane, clusterPid, 0);
  }
  node(n: number): ClusterNode {
    return this.nodes[n] as ClusterNode;
  }
  /** What the node's engine does at once. */
  ask(n: number, m: Message, pid = clusterPid): Answer {
    const a = this.node(n).model.take(m, pid);
    if (!a) throw new RangeError(`node ${n} refuses ${m.kind}`);
    return a;
  }
  /** The same, asked by the director. */
  direct(n: number, m: Message): Answer {
    return this.ask(n, m, clusterDirector);
  }
  /**
   * The director gives a lane and that of its copies to a process, or to nobody. First the lane at all nodes: while
   * one of them is busy or closed, a commit of it may still be owed something.
   * @param number behind all that the lane had, commits and grants
   * @returns whether all nodes have done it
   */
  grant(lane: number, grantee: number, number?: number): boolean {
    const coordinator = this.lanes[lane] as Coordinator,
      seq = number ?? Math.max(coordinator.seq, this.#grants.get(lane)?.seq ?? 0) + 1;
    const done = [{ lane, seq }, copyCid({ lane, seq })].every(cid => {
      const said = [...this.nodes.keys()].map(n => this.direct(n, { kind: "grant", ...cid, grantee }).verdict);
      if (!said.every(v => v === "done")) return false;
      this.#grants.set(cid.lane, { grantee, seq });
      return true;
    });
    if (done && grantee !== 0) coordinator.given(seq);
    return done;
  }
  home(n: number, va = homeAt, bytes = this.homeBytes): Uint8Array {
    return this.node(n).memory.load(clusterPid, va, bytes);
  }

  /** A node stops; what is under way to it is lost. */
  crash(n: number, memory: "kept" | "zeroed"): void {
    const node = this.node(n);
    node.up = false;
    node.model.reset();
    if (memory === "kept") return;
    node.memory.map(offloadPid(0), clusterBase, logBytes);
    node.memory.map(clusterPid, homeAt, this.homeBytes);
  }
  /** It starts again with what its memory has. */
  recover(n: number): void {
    const node = this.node(n);
    node.start++;
    this.direct(n, { kind: "recover", seq: node.start });
    this.direct(n, { kind: "open", seq: node.start });
    node.up = true;
  }
  /**
   * It starts again with nothing: the lanes' floors and owners first, then the pages from another copy, then what
   * decided commits owe it. It opens when they owe nothing more. @param sources where to copy pages from: [va, bytes,
   * node]
   */
  rebuild(n: number, sources: readonly (readonly [bigint, number, number])[]): void {
    const node = this.node(n);
    node.start++;
    this.direct(n, { kind: "recover", seq: node.start });
    for (const { lane, finished } of this.lanes)
      for (const l of [copyCid({ lane, seq: 0 }).lane, lane]) {
        const { grantee, seq } = this.#grants.get(l) ?? { grantee: 0, seq: 0 };
        this.direct(n, { kind: "grant", lane: l, grantee, seq: Math.max(seq, finished), marks: marks.redo });
      }
    for (const [va, bytes, from] of sources) node.memory.store(clusterPid, va, this.home(from, va, bytes));
    node.up = true;
    for (const c of this.lanes) c.lost(n, this.now);
    this.#opens(n);
  }
  #opens(n: number): void {
    if (!this.lanes.every(c => c.settled(n))) {
      this.#after(1, () => {
        this.#opens(n);
      });
      return;
    }
    this.direct(n, { kind: "open", seq: this.node(n).start });
    for (const c of this.lanes) c.opened(n);
  }

  begin(lane: number, commit: Commit): void {
    (this.lanes[lane] as Coordinator).begin(commit, this.now);
  }
  /** One step of time: due messages go, events happen. */
  step(): void {
    for (const c of this.lanes) for (const m of c.poll(this.now)) this.#send(c, m.to, m.key, m.message);
    this.now++;
    const due = this.#events.filter(e => e.at <= this.now).sort((a, b) => a.at - b.at || a.order - b.order);
    for (const e of due) {
      this.#events.splice(this.#events.indexOf(e), 1);
      e.run();
    }
  }
  /** Until `done`. @throws when time is over */
  runUntil(done: () => boolean, limit = 200_000): void {
    const end = this.now + limit;
    while (!done()) {
      this.step();
      if (this.now > end) throw new Error(`not done in ${limit}: lanes are ${this.lanes.map(c => c.phase).join(", ")}`);
    }
  }
  get idle(): boolean {
    return this.lanes.every(c => c.phase === "idle");
  }

  #after(time: number, run: () => void): void {
    this.#events.push({ at: this.now + time, order: this.#order++, run });
  }
  #way(run: () => void, fixed?: number): void {
    const { random, lost, doubled, delay, late } = this.#o;
    if (random.chance(lost)) return;
    const time = (): number => fixed ?? random.between(...delay) * (random.chance(late) ? 20 : 1);
    this.#after(time(), run);
    if (random.chance(doubled)) this.#after(time(), run);
  }
  #send(c: Coordinator, to: number, key: string, m: Message): void {
    this.bytes += frameBytes(messageBytes(m).length);
    this.#way(() => {
      const node = this.node(to);
      if (!node.up) return;
      // One message at a time.
      const from = Math.max(this.now, node.freeAt);
      node.freeAt = from + (this.#o.work?.(to, m) ?? 0);
      const { start } = node;
      this.#after(node.freeAt - this.now, () => {
        if (!node.up || node.start !== start) return;
        const a = this.ask(to, m);
        this.bytes += frameBytes(headBytes + a.data.length);
        this.#way(() => c.answer(key, a, this.now));
      });
    }, this.#o.way?.(c.lane, to));
  }
}
