import { fromNode, towardsNode } from "./same-host.ts";
import type { SessionNetwork } from "./session-network.ts";
import { clockPeriod, type CounterName, gbnTimeoutCycles, type NodeConfig, type Settings } from "../../config/index.ts";
import { Monitor, type SessionPorts } from "../../software/index.ts";
import { dissect } from "../../wire/index.ts";
import type { Endpoint } from "../../../shared/wire/index.ts";
import { gbnDefaults } from "../../rtl/index.ts";
import { type NodeOptions, type SimulatedNode, withNode } from "../node/index.ts";
import { askInGbn } from "./gbn-management.ts";

/**
 * Cycles without anything under way after which the clock stands still: pipelines without an idle signal have
 * emptied by then.
 */
const QUIET_CYCLES = 64;
/**
 * With Go-Back-N: until every due ACK has gone out, and every unacknowledged frame has gone out again. The timers'
 * rounds come by once in this time.
 */
const quietCyclesGbn = (c: NodeConfig): number => 2 * (gbnDefaults.ackCycles + gbnTimeoutCycles(c));
/** Frames that may wait to go into the node; more are lost, as at the port of a switch. */
const MOST_WAITING = 4096;
/**
 * Process IDs that the monitor gives are from here on; below are those of processes created at the node. One ID is
 * one protection domain.
 */
const MONITOR_PIDS = 0x8000;
/** Edges after which sockets get their turn while the node works. */
const EDGES_PER_TURN = 100;

export interface ServeOptions extends Omit<NodeOptions, "mac"> {
  /**
   * The published client's monitor, with the node as its only member; its address is its own, or the node's
   * with another port.
   */
  readonly monitor?: Endpoint | undefined;
  /** Ends the service when it settles. */
  readonly stop: Promise<unknown>;
  /** Called once the node takes frames. */
  readonly ready?: (node: SimulatedNode) => void;
  readonly seed?: number;
}

/** Counts of a served node. */
export interface Served {
  readonly counters: Readonly<Record<CounterName, bigint>>;
  /**
   * Frames from the network and to it, the monitor's included; lost: for want of room at the node's port or
   * in the network.
   */
  readonly framesIn: number;
  readonly framesOut: number;
  readonly lost: number;
  readonly cycles: number;
  /** Real time for which the clock ran, and for which it stood still, seconds. */
  readonly busySeconds: number;
  readonly idleSeconds: number;
}

/**
 * Serves a cycle-accurate node on a network until `stop`. Simulated time passes only while something is under way. A
 * frame starts the clock. The clock stands still, with the process asleep, `QUIET_CYCLES` (with Go-Back-N: two rounds
 * of its timers) after the last of its consequences. So latencies in cycles are the hardware's, latencies in seconds
 * those of the simulator; nothing in the node ages without requests.
 * @throws HangError and the like when the design fails; the error of `network` when that fails
 */
export async function serve(settings: Settings, network: SessionNetwork, o: ServeOptions): Promise<Served> {
  const sessions: SessionPorts = network.openSession ? { open: network.openSession.bind(network) } : {};
  const { failure, ...served } = await withNode(
    "serve clio",
    settings,
    {
      limitCycles: Infinity,
      wave: false,
      // Nobody outside can know it, other than in a bench.
      secret: crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n,
      ...o,
      slowPath: { ...o.slowPath, sessions },
    },
    async node => {
      await node.settled();
      const service = new Service(node, network, o.monitor, settings.config);
      const ended = service.run(o.stop);
      o.ready?.(node);
      const failure = await ended;
      await node.settled();
      const counters = await node.counters();
      return { failure, counters, ...service.totals() };
    },
  );
  // Told here, outside the bench: it is no failure of the design at some cycle.
  if (failure) throw failure;
  return served;
}

class Service {
  readonly #node: SimulatedNode;
  readonly #network: SessionNetwork;
  readonly #gbn: boolean;
  readonly #quietCycles: number;
  readonly #monitor: { readonly own: Endpoint; readonly station: Monitor } | undefined;
  #framesIn = 0;
  #framesOut = 0;
  #refused = 0;
  #quietSince: number;
  /** Waits for the clock that are open while nothing is under way: the slow path's. */
  readonly #restingWaits: number;
  #stopped = false;
  #wake: () => void = () => undefined;
  #begun = performance.now();
  #idleMs = 0;
  #asleepSince: number | undefined;

  constructor(node: SimulatedNode, network: SessionNetwork, monitor: Endpoint | undefined, outer: NodeConfig) {
    const gbn = outer.transport === "gbn";
    const { config, runtime } = node;
    this.#node = node;
    this.#network = network;
    this.#gbn = gbn;
    this.#quietCycles = gbn ? quietCyclesGbn(outer) : QUIET_CYCLES;
    this.#quietSince = node.bench.cycle;
    this.#restingWaits = node.bench.scheduler.waits.size;
    const member = {
      name: "node",
      mac: runtime.mac,
      ip: runtime.ip,
      port: runtime.clientPort,
      memoryBytes: config.usablePages * config.pageSize,
    };
    this.#monitor = monitor && { own: monitor, station: new Monitor(monitor, [member], MONITOR_PIDS) };
    node.bench.scheduler.edgesPerTurn = EDGES_PER_TURN;
  }

  /** Until `stop` settles or the network fails. @returns what it fails with */
  async run(stop: Promise<unknown>): Promise<Error | undefined> {
    const remove = this.#node.bench.onEdge({ sample: () => this.#watch() });
    const failure = await new Promise<Error | undefined>(resolve => {
      this.#network.attach(frame => this.#arrived(frame), resolve);
      const stopped = (): void => resolve(undefined);
      stop.then(stopped, stopped);
    });
    this.#stopped = true;
    this.#wake();
    remove();
    // Frames that are still under way leave on their own.
    this.#node.bench.onEdge({ sample: () => this.#drain() });
    return failure;
  }

  totals(): Omit<Served, "counters"> {
    if (this.#asleepSince !== undefined) this.#idleMs += performance.now() - this.#asleepSince;
    const all = performance.now() - this.#begun;
    return {
      framesIn: this.#framesIn,
      framesOut: this.#framesOut,
      lost: this.#refused + this.#network.lost,
      cycles: this.#node.bench.cycle,
      busySeconds: (all - this.#idleMs) / 1000,
      idleSeconds: this.#idleMs / 1000,
    };
  }

  /** A frame from the network. */
  #arrived(frame: Uint8Array): void {
    if (this.#stopped) return;
    this.#framesIn++;
    if (this.#forMonitor(frame)) this.#askMonitor(frame);
    else this.#toNode(frame);
  }

  #toNode(frame: Uint8Array): void {
    if (frame.length === 0 || this.#node.mac.pending >= MOST_WAITING) {
      this.#refused++;
      return;
    }
    this.#node.send(frame);
    // A frame of one beat is out of the MAC an edge before the node shows that it is at work.
    this.#quietSince = this.#node.bench.cycle;
    this.#wake();
  }

  #watch(): void {
    if (this.#asleepSince !== undefined) {
      this.#idleMs += performance.now() - this.#asleepSince;
      this.#asleepSince = undefined;
      this.#quietSince = this.#node.bench.cycle;
    }
    this.#drain();
    const { bench } = this.#node;
    // Other code of this process may wait for cycles, too.
    if (!this.#node.idle || bench.scheduler.waits.size > this.#restingWaits) {
      this.#quietSince = bench.cycle;
      return;
    }
    if (bench.cycle - this.#quietSince < this.#quietCycles || this.#stopped) return;
    this.#asleepSince = performance.now();
    bench.scheduler.rest(
      new Promise<void>(resolve => {
        this.#wake = resolve;
      }),
    );
  }

  /** Frames from the node: to the monitor or to the network. */
  #drain(): void {
    for (let f = this.#node.take(); f !== undefined; f = this.#node.take()) {
      this.#quietSince = this.#node.bench.cycle;
      const own = fromNode(f.bytes, this.#node.runtime.ip);
      if (this.#forMonitor(own)) this.#askMonitor(own);
      else this.#out(f.bytes);
    }
  }

  #out(frame: Uint8Array): void {
    this.#framesOut++;
    this.#network.send(frame);
  }

  /** Whether a frame is the monitor's: by its address, and by its port where it shares the node's address. */
  #forMonitor(frame: Uint8Array): boolean {
    if (!this.#monitor) return false;
    const { own } = this.#monitor,
      { arp, ipv4, udp } = dissect(frame);
    if ((arp?.targetIp ?? ipv4?.dst) !== own.ip) return false;
    return own.ip !== this.#node.runtime.ip || udp?.dstPort === own.port;
  }

  #askMonitor(frame: Uint8Array): void {
    if (!this.#monitor) return;
    const { runtime } = this.#node,
      { station } = this.#monitor,
      receive = (f: Uint8Array): readonly Uint8Array[] => station.receive(f);
    for (const answer of this.#gbn ? askInGbn(receive, frame) : receive(frame)) {
      const { ipv4, udp } = dissect(answer);
      // Messages of the monitor to its member go to the management port.
      if (ipv4?.dst === runtime.ip && udp?.dstPort === runtime.clientPort)
        this.#toNode(towardsNode(answer, runtime.ip));
      else this.#out(answer);
    }
  }
}

/** Simulated seconds of so many cycles. */
export const simulatedSeconds = (cycles: number): number => (cycles * clockPeriod) / 1e9;
