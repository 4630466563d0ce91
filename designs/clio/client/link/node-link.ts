import { opcode, status } from "../../wire/index.ts";
import { CongestionWindow } from "./congestion-window.ts";
import type { OperationError } from "./errors.ts";
import { Exchange, type Refusal, type Try } from "./exchange.ts";
import type { IncastWindow } from "./incast-window.ts";
import { mostTimeoutsTold, replyFrameBytes, type ResolvedOptions } from "./options.ts";
import type { RequestIds } from "./request-ids.ts";
import { isFast, isRecorded, messageOf, nameOf, type Reply, type RequestSpec } from "./request.ts";
import type { ClientStatistics } from "./statistics.ts";
import type { NodeAddress, Timer } from "./transport.ts";

/** State that the links of a client share. */
export interface LinkContext {
  readonly options: ResolvedOptions;
  readonly ids: RequestIds;
  readonly incast: IncastWindow<NodeLink>;
  readonly statistics: ClientStatistics;
  /** Tries by request ID, until their exchange ends. */
  readonly tries: Map<number, Try>;
  send(to: NodeAddress, payload: Uint8Array): void;
  /** Room has become free in the incast window: requests in line for it may go on. */
  roomFreed(): void;
}

/** The PID says which partition of the node is to know the client. */
const greetingSpec = (pid: number): RequestSpec => ({
  pid,
  code: opcode.FENCE,
  body: new Uint8Array(),
  replyBytes: 0,
  fits: () => true,
});

/**
 * The way to one node: its queue, its congestion window, the greeting, and the retries of its requests. Requests leave
 * in the order of their submission, retries first. Before the first of them, and when the node may have forgotten this
 * client, a FENCE introduces it (rules.md, section 7).
 */
export class NodeLink {
  readonly address: NodeAddress;
  readonly window: CongestionWindow;
  /** Keys of the node's processes, by PID, as far as this client has them. */
  readonly keys = new Map<number, bigint>();
  private readonly context: LinkContext;
  private readonly waiting: Exchange[] = [];
  private readonly again: Exchange[] = [];
  private outstanding = 0;
  private pacing: Timer | undefined;
  /** By partition of the node: the newest sending of a recorded request, or greeting, that it has answered. */
  private readonly knownSince = new Map<number, number>();
  private greeting: Exchange | undefined;
  /** A request has been chosen to go along with the greeting. */
  private accompanied = false;
  /** The node has made this client give up its place: the next greeting is the first that it hears. */
  private outside = false;

  constructor(address: NodeAddress, context: LinkContext) {
    this.address = address;
    this.context = context;
    const { window, targetDelayNs } = context.options;
    this.window = new CongestionWindow({ targetNs: targetDelayNs, ...window });
  }

  /** Requests on their way, and requests that have not left yet. */
  get onTheWay(): number {
    return this.outstanding;
  }
  get queued(): number {
    return this.waiting.length + this.again.length;
  }

  /** Queues a request; `end` is called once, with the node's answer or the reason why there is none. */
  submit(spec: RequestSpec, end: (result: Reply | OperationError) => void): void {
    this.waiting.push(new Exchange(spec, end));
    this.pump();
  }

  /** Sends what the windows admit. */
  pump(): void {
    const {
      incast,
      options: { clock },
    } = this.context;
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const wait = this.window.wait(this.outstanding, clock.now());
      if (wait > 0) {
        this.pace(wait);
        break;
      }
      if (!incast.admits(this, replyFrameBytes(next.spec.replyBytes))) return;
      if (next === this.again[0]) this.again.shift();
      else if (next === this.waiting[0]) this.waiting.shift();
      this.try(next);
    }
    if (incast.leave(this)) this.context.roomFreed();
  }

  /**
   * The next request to send. While the node may not know the client, that is the greeting and, along with it, the
   * first request for the first time. The first of them to arrive makes the client known, with everything older
   * forgotten. The others wait for the answer to either, or those that overtake would make older ones EXPIRED.
   * With `greetsFirst` all of them wait, and so they do after YIELD.
   */
  private next(): Exchange | undefined {
    const first = this.again[0] ?? this.waiting[0];
    if (this.greeting === undefined) {
      if (first === undefined || !isRecorded(first.spec) || this.isKnown(first.spec)) return first;
      this.greeting = this.greet(this.partitionOf(first.spec));
      this.accompanied = this.greetsAlone;
    }
    const { latest, timer } = this.greeting;
    if (latest?.open !== true && timer === undefined) return this.greeting;
    if (
      this.accompanied ||
      first === undefined ||
      first.latest !== undefined ||
      this.partitionOf(first.spec) !== this.partitionOf(this.greeting.spec)
    )
      return undefined;
    this.accompanied = true;
    return first;
  }
  /**
   * The node replaces a client that was silent for 3 x TIMEOUT; one less leaves room for the way there. One
   * request at a time (a window below one, whose pace may be slower than that) needs no greeting: it makes its
   * client known itself.
   */
  private isKnown(spec: RequestSpec): boolean {
    const { clock, greetAfterNs } = this.context.options;
    return (
      (this.window.size < 1 && !this.outside) ||
      clock.now() - (this.knownSince.get(this.partitionOf(spec)) ?? Number.NEGATIVE_INFINITY) <= greetAfterNs
    );
  }
  private get greetsAlone(): boolean {
    return this.context.options.greetsFirst || this.outside;
  }
  /** Part of the node that a request goes to: a node with partitions knows its clients in each of them. */
  private partitionOf({ pid }: RequestSpec): number {
    return pid % this.context.options.partitions;
  }

  private greet(partition: number): Exchange {
    this.context.statistics.greetings++;
    // Should it fail, the next pump greets again; each loss narrows the window, until requests go one by one
    // and introduce themselves.
    return new Exchange(greetingSpec(partition), () => {
      this.greeting = undefined;
    });
  }

  private try(exchange: Exchange): void {
    const {
        options: { clock },
        ids,
        statistics,
        incast,
        tries,
      } = this.context,
      now = clock.now();
    const sent: Try = { exchange, link: this, id: ids.next(), sentAt: now, open: true };
    // A repetition does not make the client known. A greeting changes nothing, so each can be the first of its kind.
    const named = exchange !== this.greeting || !this.greetsAlone,
      retryOf = named ? exchange.operation : undefined;
    exchange.tries.push(sent);
    tries.set(sent.id, sent);
    this.outstanding++;
    incast.take(replyFrameBytes(exchange.spec.replyBytes));
    this.window.sent(now);
    statistics.sent++;
    if (exchange.tries.length > 1) statistics.retries++;
    const timeout = this.timeoutOf(exchange.spec);
    exchange.timer = clock.after(timeout, () => this.timedOut(sent, timeout));
    this.context.send(this.address, messageOf(exchange.spec, sent.id, retryOf, this.keys.get(exchange.spec.pid)));
  }
  private timeoutOf(spec: RequestSpec): number {
    const { timeoutNs, slowTimeoutNs } = this.context.options;
    return isFast(spec) ? timeoutNs : slowTimeoutNs;
  }

  private timedOut(sent: Try, timeoutNs: number): void {
    const {
      options: { clock },
      statistics,
    } = this.context;
    statistics.timeouts++;
    if (isFast(sent.exchange.spec)) this.window.lost(timeoutNs, clock.now());
    this.lost(sent, "TIMEOUT");
  }
  /** The latest try came to nothing: once more, if it may. */
  private lost(sent: Try, reason: "TIMEOUT" | "NACK"): void {
    const { exchange } = sent;
    exchange.timer?.cancel();
    exchange.timer = undefined;
    this.close(sent);
    if (exchange.lost(reason)) {
      if (exchange !== this.greeting) this.again.push(exchange);
    } else this.forget(exchange);
    this.settle();
  }

  /** An answer to one of this link's tries. @returns false when it does not fit the request */
  answer(sent: Try, reply: Reply): boolean {
    const { exchange } = sent,
      {
        options: { clock },
        statistics,
      } = this.context,
      now = clock.now();
    switch (reply.status) {
      case status.NACK:
        return this.nack(sent);
      case status.BUSY:
        return this.refused(sent, "BUSY", reply.waitNs);
      case status.YIELD:
        this.knownSince.delete(this.partitionOf(exchange.spec));
        this.outside = true;
        return this.refused(sent, "YIELD", reply.waitNs);
      case status.MIGRATING:
        if (exchange.spec.follows !== true) return this.refused(sent, "MIGRATING");
        break;
      default:
    }
    let whole = reply;
    if (reply.status === status.OK) {
      const body = this.collect(sent, reply.body);
      if (body === undefined || body === "more") return body === "more";
      whole = { ...reply, body };
    }
    if (isFast(exchange.spec) && exchange.spec.code !== opcode.FENCE) this.window.answered(now - sent.sentAt, now);
    // After EXPIRED the node does not know the operation, and perhaps not the client.
    if (reply.status === status.EXPIRED) this.knownSince.delete(this.partitionOf(exchange.spec));
    else if (isRecorded(exchange.spec) || exchange === this.greeting) this.known(sent, exchange);
    if (sent !== exchange.latest) statistics.answeredByEarlier++;
    this.close(exchange.latest);
    this.forget(exchange);
    exchange.finish(whole);
    this.settle();
    return true;
  }

  /**
   * The body of a good reply; for a reply in several frames, when all are there. While frames are missing, the clock
   * for the next one starts anew.
   */
  private collect(sent: Try, body: Uint8Array): Uint8Array | "more" | undefined {
    const { exchange } = sent,
      { spec } = exchange;
    if (spec.collects === undefined) return spec.fits(body) ? body : undefined;
    sent.collector ??= spec.collects();
    const got = sent.collector.add(body);
    if (got === "more" && sent.open && sent === exchange.latest) {
      const timeout = this.timeoutOf(spec);
      exchange.timer?.cancel();
      exchange.timer = this.context.options.clock.after(timeout, () => this.timedOut(sent, timeout));
    }
    return got;
  }

  /** The node knows the client: the greeting has served, whether its own answer came or another's. */
  private known(sent: Try, exchange: Exchange): void {
    if (exchange === this.greeting) this.outside = false;
    const partition = this.partitionOf(exchange.spec),
      { greeting } = this;
    this.knownSince.set(partition, Math.max(this.knownSince.get(partition) ?? sent.sentAt, sent.sentAt));
    if (greeting === undefined || greeting === exchange || this.partitionOf(greeting.spec) !== partition) return;
    this.greeting = undefined;
    greeting.timer?.cancel();
    this.close(greeting.latest);
    this.forget(greeting);
  }

  /**
   * The latest request arrived damaged, or its answer did: retry at once (paper §4.4.4). A request before the latest
   * has had its retry.
   */
  private nack(sent: Try): boolean {
    this.context.statistics.nacks++;
    if (sent.open && sent === sent.exchange.latest) this.lost(sent, "NACK");
    return true;
  }
  /** The same, when the client's own network card says so. */
  damaged(sent: Try): void {
    this.context.statistics.damaged++;
    if (sent.open && sent === sent.exchange.latest) this.lost(sent, "TIMEOUT");
  }

  private refused(sent: Try, reason: Refusal, toldNs = 0): boolean {
    const { exchange } = sent,
      {
        options: { clock, random },
        statistics,
      } = this.context;
    statistics.busy++;
    if (!sent.open || sent !== exchange.latest) return true;
    exchange.timer?.cancel();
    exchange.timer = undefined;
    this.close(sent);
    // BUSY: that operation is under way, or not begun. MIGRATING: it has ended, refused, and the node answers so as
    // often as it is repeated. YIELD: it was not done, and never will be under this number.
    if (reason !== "BUSY") {
      this.forget(exchange);
      exchange.renew();
    }
    const times = exchange.refused(reason);
    if (times === undefined) this.forget(exchange);
    else {
      // From an eighth of the timeout, at most 20 ms, doubled each time up to the whole timeout. Spread, so that
      // clients refused together do not come back together. All that on top of the time that the node said.
      const most = this.timeoutOf(exchange.spec),
        told = Math.min(toldNs, mostTimeoutsTold * most),
        pause = told + Math.min(most, Math.min(most / 16, 10e6) * 2 ** times) * (0.5 + random() / 2);
      exchange.timer = clock.after(pause, () => {
        exchange.timer = undefined;
        if (exchange !== this.greeting) this.again.push(exchange);
        this.pump();
      });
    }
    this.settle();
    return true;
  }

  private close(sent: Try | undefined): void {
    if (sent?.open !== true) return;
    sent.open = false;
    this.outstanding--;
    this.context.incast.release(replyFrameBytes(sent.exchange.spec.replyBytes));
  }
  /** Later answers to its tries are late ones. A try that waits in the queue is taken out. */
  private forget(exchange: Exchange): void {
    for (const t of exchange.tries) this.context.tries.delete(t.id);
    const at = this.again.indexOf(exchange);
    if (at >= 0) this.again.splice(at, 1);
  }
  private settle(): void {
    this.pump();
    this.context.roomFreed();
  }

  private pace(ns: number): void {
    if (!Number.isFinite(ns) || this.pacing !== undefined) return;
    this.pacing = this.context.options.clock.after(ns, () => {
      this.pacing = undefined;
      this.pump();
    });
  }

  /** For messages: the reason that keeps a request from leaving. */
  describe(): string {
    const first = this.again[0] ?? this.waiting[0];
    const what = first === undefined ? "" : ` (first ${nameOf(first.spec)})`;
    return `${this.queued} queued${what}, ${this.outstanding} on their way, cwnd ${this.window.size.toFixed(2)}`;
  }
}
