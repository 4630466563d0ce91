/** Clients that repeat, lossy ways, and nodes that do each operation once: nothing that was answered is lost. */
import { clientOf, fromClient, fromNode, groupOf, nodeReply, nodes, parsed, requestFrame } from "./frames.ts";
import { type B, ReplicaRig } from "./rig.ts";

export interface WorldOptions {
  readonly operations: number;
  readonly lost: number;
  readonly doubled: number;
  /** A node that falls silent after so many operations. */
  readonly silentAfter?: number;
  /** Operations after which the task is reset. */
  readonly resets?: number;
}
const clients = 4,
  keys = 8,
  way = 200,
  timeout = 2_000,
  arg = 1,
  silentNode = 2;
/** Requests are under way for less than this, in units of 256 cycles. */
const life = 12;

class World {
  readonly rig: ReplicaRig;
  readonly seen = { done: 0, again: 0, copies: 0, silent: 0, resets: 0, givenUp: 0 };
  readonly #b: B;
  readonly #o: WorldOptions;
  #due: { readonly at: number; readonly what: () => void }[] = [];
  /** By node: by key the value that was written last; operations that were done, and how often. */
  readonly #stores = nodes.map(() => ({ values: new Map<number, number>(), done: new Map<string, number>() }));
  readonly #waiting = new Map<number, (frame: Uint8Array) => void>();
  readonly #acknowledged: { readonly key: number; readonly value: number }[] = [];
  #id = 1;
  #value = 1;

  constructor(b: B, o: WorldOptions) {
    this.#b = b;
    this.#o = o;
    this.rig = new ReplicaRig(b);
    this.rig.compares = false;
    this.rig.onMade = ({ bytes, port }) => {
      this.seen.copies++;
      const at = nodes.findIndex(n => n.port === port);
      this.#faulty(() => this.#atNode(at, bytes));
    };
    this.rig.onAnswer = ({ is, packet, header }) => {
      if (is === "forward") this.#faulty(() => this.#waiting.get(requestOf(header))?.(whole(header, packet.payload)));
    };
    b.onEdge({
      sample: () => {
        const now = this.#due.filter(d => d.at <= b.cycle);
        if (now.length === 0) return;
        this.#due = this.#due.filter(d => d.at > b.cycle);
        now.forEach(d => d.what());
      },
    });
  }
  #faulty(what: () => void): void {
    const { random, cycle } = this.#b,
      later = (): void => void this.#due.push({ at: cycle + 1 + random.below(way), what });
    if (random.chance(this.#o.lost)) return;
    later();
    if (random.chance(this.#o.doubled)) later();
  }
  get #isSilent(): boolean {
    return this.seen.done >= (this.#o.silentAfter ?? Infinity);
  }
  #atNode(at: number, frame: Uint8Array): void {
    if (at === silentNode && this.#isSilent) {
      this.seen.silent++;
      return;
    }
    const { clio, ipv4, body, ethernet } = parsed(frame),
      store = this.#stores[at],
      is = nodes[at];
    if (store === undefined || ethernet.dst !== is?.mac || ipv4.dst !== is.ip)
      throw new Error("a copy for another node");
    const name = `${ipv4.src} ${clio.flagRetry === 1 ? clio.retryOf : clio.requestId}`,
      view = new DataView(body.buffer, body.byteOffset);
    if (!store.done.has(name)) {
      store.done.set(name, 0);
      store.values.set(view.getUint32(0), view.getUint32(4));
    }
    this.#faulty(() => this.rig.send(fromNode(at, nodeReply(at, frame, 0), arg)));
  }
  async #write(n: number): Promise<void> {
    const client = clientOf(n),
      { random } = this.#b,
      // Each client has keys of its own: what two write at once has no order.
      key = keys * n + random.below(keys),
      value = this.#value++,
      first = this.#id,
      body = new Uint8Array(random.pick([8, 30, 200, 700])),
      view = new DataView(body.buffer);
    view.setUint32(0, key);
    view.setUint32(4, value);
    let reply: Uint8Array | undefined;
    const ids: number[] = [];
    for (let tries = 0; reply === undefined && tries < 12; tries++) {
      const requestId = this.#id++;
      ids.push(requestId);
      this.#waiting.set(requestId, frame => void (reply ??= frame));
      if (tries > 0) this.seen.again++;
      const frame = requestFrame(client, arg, { requestId, body, ...(tries > 0 && { retryOf: first }) });
      this.#faulty(() => this.rig.send(fromClient(frame, arg)));
      const until = this.#b.cycle + timeout;
      await this.#b.until(() => reply !== undefined || this.#b.cycle > until);
      // A client that gives up leaves the key to whatever was done.
      if (this.#isSilent && tries > 3) break;
    }
    for (const id of ids) this.#waiting.delete(id);
    this.seen.done++;
    if (reply === undefined) {
      this.seen.givenUp++;
      this.#unknown.add(key);
      return;
    }
    this.#check(reply);
    this.#unknown.delete(key);
    this.#acknowledged.push({ key, value });
  }
  readonly #unknown = new Set<number>();
  /** The reply is the first node's, and right by its checksum. */
  #check(frame: Uint8Array): void {
    const [first] = groupOf(arg).nodes,
      { ethernet, ipv4, clio } = parsed(frame);
    if (ethernet.src !== first?.mac || ipv4.src !== first.ip || clio.status !== 0)
      throw new Error("a reply that is not the first node's");
    let sum = 0;
    for (let i = 14; i < 34; i += 2) sum += ((frame[i] ?? 0) << 8) | (frame[i + 1] ?? 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
    if (sum !== 0xffff) throw new Error("the checksum of a reply is wrong");
  }
  async #client(n: number): Promise<void> {
    while (this.seen.done < this.#o.operations) await this.#write(n);
  }
  async run(): Promise<void> {
    await this.rig.configure(life);
    const { resets = Infinity, operations } = this.#o;
    const working = Promise.all(Array.from({ length: clients }, (_, n) => this.#b.spawn(() => this.#client(n))));
    for (let next = resets; next < operations; next += resets) {
      await this.#b.until(() => this.seen.done >= next);
      this.rig.reset();
      this.seen.resets++;
      await this.rig.configure(life);
    }
    await working;
    await this.#b.until(() => this.#due.length === 0);
    await this.rig.settled();
    this.#judge();
  }
  #judge(): void {
    const last = new Map(this.#acknowledged.map(a => [a.key, a.value]));
    for (const [key, value] of last)
      for (const at of [0, 1, 2]) {
        const has = this.#stores[at]?.values.get(key);
        if (at === silentNode && this.#o.silentAfter !== undefined) continue;
        if (has !== value && !this.#unknown.has(key))
          throw new Error(`node ${at} has ${String(has)} of key ${key}, and ${value} was acknowledged`);
      }
    // What the silent node acknowledged before counts all the same: it had it when it was told so.
  }
}
const requestOf = (header: Uint8Array): number => new DataView(header.buffer, header.byteOffset).getUint32(50, true);
const whole = (header: Uint8Array, payload: Uint8Array | undefined): Uint8Array =>
  Uint8Array.from([...header, ...(payload ?? [])]);

/** @returns what was seen. @throws when a node lacks what was acknowledged */
export async function replicaWorld(b: B, o: WorldOptions) {
  const world = new World(b, o);
  await world.run();
  return world.seen;
}
