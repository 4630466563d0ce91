/** A memory node whose side of the commits is the hardware: the engine with its memory, behind a jack. */
import { offloadPid } from "../../../../../designs/clio/offload/index.ts";
import { type OffloadCall, OffloadHost, type OffloadPorts } from "../../../../../designs/clio/rig/index.ts";
import { opcode, status } from "../../../../../designs/clio/wire/index.ts";
import { CommitEngine, parametersOf } from "../../../../../designs/hotpot/node/index.ts";
import {
  answered,
  clusterPid,
  FallibleMemory,
  homeAt,
  messageIn,
  type MessageIn,
  replyTo,
} from "../../../../../designs/hotpot/rig/index.ts";
import {
  type Answer,
  bounds,
  commitOpcode,
  commitReplyOpcode,
  logBytes,
  type Message,
  messageBytes,
} from "../../../../../designs/hotpot/wire/index.ts";
import { Jack, type Join, type Member } from "../../../../../designs/rack/rig/index.ts";
import { type Bench, type Dut, ProtocolError, runBench, type SimulatedTime } from "../../../../../sim/index.ts";

export const director = 1,
  engineParameters = parametersOf({ contexts: 8, director }),
  engineDut = CommitEngine(engineParameters);

export interface EngineNodeOptions {
  readonly number: number;
  readonly homeBytes: number;
  readonly seed: number;
  /** Cycles of an access to memory, and so many more at random; probability of a pause, for each stream. */
  readonly latency?: number;
  readonly jitter?: number;
  readonly pause?: number;
  /** The engine, or one with a fault. */
  readonly dut?: Dut<OffloadPorts>;
}

export class EngineNode implements Member {
  readonly name: string;
  readonly number: number;
  readonly jack: Jack;
  readonly memory: FallibleMemory;
  readonly time: SimulatedTime;
  /** Messages that have come, by kind. */
  readonly came: Record<string, number> = {};
  /** Writes that were under way when it was reset. */
  torn = 0;
  up = false;
  start = 0;
  readonly #o: EngineNodeOptions;
  #bench: Bench<OffloadPorts> | undefined;
  #host: OffloadHost | undefined;
  /** Of frames. What the director asks has no frame, and is not among them. */
  #calls: { readonly of: MessageIn; readonly call: OffloadCall }[] = [];

  constructor(o: EngineNodeOptions, time: SimulatedTime) {
    this.#o = o;
    this.number = o.number;
    this.name = `node${o.number}`;
    this.time = time;
    this.memory = new FallibleMemory(engineParameters.base, [[clusterPid, homeAt, o.homeBytes]]);
    this.jack = new Jack(this.name, time, (bytes, damaged) => {
      if (!damaged) this.#take(bytes);
    });
  }
  async run(join: Join): Promise<void> {
    const { latency = 20, jitter = 0, pause = 0, seed, dut = engineDut } = this.#o;
    await runBench(this.name, dut, { seed, wave: false, limitCycles: Number.POSITIVE_INFINITY, hangCycles: 0 }, bench =>
      join(bench, async () => {
        this.#bench = bench;
        this.#host = new OffloadHost(bench, {
          ...{ parameters: engineParameters, memory: this.memory, latency, jitter, pause },
        });
        bench.onEdge({ sample: () => this.#answer() });
        await this.begin();
        await this.open();
        this.up = true;
        return () => undefined;
      }),
    );
  }
  /** While it runs. */
  get host(): OffloadHost {
    if (this.#host === undefined) throw new RangeError(`${this.name} has not begun`);
    return this.#host;
  }
  get idle(): boolean {
    return this.#calls.length === 0;
  }

  #take(bytes: Uint8Array): void {
    if (!this.up) return;
    const of = messageIn(bytes),
      { clio, body } = of.request,
      { kind } = of.message;
    if (of.node !== this.number) throw new ProtocolError(`a frame for node ${of.node} comes to node ${this.number}`);
    this.came[kind] = (this.came[kind] ?? 0) + 1;
    this.#calls.push({ of, call: this.host.request({ opcode: clio.opcode, pid: clio.pid, body }) });
  }
  #answer(): void {
    const over = this.#calls.filter(c => c.call.done !== undefined);
    if (over.length === 0) return;
    this.#calls = this.#calls.filter(c => c.call.done === undefined);
    for (const { of, call } of over) {
      const [reply] = call.replies;
      if (reply?.status !== status.OK || reply.opcode !== commitReplyOpcode)
        throw new ProtocolError(`${this.name} answers ${of.message.kind} with status ${reply?.status ?? "none"}`);
      this.jack.send(replyTo(of, reply.body));
    }
  }
  /** What the director asks the node by itself. */
  async direct(m: Message): Promise<Answer> {
    return answered(await this.host.call({ opcode: commitOpcode, pid: director, body: messageBytes(m) }));
  }
  async tell(m: Message): Promise<void> {
    const { verdict } = await this.direct(m);
    if (verdict !== "done") throw new ProtocolError(`${this.name} answers the director's ${m.kind} with ${verdict}`);
  }
  async begin(): Promise<void> {
    this.start++;
    await this.tell({ kind: "recover", seq: this.start });
  }
  open(): Promise<void> {
    return this.tell({ kind: "open", seq: this.start });
  }
  /** It is reset in the next cycle of its own: of a write that is under way memory has any words. */
  crash(memory: "kept" | "zeroed"): Promise<void> {
    return new Promise(resolve => {
      this.time.after(0, () => {
        this.#reset(memory);
        resolve();
      });
    });
  }
  #reset(kind: "kept" | "zeroed"): void {
    const { memory, host } = this,
      last = host.trace.at(-1),
      random = this.#bench?.random;
    this.up = false;
    this.#calls = [];
    host.reset();
    if (last?.answered === undefined && last?.opcode === opcode.WRITE) {
      this.torn++;
      for (let i = 0; i < last.data.length; i += 8)
        if (random?.chance(0.5) === true) memory.store(last.pid, last.va + BigInt(i), last.data.subarray(i, i + 8));
    }
    if (kind === "kept") return;
    memory.map(offloadPid(0), engineParameters.base, logBytes);
    memory.map(clusterPid, homeAt, this.#o.homeBytes);
  }
  home(va: bigint, bytes: number): Uint8Array {
    return this.memory.load(clusterPid, va, bytes);
  }
  /** Commits that it keeps, as the director sees them. */
  async kept(): Promise<number> {
    let used = 0;
    for (let part = 0; part < bounds.commits; part++)
      if ((await this.direct({ kind: "inspect", part })).state !== "free") used++;
    return used;
  }
}
