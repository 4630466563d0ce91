/** The commit task of a SmartNIC with clients at one port and memory nodes at others, on a bad network. */
import { dissect } from "../../clio/wire/index.ts";
import { concat } from "../../shared/wire/index.ts";
import { type Bench, type Pause, ProtocolError, type Sent, StreamSink, StreamSource } from "../../../sim/index.ts";
import { takeOver } from "../coordinator/index.ts";
import type { commitTaskPorts } from "../task/index.ts";
import {
  bounds,
  commitOpcode,
  type CommitTaskConfig,
  marks,
  type Message,
  type TaskWord,
  taskWords,
  toldWord,
} from "../wire/index.ts";
import { type Submitted, type TaskArea, TaskClients } from "./task-clients.ts";
import { messageIn, nodeEndpoint, replyTo, taskLane, taskOwn, taskPid, taskUser } from "./task-frames.ts";
import { TaskNode } from "./task-node.ts";

export type TaskPorts = ReturnType<typeof commitTaskPorts>;
export interface TaskHostOptions {
  readonly contexts: number;
  readonly nodes: number;
  readonly clients: number;
  readonly homeBytes: number;
  /** Probabilities of a frame to or from a node; cycles of its way; how often one dawdles. */
  readonly lost?: number;
  readonly doubled?: number;
  readonly delay?: readonly [number, number];
  readonly late?: number;
  /** The same of clients. */
  readonly clientLost?: number;
  readonly clientDoubled?: number;
  readonly clientTimeout?: number;
  readonly config?: Partial<CommitTaskConfig>;
  /** Cycles of a message at a node, one after the other. */
  readonly work?: (m: Message) => number;
  readonly pause?: (stream: "packet" | "payload" | "answer" | "make") => Pause;
}
interface Inside {
  readonly bytes: Uint8Array;
  readonly mine: boolean;
  readonly tag: number;
  readonly sent: Sent<unknown>;
  given: boolean;
}

const beatBytes = 64,
  clientPort = 0;
const portOf = (n: number): number => 1 + (n % 3);
const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
const toBytes = (bits: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse());

export class TaskHost {
  readonly nodes: readonly TaskNode[];
  readonly clients: TaskClients;
  readonly answers: { readonly mine: boolean; readonly cycles: number }[] = [];
  readonly #b: Bench<TaskPorts>;
  readonly #o: TaskHostOptions;
  readonly #packets;
  readonly #payload;
  readonly #answers;
  readonly #made;
  readonly #random;
  #events = new Map<number, (() => void)[]>();
  #inside: Inside[] = [];
  #making: Uint8Array[] = [];
  #tag = 0;
  #resets = 0;
  #resetting = false;
  #on = false;
  /** Of frames, both ways: between clients and task, and between task and nodes. */
  readonly bytes = { clients: 0, nodes: 0 };
  /** Messages to nodes, by kind. */
  readonly sent: Record<string, number> = {};
  /** All copies must show a commit when its answer leaves; not while nodes are lost. */
  strict = true;
  onMade: ((bytes: Uint8Array, port: number) => boolean) | undefined;

  constructor(b: Bench<TaskPorts>, o: TaskHostOptions) {
    this.#b = b;
    this.#o = o;
    this.#random = b.random.fork("network");
    this.clients = new TaskClients({
      ...{ clients: o.clients, timeout: o.clientTimeout ?? 20_000, random: this.#random, cycle: () => b.cycle },
      transmit: bytes => {
        this.#fromClient(bytes);
      },
      loses: () => this.#random.chance(o.clientLost ?? 0),
      told: c => {
        if (this.strict) this.#checkShown(c);
      },
    });
    const { sim, io } = b,
      pause = (stream: "packet" | "payload" | "answer" | "make") => (o.pause ? { pause: o.pause(stream) } : {});
    this.#packets = new StreamSource(sim, io.packet, pause("packet"));
    this.#payload = new StreamSource(sim, io.payload, pause("payload"));
    this.#answers = new StreamSink(sim, io.answer, pause("answer"));
    this.#made = new StreamSink(sim, io.make, pause("make"));
    io.config.valid.value = 0;
    io.quiesce.value = 0;
    this.nodes = Array.from({ length: o.nodes }, () => new TaskNode(o.homeBytes));
    for (const n of this.nodes) {
      n.recover();
      for (const lane of this.#lanes())
        for (const l of [lane, lane + bounds.lanes / 2]) n.direct({ kind: "grant", lane: l, seq: 0, grantee: taskPid });
    }
    b.onEdge({ sample: cycle => this.#sample(cycle) });
  }
  #lanes(): number[] {
    return Array.from({ length: this.#o.contexts }, (_, i) => taskLane + i);
  }
  get verdicts(): Readonly<Record<string, number>> {
    return this.clients.verdicts;
  }
  get config(): CommitTaskConfig {
    return {
      nodes: this.nodes.map((_, n) => ({ mac: nodeEndpoint(n).mac, ip: nodeEndpoint(n).ip, port: portOf(n) })),
      ...{ own: taskOwn, user: taskUser, pid: taskPid, first: 100 + 1000 * this.#resets, lane: taskLane },
      ...{ timeout: 30, backoff: 8, life: 150 },
      ...this.#o.config,
    };
  }
  async configure(): Promise<void> {
    await this.tell(taskWords(this.config));
    this.#on = true;
  }
  async tell(words: readonly TaskWord[]): Promise<void> {
    const { config } = this.#b.io;
    for (const { at, data } of words) {
      config.valid.value = 1;
      config.at.value = at;
      config.data.value = data;
      await this.#b.cycles(1);
    }
    config.valid.value = 0;
    await this.#b.cycles(2);
  }

  submit(client: number, areas: readonly TaskArea[]): Submitted {
    return this.clients.submit(client, areas);
  }
  async finished(): Promise<void> {
    await this.#b.until(() => this.clients.finished);
  }
  /** Whether no decided commit owes the node anything. */
  async settled(node: number): Promise<boolean> {
    return this.clients.settled(
      node,
      bytes => this.send(bytes, clientPort, true),
      () => this.#b.cycles(300),
    );
  }
  /** Commits that a node keeps. */
  kept(node: number): Promise<number> {
    return Promise.resolve((this.nodes[node] as TaskNode).model.used);
  }
  /** A node without memory is made anew: floors and owners, pages from other copies, and what commits owe it. */
  async rebuild(n: number, sources: readonly (readonly [bigint, number, number])[]): Promise<void> {
    const node = this.nodes[n] as TaskNode;
    node.begin();
    // What any node has forgotten is over at all of them.
    const over = (lane: number): number =>
      Math.max(...this.nodes.filter(o => o.up).map(o => o.direct({ kind: "inspect", lane }).floor), 1) - 1;
    for (const lane of this.#lanes())
      for (const l of [lane, lane + bounds.lanes / 2])
        node.direct({ kind: "grant", lane: l, seq: over(l), grantee: taskPid, marks: marks.redo });
    for (const [va, bytes, from] of sources)
      node.memory.store(taskPid, va, (this.nodes[from] as TaskNode).home(va, bytes));
    node.up = true;
    await this.tell([toldWord(n, "lost")]);
    while (!(await this.settled(n))) await this.#b.cycles(50);
    node.open();
    await this.tell([toldWord(n, "opened")]);
  }
  /** The task is reset beside traffic; the director ends what it has left, and software begins anew. */
  async reset(): Promise<void> {
    const forget = (): void => {
      for (const s of [this.#packets, this.#payload]) s.forget();
      for (const s of [this.#answers, this.#made]) s.received.length = 0;
      this.#inside = [];
      this.#making = [];
    };
    this.#resets++;
    this.#on = false;
    this.#resetting = true;
    forget();
    this.#b.sim.reset();
    this.#resetting = false;
    forget();
    const all = [...this.nodes.keys()];
    for (const lane of this.#lanes()) {
      await takeOver(lane, all, (n, m, by) =>
        Promise.resolve((this.nodes[n] as TaskNode).ask(m, by === "director" ? undefined : taskPid)),
      );
      for (const l of [lane + bounds.lanes / 2, lane])
        for (const node of this.nodes) node.direct({ kind: "forget", lane: l, seq: this.config.first - 1 });
    }
    await this.configure();
  }
  /** A frame that has come in at a port. */
  send(bytes: Uint8Array, ingress: number, mine: boolean, user = taskUser, head = beatBytes): Sent<unknown> {
    const tag = this.#tag++ & 255,
      header = new Uint8Array(beatBytes);
    header.set(bytes.slice(0, head));
    const sent = this.#packets.send({
      ...{ tag, header: toBits(header), uid: 1, user, ingress, flowHash: 0, arg: 0, noL4: 0 },
      headBytes: Math.min(head, bytes.length),
      payloadBytes: Math.max(0, bytes.length - head),
    });
    this.#inside.push({ bytes: bytes.slice(head), mine, tag, sent, given: false });
    return sent;
  }
  /** Nothing is inside, or on its way. */
  async drained(): Promise<void> {
    let quiet = 0;
    const still = (): boolean =>
      this.#b.io.quiet.value === 1 &&
      this.#inside.length + this.#making.length + this.#packets.pending + this.#events.size === 0;
    await this.#b.until(() => (quiet = still() ? quiet + 1 : 0) > 40);
    if (this.#payload.pending > 0) throw new ProtocolError("beats of payload are left");
  }

  #after(time: number, run: () => void): void {
    const at = this.#b.cycle + Math.max(1, time);
    this.#events.set(at, [...(this.#events.get(at) ?? []), run]);
  }
  #way(run: () => void): void {
    const { lost = 0, doubled = 0, delay = [100, 100], late = 0 } = this.#o,
      r = this.#random;
    if (r.chance(lost)) return;
    const time = (): number => r.between(...delay) * (r.chance(late) ? 20 : 1);
    this.#after(time(), run);
    if (r.chance(doubled)) this.#after(time(), run);
  }
  #fromClient(bytes: Uint8Array): void {
    const { clientLost = 0, clientDoubled = 0 } = this.#o;
    if (this.#random.chance(clientLost)) return;
    this.bytes.clients += bytes.length;
    const resets = this.#resets,
      once = (): void => {
        if (this.#on && resets === this.#resets) this.send(bytes, clientPort, true);
      };
    once();
    if (this.#random.chance(clientDoubled)) this.#after(this.#random.between(1, 600), once);
  }
  #sample(cycle: number): void {
    if (this.#resetting) return;
    for (const [at, runs] of this.#events)
      if (at <= cycle) {
        this.#events.delete(at);
        for (const run of runs) run();
      }
    for (const i of this.#inside)
      if (!i.given && i.sent.cycle !== undefined) {
        i.given = true;
        for (let at = 0; at < i.bytes.length; at += beatBytes)
          this.#payload.send({
            data: toBits(i.bytes.slice(at, at + beatBytes)),
            last: at + beatBytes >= i.bytes.length ? 1 : 0,
          });
      }
    for (let s = this.#answers.take(); s; s = this.#answers.take()) this.#answer(s.value, s.cycle);
    for (let s = this.#made.take(); s; s = this.#made.take()) this.#beat(s.value);
    if (this.#on) this.clients.askAgain();
  }
  #answer(is: { readonly tag: number; readonly verdict: string; readonly mask: bigint }, cycle: number): void {
    const first = this.#inside.shift();
    if (first?.sent.cycle === undefined || is.tag !== first.tag) throw new ProtocolError("an answer of no packet");
    if (is.verdict !== (first.mine ? "drop" : "forward") || is.mask !== 0n)
      throw new ProtocolError(`a packet that is ${first.mine ? "" : "not "}for the task is answered ${is.verdict}`);
    this.answers.push({ mine: first.mine, cycles: cycle - first.sent.cycle });
  }
  #beat(is: {
    readonly data: bigint;
    readonly count: number;
    readonly last: number;
    readonly bad: number;
    readonly port: number;
  }): void {
    this.#making.push(toBytes(is.data).slice(0, is.count));
    if (is.last === 0) {
      if (is.count !== beatBytes) throw new ProtocolError("a beat in the middle is not full");
      return;
    }
    if (is.bad !== 0) throw new ProtocolError("a frame that is bad");
    const bytes = Uint8Array.from(concat(...this.#making.splice(0)));
    if (this.onMade?.(bytes, is.port) === true) return;
    const { clio } = dissect(bytes);
    if (clio?.opcode === commitOpcode) this.#toNode(bytes, is.port);
    else this.#toClient(bytes, is.port);
  }
  #toNode(bytes: Uint8Array, port: number): void {
    const came = messageIn(bytes),
      { node: n, message: m } = came,
      node = this.nodes[n];
    if (!node || port !== portOf(n)) throw new ProtocolError(`a frame to nobody by port ${port}`);
    this.sent[m.kind] = (this.sent[m.kind] ?? 0) + 1;
    this.bytes.nodes += bytes.length;
    this.#way(() => {
      if (!node.up) return;
      const from = Math.max(this.#b.cycle, node.freeAt);
      node.freeAt = from + (this.#o.work?.(m) ?? 0);
      const { start } = node;
      this.#after(node.freeAt - this.#b.cycle, () => {
        if (!node.up || node.start !== start) return;
        const reply = replyTo(came, node.bytesOf(node.ask(m, taskPid))),
          resets = this.#resets;
        this.bytes.nodes += reply.length;
        this.#way(() => {
          if (this.#on || resets === this.#resets) this.send(reply, port, this.#on);
        });
      });
    });
  }
  #toClient(bytes: Uint8Array, port: number): void {
    if (port !== clientPort) throw new ProtocolError("a frame to nobody");
    this.bytes.clients += bytes.length;
    this.clients.hear(bytes);
  }
  /** Its answer leaves: all its copies are there. */
  #checkShown(c: Submitted): void {
    for (const { owner, replicas, va, data } of c.areas)
      for (const n of [owner, ...replicas])
        if (Buffer.compare((this.nodes[n] as TaskNode).home(va, data.length), data) !== 0)
          throw new ProtocolError(`commit ${c.number} is told, and node ${n} does not show it`);
  }
}
