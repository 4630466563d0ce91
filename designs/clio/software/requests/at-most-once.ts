import { opcode, status, type OpcodeName } from "../../wire/index.ts";
import type { SlowReply, SlowRequest } from "./handler.ts";

/**
 * Requests that change something: each is done once at most, however often it arrives. The others are done
 * anew each time.
 */
const keptNames: readonly OpcodeName[] = [
  "ALLOC",
  "FREE",
  "CREATE_PROC",
  "FREE_PROC",
  "OPEN_SESSION",
  "CLOSE_SESSION",
  "MIGRATION_HOST",
  "MIGRATION_NODE",
  "MIGRATION_RECEIVE",
  "MIGRATION_CANCEL",
  "MIGRATION_SEND",
  "KV_CREATE",
  "KV_UPDATE",
  "KV_DELETE",
  "MV_CREATE",
  "MV_APPEND",
  "MV_DELETE",
];
const kept: ReadonlySet<number> = new Set(keptNames.map(name => opcode[name]));

export interface AtMostOnceOptions {
  /** Replies remembered for each client. */
  readonly replies: number;
  /** Clients remembered: pairs of IPv4 address and UDP port. */
  readonly clients: number;
  /**
   * Nanoseconds without a request after which a client may be forgotten for another: only its newest operation
   * is then remembered.
   */
  readonly idle: number;
  /** Forgotten clients whose newest operation is remembered. */
  readonly forgotten: number;
  /** Nanoseconds since some start. */
  readonly time: () => number;
}
export interface AtMostOnceStatistics {
  readonly repeated: number;
  readonly underWay: number;
  readonly expired: number;
}

interface Operation {
  readonly opcode: number;
  reply: SlowReply | undefined;
}
interface Client {
  /** By operation, oldest first. */
  readonly operations: Map<number, Operation>;
  /** Of operations older than this nothing is known: there may have been a client of this name before. */
  readonly since: number | undefined;
  /** The newest operation whose reply was forgotten. */
  watermark: number | undefined;
  lastSeen: number;
}

/** Whether serial number `a` is after `b` (RFC 1982, 32 bits). */
const after = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 0x8000_0000;

/** Header-only refusals, with the request's own opcode. */
const refusal = (code: number): SlowReply => ({ status: code, body: new Uint8Array(), headerOnly: true });

/**
 * Requests that are tracked (native port, request_id valid) and change something are done at most once. These are the
 * retry buffer's rules, in software, for the slow and the extend path. An operation is named by its client and the
 * request_id of its first request. Its reply is remembered and given again; while it is under way it is BUSY. A
 * forgotten operation is EXPIRED, never done again.
 *
 * Bounds: `clients` x `replies` remembered. A client's oldest reply goes first; operations at or below it can no longer
 * be distinguished from it. A client that has been idle for long is forgotten for another, but for its newest
 * operation. When that client comes back, operations at or below the newest are EXPIRED. With no idle client the
 * newcomer is BUSY. When even that has been forgotten of some client (`forgotten`), a retry by an unknown client is
 * EXPIRED: its operation may be a forgotten one. Until then a client that is not known is new, and nothing of it can
 * have been done.
 */
export class AtMostOnce {
  private readonly o: AtMostOnceOptions;
  /** Least recently heard of first. */
  private readonly clients = new Map<string, Client>();
  /** Newest operations of forgotten clients, oldest first. */
  private readonly newest = new Map<string, number>();
  /** Whether one of these had to be dropped. */
  private lost = false;
  private readonly counted = { repeated: 0, underWay: 0, expired: 0 };

  constructor(options: AtMostOnceOptions) {
    this.o = options;
  }

  get statistics(): AtMostOnceStatistics {
    return { ...this.counted };
  }
  /** Clients and replies remembered now. */
  get size(): { readonly clients: number; readonly replies: number } {
    return {
      clients: this.clients.size,
      replies: [...this.clients.values()].reduce((n, c) => n + c.operations.size, 0),
    };
  }

  /**
   * The reply to a request: `execute`'s, or what the rules say without it. An error that `execute` throws is thrown,
   * and nothing is remembered: a malformed request has done nothing.
   */
  async reply(request: SlowRequest, execute: () => SlowReply | Promise<SlowReply>): Promise<SlowReply> {
    const { clio, native } = request;
    if (!native || clio.flagTracked === 0) return execute();
    const retry = clio.flagRetry !== 0,
      id = retry ? clio.retryOf : clio.requestId,
      client = this.clientOf(request, id, retry);
    // A request that only reads introduces its client all the same. CLib opens with such a request, so that a lost
    // first ALLOC can be repeated even after clients have been forgotten.
    if (!kept.has(clio.opcode)) return execute();
    if (client === "unknown") return this.expired();
    if (client === "full") return this.underWay();
    const known = client.operations.get(id);
    if (known) {
      // Two operations with one name: the client is wrong, and doing either could be the second time.
      if (known.opcode !== clio.opcode) return this.expired();
      if (!known.reply) return this.underWay();
      this.counted.repeated++;
      return known.reply;
    }
    const forgotten = client.watermark !== undefined && !after(id, client.watermark);
    const beforeKnown = retry && client.since !== undefined && after(client.since, id);
    if (forgotten || beforeKnown) return this.expired();
    return this.execute(client, id, clio.opcode, execute);
  }

  private async execute(
    client: Client,
    id: number,
    code: number,
    execute: () => SlowReply | Promise<SlowReply>,
  ): Promise<SlowReply> {
    const operation: Operation = { opcode: code, reply: undefined };
    client.operations.set(id, operation);
    try {
      operation.reply = await execute();
    } catch (e) {
      client.operations.delete(id);
      throw e;
    }
    this.forgetOldest(client);
    return operation.reply;
  }

  /** Down to the bound; operations under way are not forgotten. */
  private forgetOldest(client: Client): void {
    for (const [id, { reply }] of client.operations) {
      if (client.operations.size <= this.o.replies) return;
      if (!reply) continue;
      client.operations.delete(id);
      if (client.watermark === undefined || after(id, client.watermark)) client.watermark = id;
    }
  }

  private clientOf({ ipv4, udp }: SlowRequest, id: number, retry: boolean): Client | "unknown" | "full" {
    const key = `${ipv4.src}:${udp.srcPort}`,
      lastSeen = this.o.time();
    let client = this.clients.get(key);
    if (!client) {
      const watermark = this.newest.get(key),
        isKnown = watermark !== undefined || !this.lost;
      if (retry && !isKnown) return "unknown";
      if (this.clients.size >= this.o.clients && !this.forgetIdle(lastSeen)) return "full";
      client = { operations: new Map(), since: isKnown ? undefined : id, watermark, lastSeen };
      this.newest.delete(key);
    }
    client.lastSeen = lastSeen;
    this.clients.delete(key);
    this.clients.set(key, client);
    return client;
  }

  private forgetIdle(now: number): boolean {
    const [oldest] = this.clients;
    if (!oldest) return false;
    const [key, { lastSeen, operations, watermark }] = oldest;
    if (now - lastSeen <= this.o.idle || [...operations.values()].some(op => !op.reply)) return false;
    this.clients.delete(key);
    let newest = watermark;
    for (const id of operations.keys()) if (newest === undefined || after(id, newest)) newest = id;
    if (newest === undefined) return true;
    this.newest.set(key, newest);
    const [first] = this.newest.keys();
    if (this.newest.size > this.o.forgotten && first !== undefined) {
      this.newest.delete(first);
      this.lost = true;
    }
    return true;
  }

  private expired(): SlowReply {
    this.counted.expired++;
    return refusal(status.EXPIRED);
  }
  private underWay(): SlowReply {
    this.counted.underWay++;
    return refusal(status.BUSY);
  }
}
