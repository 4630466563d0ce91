import { retrySetOf, retryWays } from "../config/index.ts";

/** A request as section 7 of rules.md looks at it. */
export interface RetryAsked {
  /** The request slot, or anything else that names the request until it is done. */
  readonly slot: number;
  /** Facts about a request: it has a number; it is done at most once; it may make its client known; it is a FENCE. */
  readonly tracked: boolean;
  readonly keeps: boolean;
  readonly introduces: boolean;
  readonly fence: boolean;
  /** IPv4 address above UDP source port (48 bits), and the number of the first request for the operation (32 bits). */
  readonly client: bigint;
  readonly operation: number;
}
/** An operation that is remembered. `result` is undefined while it is under way. */
export interface RetryOperation {
  readonly client: bigint;
  readonly operation: number;
  result: { readonly status: number; readonly word: bigint } | undefined;
}
/** Action of the retry buffer on a request. */
export type RetryVerdict =
  | { readonly kind: "pass" | "fence" | "expired" }
  /** The request repeats an operation: answered with its result, or busy while it has none. */
  | { readonly kind: "repeats"; readonly of: RetryOperation }
  /** Busy, for want of a place for its client. */
  | { readonly kind: "noPlace" };

interface KnownClient {
  /** The newest operation that was forgotten. */
  forgotten: number;
}
interface OperationSet {
  readonly ways: (RetryOperation | undefined)[];
  /** The ways, the one filled last at the end. */
  order: readonly number[];
}

/**
 * The way for a new operation of a client: an empty one; otherwise one of the client that has most of the set, among
 * equals its own, or else the oldest.
 */
function wayFor({ ways, order }: OperationSet, client: bigint): number {
  const empty = ways.indexOf(undefined);
  if (empty >= 0) return empty;
  const counts = ways.map(w => ways.filter(o => o?.client === w?.client).length),
    most = Math.max(...counts),
    crowded = order.filter(w => counts[w] === most);
  return crowded.find(w => ways[w]?.client === client) ?? (crowded[0] as number);
}

/** Whether serial number `a` comes after `b` (RFC 1982). */
export const isAfter = (a: number, b: number): boolean => a !== b && (a - b) >>> 0 < 2 ** 31;

/**
 * The reference of the retry buffer: rules.md, section 7, as a function of the sequence of requests and
 * completions. Time-dependent facts are inputs: the silent client that was forgotten (`forget`), and whether its
 * place can be had yet (`admits`).
 */
export class RetryModel {
  /** Operations pushed out by newer ones. */
  evictions = 0;
  private readonly hashKey: bigint;
  private readonly places: number;
  private readonly sets: readonly OperationSet[];
  /** The client silent for longest comes first. */
  private readonly clients = new Map<bigint, KnownClient>();
  private readonly underWay = new Map<number, RetryOperation>();

  constructor(p: { readonly retryEntries: number; readonly retryClients: number }, hashKey: bigint) {
    this.hashKey = hashKey;
    this.places = p.retryClients;
    this.sets = Array.from({ length: p.retryEntries / retryWays }, () => ({
      ways: Array.from({ length: retryWays }, () => undefined),
      order: [],
    }));
  }

  /** The client that was silent for longest, if any is known. */
  get longestSilent(): bigint | undefined {
    return this.clients.keys().next().value;
  }
  /** Whether no further client can be known. */
  get full(): boolean {
    return this.clients.size >= this.places;
  }
  /** Clients that can become known without another's being forgotten. */
  get placesLeft(): number {
    return this.places - this.clients.size;
  }
  isKnown(client: bigint): boolean {
    return this.clients.has(client);
  }

  /** @param admits whether a client that is not known may become so: false while the place is still being swept */
  request(r: RetryAsked, admits = true): RetryVerdict {
    const through: RetryVerdict = { kind: r.fence ? "fence" : "pass" };
    if (!r.tracked) return through;
    if (!this.clients.has(r.client) && r.introduces) {
      if (!this.full && admits) this.clients.set(r.client, { forgotten: (r.operation - 1) >>> 0 });
      else if (r.keeps || r.fence) return { kind: "noPlace" };
    }
    const client = this.clients.get(r.client);
    if (client === undefined) return r.keeps ? { kind: "expired" } : through;
    this.clients.delete(r.client);
    this.clients.set(r.client, client);
    const verdict = r.keeps ? this.judge(r, client) : through;
    this.keepComparable(r, client);
    return verdict;
  }

  private judge(r: RetryAsked, client: KnownClient): RetryVerdict {
    const set = this.sets[retrySetOf(this.sets.length, r.client, r.operation, this.hashKey)] as OperationSet;
    const same = set.ways.find(o => o?.client === r.client && o.operation === r.operation);
    if (same !== undefined) return { kind: "repeats", of: same };
    if (!isAfter(r.operation, client.forgotten)) return { kind: "expired" };
    const way = wayFor(set, r.client),
      old = set.ways[way],
      entered: RetryOperation = { client: r.client, operation: r.operation, result: undefined };
    if (old !== undefined) this.pushOut(old);
    set.ways[way] = entered;
    set.order = [...set.order.filter(w => w !== way), way];
    this.underWay.set(r.slot, entered);
    return { kind: "pass" };
  }

  private pushOut(old: RetryOperation): void {
    this.evictions++;
    const owner = this.clients.get(old.client);
    if (owner !== undefined && isAfter(old.operation, owner.forgotten)) owner.forgotten = old.operation;
  }

  /** Serial numbers are compared within half a round: a number a quarter behind, or older, counts as forgotten. */
  private keepComparable(r: RetryAsked, client: KnownClient): void {
    const ahead = (r.operation - client.forgotten) >>> 0;
    if (ahead < 2 ** 30 || ahead >= 2 ** 31) return;
    client.forgotten = (r.operation - 2 ** 30) >>> 0;
    this.remove(
      o =>
        o.client === r.client &&
        (client.forgotten - o.operation) >>> 0 >= 2 ** 30 &&
        isAfter(client.forgotten, o.operation),
    );
  }

  /** The request in `slot`, which passed, has been done. */
  complete(slot: number, status: number, word: bigint): void {
    const operation = this.underWay.get(slot);
    if (operation !== undefined) operation.result = { status, word };
    this.underWay.delete(slot);
  }

  /** The operation that the request in `slot` is doing, if it is one that is remembered. */
  operationOf(slot: number): RetryOperation | undefined {
    return this.underWay.get(slot);
  }

  /** A client is known no longer, nor what it did. */
  forget(client: bigint): void {
    this.clients.delete(client);
    this.remove(o => o.client === client);
  }

  private remove(which: (o: RetryOperation) => boolean): void {
    for (const set of this.sets)
      set.ways.forEach((o, i) => {
        if (o !== undefined && which(o)) set.ways[i] = undefined;
      });
  }
}
