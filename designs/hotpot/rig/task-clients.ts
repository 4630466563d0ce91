/** Clients of the commit task: each has a commit or more, and asks again until it is answered. */
import { clioMessage, udpPorts } from "../../clio/wire/index.ts";
import { udpFrame } from "../../shared/wire/index.ts";
import { ProtocolError, type Random } from "../../../sim/index.ts";
import { type Answer, commitOpcode, submitBytes, submitKinds } from "../wire/index.ts";
import { clientAnswerIn, taskClient, taskOwn, taskPid } from "./task-frames.ts";

export interface TaskArea {
  readonly owner: number;
  readonly replicas: readonly number[];
  readonly va: bigint;
  readonly data: Uint8Array;
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
export interface TaskClientsOptions {
  /** The director is the one behind them. */
  readonly clients: number;
  /** Cycles until a client asks again. */
  readonly timeout: number;
  readonly random: Random;
  readonly cycle: () => number;
  /** A frame of a client goes. */
  readonly transmit: (bytes: Uint8Array) => void;
  /** Whether an answer is lost on its way. Default: none is. */
  readonly loses?: () => boolean;
  /** A commit is told as done for the first time. */
  readonly told?: (c: Submitted) => void;
}

export class TaskClients {
  readonly commits: Submitted[] = [];
  /** Answers to clients, by verdict. */
  readonly verdicts: Record<string, number> = {};
  /** Commits that are nobody's here: whatever is answered to them is counted, and nothing more. */
  readonly expects: { readonly client: number; readonly number: number }[] = [];
  readonly #o: TaskClientsOptions;
  readonly #numbers: number[];
  #request = 0x1234_0000;
  /** Who hears what the director is told. */
  #directors: (a: Answer) => void = () => undefined;

  constructor(o: TaskClientsOptions) {
    this.#o = o;
    this.#numbers = Array.from({ length: o.clients }, () => 0xffff_fff8);
  }
  /** Number of the newest message of a client. */
  get newest(): number {
    return (this.#request - 1) >>> 0;
  }
  get finished(): boolean {
    return this.commits.every(c => c.verdict !== undefined);
  }
  /** A commit on its way. */
  submit(client: number, areas: readonly TaskArea[]): Submitted {
    const number = (this.#numbers[client] as number) >>> 0,
      begun = this.#o.cycle();
    this.#numbers[client] = (number + 1) >>> 0;
    const s: Submitted = {
      ...{ client, number, areas, begun, ended: undefined, verdict: undefined, told: false },
      due: begun + this.#o.timeout,
    };
    this.commits.push(s);
    this.ask(s);
    return s;
  }
  /** All areas, once more or for the first time, in any order. */
  ask(s: Submitted, some: readonly number[] = this.#o.random.shuffle([...s.areas.keys()])): void {
    for (const i of some) this.#o.transmit(this.areaFrame(s, i));
  }
  /** Those that have waited too long ask again. */
  askAgain(): void {
    const now = this.#o.cycle();
    for (const c of this.commits)
      if (c.verdict === undefined && c.due <= now) {
        c.due = now + this.#o.timeout;
        this.ask(c);
      }
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
  /**
   * Whether no decided commit owes the node anything: the director asks until it is told.
   * @param send the director's frame goes @param wait a while between two
   */
  async settled(node: number, send: (bytes: Uint8Array) => void, wait: () => Promise<void>): Promise<boolean> {
    const head = { kind: submitKinds.owes, area: 0, areas: 1, owner: node, number: 0, replicas: 0, va: 0n },
      said: Answer[] = [];
    this.#directors = a => said.push(a);
    // Who comes while another answer waits is not told, and asks again.
    while (said.length === 0) {
      send(this.frame(this.#o.clients, submitBytes(head, new Uint8Array())));
      await wait();
    }
    return said[0]?.verdict === "done";
  }

  /** A frame of the task has come. @throws ProtocolError for one that is none, or says another thing than before */
  hear(bytes: Uint8Array): void {
    const { client, answer: a } = clientAnswerIn(bytes);
    this.verdicts[a.verdict] = (this.verdicts[a.verdict] ?? 0) + 1;
    if (client === this.#o.clients) {
      this.#directors(a);
      return;
    }
    if (this.expects.some(e => e.client === client && e.number === a.seq)) return;
    const c = this.commits.find(s => s.client === client && s.number === a.seq);
    if (!c) throw new ProtocolError(`an answer to commit ${a.seq} of client ${client}`);
    if (a.verdict === "done" && !c.told) this.#o.told?.(c);
    if (a.verdict === "done") c.told = true;
    if (this.#o.loses?.() === true) return;
    if (a.verdict === "busy") return;
    if (c.verdict !== undefined && c.verdict !== a.verdict)
      throw new ProtocolError(`commit ${c.number} is ${c.verdict}, then ${a.verdict}`);
    if (c.verdict === undefined) {
      c.verdict = a.verdict;
      c.ended = this.#o.cycle();
    }
  }
}
