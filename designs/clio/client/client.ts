import {
  clioHeader,
  createProcBody,
  createProcReplyBody,
  keyTrailer,
  opcode,
  pingpongBody,
  replyCode,
  retBody,
  statReplyBody,
  status,
  waitOf,
} from "../wire/index.ts";
import { concat, decode, encode } from "../../shared/wire/index.ts";
import { counterNames } from "../config/index.ts";
import { ClientError, OperationError } from "./link/errors.ts";
import type { Try } from "./link/exchange.ts";
import { IncastWindow } from "./link/incast-window.ts";
import { type LinkContext, NodeLink } from "./link/node-link.ts";
import { type ClientOptions, payloadRoom, type ResolvedOptions, resolveOptions } from "./link/options.ts";
import { RemoteProcess } from "./process.ts";
import { refusal } from "./refusal.ts";
import { isRecordedBySoftware, nameOf, type Reply, type RequestSpec } from "./link/request.ts";
import { RequestIds } from "./link/request-ids.ts";
import { type ClientStatistics, noStatistics } from "./link/statistics.ts";
import type { ClientTransport, NodeAddress } from "./link/transport.ts";

const introduction: RequestSpec = {
  pid: 0,
  code: opcode.SOC_PINGPONG,
  body: encode(pingpongBody, { replySize: 0 }),
  replyBytes: 0,
  fits: () => true,
};

/** State of a client's windows. */
export interface ClientWindows {
  /** Congestion window of each node, requests, by `ip:port`. */
  readonly congestion: ReadonlyMap<string, number>;
  /** Bytes of replies expected, and the most there ever were. */
  readonly expectedBytes: number;
  readonly mostExpectedBytes: number;
}

/**
 * CLib at one compute node (paper §4.3.1, §4.4.4, §4.4.5): all that its processes and threads share. One transport (one
 * IPv4 address and UDP port) belongs to one client: a node identifies clients by these. The client keeps no connection;
 * per node there is a queue and a window.
 */
export class Client {
  readonly options: ResolvedOptions;
  private readonly transport: ClientTransport;
  private readonly links = new Map<string, NodeLink>();
  private readonly context: LinkContext;
  private readonly counted: ClientStatistics = noStatistics();
  /** Nodes whose software knows this client, and introductions under way. */
  private readonly introduced = new Set<string>();
  private readonly introductions = new Map<string, Promise<void>>();
  private freeing = false;

  /** @throws ClientError when the options contradict each other */
  constructor(options: ClientOptions) {
    this.options = resolveOptions(options);
    this.transport = options.transport;
    this.context = {
      options: this.options,
      ids: new RequestIds(this.options.firstRequestId),
      incast: new IncastWindow(this.options.incastBytes),
      statistics: this.counted,
      tries: new Map<number, Try>(),
      send: (to, payload) => this.transport.send(to, payload),
      roomFreed: () => this.roomFreed(),
    };
    this.transport.receive((from, payload, damaged) => this.receive(from, payload, damaged));
  }

  get statistics(): Readonly<ClientStatistics> {
    return { ...this.counted };
  }
  get windows(): ClientWindows {
    const { incast } = this.context;
    return {
      congestion: new Map([...this.links].map(([name, link]) => [name, link.window.size])),
      expectedBytes: incast.expected,
      mostExpectedBytes: incast.mostExpected,
    };
  }
  /** Requests on their way or in the queue; 0 when every operation has ended. */
  get pending(): number {
    return [...this.links.values()].reduce((n, l) => n + l.onTheWay + l.queued, 0);
  }
  /** For messages: one line per node. */
  describe(): string {
    return [...this.links].map(([name, link]) => `${name}: ${link.describe()}`).join("\n");
  }

  /**
   * A new process with a remote address space of its own at a node. A node with keys gives it one, which goes with all
   * its requests. @throws OperationError
   */
  async createProcess(node: NodeAddress, name = "clib"): Promise<RemoteProcess> {
    const text = new TextEncoder().encode(name);
    if (text.length >= createProcBody.bytes) {
      throw new ClientError(
        `the process name "${name}" has ${text.length} bytes; at most ${createProcBody.bytes - 1} fit`,
      );
    }
    const reply = await this.ask(node, {
      pid: 0,
      code: opcode.CREATE_PROC,
      body: encode(createProcBody, { processName: concat(text, new Uint8Array(createProcBody.bytes - text.length)) }),
      replyBytes: createProcReplyBody.bytes + keyTrailer.bytes,
      fits: body => body.length >= createProcReplyBody.bytes,
    });
    const behind = createProcReplyBody.bytes,
      keyed = reply.body.length >= behind + keyTrailer.bytes,
      key = keyed ? decode(keyTrailer, reply.body, behind).key : undefined;
    return this.process(decode(createProcReplyBody, reply.body).newPid, node, key);
  }
  /**
   * A process that exists already: its threads on this compute node share its address space with those elsewhere.
   * @param key of the process, where it has one: `RemoteProcess.key` elsewhere
   */
  process(pid: number, node: NodeAddress, key?: bigint): RemoteProcess {
    const { keys } = this.link(node);
    if (key === undefined) keys.delete(pid);
    else keys.set(pid, key);
    return new RemoteProcess(this, pid, node, key);
  }

  /** Ends a process and frees all that it has, at every node that it is placed at. @throws OperationError */
  async freeProcess({ pid, nodes }: RemoteProcess): Promise<void> {
    const spec: RequestSpec = {
      pid,
      code: opcode.FREE_PROC,
      body: new Uint8Array(),
      replyBytes: retBody.bytes,
      fits: body => body.length >= retBody.bytes,
    };
    await Promise.all(nodes.map(n => this.ask(n, spec)));
  }

  /** The node's counters by name; those that its software adds are `software 0` and so on. @throws OperationError */
  async queryStat(node: NodeAddress): Promise<ReadonlyMap<string, bigint>> {
    const { body } = await this.ask(node, {
      pid: 0,
      code: opcode.QUERY_STAT,
      body: new Uint8Array(),
      replyBytes: payloadRoom(this.options),
      fits: b =>
        b.length >= statReplyBody.bytes && b.length >= statReplyBody.bytes + 8 * decode(statReplyBody, b).count,
    });
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength),
      { count } = decode(statReplyBody, body);
    const nameAt = (i: number): string => counterNames[i] ?? `software ${i - counterNames.length}`;
    return new Map(
      Array.from({ length: count }, (_, i) => [nameAt(i), view.getBigUint64(statReplyBody.bytes + 8 * i, true)]),
    );
  }

  /** One request, with its retries; a status other than OK is an error. @throws OperationError */
  async ask(node: NodeAddress, spec: RequestSpec): Promise<Reply> {
    const reply = await this.exchange(node, spec);
    if (reply.status === status.OK) return reply;
    throw refusal(spec, reply);
  }

  /** One request, with its retries, whatever the node answers. @throws OperationError when it gives no usable answer */
  exchange(node: NodeAddress, spec: RequestSpec): Promise<Reply> {
    const room = payloadRoom(this.options),
      keyed = this.link(node).keys.has(spec.pid) ? keyTrailer.bytes : 0,
      bytes = Math.max(spec.body.length + keyed, spec.collects === undefined ? spec.replyBytes : 0);
    if (bytes > room) {
      throw new ClientError(
        `${nameOf(spec)}: ${bytes} bytes after the header do not fit a packet of ${this.options.mtu}; ${room} do`,
      );
    }
    if (isRecordedBySoftware(spec) && !this.introduced.has(linkName(node)))
      return this.introduce(node).then(() => this.submit(node, spec));
    return this.submit(node, spec);
  }
  private submit(node: NodeAddress, spec: RequestSpec): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.link(node).submit(spec, result => {
        if (result instanceof OperationError) {
          reject(result);
          return;
        }
        // The software, too, may know nothing of this client any more.
        if (result.status === status.EXPIRED && isRecordedBySoftware(spec)) this.introduced.delete(linkName(node));
        resolve(result);
      });
    });
  }

  /**
   * Opens with a request that changes nothing, so that the node's software knows the client. A request that changes
   * something can then be repeated when its first copy was lost. Nothing is lost when it fails: the next request
   * introduces the client itself.
   */
  private introduce(node: NodeAddress): Promise<unknown> {
    const name = linkName(node),
      known = this.introductions.get(name);
    if (known !== undefined) return known;
    const done = this.submit(node, introduction)
      .then(
        () => {
          this.introduced.add(name);
        },
        () => undefined,
      )
      .finally(() => {
        this.introductions.delete(name);
      });
    this.introductions.set(name, done);
    return done;
  }

  /** Counts operations of the application. */
  async counting<T>(operation: () => Promise<T>): Promise<T> {
    this.counted.begun++;
    try {
      const result = await operation();
      this.counted.done++;
      return result;
    } catch (e) {
      this.counted.failed++;
      throw e;
    }
  }
  countBlocked(): void {
    this.counted.blocked++;
  }

  private link(node: NodeAddress): NodeLink {
    const name = linkName(node);
    let link = this.links.get(name);
    if (link === undefined) this.links.set(name, (link = new NodeLink(node, this.context)));
    return link;
  }

  private receive(from: NodeAddress, payload: Uint8Array, damaged: boolean): void {
    const link = this.links.get(linkName(from));
    if (link === undefined || payload.length < clioHeader.bytes) {
      this.counted.unknown++;
      return;
    }
    const header = decode(clioHeader, payload),
      sent = this.context.tries.get(header.requestId);
    if (header.flagTracked !== 1 || sent === undefined) {
      if (header.flagTracked === 1 && this.context.ids.given(header.requestId)) this.counted.late++;
      else this.counted.unknown++;
      return;
    }
    // The ID of a damaged frame may be that of a request to another node.
    if (sent.link !== link) {
      this.counted.unknown++;
      return;
    }
    // Of a damaged frame not even the header can be trusted; at worst another request is sent again, which
    // does no harm.
    if (damaged) {
      link.damaged(sent);
      return;
    }
    // A NACK repeats the header of a request that came damaged: of that only the ID has been recognised.
    if (header.status === status.NACK) {
      link.answer(sent, { status: header.status, body: new Uint8Array() });
      return;
    }
    const { spec } = sent.exchange,
      own = header.opcode === spec.code;
    const expected = header.opcode === replyCode(spec.code) || (own && header.status !== status.OK);
    const whole = header.size >= clioHeader.bytes && header.size <= payload.length;
    if (!expected || !whole || header.pid !== spec.pid) {
      this.counted.unfit++;
      return;
    }
    const waitNs = waitOf(header),
      body = payload.slice(clioHeader.bytes, header.size);
    if (!link.answer(sent, { status: header.status, body, ...(waitNs === undefined ? {} : { waitNs }) }))
      this.counted.unfit++;
  }

  /** Requests in line for the incast window go on, in their order, as far as it has room. */
  private roomFreed(): void {
    if (this.freeing) return;
    this.freeing = true;
    const { incast } = this.context;
    for (let link = incast.first; link !== undefined; link = incast.first) {
      link.pump();
      if (incast.first === link) break;
    }
    this.freeing = false;
  }
}

function linkName({ ip, port }: NodeAddress): string {
  return `${ip}:${port}`;
}
