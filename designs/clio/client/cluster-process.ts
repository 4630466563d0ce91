import { accessBody, allocBody, allocReplyBody, opcode, regionBody, retBody, status } from "../wire/index.ts";
import { concat, decode, encode } from "../../shared/wire/index.ts";
import type { Client } from "./client.ts";
import { ClientError, OperationError } from "./link/errors.ts";
import { RemoteProcess } from "./process.ts";
import type { Reply, RequestSpec } from "./link/request.ts";
import { allocationSpec, readSpec, writeSpec } from "./requests.ts";
import type { NodeAddress } from "./link/transport.ts";

const regionShift = 30n;

/** Where a region is, as the controller said; `to` while it moves page by page. */
interface Place {
  readonly region: bigint;
  readonly node: NodeAddress;
  readonly to: NodeAddress | undefined;
  readonly version: number;
  readonly state: "placed" | "moving" | "lost";
}
const states = ["placed", "moving", "moving", "lost"] as const;

/** Statuses of a page that is absent or lacks the right: its region may have moved elsewhere. Nothing was done. */
const elsewhere: ReadonlySet<string> = new Set(["INVALID", "READ_PERM", "WRITE_PERM", "MIGRATING"]);
/** First and longest pause between tries while a region moves, in units of `timeoutNs`. */
const firstPause = 1 / 4,
  longestPause = 8;

/** Counted by a process of a cluster. */
export interface ClusterStatistics {
  /** Questions to the controller where a region is. */
  readonly lookups: number;
  /** Refusals by a node that an operation was tried elsewhere, or again, after. */
  readonly redirected: number;
  /** The longest that one request took from its first refusal to its end, ns. */
  readonly longestDelayNs: number;
}

/**
 * A process whose address space spans several nodes (paper §4.4.7): its regions of 1 GB are given by the global
 * controller, and may move. A request goes to its region's node. When that node refuses it, the client queries the
 * controller and sends a new request, since a refusal means that nothing was done. Only what is refused by a region
 * that has not moved in between is an error. Accesses over page ends are cut there: two pages may be at two nodes.
 */
export class ClusterProcess extends RemoteProcess {
  private readonly places = new Map<bigint, Place>();
  /** Pages of a moving region that have been found at its new node: tried there first. */
  private readonly moved = new Map<bigint, Set<bigint>>();
  private readonly lookingUp = new Map<bigint, Promise<Place>>();
  private readonly counted = { lookups: 0, redirected: 0, longestDelayNs: 0 };
  private readonly patienceNs: number;

  /** @param home the controller's native port @param patienceNs how long an operation waits for a region that moves */
  constructor(
    client: Client,
    pid: number,
    home: NodeAddress,
    { patienceNs = 1e10 }: { readonly patienceNs?: number } = {},
  ) {
    super(client, pid, home);
    this.patienceNs = patienceNs;
  }

  /** A new process of the cluster. @throws OperationError */
  static async create(client: Client, controller: NodeAddress, name = "clib"): Promise<ClusterProcess> {
    return new ClusterProcess(client, (await client.createProcess(controller, name)).pid, controller);
  }

  get statistics(): ClusterStatistics {
    return { ...this.counted };
  }
  /** Nodes that this client knows regions of the process at. */
  override get nodes(): readonly NodeAddress[] {
    const all = [...this.places.values()].flatMap(p => (p.to === undefined ? [p.node] : [p.node, p.to]));
    return [...new Map(all.map(n => [`${n.ip}:${n.port}`, n])).values()];
  }

  /** Ends the process at the controller and at every node that has something of it. @throws OperationError */
  async end(): Promise<void> {
    await this.client.ask(this.home, {
      pid: this.pid,
      code: opcode.FREE_PROC,
      body: new Uint8Array(),
      replyBytes: retBody.bytes,
      fits: body => body.length >= retBody.bytes,
    });
  }

  override async ask(va: bigint, spec: RequestSpec): Promise<Reply> {
    if (spec.code === opcode.ALLOC) return this.allocate(spec);
    const page = BigInt(this.client.options.pageSize);
    if (spec.code === opcode.READ || spec.code === opcode.WRITE) {
      const { length } = decode(accessBody, spec.body),
        first = Number(page - (va % page));
      if (length > first) return this.inTwo(va, spec, length, first);
    }
    if (spec.code === opcode.FREE) {
      const { len } = decode(allocBody, spec.body),
        end = ((va >> regionShift) + 1n) << regionShift;
      if (va + len > end)
        throw new ClientError(
          `0x${va.toString(16)} and ${len} bytes reach over the end of a region of 1 GB; free each region by itself`,
        );
    }
    return this.atItsNode(va, spec);
  }

  private async inTwo(va: bigint, spec: RequestSpec, length: number, first: number): Promise<Reply> {
    const { pid } = this;
    if (spec.code === opcode.READ) {
      const [a, b] = await Promise.all([
        this.ask(va, readSpec(pid, va, first)),
        this.ask(va + BigInt(first), readSpec(pid, va + BigInt(first), length - first)),
      ]);
      return { status: status.OK, body: concat(a.body, b.body.subarray(accessBody.bytes)) };
    }
    const data = spec.body.subarray(accessBody.bytes);
    const parts = await Promise.allSettled([
      this.ask(va, writeSpec(pid, va, data.subarray(0, first))),
      this.ask(va + BigInt(first), writeSpec(pid, va + BigInt(first), data.subarray(first))),
    ]);
    const failed = parts.find(p => p.status === "rejected");
    if (failed === undefined) return { status: status.OK, body: encode(accessBody, { va, length }) };
    const e: unknown = failed.reason;
    // The other part may have been written.
    throw e instanceof OperationError
      ? new OperationError(e.operation, e.reason, "unknown", "a part over a page's end")
      : e;
  }

  /** Goes where the region is, and after it when it moves. */
  private async atItsNode(va: bigint, spec: RequestSpec): Promise<Reply> {
    const { clock, random, timeoutNs } = this.client.options,
      page = va / BigInt(this.client.options.pageSize);
    let place = await this.placeOf(va >> regionShift),
      refusedAt: number | undefined;
    for (let wait = timeoutNs * firstPause; ; wait = Math.min(2 * wait, timeoutNs * longestPause)) {
      const answer = await this.once(place, page, spec);
      if (!(answer instanceof OperationError)) {
        if (refusedAt !== undefined)
          this.counted.longestDelayNs = Math.max(this.counted.longestDelayNs, clock.now() - refusedAt);
        return answer;
      }
      refusedAt ??= clock.now();
      const before = place;
      place = await this.lookUp(before.region);
      if (place.state === "lost")
        throw new OperationError(answer.operation, "FAIL", "none", `region ${place.region} was lost with its node`);
      const moves = place.state === "moving" || answer.reason === "MIGRATING";
      if (!moves && place.version === before.version) throw answer;
      if (clock.now() - refusedAt > this.patienceNs)
        throw new OperationError(
          answer.operation,
          "MIGRATING",
          "none",
          `region ${place.region} was moving for ${this.patienceNs} ns`,
        );
      this.counted.redirected++;
      if (moves)
        await new Promise<void>(resolve => {
          clock.after(wait * (0.5 + random() / 2), resolve);
        });
    }
  }

  /** One try at each node that may have the page. @returns the answer, or the last refusal @throws any other error */
  private async once({ region, node, to }: Place, page: bigint, spec: RequestSpec): Promise<Reply | OperationError> {
    const moved = this.moved.get(region),
      order = to === undefined ? [node] : moved?.has(page) === true ? [to, node] : [node, to];
    let refusal: OperationError | undefined;
    for (const at of order) {
      try {
        const reply = await this.client.ask(at, { ...spec, follows: true });
        if (at === to) moved?.add(page);
        return reply;
      } catch (e) {
        if (!(e instanceof OperationError)) throw e;
        // The node may be gone, and the region elsewhere: the next request queries the controller.
        if (e.reason === "TIMEOUT") this.places.delete(region);
        if (!elsewhere.has(e.reason)) throw e;
        refusal = e;
      }
    }
    return refusal as OperationError;
  }

  /** ALLOC: in the region that is named, in one that has room, or in a new one. */
  private async allocate(spec: RequestSpec): Promise<Reply> {
    const { addr, len, vregion, vmFlags } = decode(allocBody, spec.body);
    const within = (region: bigint): Promise<Reply> =>
      this.atItsNode(
        region << regionShift,
        allocationSpec(this.pid, opcode.ALLOC, { addr, len, vregion: region, vmFlags }),
      );
    const named = addr === 0n ? vregion : addr >> regionShift;
    if (named !== 0n) {
      if (!this.places.has(named)) this.know(await this.region(named, 1n));
      return within(named);
    }
    for (const region of [...this.places.keys()]) {
      try {
        return await within(region);
      } catch (e) {
        if (!(e instanceof OperationError && e.reason === "OUT_OF_MEMORY")) throw e;
      }
    }
    return within(this.know(await this.region(0n, 1n)).region);
  }

  private placeOf(region: bigint): Promise<Place> {
    const known = this.places.get(region);
    return known === undefined ? this.lookUp(region) : Promise.resolve(known);
  }
  /** Queries the controller. Callers share the answer only if they called before the query was sent. */
  private lookUp(region: bigint): Promise<Place> {
    const waiting = this.lookingUp.get(region);
    if (waiting) return waiting;
    const asked = Promise.resolve()
      .then(() => {
        this.lookingUp.delete(region);
        return this.region(region, 0n);
      })
      .then(place => this.know(place));
    this.lookingUp.set(region, asked);
    return asked;
  }
  private async region(vregion: bigint, len: bigint): Promise<Place> {
    this.counted.lookups++;
    const spec = allocationSpec(this.pid, opcode.ALLOC, { addr: 0n, len, vregion, vmFlags: 0n }),
      bytes = allocReplyBody.bytes + regionBody.bytes;
    const { body } = await this.client.ask(this.home, { ...spec, replyBytes: bytes, fits: b => b.length >= bytes });
    const given = decode(allocReplyBody, body),
      r = decode(regionBody, body, allocReplyBody.bytes);
    return {
      region: BigInt(given.vregion),
      node: { ip: given.boardIp, port: given.udpPort },
      to: r.state === 2 ? { ip: r.toIp, port: r.toPort } : undefined,
      version: r.version,
      state: states[r.state] ?? "lost",
    };
  }
  /** Answers may overtake each other: the newest counts. */
  private know(place: Place): Place {
    const known = this.places.get(place.region);
    if (known !== undefined && known.version > place.version) return known;
    if (known?.version !== place.version) {
      if (place.to === undefined) this.moved.delete(place.region);
      else this.moved.set(place.region, new Set());
    }
    this.places.set(place.region, place);
    return place;
  }
}
