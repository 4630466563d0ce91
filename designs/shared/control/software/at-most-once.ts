export interface AtMostOnceOptions {
  /** Replies remembered for each client. */
  readonly replies: number;
  /** Clients remembered. */
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

/** A request, as far as the rules look at it. */
export interface TrackedRequest {
  /** Who asks: a name that no other client has. */
  readonly client: string;
  /** Names the operation: the number, 32 bits, of the request that asked for it first. */
  readonly operation: number;
  /** Whether it may have been asked for before. */
  readonly retry: boolean;
  /** What is to be done: two requests for one operation say the same. */
  readonly kind: number;
  /** Whether doing it changes something. */
  readonly changes: boolean;
}
/** What is said instead of doing something. */
export interface Refusals<Reply> {
  /** It may have been done before, and what was said then is forgotten. */
  readonly expired: Reply;
  /** It is being done, or there is no room to remember it: ask again. */
  readonly underWay: Reply;
  /** There is no room for its client: ask again after so many nanoseconds. */
  readonly full: (ns: number) => Reply;
}

interface Operation<Reply> {
  readonly kind: number;
  reply: Reply | undefined;
}
interface Client<Reply> {
  /** By operation, oldest first. */
  readonly operations: Map<number, Operation<Reply>>;
  /** Of operations older than this nothing is known: there may have been a client of this name before. */
  readonly since: number | undefined;
  /** The newest operation whose reply was forgotten. */
  watermark: number | undefined;
  lastSeen: number;
}

/** Whether one of a client's operations has no reply yet. */
const isUnderWay = <Reply>({ operations }: Client<Reply>): boolean => [...operations.values()].some(op => !op.reply);

/** Whether serial number `a` is after `b` (RFC 1982, 32 bits). */
const after = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 0x8000_0000;

/**
 * Requests that change something are done at most once. An operation is named by its client and the number of its first
 * request. Its reply is remembered and given again; while it is under way a request for it is refused as such; what was
 * forgotten is refused as expired, never done again.
 *
 * Bounds: `clients` x `replies` remembered. A client's oldest reply goes first; what is at or below it can no longer be
 * told from it. A client that has been idle for long is forgotten for another, but for its newest operation, at or
 * below which all is expired when it comes back; with none idle the newcomer is told to ask again. When even that has
 * been forgotten of some client (`forgotten`), a retry by a client that is not known is expired: it may be that one.
 * Until then a client that is not known is new, and nothing of it can have been done.
 */
export class AtMostOnce<Reply> {
  private readonly o: AtMostOnceOptions;
  /** Least recently heard of first. */
  private readonly clients = new Map<string, Client<Reply>>();
  /** Newest operations of forgotten clients, oldest first. */
  private readonly newest = new Map<string, number>();
  /** Whether one of these had to be dropped. */
  private lost = false;
  private readonly counted = { repeated: 0, underWay: 0, expired: 0 };

  private readonly refusals: Refusals<Reply>;

  constructor(options: AtMostOnceOptions, refusals: Refusals<Reply>) {
    this.o = options;
    this.refusals = refusals;
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
   * The reply to a request: `execute`'s, or what the rules say without it. What `execute` throws is thrown, and nothing
   * is remembered: a malformed request has done nothing.
   */
  async reply(request: TrackedRequest, execute: () => Reply | Promise<Reply>): Promise<Reply> {
    const { operation: id, retry } = request,
      client = this.clientOf(request);
    // A request that only reads introduces its client all the same: a client that opens with one can repeat its first
    // change even where a client that is not known may have been forgotten.
    if (!request.changes) return execute();
    if (client === "unknown") return this.expired();
    if (client === "full") return this.full(this.o.time());
    const known = client.operations.get(id);
    if (known) {
      // Two operations with one name: the client is wrong, and doing either could be the second time.
      if (known.kind !== request.kind) return this.expired();
      if (!known.reply) return this.underWay();
      this.counted.repeated++;
      return known.reply;
    }
    const forgotten = client.watermark !== undefined && !after(id, client.watermark);
    const beforeKnown = retry && client.since !== undefined && after(client.since, id);
    if (forgotten || beforeKnown) return this.expired();
    return this.execute(client, id, request.kind, execute);
  }

  private async execute(
    client: Client<Reply>,
    id: number,
    kind: number,
    execute: () => Reply | Promise<Reply>,
  ): Promise<Reply> {
    const operation: Operation<Reply> = { kind, reply: undefined };
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

  /** Down to the bound; what is under way is not forgotten. */
  private forgetOldest(client: Client<Reply>): void {
    for (const [id, { reply }] of client.operations) {
      if (client.operations.size <= this.o.replies) return;
      if (!reply) continue;
      client.operations.delete(id);
      if (client.watermark === undefined || after(id, client.watermark)) client.watermark = id;
    }
  }

  private clientOf({ client: key, operation: id, retry }: TrackedRequest): Client<Reply> | "unknown" | "full" {
    const lastSeen = this.o.time();
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
    const [key, client] = oldest,
      { lastSeen, operations, watermark } = client;
    if (now - lastSeen <= this.o.idle || isUnderWay(client)) return false;
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

  private expired(): Reply {
    this.counted.expired++;
    return this.refusals.expired;
  }
  /** Until the client idle for longest can be forgotten, if it stays idle. What is under way ends nobody knows when. */
  private full(now: number): Reply {
    const [oldest] = this.clients.values();
    if (!oldest || isUnderWay(oldest)) return this.underWay();
    this.counted.underWay++;
    return this.refusals.full(Math.max(0, oldest.lastSeen + this.o.idle - now) + 1);
  }
  private underWay(): Reply {
    this.counted.underWay++;
    return this.refusals.underWay;
  }
}
