/** A whole SuperNIC with the commit task in a region, clients at a port and memory nodes at the others, in one time. */
import {
  nodeEndpoint,
  type Submitted,
  type TaskArea,
  taskClient,
  TaskClients,
  taskLane,
  taskOwn,
  taskPid,
} from "../../../../../designs/hotpot/rig/index.ts";
import { commitTask } from "../../../../../designs/hotpot/task/index.ts";
import {
  bounds,
  commitReplyOpcode,
  type CommitTaskConfig,
  marks,
  type TaskWord,
  taskWords,
  toldWord,
} from "../../../../../designs/hotpot/wire/index.ts";
import { dissect } from "../../../../../designs/clio/wire/index.ts";
import {
  clockPeriod,
  Clockwork,
  Jack,
  Line,
  RackDevice,
  type RackDeviceOptions,
} from "../../../../../designs/rack/rig/index.ts";
import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { identity } from "../../../../../designs/supernic/model/index.ts";
import type { Task } from "../../../../../designs/supernic/rtl/index.ts";
import { readSetup, taskWrite } from "../../../../../designs/supernic/software/index.ts";
import { macControlAddress } from "../../../../../designs/supernic/wire/index.ts";
import { HangError, type LinkOptions, ProtocolError, Random } from "../../../../../sim/index.ts";
import { areas } from "../../task/support/task-runs.ts";
import { EngineNode, type EngineNodeOptions } from "./engine-node.ts";

export const contexts = 8,
  clients = 8,
  nodeCount = 3;
const task = commitTask({ contexts }),
  taskOf = (name: string): Task => (name === "commit" ? task : taskNamed(name)),
  clientPort = 0,
  portOf = (n: number): number => 1 + n;
export const deviceParameters = makeParameters({
  ...{ ports: 1 + nodeCount, contexts: 32, cells: 128, regions: 2, slots: 2, branches: 2, credits: 4, users: 4 },
});
const mac = (m: bigint): string => (m.toString(16).padStart(12, "0").match(/../g) ?? []).join(":"),
  ip = (n: number): string => [24, 16, 8, 0].map(s => (n >>> s) & 255).join(".");
export const deviceSetup = readSetup(
  JSON.stringify({
    ...{ mac: "02:5e:00:00:00:ff", ip: "10.9.0.254", ports: Array.from({ length: 1 + nodeCount }, () => ({})) },
    stations: [
      ...Array.from({ length: clients + 1 }, (_, n) => ({ n: `client${n}`, at: taskClient(n), port: clientPort })),
      ...Array.from({ length: nodeCount }, (_, n) => ({ n: `node${n}`, at: nodeEndpoint(n), port: portOf(n) })),
    ].map(({ n, at, port }) => ({ name: n, mac: mac(at.mac), ip: ip(at.ip), port })),
    users: [{ name: "commits" }],
    regions: [{ chain: "commits", tasks: ["commit", "dummy"] }],
    dags: [{ name: "commits", user: "commits", uid: 0x401, stages: [[{ chain: "commits" }]] }],
    rules: [{ protocol: 17, action: { dag: "commits" } }],
  }),
  "setup",
  deviceSizes(deviceParameters),
  name => taskOf(name).declared,
);

export interface DeviceHostOptions {
  readonly seed: number;
  /** What lines do beside their way: the same in both directions of each. */
  readonly faults?: Pick<LinkOptions, "loss" | "duplicate" | "reorder" | "corrupt">;
  readonly node?: (n: number) => Partial<EngineNodeOptions>;
  readonly change?: RackDeviceOptions["change"];
  readonly config?: Partial<CommitTaskConfig>;
  /** Cycles after which whatever is waited for has not come. */
  readonly limit?: number;
  /** Cycles until a client asks again. */
  readonly clientTimeout?: number;
}
/** Ways, ns. No member is ahead of another by more than the lookahead, and a reset takes some cycles of one. */
const latencyNs = 400,
  lookahead = 40;

export class DeviceHost {
  readonly device: RackDevice;
  readonly nodes: readonly EngineNode[];
  readonly clients: TaskClients;
  readonly lines: readonly Line[];
  readonly config: CommitTaskConfig;
  readonly random: Random;
  readonly #clientJack: Jack;
  readonly #clockwork: Clockwork;
  readonly #limit: number;

  constructor(clockwork: Clockwork, o: DeviceHostOptions) {
    const { seed, change } = o,
      [time, ...times] = clockwork.times;
    if (time === undefined) throw new RangeError("there is no device");
    this.#clockwork = clockwork;
    this.#limit = o.limit ?? 20_000_000;
    this.random = new Random(seed);
    this.config = {
      nodes: Array.from({ length: nodeCount }, (_, n) => ({ ...nodeEndpoint(n), port: portOf(n) })),
      ...{ own: taskOwn, user: deviceSetup.users[0]?.number ?? Number.NaN, pid: taskPid, first: 100, lane: taskLane },
      ...{ timeout: 40, backoff: 8, life: 150 },
      ...o.config,
    };
    this.device = new RackDevice(
      {
        ...{ name: "snic", setup: deviceSetup, parameters: deviceParameters, seed, build: { taskOf }, isManaged: true },
        // No model judges frames of a device that is managed. Of each task it wants one all the same.
        models: { commit: identity },
        ...(change && { change }),
        prepare: async device => {
          await device.driver.write(taskWords(this.config).map(w => taskWrite(0, 0, w)));
          await device.bench.cycles(200);
        },
      },
      time,
    );
    this.nodes = times.map(
      (t, number) => new EngineNode({ number, homeBytes: 4096 * areas, seed: seed + number, ...o.node?.(number) }, t),
    );
    this.#clientJack = new Jack("clients", time, (bytes, damaged) => {
      // Others' frames may come where a damaged one has been: they are nobody's.
      if (damaged || decode(ethernetHeader, bytes).dst === macControlAddress) return;
      const { clio } = dissect(bytes);
      if (clio?.opcode !== commitReplyOpcode) throw new ProtocolError("a frame that is no answer comes to clients");
      this.clients.hear(bytes);
    });
    this.clients = new TaskClients({
      ...{ clients, timeout: o.clientTimeout ?? 20_000, random: this.random.fork("clients") },
      cycle: () => clockwork.cycle,
      transmit: bytes => {
        this.#clientJack.send(bytes);
      },
    });
    const link = { latencyNs, ...o.faults },
      random = this.random.fork("lines");
    this.lines = [this.#clientJack, ...this.nodes.map(n => n.jack)].map(
      (jack, port) => new Line([this.device.jacks[port] as Jack, jack], { random }, link),
    );
  }
  /** Runs `body` when all have begun. @returns what it returns, and what was wrong with the device at its end */
  static async run<T>(o: DeviceHostOptions, body: (host: DeviceHost) => Promise<T>): Promise<T> {
    let made: DeviceHost | undefined;
    return Clockwork.run(
      1 + nodeCount,
      clockwork => {
        made = new DeviceHost(clockwork, o);
        return { members: [made.device, ...made.nodes], lookahead };
      },
      async () => {
        const host = made as DeviceHost;
        for (const node of host.nodes)
          for (const lane of host.lanes) await node.tell({ kind: "grant", lane, seq: 0, grantee: taskPid });
        host.device.device.bench.onEdge({ sample: () => host.clients.askAgain() });
        return body(host);
      },
    );
  }
  /** Lanes of the task, those of copies among them. */
  get lanes(): readonly number[] {
    return Array.from({ length: contexts }, (_, i) => taskLane + i).flatMap(l => [l + bounds.lanes / 2, l]);
  }
  get verdicts(): Readonly<Record<string, number>> {
    return this.clients.verdicts;
  }
  submit(client: number, touched: readonly TaskArea[]): Submitted {
    return this.clients.submit(client, touched);
  }
  get cycle(): number {
    return this.#clockwork.cycle;
  }
  async cycles(n: number): Promise<void> {
    await this.#clockwork.pause(n * clockPeriod);
  }
  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.cycle > this.#limit) throw new HangError(`what is waited for has not come in ${this.#limit} cycles`);
      await this.cycles(16);
    }
  }
  finished(): Promise<void> {
    return this.until(() => this.clients.finished);
  }
  /** Nothing is under way, for longer than the task waits before it sends anything again. */
  async drained(): Promise<void> {
    let from = this.cycle;
    const silence = 64 * (2 * this.config.timeout + 4);
    await this.until(() => {
      if (this.device.device.busy || this.lines.some(l => l.inside > 0) || this.nodes.some(n => !n.idle))
        from = this.cycle;
      return this.cycle - from > silence;
    });
    for (const n of this.nodes) await n.host.drained();
  }
  kept(node: number): Promise<number> {
    return (this.nodes[node] as EngineNode).kept();
  }
  async tell(words: readonly TaskWord[]): Promise<void> {
    await this.device.device.driver.write(words.map(w => taskWrite(0, 0, w)));
    await this.cycles(400);
  }

  /** A node stops with its memory, and starts again so many cycles later. */
  async restart(n: number, after: number): Promise<void> {
    const node = this.nodes[n] as EngineNode;
    await node.crash("kept");
    await this.cycles(after);
    await node.begin();
    node.up = true;
    await this.cycles(this.random.between(0, 300));
    await node.open();
  }
  /**
   * A node stops and has nothing any more. The task hears of it first: what commits before that has its floors and its
   * pages at the others. @param sources where pages are: [va, bytes, node]
   */
  async replace(n: number, after: number, sources: readonly (readonly [bigint, number, number])[]): Promise<void> {
    const node = this.nodes[n] as EngineNode,
      others = this.nodes.filter(o => o !== node);
    await node.crash("zeroed");
    await this.cycles(after);
    await node.begin();
    await this.tell([toldWord(n, "lost")]);
    for (const lane of this.lanes) {
      const floors = await Promise.all(others.map(async o => (await o.direct({ kind: "inspect", lane })).floor));
      const over = Math.max(...floors, 1) - 1;
      await node.tell({ kind: "grant", lane, seq: over, grantee: taskPid, marks: marks.redo });
    }
    for (const [va, bytes, from] of sources)
      node.memory.store(taskPid, va, (this.nodes[from] as EngineNode).home(va, bytes));
    node.up = true;
    while (!(await this.#settled(n))) await this.cycles(200);
    await node.open();
    await this.tell([toldWord(n, "opened")]);
  }
  #settled(n: number): Promise<boolean> {
    return this.clients.settled(
      n,
      bytes => this.#clientJack.send(bytes),
      () => this.cycles(2000),
    );
  }
  /** What the device says is wrong, when nothing is under way. Each frame that came whole was for the task. */
  async problems(): Promise<readonly string[]> {
    const { counters, problems } = await this.device.finish(),
      whole = this.device.jacks.reduce((n, j) => n + j.counts.received - j.counts.damaged, 0),
      taken = counters.middle["dropTask"] ?? 0;
    return taken === whole ? problems : [...problems, `${whole} frames came for the task, and it took ${taken}`];
  }
}
