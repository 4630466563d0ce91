import { fromNode, towardsNode } from "./same-host.ts";
import type { SessionNetwork } from "./session-network.ts";
import { firstMonitorPid, gbnTimeoutCycles, type NodeConfig, retryWays } from "../../config/index.ts";
import { Monitor } from "../../software/index.ts";
import { clioField, status } from "../../wire/index.ts";
import { destinationOf, type Endpoint, udpRoute } from "../../../shared/wire/index.ts";
import { gbnDefaults } from "../../rtl/index.ts";
import { lossesOf, RestingClock, type Totals } from "../../../shared/rig/index.ts";
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
export const ageCycles = (c: NodeConfig): number =>
  4 * c.retryCycles + 2 * c.retryClients + (16 * c.retryEntries) / retryWays;
/** Frames that may wait to go into the node; more are lost, as at the port of a switch. */
const MOST_WAITING = 4096;
/**
 * A node and its network: frames in and out, and when the clock runs (`RestingClock`). A reply that says BUSY waits for
 * time to pass: the node has to forget somebody.
 */
export class Service {
  readonly #node: SimulatedNode;
  readonly #network: SessionNetwork;
  readonly #gbn: boolean;
  readonly #monitor: { readonly own: Endpoint; readonly station: Monitor } | undefined;
  /** Sessions have a way of their own to wait; requests behind them are numbered. */
  readonly #admission: Admission | undefined;
  #framesIn = 0;
  #framesOut = 0;
  #refused = 0;
  readonly #clock: RestingClock;
  /** Waits for the clock that are open while nothing is under way: the slow path's. */
  readonly #restingWaits: number;
  #stopped = false;

  constructor(node: SimulatedNode, network: SessionNetwork, monitor: Endpoint | undefined, outer: NodeConfig) {
    const gbn = outer.transport === "gbn";
    const { config, runtime } = node;
    this.#node = node;
    this.#network = network;
    this.#gbn = gbn;
    this.#admission = gbn ? undefined : new Admission(config, runtime.nativePort);
    const { scheduler } = node.bench;
    this.#restingWaits = scheduler.waits.size;
    this.#clock = new RestingClock({
      cycle: () => node.bench.cycle,
      working: () => this.#working,
      quietCycles: gbn ? quietCyclesGbn(outer) : QUIET_CYCLES,
      ageCycles: ageCycles(config),
      rest: until => scheduler.rest(until),
      edgesPerTurn: edges => {
        scheduler.edgesPerTurn = edges;
      },
    });
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
    this.#clock.stop();
    remove();
    // Frames that are still under way leave on their own.
    this.#node.bench.onEdge({ sample: () => this.#drain() });
    return failure;
  }

  totals(): Totals {
    return {
      framesIn: this.#framesIn,
      framesOut: this.#framesOut,
      ...lossesOf([this.#network], this.#refused),
      cycles: this.#node.bench.cycle,
      ...this.#clock.times,
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
    this.#clock.arrived();
  }

  #watch(): void {
    this.#drain();
    for (const frame of this.#admission?.due(this.#node.bench.cycle) ?? []) this.#node.send(frame);
    this.#clock.watch();
  }
  /** Something is under way; other code of this process may wait for cycles, too. */
  get #working(): boolean {
    const { idle, bench } = this.#node;
    return !idle || this.#admission?.waits === true || bench.scheduler.waits.size > this.#restingWaits;
  }

  /** Frames from the node: to the monitor or to the network. */
  #drain(): void {
    for (let f = this.#node.take(); f !== undefined; f = this.#node.take()) {
      this.#clock.moved();
      const said = clioField(f.bytes, "status"),
        busy = said === status.BUSY;
      if (this.#admission?.keeps(f.bytes, busy, this.#node.bench.cycle) === true) continue;
      if (busy || said === status.YIELD) this.#clock.age();
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
