import { dissect, opcode, replyCode, replyFrame, status, telling } from "../wire/index.ts";
import { type NodeConfig, offloadsOf, type RuntimeSettings } from "../config/index.ts";
import { AtMostOnce, type AtMostOnceOptions } from "./requests/at-most-once.ts";
import { ClusterNode, type ClusterNodeOptions, Turns } from "./cluster/index.ts";
import type { RegisterAccess } from "./go-back-n.ts";
import { OffloadControl } from "./offload-control.ts";
import { OffloadWatch, type OffloadWatchOptions } from "./offload-watch.ts";
import { FramePool, PageRefill } from "../../shared/virtual-memory/software/index.ts";
import { isForeign, mayBeAnswered } from "./requests/senders.ts";
import { type Handler, MalformedRequest, NotNow, type SlowReply, type SlowRequest } from "./requests/handler.ts";
import { OffloadOwners } from "./offload-owners.ts";
import { kvHandlers, unknownOwners } from "./kv/kv-handlers.ts";
import { KvMemory, leastKvPage } from "./kv/kv-memory.ts";
import { KvStore, sharedPid } from "./kv/kv-store.ts";
import { memoryHandlers, type ProcessKeyStore } from "./memory-handlers.ts";
import { MemoryManager, type PageObserver } from "./memory/memory-manager.ts";
import { nodeHandlers } from "./node-handlers.ts";
import type { SessionPorts } from "./requests/session-handlers.ts";
import type { SoftwareStatistics } from "./statistics.ts";
import { EntryRefused, type SlowPathTransport } from "./transport/transport.ts";

/** With fewer pages than this none is kept for offloads: they get one when they need it, if one is left. */
const leastPagesForOffloads = 4;

/** Clients, and replies to each, that are remembered: some megabytes at most. */
const rememberedClients = 1024,
  rememberedReplies = 64,
  forgottenClients = 65_536;
/** A client repeats a request of the slow path after this many TIMEOUTs (CLib: `slowTimeoutNs`), twice at most. */
const slowTimeouts = 16;

export interface SlowPathOptions {
  /** Called for every page that comes or goes (a reference model). */
  readonly observer?: PageObserver;
  /** Physical pages that may be given out; default all of them. */
  readonly pages?: number;
  readonly sessions?: SessionPorts;
  /**
   * The node belongs to a cluster (paper §4.4.7); default: it stands alone and refuses what the cluster's messages ask.
   */
  readonly cluster?: ClusterNodeOptions;
  /** A monitor gives the PIDs from `firstMonitorPid` on. Default: in a cluster only. */
  readonly monitor?: boolean;
  /** The node has offloads: the slow path finds those that are stuck, and resets them. */
  readonly offloads?: OffloadWatching;
  /** Draws the keys of processes. Default: at random. */
  readonly drawKey?: () => bigint;
  /** Bounds of what is remembered for repeated requests. */
  readonly atMostOnce?: Partial<AtMostOnceOptions>;
}

/** What the watch over the offloads needs. */
export interface OffloadWatching extends Pick<OffloadWatchOptions, "pause" | "resets" | "window"> {
  /** The node's registers. */
  readonly registers: RegisterAccess;
  /** Key of the offloads' hashes, 64 bits. Default: drawn at random at each start. */
  readonly secret?: bigint;
}

/**
 * The slow path (paper §4.3.2, §4.5): metadata requests, one after another, and beside them the refill of the free-page
 * buffer. The slow path knows the hardware by its transport only. No request stops it: a request that it cannot read is
 * answered with MALFORMED, or ignored without a sender.
 */
export class SlowPath {
  readonly memory: MemoryManager;
  readonly kv: KvStore;
  readonly pool: FramePool;
  readonly once: AtMostOnce;
  readonly cluster: ClusterNode | undefined;
  readonly offloads: OffloadControl | undefined;
  readonly watch: OffloadWatch | undefined;
  readonly owners: OffloadOwners | undefined;
  private readonly secret: bigint;
  private readonly turns = new Turns();
  private readonly transport: SlowPathTransport;
  private readonly runtime: RuntimeSettings;
  private readonly refill: PageRefill;
  private readonly kvMemory: KvMemory;
  private readonly reserveKv: boolean;
  private readonly handlers: ReadonlyMap<number, Handler>;

  constructor(
    transport: SlowPathTransport,
    config: NodeConfig,
    runtime: RuntimeSettings,
    options: SlowPathOptions = {},
  ) {
    this.transport = transport;
    this.runtime = runtime;
    this.pool = new FramePool(
      config.firstPpn,
      options.pages ?? config.usablePages,
      config.pageSize,
      (address, length) => transport.zeroMemory(address, length),
    );
    const monitor = options.monitor ?? options.cluster !== undefined;
    // Memory is managed by one at a time: requests take turns with the reset's only step there.
    this.offloads =
      options.offloads &&
      new OffloadControl(options.offloads.registers, {
        freeProcess: pid => this.turns.take(() => this.memory.freeProcess(pid)),
      });
    const hasKv = offloadsOf(config).includes("kv");
    this.owners = this.offloads && hasKv ? new OffloadOwners(this.offloads) : undefined;
    this.memory = new MemoryManager(config, transport, this.pool, {
      observer: options.observer,
      processPages: runtime.processPages === 0 ? undefined : runtime.processPages,
      keeper: this.owners,
      hashKey: runtime.hashKey,
      monitor,
    });
    this.kvMemory = new KvMemory(transport, this.pool, config.pageSize);
    this.kv = new KvStore(this.kvMemory);
    const servesKv = config.pageSize >= leastKvPage;
    this.reserveKv = servesKv && (options.pages ?? config.usablePages) >= leastPagesForOffloads;
    this.refill = new PageRefill(
      {
        freePageRoom: () => transport.freePageRoom(),
        pushFreePage: ppn => transport.pushFreePage(ppn),
        lowWater: () => transport.lowWater(),
        setOutOfMemory: none => transport.writeRegister("outOfMemory", none ? 1 : 0),
      },
      this.pool,
      config.freePageBuffer,
    );
    this.once = new AtMostOnce({
      replies: rememberedReplies,
      clients: rememberedClients,
      idle: 3 * slowTimeouts * config.retryTimeout,
      forgotten: forgottenClients,
      time: () => transport.time(),
      ...options.atMostOnce,
    });
    this.cluster =
      options.cluster &&
      new ClusterNode({ config, runtime, transport, memory: this.memory, pool: this.pool }, options.cluster);
    this.secret = options.offloads?.secret ?? crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
    this.watch =
      this.offloads &&
      options.offloads &&
      new OffloadWatch(this.offloads, {
        ...options.offloads,
        time: () => transport.time(),
        also: async () => this.owners?.look(),
      });
    const keys: ProcessKeyStore | undefined =
      config.processKeys === 0
        ? undefined
        : {
            draw: options.drawKey ?? drawProcessKey,
            set: async (pid, key) => {
              await transport.setProcessKey(pid, key);
              options.observer?.key?.(pid, key);
            },
          };
    this.handlers = new Map([
      ...[...memoryHandlers(this.memory, { ...runtime, monitor, keys })].map(([code, handler]): [number, Handler] => [
        code,
        code === opcode.FREE_PROC ? this.withoutKeys(handler) : handler,
      ]),
      ...nodeHandlers(config, transport, { statistics: () => this.statistics, ports: options.sessions }),
      ...(this.owners ? unknownOwners(this.memory) : servesKv ? kvHandlers(this.kv, this.memory) : []),
      ...(this.cluster?.handlers ?? []),
    ]);
  }

  /** With a process go its keys. */
  private withoutKeys(handler: Handler): Handler {
    return async request => {
      const reply = await handler(request);
      if (reply.status === status.OK) this.kv.forget(request.clio.pid);
      return reply;
    };
  }

  /** Answer to QUERY_STAT besides the hardware's counters. */
  get statistics(): SoftwareStatistics {
    const a = this.memory.statistics,
      o = this.once.statistics;
    return {
      processes: this.memory.processCount,
      tableEntries: this.memory.entries,
      freeFrames: this.pool.free,
      allocations: a.allocations,
      allocationsRefused: a.refused,
      allocationRetries: a.retries,
      mostAllocationRetries: a.mostRetries,
      lastAllocationRetries: a.lastRetries,
      keys: this.kv.size,
      repliesRepeated: o.repeated,
      requestsUnderWay: o.underWay,
      requestsExpired: o.expired,
      offloadResets: this.watch?.statistics.resets.reduce((a, b) => a + b, 0) ?? 0,
      offloadsDown: this.watch?.statistics.down.length ?? 0,
    };
  }

  /** Resolves when the free-page buffer has been filled for the first time. */
  get ready(): Promise<void> {
    return this.refill.ready;
  }

  /**
   * Serve until the transport closes. The page table must be zero at the start (`clearTable`, when memory is not).
   * @throws what the transport throws
   */
  async run(): Promise<void> {
    await this.offloads?.setSecret(this.secret);
    this.owners?.created(sharedPid);
    if (this.reserveKv) await this.kvMemory.reserve();
    this.cluster?.run();
    const done = Promise.all([
      this.serve().finally(() => {
        this.refill.stop();
        this.cluster?.close();
      }),
      this.refill.run(),
      this.watch?.run(),
    ]);
    await (this.cluster ? Promise.race([done, this.cluster.failure]) : done);
  }

  private async serve(): Promise<void> {
    for (let frame = await this.transport.receive(); frame; frame = await this.transport.receive()) {
      const reply = await this.turns.take(() => this.answer(frame));
      if (reply) await this.transport.send(reply);
    }
  }

  /**
   * The reply to a frame that the hardware handed over; undefined when it holds no request, or one that must not
   * be answered (requests/senders.ts).
   */
  async answer(frame: Uint8Array): Promise<Uint8Array | undefined> {
    const dissected = dissect(frame),
      { ethernet, ipv4, udp, clio, body } = dissected;
    if (!ethernet || !ipv4 || !udp || !clio || !body) return undefined;
    if (this.cluster?.takes({ ipv4, clio, body }) === true) return undefined;
    if (!mayBeAnswered(dissected, this.runtime)) return undefined;
    const request: SlowRequest = { ethernet, ipv4, udp, clio, body, native: udp.dstPort === this.runtime.nativePort };
    if (isForeign(request)) return replyFrame(this.runtime, request, clio.opcode, status.INVALID);
    const reply = await this.handle(request);
    await this.owners?.settled();
    return reply
      ? replyFrame(
          this.runtime,
          reply.waitNs === undefined ? request : { ...request, clio: telling(clio, reply.waitNs) },
          reply.headerOnly ? clio.opcode : replyCode(clio.opcode),
          reply.status,
          reply.body,
        )
      : replyFrame(this.runtime, request, clio.opcode, status.MALFORMED);
  }

  /**
   * In a cluster, requests take turns with the steps of migrations. A refusal because a region moves is remembered like
   * any answer. That operation is not done any more, and the client sends a new one to the region's node.
   */
  private inTurn(request: SlowRequest, handler: Handler): SlowReply | Promise<SlowReply> {
    const { cluster, once } = this;
    if (!cluster) return once.reply(request, () => handler(request));
    return cluster.turns.take(() => once.reply(request, () => cluster.refuses(request) ?? handler(request)));
  }

  /** Undefined: malformed. */
  private async handle(request: SlowRequest): Promise<SlowReply | undefined> {
    const handler = this.handlers.get(request.clio.opcode);
    if (!handler) return undefined;
    try {
      return await this.inTurn(request, handler);
    } catch (e) {
      if (e instanceof MalformedRequest) return undefined;
      if (e instanceof NotNow)
        return { status: status.BUSY, body: new Uint8Array(), headerOnly: true, waitNs: e.waitNs };
      // What had been begun stays so: its pages and frames are left unused, and others are served.
      if (e instanceof EntryRefused) return { status: status.FAIL, body: new Uint8Array(), headerOnly: true };
      throw e;
    }
  }
}

/** A key that nobody can guess: 64 random bits, not all zeros, which would be none. */
export function drawProcessKey(): bigint {
  for (;;) {
    const [key = 0n] = crypto.getRandomValues(new BigUint64Array(1));
    if (key !== 0n) return key;
  }
}

/** Zero the page table: the first thing after power-up, before the slow path runs and the network is let in. */
export async function clearTable(transport: Pick<SlowPathTransport, "zeroMemory">, config: NodeConfig): Promise<void> {
  await transport.zeroMemory(config.tableBase, config.tableBytes);
}
