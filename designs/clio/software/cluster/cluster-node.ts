import { allocBody, type Dissected, joinBody, newNodeBody, opcode, retBody, status } from "../../wire/index.ts";
import { decode, encode, type Endpoint, formatIpv4 } from "../../../shared/wire/index.ts";
import type { NodeConfig, RuntimeSettings } from "../../config/index.ts";
import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import { type Handler, MalformedRequest, type SlowReply, type SlowRequest } from "../requests/handler.ts";
import { errorNumber, type MemoryManager, regionBytes } from "../memory/memory-manager.ts";
import type { SlowPathTransport } from "../transport/transport.ts";
import { type ClusterClock, pause } from "./clock.ts";
import { PeerExchange, PeerGone } from "./peer-exchange.ts";
import { RegionReceiver } from "./region-receiver.ts";
import { RegionActivity } from "./region-activity.ts";
import { type MigrationReport, RegionSender } from "./region-sender.ts";
import { decodeStep, encodeStep, migrationResult, modeOfStep, regionKey, type RegionName } from "./steps.ts";
import { Turns } from "./turns.ts";
import { WriteEpochs } from "./write-epochs.ts";

export interface ClusterNodeOptions {
  readonly clock: ClusterClock;
  /** The global controller, at its native port. */
  readonly controller: Endpoint;
  /** Free frames at or below which the node reports memory pressure to the controller; default an eighth of all. */
  readonly pressureFrames?: number;
  /** Between two looks at memory, and at what was written, ns; default 10 s. */
  readonly watchNs?: number;
  /** Messages with data of one migration on their way at a time; default 8: half of what may wait for the slow path. */
  readonly window?: number;
  /** Until a message to another member is sent again, ns, and how long one may be silent before it counts as gone. */
  readonly timeoutNs?: number;
  readonly silentNs?: number;
  /** Called at the end of every migration from here. */
  readonly report?: (r: MigrationReport) => void;
}
export interface ClusterNodeServices {
  readonly config: NodeConfig;
  readonly runtime: RuntimeSettings;
  readonly transport: SlowPathTransport;
  readonly memory: MemoryManager;
  readonly pool: FramePool;
}

interface Outgoing {
  readonly version: number;
  readonly sender: RegionSender;
  result: number | undefined;
}

const ret = (value: number, data: Uint8Array = new Uint8Array()): SlowReply => {
  const body = new Uint8Array(retBody.bytes + data.length);
  body.set(encode(retBody, { ret: value }));
  body.set(data, retBody.bytes);
  return { status: status.OK, body };
};
const migrating: SlowReply = { status: status.MIGRATING, body: new Uint8Array(), headerOnly: true };

/**
 * A node's part in a cluster (paper §4.4.7). The node joins the global controller, and reports to it when memory runs
 * short, with the region written longest ago. The node sends regions away and takes others in. Everything that touches
 * memory's metadata takes turns with the requests that the slow path serves.
 */
export class ClusterNode {
  readonly turns = new Turns();
  /** Which region was written longest ago: the hardware's table knows, or the memory is looked at. */
  readonly epochs: WriteEpochs | RegionActivity;
  private readonly o: Required<Omit<ClusterNodeOptions, "report" | "timeoutNs" | "silentNs">> &
    Pick<ClusterNodeOptions, "report">;
  private readonly s: ClusterNodeServices;
  private readonly own: Endpoint;
  private readonly peers: PeerExchange;
  private readonly receiver: RegionReceiver;
  private readonly outgoing = new Map<string, Outgoing>();
  /** Regions that have gone: a client that still comes is sent to the controller. */
  private readonly gone = new Set<string>();
  /** Regions that the controller does not let go: their clients would not find them. */
  private readonly pinned = new Set<string>();
  private readonly members = new Map<number, Endpoint>();
  private closed = false;
  private fail: (error: unknown) => void = () => undefined;
  /**
   * Rejects with what is no fault of another member: the node cannot go on. Requests that come while it is shut
   * down are ignored.
   */
  readonly failure = new Promise<never>((_, reject) => {
    this.fail = error => {
      if (!this.closed) reject(error instanceof Error ? error : new Error(String(error)));
    };
  });
  /** Ends the pause between two looks. */
  private wake: () => void = () => undefined;

  constructor(services: ClusterNodeServices, o: ClusterNodeOptions) {
    const { config, runtime, transport, memory, pool } = services;
    this.s = services;
    this.o = { pressureFrames: Math.ceil(config.usablePages / 8), watchNs: 1e10, window: 8, ...o };
    this.own = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
    this.peers = new PeerExchange({
      own: this.own,
      clock: o.clock,
      send: frame => transport.send(frame),
      ...(o.timeoutNs !== undefined && { timeoutNs: o.timeoutNs }),
      ...(o.silentNs !== undefined && { silentNs: o.silentNs }),
    });
    this.receiver = new RegionReceiver(config, memory, pool, transport);
    this.epochs =
      transport.activity === undefined
        ? new WriteEpochs(config, memory, transport, async () => {
            await pause(o.clock, 0);
            if (this.closed) throw new PeerGone("the node is shut down");
          })
        : new RegionActivity(transport.activity, name => this.hasFrames(name));
  }

  /** Joins, then watches memory until `close`; an error goes to `failure`. */
  run(): void {
    void this.watching().catch((e: unknown) => this.fail(e));
  }

  private async watching(): Promise<void> {
    while (!this.closed) {
      try {
        await this.join();
        await this.watch();
      } catch (e) {
        if (!(e instanceof PeerGone)) throw e;
      }
      await new Promise<void>(resolve => {
        const timer = this.o.clock.after(this.o.watchNs, resolve);
        this.wake = () => {
          timer.cancel();
          resolve();
        };
        if (this.closed) this.wake();
      });
    }
  }
  close(): void {
    this.closed = true;
    this.peers.close();
    this.wake();
  }

  /** An answer to one of this node's own requests. */
  takes(frame: Dissected): boolean {
    return this.peers.receive(frame);
  }

  /** Asked before what changes memory's metadata: the refusal when the region is not here, or moving. */
  refuses({ clio, body }: SlowRequest): SlowReply | undefined {
    if (clio.opcode !== opcode.ALLOC && clio.opcode !== opcode.FREE) {
      const moving =
        clio.opcode === opcode.FREE_PROC &&
        [...this.outgoing].some(([key, o]) => key.startsWith(`${clio.pid}:`) && o.result === undefined);
      if (clio.opcode === opcode.FREE_PROC && !moving) this.forget(clio.pid);
      return moving ? migrating : undefined;
    }
    if (body.length < allocBody.bytes) return undefined;
    const { addr, len, vregion } = decode(allocBody, body),
      first = addr === 0n ? vregion : addr / BigInt(regionBytes);
    const last = addr === 0n ? first : (addr + (len > 0n ? len - 1n : 0n)) / BigInt(regionBytes);
    for (let region = first; region <= last && region - first < 2n; region++) {
      const name = { pid: clio.pid, region: Number(region) },
        key = regionKey(name),
        out = this.outgoing.get(key);
      if (this.gone.has(key) || this.receiver.isIncoming(name) || (out !== undefined && out.result === undefined))
        return migrating;
    }
    return undefined;
  }

  get handlers(): ReadonlyMap<number, Handler> {
    return new Map<number, Handler>([
      [
        opcode.NEW_NODE,
        ({ body }) => {
          if (body.length < newNodeBody.bytes) throw new MalformedRequest("newNode is cut short");
          const { ip, udpPort, mac } = decode(newNodeBody, body);
          this.members.set(ip, { ip, port: udpPort, mac: mac.reduce((n, b) => (n << 8n) | BigInt(b), 0n) });
          return ret(0);
        },
      ],
      [
        opcode.MIGRATION_RECEIVE,
        async ({ clio, body }) => {
          const step = decodeStep(body);
          if (step === undefined) return ret(migrationResult.invalid);
          const reply = await this.receiver.step(clio.pid, step);
          if (reply.ret === migrationResult.done) this.gone.delete(regionKey({ pid: clio.pid, region: step.region }));
          return ret(reply.ret, reply.data);
        },
      ],
      [opcode.MIGRATION_SEND, ({ clio, body }) => ret(this.send(clio.pid, body))],
      [
        opcode.MIGRATION_CANCEL,
        ({ clio, body }) => {
          const step = decodeStep(body),
            out = step && this.outgoing.get(regionKey({ pid: clio.pid, region: step.region }));
          if (step === undefined || out === undefined || out.version !== step.version)
            return ret(migrationResult.invalid);
          out.sender.cancel();
          return ret(migrationResult.done);
        },
      ],
    ]);
  }

  /** Begins a migration, or reports its progress: the controller polls until it is over. */
  private send(pid: number, body: Uint8Array): number {
    const step = decodeStep(body),
      destination = step && this.members.get(step.destination.ip);
    if (step === undefined) return migrationResult.invalid;
    const name = { pid, region: step.region },
      key = regionKey(name),
      known = this.outgoing.get(key);
    if (known !== undefined && known.version >= step.version)
      return known.version === step.version ? (known.result ?? migrationResult.underWay) : migrationResult.invalid;
    if (known?.result === undefined && known !== undefined) return migrationResult.invalid;
    if (destination === undefined || destination.ip === this.own.ip || this.gone.has(key))
      return migrationResult.invalid;
    const { config, memory, pool, transport } = this.s,
      { window, clock } = this.o;
    const sender = new RegionSender(
      { config, memory, pool, transport, peers: this.peers, turns: this.turns, clock, window },
      {
        ...name,
        version: step.version,
        mode: modeOfStep(step.step),
        source: this.own,
        destination,
      },
    );
    const out: Outgoing = { version: step.version, sender, result: undefined };
    this.outgoing.set(key, out);
    void sender
      .run()
      .then(report => {
        out.result = report.result;
        if (report.result === migrationResult.done) this.gone.add(key);
        this.o.report?.(report);
      })
      .catch((e: unknown) => this.fail(e));
    return migrationResult.underWay;
  }

  /** Reports the free memory to the controller, which places the next region by it. */
  private async join(): Promise<void> {
    const {
      own,
      s: { pool, config },
    } = this;
    await this.peers.request(
      this.o.controller,
      opcode.JOIN_CLUSTER,
      0,
      encode(joinBody, {
        type: 1n,
        memoryBytes: BigInt(pool.free) * BigInt(config.pageSize),
        mac: Uint8Array.from({ length: 6 }, (_, i) => Number((own.mac >> BigInt(40 - 8 * i)) & 0xffn)),
        ipText: new TextEncoder().encode(formatIpv4(own.ip)),
        ip: own.ip,
        udpPort: own.port,
      }),
    );
  }

  /** Scans for writes; under pressure, requests from the controller that the region written longest ago be moved. */
  private async watch(): Promise<void> {
    const { memory, pool } = this.s,
      settled = memory.regions().filter(n => {
        const out = this.outgoing.get(regionKey(n));
        return !this.receiver.isIncoming(n) && (out === undefined || out.result !== undefined);
      });
    await this.epochs.scan(settled);
    // A region on its way out will make room: the next scan sees its free frames.
    if (pool.free > this.o.pressureFrames || [...this.outgoing.values()].some(o => o.result === undefined)) return;
    const chosen = await this.epochs.leastRecentlyWritten(settled.filter(n => !this.pinned.has(regionKey(n))));
    if (chosen === undefined) return;
    const { body } = await this.peers.request(
      this.o.controller,
      opcode.MIGRATION_NODE,
      chosen.pid,
      encodeStep({
        source: this.own,
        destination: { ip: 0, port: 0 },
        region: chosen.region,
        version: 0,
        step: 0,
      }),
    );
    if (body.length >= retBody.bytes && decode(retBody, body).ret === errorNumber.notSupported)
      this.pinned.add(regionKey(chosen));
  }

  /** Whether moving a region would give frames back. */
  private async hasFrames({ pid, region }: RegionName): Promise<boolean> {
    const { memory, config } = this.s,
      perRegion = Math.max(1, regionBytes / config.pageSize),
      first = region * perRegion;
    for (const { start, end } of memory.rangesBetween(pid, first, first + perRegion))
      for (let vpn = start; vpn < end; vpn++) if ((await memory.frameOf(pid, vpn)) !== undefined) return true;
    return false;
  }
  private forget(pid: number): void {
    for (const set of [this.gone, this.pinned])
      for (const key of [...set]) if (key.startsWith(`${pid}:`)) set.delete(key);
  }
}
