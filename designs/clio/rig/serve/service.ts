import { fromNode, towardsNode } from "./same-host.ts";
import type { SessionNetwork } from "./session-network.ts";
import { firstMonitorPid, gbnTimeoutCycles, type NodeConfig, retryWays } from "../../config/index.ts";
import { Monitor } from "../../software/index.ts";
import { clioField, status } from "../../wire/index.ts";
import { destinationOf, type Endpoint, udpRoute } from "../../../shared/wire/index.ts";
import { gbnDefaults } from "../../rtl/index.ts";
import type { SimulatedNode } from "../node/index.ts";
import { Admission } from "./admission.ts";
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
/**
 * Cycles in which every silent client of the retry buffer has become old enough to be forgotten (3 x TIMEOUT and the
 * quarters that had begun), and the place of one has been swept (../../rtl/retry).
 */
const ageCycles = (c: NodeConfig): number => 4 * c.retryCycles + 2 * c.retryClients + (16 * c.retryEntries) / retryWays;
/** Milliseconds without a frame after which the node has aged: clients that are still there repeat sooner. */
const AGE_AFTER_MS = 500;
/** Frames that may wait to go into the node; more are lost, as at the port of a switch. */
const MOST_WAITING = 4096;
/** Edges after which sockets get their turn while the node works, and while it waits for more to do. */
const EDGES_PER_TURN = { working: 100, quiet: 8 };

/** Counts of the network and the clock. */
export interface Totals {
  /** Frames from the network and to it, the monitor's included. */
  readonly framesIn: number;
  readonly framesOut: number;
  /** Frames lost for want of room at the node's port, or in the network on the way out. */
  readonly lost: number;
  /** Datagrams that the system dropped at full sockets. */
  readonly overflowed: number;
  /** Datagrams dropped because no frame holds them. */
  readonly tooLong: number;
  readonly cycles: number;
  /** Real time for which the clock ran, and for which it stood still, seconds. */
  readonly busySeconds: number;
  readonly idleSeconds: number;
}

/**
 * A node and its network: frames in and out, and when the clock runs. It runs while something is under way and
 * `QUIET_CYCLES` longer. Two more reasons make it run for `ageCycles`, because something in the node waits for time to
 * pass: a reply says BUSY, or no frame has come for `AGE_AFTER_MS`.
 */
export class Service {
  readonly #node: SimulatedNode;
  readonly #network: SessionNetwork;
  readonly #gbn: boolean;
  readonly #quietCycles: number;
  readonly #monitor: { readonly own: Endpoint; readonly station: Monitor } | undefined;
  /** Sessions have a way of their own to wait; requests behind them are numbered. */
  readonly #admission: Admission | undefined;
  #framesIn = 0;
  #framesOut = 0;
  #refused = 0;
  #quietSince: number;
  /** Cycles for which the clock goes on beyond the quiet ones: something waits for time to pass. */
  #age = 0;
  /** Whether all that was silent when the clock stopped has aged. */
  #aged = false;
  readonly #ageCycles: number;
  #ageing: NodeJS.Timeout | undefined;
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
    this.#admission = gbn ? undefined : new Admission(config, runtime.nativePort);
    this.#quietCycles = gbn ? quietCyclesGbn(outer) : QUIET_CYCLES;
    this.#quietSince = node.bench.cycle;
    this.#ageCycles = ageCycles(config);
    this.#restingWaits = node.bench.scheduler.waits.size;
    const member = {
      name: "node",
      mac: runtime.mac,
      ip: runtime.ip,
      port: runtime.clientPort,
      memoryBytes: config.usablePages * config.pageSize,
    };
    this.#monitor = monitor && { own: monitor, station: new Monitor(monitor, [member], firstMonitorPid) };
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
    clearTimeout(this.#ageing);
    // Frames that are still under way leave on their own.
    this.#node.bench.onEdge({ sample: () => this.#drain() });
    return failure;
  }

  totals(): Totals {
    if (this.#asleepSince !== undefined) this.#idleMs += performance.now() - this.#asleepSince;
    const all = performance.now() - this.#begun;
    return {
      framesIn: this.#framesIn,
      framesOut: this.#framesOut,
      lost: this.#refused + this.#network.lost,
      overflowed: this.#network.overflowed ?? 0,
      tooLong: this.#network.tooLong ?? 0,
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
    const goes = this.#admission?.enters(frame) ?? "in";
    if (goes === "lost") this.#refused++;
    if (goes !== "in") return;
    this.#node.send(frame);
    // A frame of one beat is out of the MAC an edge before the node shows that it is at work.
    this.#quietSince = this.#node.bench.cycle;
    this.#aged = false;
    this.#wake();
  }

  #watch(): void {
    if (this.#asleepSince !== undefined) {
      this.#idleMs += performance.now() - this.#asleepSince;
      this.#asleepSince = undefined;
      clearTimeout(this.#ageing);
      this.#quietSince = this.#node.bench.cycle;
    }
    this.#drain();
    const { bench } = this.#node;
    for (const frame of this.#admission?.due(bench.cycle) ?? []) this.#node.send(frame);
    // Other code of this process may wait for cycles, too.
    const working =
      !this.#node.idle || this.#admission?.waits === true || bench.scheduler.waits.size > this.#restingWaits;
    bench.scheduler.edgesPerTurn = EDGES_PER_TURN[working || this.#age > 0 ? "working" : "quiet"];
    if (working) {
      this.#quietSince = bench.cycle;
      return;
    }
    if (bench.cycle - this.#quietSince < this.#quietCycles + this.#age || this.#stopped) return;
    if (this.#age > 0) this.#aged = true;
    this.#age = 0;
    this.#asleepSince = performance.now();
    bench.scheduler.rest(this.#nextWork());
  }

  /** The next frame, or the time at which the silent node ages: once, and then nothing more until a frame. */
  #nextWork(): Promise<void> {
    return new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#aged) return;
      this.#ageing = setTimeout(() => {
        this.#age = this.#ageCycles;
        resolve();
      }, AGE_AFTER_MS);
    });
  }

  /** Frames from the node: to the monitor or to the network. */
  #drain(): void {
    for (let f = this.#node.take(); f !== undefined; f = this.#node.take()) {
      this.#quietSince = this.#node.bench.cycle;
      const said = clioField(f.bytes, "status"),
        busy = said === status.BUSY;
      if (this.#admission?.keeps(f.bytes, busy, this.#node.bench.cycle) === true) continue;
      if (busy || said === status.YIELD) this.#age = this.#ageCycles;
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
    const { own } = this.#monitor;
    if (destinationOf(frame) !== own.ip) return false;
    return own.ip !== this.#node.runtime.ip || udpRoute(frame)?.dstPort === own.port;
  }

  #askMonitor(frame: Uint8Array): void {
    if (!this.#monitor) return;
    const { runtime } = this.#node,
      { station } = this.#monitor,
      receive = (f: Uint8Array): readonly Uint8Array[] => station.receive(f);
    for (const answer of this.#gbn ? askInGbn(receive, frame) : receive(frame)) {
      const route = udpRoute(answer);
      // Messages of the monitor to its member go to the management port.
      if (route?.dst === runtime.ip && route.dstPort === runtime.clientPort)
        this.#toNode(towardsNode(answer, runtime.ip));
      else this.#out(answer);
    }
  }
}
