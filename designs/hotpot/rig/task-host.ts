/** The commit task of a SmartNIC with clients at one port and memory nodes at others, on a bad network. */
import { clioMessage, dissect, replyFrame, status, udpPorts } from "../../clio/wire/index.ts";
import { concat, type Endpoint, udpFrame } from "../../shared/wire/index.ts";
import { type Bench, type Pause, ProtocolError, type Sent, StreamSink, StreamSource } from "../../../sim/index.ts";
import { takeOver } from "../coordinator/index.ts";
import type { commitTaskPorts } from "../task/index.ts";
import {
  type Answer,
  answerOf,
  askKey,
  bounds,
  commitOpcode,
  commitReplyOpcode,
  type CommitTaskConfig,
  headBytes,
  marks,
  type Message,
  messageBytes,
  submitBytes,
  submitKinds,
  type TaskWord,
  taskWords,
  toldWord,
} from "../wire/index.ts";
import { commitMessageOf } from "./commit-message.ts";
import { TaskNode } from "./task-node.ts";

export type TaskPorts = ReturnType<typeof commitTaskPorts>;
export interface TaskArea {
  readonly owner: number;
  readonly replicas: readonly number[];
  readonly va: bigint;
  readonly data: Uint8Array;
}
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
/** A commit of a client, from its asking to its answer. */
export interface Submitted {
  readonly client: number;
  readonly number: number;
  readonly areas: readonly TaskArea[];
  readonly begun: number;
  ended: number | undefined;
  verdict: Answer["verdict"] | undefined;
  due: number;
  /** Its answer has left once. */
  told: boolean;
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
export const taskUser = 3,
  taskPid = 7,
  taskLane = 4;
/** Where the task is: the sum of one of its IPv4 headers carries twice. */
export const taskOwn: Endpoint = { mac: 0x02_00_00_00_00_11n, ip: 0xc0a8_6fec, port: 4711 };
export const taskClient = (n: number): Endpoint => ({
  mac: 0x02_00_00_00_01_00n + BigInt(n),
  ip: 0xc0a8_0a01 + (n >> 1),
  port: 5000 + n,
});
export const nodeEndpoint = (n: number): Endpoint => ({
  mac: 0x02_00_00_00_02_00n + BigInt(n),
  ip: 0x0a00_0020 + n,
  port: udpPorts.native,
});
const portOf = (n: number): number => 1 + (n % 3);
const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
const toBytes = (bits: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse());

export class TaskHost {
  readonly nodes: readonly TaskNode[];
  readonly commits: Submitted[] = [];
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
  #request = 0x1234_0000;
  readonly #numbers: number[];
  /** Who hears what the director is told. */
  #told: (a: Answer) => void = () => undefined;
  /** Messages to nodes by kind, and answers to clients by verdict. */
  readonly sent: Record<string, number> = {};
  readonly verdicts: Record<string, number> = {};
  /** All copies must show a commit when its answer leaves; not while nodes are lost. */
  strict = true;
  /** Commits that are nobody's here: whatever is answered to them is counted, and nothing more. */
  readonly expects: { readonly client: number; readonly number: number }[] = [];
  onMade: ((bytes: Uint8Array, port: number) => boolean) | undefined;

  constructor(b: Bench<TaskPorts>, o: TaskHostOptions) {
    this.#b = b;
    this.#o = o;
    this.#random = b.random.fork("network");
    this.#numbers = Array.from({ length: o.clients }, () => 0xffff_fff8);
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
  /** Number of the newest message of a client. */
  get newest(): number {
    return (this.#request - 1) >>> 0;
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

  /** A commit on its way. */
  submit(client: number, areas: readonly TaskArea[]): Submitted {
    const number = (this.#numbers[client] as number) >>> 0;
    this.#numbers[client] = (number + 1) >>> 0;
    const s: Submitted = {
      ...{ client, number, areas, begun: this.#b.cycle, ended: undefined, verdict: undefined, told: false },
      due: this.#b.cycle + (this.#o.clientTimeout ?? 20_000),
    };
    this.commits.push(s);
    this.ask(s);
    return s;
  }
  /** All areas, once more or for the first time, in any order. */
  ask(s: Submitted, some: readonly number[] = this.#random.shuffle([...s.areas.keys()])): void {
    for (const i of some) this.#fromClient(this.areaFrame(s, i));
  }
  areaFrame(s: Pick<Submitted, "client" | "number" | "areas">, area: number): Uint8Array {
    const { owner, replicas, va, data } = s.areas[area] as TaskArea,
      mask = replicas.reduce((m, r) => m | (1 << r), 0);
    const head = { kind: submitKinds.area, area, areas: s.areas.length, owner, number: s.number, replicas: mask, va };
    return this.frame(s.client, submitBytes(head, data));
  }
  frame(client: number, body: Uint8Array, pid = taskPid): Uint8Array {
    const id = this.#request++ >>> 0;
    return udpFrame(
      taskClient(client),
      { ...taskOwn, port: udpPorts.native },
      clioMessage({ pid, opcode: commitOpcode, requestId: id, tag: id & 255, seqId: 5, flagTracked: 1 }, body),
    );
  }
  async finished(): Promise<void> {
    await this.#b.until(() => this.commits.every(c => c.verdict !== undefined));
  }
  /** Whether no decided commit owes the node anything. */
  async settled(node: number): Promise<boolean> {
    const head = { kind: submitKinds.owes, area: 0, areas: 1, owner: node, number: 0, replicas: 0, va: 0n };
    const said: Answer[] = [];
    this.#told = a => said.push(a);
    // Who comes while another answer waits is not told, and asks again.
    while (said.length === 0) {
      this.send(this.frame(this.#o.clients, submitBytes(head, new Uint8Array())), clientPort, true);
      await this.#b.cycles(300);
    }
    return said[0]?.verdict === "done";
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
    for (const c of this.commits)
      if (c.verdict === undefined && c.due <= cycle && this.#on) {
        c.due = cycle + (this.#o.clientTimeout ?? 20_000);
        this.ask(c);
      }
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
    const parts = dissect(bytes),
      { ethernet, ipv4, udp, clio, body } = parts,
      n = (ipv4?.dst ?? 0) - nodeEndpoint(0).ip,
      node = this.nodes[n];
    if (!ethernet || !ipv4 || !udp || !clio || !body || !node || port !== portOf(n))
      throw new ProtocolError(`a frame to nobody by port ${port}`);
    const m = commitMessageOf(body),
      rest = { ...clio },
      expected = udpFrame(
        taskOwn,
        nodeEndpoint(n),
        clioMessage({ pid: taskPid, opcode: commitOpcode, requestId: rest.requestId }, messageBytes(m)),
      );
    if (Buffer.compare(expected, bytes) !== 0)
      throw new ProtocolError(`a message is ${hex(bytes)}; it would be ${hex(expected)}`);
    if (((clio.requestId >>> askKey.node) & 15) !== n) throw new ProtocolError("a message that names another node");
    this.sent[m.kind] = (this.sent[m.kind] ?? 0) + 1;
    this.#way(() => {
      if (!node.up) return;
      const from = Math.max(this.#b.cycle, node.freeAt);
      node.freeAt = from + (this.#o.work?.(m) ?? 0);
      const { start } = node;
      this.#after(node.freeAt - this.#b.cycle, () => {
        if (!node.up || node.start !== start) return;
        const a = node.ask(m, taskPid),
          reply = replyFrame(
            nodeEndpoint(n),
            { ethernet, ipv4, udp, clio, native: true },
            commitReplyOpcode,
            status.OK,
            node.bytesOf(a),
          ),
          resets = this.#resets;
        this.#way(() => {
          if (this.#on || resets === this.#resets) this.send(reply, port, this.#on);
        });
      });
    });
  }
  #toClient(bytes: Uint8Array, port: number): void {
    const parts = dissect(bytes),
      { ipv4, udp, clio, body } = parts,
      client = (udp?.dstPort ?? 0) - 5000;
    if (!clio || !ipv4 || !udp || !body || port !== clientPort || clio.opcode !== commitReplyOpcode)
      throw new ProtocolError("a frame to nobody");
    const a = answerOf(body),
      expected = udpFrame(
        { ...taskOwn, port: udpPorts.native },
        taskClient(client),
        clioMessage({ ...clio, pid: taskPid, opcode: commitReplyOpcode, status: status.OK }, body),
      );
    if (Buffer.compare(expected, bytes) !== 0)
      throw new ProtocolError(`an answer is ${hex(bytes)}; it would be ${hex(expected)}`);
    if (body.length !== headBytes) throw new ProtocolError("an answer with something behind");
    this.verdicts[a.verdict] = (this.verdicts[a.verdict] ?? 0) + 1;
    if (client === this.#o.clients) {
      this.#told(a);
      return;
    }
    if (this.expects.some(e => e.client === client && e.number === a.seq)) return;
    const c = this.commits.find(s => s.client === client && s.number === a.seq);
    if (!c) throw new ProtocolError(`an answer to commit ${a.seq} of client ${client}`);
    if (a.verdict === "done" && !c.told && this.strict) this.#checkShown(c);
    if (a.verdict === "done") c.told = true;
    if (this.#random.chance(this.#o.clientLost ?? 0)) return;
    if (a.verdict === "busy") return;
    if (c.verdict !== undefined && c.verdict !== a.verdict)
      throw new ProtocolError(`commit ${c.number} is ${c.verdict}, then ${a.verdict}`);
    if (c.verdict === undefined) {
      c.verdict = a.verdict;
      c.ended = this.#b.cycle;
    }
  }
  /** Its answer leaves: all its copies are there. */
  #checkShown(c: Submitted): void {
    for (const { owner, replicas, va, data } of c.areas)
      for (const n of [owner, ...replicas])
        if (Buffer.compare((this.nodes[n] as TaskNode).home(va, data.length), data) !== 0)
          throw new ProtocolError(`commit ${c.number} is told, and node ${n} does not show it`);
  }
}
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
