import {
  clockPeriod,
  type CounterName,
  counterNames,
  type NodeConfig,
  retryWays,
  type RuntimeSettings,
  type Settings,
  settingsBehindTransport,
} from "../../config/index.ts";
import { clioNode } from "../../build/index.ts";
import { clearTable, goBackNSessions, SlowPath, type SlowPathOptions } from "../../software/index.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  type BenchOptions,
  type Design,
  EthernetMac,
  type Frame,
  type HasAxi,
  type MacOptions,
  runBench,
  type SentFrame,
} from "../../../../sim/index.ts";
import { GoBackNClients } from "./go-back-n-clients.ts";
import type { NodePorts } from "./node-ports.ts";
import { NodeTransport } from "./node-transport.ts";

export interface NodeOptions {
  /** The hardware, when it is not the one that the language emits for the settings (a planted fault, a netlist). */
  readonly design?: Design<NodePorts>;
  /** DRAM; its latency is the run-time setting `dramLatency` unless given here. */
  readonly ram?: AxiRamOptions;
  readonly mac?: MacOptions;
  readonly slowPath?: SlowPathOptions;
  /** The slow path's time, ns; default simulated time. */
  readonly time?: () => number;
  /** Key of the offloads' hashes; default: by the bench's seed, so that a run can be repeated. */
  readonly secret?: bigint;
  /** Draws the keys of processes; default: by the bench's seed. */
  readonly drawKey?: () => bigint;
  /**
   * With `transport = gbn`: whether `send` and `take` are on the line, as packets of Go-Back-N (default), or behind
   * clients that speak it. Behind such clients, frames are the same as those of a node without a transport.
   */
  readonly frames?: "line" | "plain";
}

/**
 * A memory node with what surrounds it: MAC, DRAM, slow path, with `transport = gbn` also the memory of the frames
 * that it keeps.
 */
export class SimulatedNode {
  /** Of the node behind its transport. */
  readonly config: NodeConfig;
  readonly runtime: RuntimeSettings;
  readonly bench: Bench<NodePorts>;
  readonly ram: AxiRam;
  readonly mac: EthernetMac;
  readonly transport: NodeTransport;
  readonly slowPath: SlowPath;
  readonly #kept: AxiRam | undefined;
  readonly #clients: GoBackNClients | undefined;

  private constructor(bench: Bench<NodePorts>, settings: Settings, o: NodeOptions) {
    const inside = settingsBehindTransport(settings),
      { config, runtime } = inside;
    this.bench = bench;
    this.config = config;
    this.runtime = runtime;
    this.ram = new AxiRam(bench.sim, axiPorts(bench.io, "mem"), { latency: runtime.dramLatency, ...o.ram });
    this.mac = new EthernetMac(bench.sim, bench.io.rx, bench.io.tx, o.mac);
    this.transport = new NodeTransport(bench, this.ram, config, runtime, clockPeriod, o.time);
    if (settings.config.transport === "gbn") {
      // A cast, for the settings are known only now: the type is that of the ports which all builds have.
      this.#kept = new AxiRam(bench.sim, axiPorts(bench.io as unknown as HasAxi<"gbn">, "gbn"), {
        latency: runtime.dramLatency,
        ...o.ram,
      });
      if (o.frames === "plain")
        this.#clients = new GoBackNClients(bench, this.mac, inside, settings.config.gbnSessions);
    }
    const transport =
      settings.config.transport === "gbn"
        ? goBackNSessions(this.transport.registers, settings.config.gbnSessions)
        : undefined;
    const keys = bench.random.fork("keys");
    this.slowPath = new SlowPath(this.transport, config, runtime, {
      drawKey: o.drawKey ?? (() => keys.bits(64)),
      ...o.slowPath,
      ...(config.offloads !== "none" && {
        offloads: {
          registers: this.transport.registers,
          pause: () => this.transport.nextLook(),
          secret: o.secret ?? bench.random.fork("secret").bits(64),
        },
      }),
      ...(transport && { sessions: { ...o.slowPath?.sessions, transport } }),
    });
  }

  /**
   * Resets the node, clears its page table, writes its registers and starts its slow path; returns when the free-page
   * buffer is full.
   */
  static async start(bench: Bench<NodePorts>, settings: Settings, o: NodeOptions = {}): Promise<SimulatedNode> {
    const node = new SimulatedNode(bench, settings, o);
    // The retry buffer clears its entries after reset, one set a cycle.
    await bench.cycles(settings.config.retryEntries / retryWays);
    await clearTable(node.transport, settings.config);
    await node.transport.configure(settings.runtime);
    bench.spawn(() => node.slowPath.run());
    await bench.until(() => bench.io.freePages.value !== 0);
    await node.slowPath.ready;
    return node;
  }

  /** Sends a frame to the node. */
  send(frame: Uint8Array, o: { readonly at?: number; readonly damaged?: boolean } = {}): SentFrame {
    return (this.#clients ?? this.mac).send(frame, o);
  }
  /** The oldest frame from the node that has not been taken. */
  take(): Frame | undefined {
    return (this.#clients ?? this.mac).take();
  }

  /** Nothing is under way anywhere. */
  get idle(): boolean {
    return (
      this.mac.pending === 0 &&
      this.bench.io.busy.big === 0n &&
      this.transport.idle &&
      this.ram.idle &&
      this.#kept?.idle !== false &&
      this.#clients?.idle !== false
    );
  }
  /** Waits until nothing is under way, and has not been for some cycles. */
  async settled(cycles = 32): Promise<void> {
    let since = this.bench.cycle;
    await this.bench.until(() => {
      if (!this.idle) since = this.bench.cycle;
      return this.bench.cycle - since >= cycles;
    });
  }

  /** All counters, read as the slow path reads them, once the last events have reached them. */
  async counters(): Promise<Readonly<Record<CounterName, bigint>>> {
    await this.bench.cycles(counterNames.length + 5);
    const out: Partial<Record<CounterName, bigint>> = {};
    for (const n of counterNames) out[n] = await this.transport.readCounter(n);
    return out as Record<CounterName, bigint>;
  }
}

/** Runs a bench on a node with its surroundings, on a fresh model. */
export function withNode<T>(
  name: string,
  settings: Settings,
  o: NodeOptions & BenchOptions,
  body: (node: SimulatedNode) => Promise<T>,
): Promise<T> {
  return runBench(name, o.design ?? clioNode(settings.config), { hangCycles: 20_000, ...o }, async bench => {
    const node = await SimulatedNode.start(bench, settings, o);
    try {
      return await body(node);
    } finally {
      node.transport.close();
    }
  });
}
