/** The memory node, running in the page: one operation at a time goes through it, and what moved is told. */
import { type Link, structureOf } from "../hdl-dsl/index.ts";
import { layoutOf } from "../cli/draw/layout.ts";
import { svgOfLayout } from "../cli/draw/svg.ts";
import { clioNode } from "../designs/clio/build/index.ts";
import { Client, type RemoteProcess, type Thread } from "../designs/clio/client/index.ts";
import {
  clockPeriod,
  type CounterName,
  counterNames,
  counters as counterTable,
  makeSettings,
} from "../designs/clio/config/index.ts";
import { ClientStation, joinNetwork, type SimulatedNode, timeOf, withNode } from "../designs/clio/rig/index.ts";
import { clientEndpoint } from "../designs/clio/workload/index.ts";
import { NetworkModel, Random } from "../sim/index.ts";
import { takeText } from "../sim/wave/text-file-browser.ts";
import { firstFrame, hexOf, OwnFrames } from "./own-frames.ts";
import { Waves } from "./waves.ts";

export const operations = [
  "CREATE_PROC",
  "ALLOC",
  "WRITE",
  "READ",
  "FETCH_ADD",
  "FENCE",
  "FREE",
  "FREE_PROC",
  "NOT ALLOWED",
  "FRAME",
] as const;
export type Operation = (typeof operations)[number];

/** A stream of the top level that moved, by its wire in the drawing. */
export interface Moved {
  /** Index of the wire. */
  readonly wire: number;
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly transfers: number;
}
export interface Step {
  readonly operation: Operation;
  readonly answer: string;
  readonly from: number;
  readonly to: number;
  readonly moved: readonly Moved[];
  /** Counters that are not 0, with what they count, and how much of it is new. */
  readonly counters: readonly {
    readonly name: string;
    readonly doc: string;
    readonly value: number;
    readonly added: number;
  }[];
}
/** What an operation is given; each takes what it needs. */
export interface Given {
  /** From the beginning of what was allocated, bytes. */
  readonly offset: number;
  readonly text: string;
  /** Of FRAME: hexadecimal digits. */
  readonly frame: string;
}
export interface RunningNode {
  readonly drawing: string;
  /** A frame to begin with, as digits. */
  readonly firstFrame: string;
  readonly run: (operation: Operation, given: Given) => Promise<Step>;
}

/** Simulated time in which what a frame of one's own causes comes back, ns. */
const FRAME_NS = 20_000;

const WAVE = "node.vcd",
  PERIOD = clockPeriod * 1000;

const docs = new Map<string, string>(counterTable.map(c => [c.name, c.doc]));

/** Starts it. The bench waits between two operations, and the node's clock stands still meanwhile. */
export async function startNode(): Promise<RunningNode> {
  const settings = makeSettings({}),
    design = clioNode(settings.config),
    structure = structureOf(design),
    layout = await layoutOf(structure);
  return new Promise((ready, fail) => {
    withNode("node", settings, { limitCycles: 2_000_000_000, hangCycles: 0, wave: { path: WAVE } }, async node => {
      const { runtime } = settings,
        network = new NetworkModel(timeOf(node), { seed: 1, link: { latencyNs: 200 } }),
        random = new Random(1);
      joinNetwork(node, network);
      const client = new Client({
        transport: new ClientStation(network, "client", clientEndpoint(0), new Map([[runtime.ip, runtime.mac]])),
        clock: network.time,
        timeoutNs: settings.config.retryTimeout,
        random: () => random.fraction(),
      });
      const desk = new Desk(node, client, structure.links, {
        to: { ip: runtime.ip, port: runtime.nativePort },
        frames: new OwnFrames(network),
        time: () => network.time.now(),
      });
      await desk.begin();
      type Asked = readonly [Operation, Given, (s: Step) => void, (e: unknown) => void];
      const waiting: Asked[] = [];
      let wake: () => void = () => undefined;
      ready({
        drawing: svgOfLayout(structure.name, layout, { style: false, numbers: true }),
        firstFrame: firstFrame({ mac: runtime.mac, ip: runtime.ip }),
        run: (operation, given) =>
          new Promise((done, failed) => {
            waiting.push([operation, given, done, failed]);
            wake();
          }),
      });
      for (;;) {
        const next = waiting.shift();
        if (next === undefined) {
          await new Promise<void>(go => {
            wake = go;
          });
          continue;
        }
        const [operation, given, done, failed] = next;
        await desk.step(operation, given).then(done, failed);
      }
    }).catch(fail);
  });
}

/** What is beside the client. */
interface Around {
  readonly to: { readonly ip: number; readonly port: number };
  readonly frames: OwnFrames;
  /** Simulated time, ns. */
  readonly time: () => number;
}

class Desk {
  readonly #node: SimulatedNode;
  readonly #client: Client;
  readonly #links: readonly Link[];
  readonly #around: Around;
  readonly #waves = new Waves();
  #process: RemoteProcess | undefined;
  #thread: Thread | undefined;
  #va: bigint | undefined;
  #before: Readonly<Partial<Record<CounterName, bigint>>> = {};

  constructor(node: SimulatedNode, client: Client, links: readonly Link[], around: Around) {
    this.#node = node;
    this.#client = client;
    this.#links = links;
    this.#around = around;
  }

  async begin(): Promise<void> {
    this.#before = await this.#node.counters();
    this.#waves.read(takeText(WAVE));
    this.#waves.forget();
  }

  async step(operation: Operation, given: Given): Promise<Step> {
    const { bench } = this.#node,
      from = bench.cycle;
    let answer: string;
    try {
      answer = operation === "FRAME" ? await this.#frame(given.frame) : await this.#operate(operation, given);
    } catch (e) {
      answer = e instanceof Error ? e.message : String(e);
    }
    await this.#node.settled();
    const to = bench.cycle;
    this.#waves.read(takeText(WAVE));
    const moved = this.#moved(from, to);
    this.#waves.forget();
    const now = await this.#node.counters();
    const shown = counterNames.flatMap(name => {
      const value = now[name];
      return value === 0n
        ? []
        : [
            {
              name,
              doc: docs.get(name) ?? "",
              value: Number(value),
              added: Number(value - (this.#before[name] ?? 0n)),
            },
          ];
    });
    this.#before = now;
    return { operation, answer, from, to, moved, counters: shown };
  }

  async #frame(text: string): Promise<string> {
    const { frames, time } = this.#around;
    frames.send(text);
    const end = time() + FRAME_NS;
    await this.#node.bench.until(() => time() >= end);
    const back = frames.taken();
    if (back.length === 0) return "nothing came back; the counters say why";
    return back.map(b => `${b.length} bytes came back\n${hexOf(b)}`).join("\n");
  }

  async #operate(operation: Exclude<Operation, "FRAME">, { offset: from, text }: Given): Promise<string> {
    const began = this.#thread,
      offset = BigInt(from);
    if (operation === "CREATE_PROC") {
      this.#process = await this.#client.createProcess(this.#around.to, "page");
      this.#thread = this.#process.thread();
      return `process ${this.#process.pid}`;
    }
    if (began === undefined || this.#process === undefined)
      return "not sent: there is no process yet; CREATE_PROC makes one";
    if (operation === "ALLOC") {
      this.#va = await began.ralloc(1n << 22n);
      return `4 MiB at 0x${this.#va.toString(16)}`;
    }
    if (operation === "FREE_PROC") {
      await this.#client.freeProcess(this.#process);
      this.#process = this.#thread = this.#va = undefined;
      return "freed with all its memory";
    }
    if (operation === "FENCE") {
      await began.rfence();
      return "everything before it is done";
    }
    if (operation === "NOT ALLOWED") return `read ${(await began.rread((1n << 40n) + offset, 16)).length} bytes`;
    if (this.#va === undefined) return "not sent: nothing is allocated yet; ALLOC does it";
    const at = this.#va + offset;
    switch (operation) {
      case "WRITE":
        await began.rwrite(at, new TextEncoder().encode(text));
        return `${text.length} characters written at 0x${at.toString(16)}`;
      case "READ":
        return `"${new TextDecoder().decode(await began.rread(at, Math.max(1, text.length)))}"`;
      case "FETCH_ADD":
        return `it was ${await began.fetchAndAdd(at, 1n)}, and is one more`;
      case "FREE":
        await began.rfree(this.#va, 1n << 22n);
        this.#va = undefined;
        return "freed";
    }
  }

  /** Streams of the drawing that moved between two cycles. */
  #moved(from: number, to: number): Moved[] {
    return this.#links.flatMap((l, wire) => {
      if (l.kind !== "stream") return [];
      const names = l.from.kind === "instance" ? l.outs.map(o => `${l.from.name}.${o}`) : [l.from.name];
      const cycles = names.flatMap(n => this.#fires(n, from, to)).sort((a, b) => a - b);
      const first = cycles[0],
        last = cycles.at(-1);
      return first === undefined || last === undefined
        ? []
        : [{ wire, name: `${l.from.name} to ${l.to.name}`, first, last, transfers: cycles.length }];
    });
  }

  /** Cycles at whose edge a stream was valid and ready. */
  #fires(name: string, from: number, to: number): number[] {
    const valid = this.#waves.traces.get(`${name}_valid`),
      ready = this.#waves.traces.get(`${name}_ready`),
      cycles: number[] = [];
    if (valid === undefined || ready === undefined || valid.changes.length + ready.changes.length <= 1) return cycles;
    for (let c = from; c < to; c++) {
      const time = c * PERIOD + PERIOD / 4;
      if (this.#waves.at(valid, time) === "1" && this.#waves.at(ready, time) === "1") cycles.push(c);
    }
    return cycles;
  }
}
