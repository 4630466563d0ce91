/** Clients, a network that loses, doubles and mixes frames, the cache, and a node: what clients saw is linearizable. */
import {
  checkLinearizable,
  History,
  type KeyInput,
  type KeyOutput,
  keySpecification,
} from "../../../../../../../designs/clio/linearizability/index.ts";
import { type Client, clientOf, fromClient, fromNode, nodeReply, parsed, requestFrame } from "./kv-frames.ts";
import { type B, KvRig, type RigOptions } from "./kv-rig.ts";
import { deafCycles, keysOfOneSet, pid, words } from "./kv-runs.ts";

export interface WorldOptions extends RigOptions {
  readonly operations: number;
  readonly keys?: readonly bigint[];
  /** Of client's frames, each way: lost, doubled. */
  readonly lost?: number;
  readonly doubled?: number;
  /** Of the node's frames, each way: lost. */
  readonly nodeLost?: number;
  /** Operations after which the task is reset. */
  readonly resets?: number;
  /** Share of writes. */
  readonly writes?: number;
}
const clients = 4,
  timeout = 2_500,
  /** Cycles of a way: to the node and back, and between clients and cache. */
  nodeWay = 150,
  clientWay = 300;

interface Waiting {
  readonly ids: Set<number>;
  readonly done: (frame: Uint8Array) => void;
}

class World {
  readonly rig: KvRig;
  readonly history;
  readonly seen = { hits: 0, lost: 0, doubled: 0, resets: 0, done: 0 };
  readonly #b: B;
  readonly #o: Required<Omit<WorldOptions, keyof RigOptions>>;
  #due: { readonly at: number; readonly what: () => void }[] = [];
  readonly #store = new Map<string, Uint8Array>();
  /** What was answered to a change, by who asked and its first number. */
  readonly #answered = new Map<string, { readonly status: number }>();
  readonly #waiting = new Map<number, Waiting>();
  #id = 1;
  #value = 0;

  constructor(b: B, o: WorldOptions) {
    this.#b = b;
    this.rig = new KvRig(b, o);
    this.history = new History<KeyInput, KeyOutput>(() => b.cycle);
    this.#o = {
      ...{ lost: 0.1, doubled: 0.1, nodeLost: 0, resets: Infinity, writes: 0.3 },
      ...{ keys: keysOfOneSet(16, 6) },
      ...o,
    };
    this.rig.onAnswer = ({ packet, verdict }) => {
      if (verdict === "drop") this.seen.hits++;
      else if (packet.ingress === 0) this.#toNode(packet.bytes);
      else this.#toClient(packet.bytes);
    };
    this.rig.onMade = bytes => this.#toClient(bytes);
    b.onEdge({
      sample: () => {
        const now = this.#due.filter(d => d.at <= b.cycle);
        if (now.length === 0) return;
        this.#due = this.#due.filter(d => d.at > b.cycle);
        now.forEach(d => d.what());
      },
    });
  }
  #later(way: number, what: () => void): void {
    this.#due.push({ at: this.#b.cycle + 1 + this.#b.random.below(way), what });
  }
  /** A way that may lose a frame, or bring it twice. */
  #faulty(what: () => void): void {
    const { lost, doubled } = this.#o,
      { random } = this.#b;
    if (random.chance(lost)) {
      this.seen.lost++;
      return;
    }
    this.#later(clientWay, what);
    if (!random.chance(doubled)) return;
    this.seen.doubled++;
    this.#later(clientWay, what);
  }
  #toNode(frame: Uint8Array): void {
    if (!this.#b.random.chance(this.#o.nodeLost)) this.#later(nodeWay, () => this.#atNode(frame));
  }
  #atNode(frame: Uint8Array): void {
    const reply = this.#serve(frame);
    if (!this.#b.random.chance(this.#o.nodeLost)) this.#later(nodeWay, () => this.rig.send(fromNode(reply)));
  }
  /** Clio-KV: a change is done once, however often it is asked for. */
  #serve(frame: Uint8Array): Uint8Array {
    const { clio, ipv4, body } = parsed(frame),
      key = Buffer.from(body.slice(4, 12)).toString("hex"),
      held = this.#store.get(key);
    if (clio.opcode === 0x60) return held === undefined ? nodeReply(frame, 4) : nodeReply(frame, 0, held);
    const first = `${ipv4.src} ${clio.flagRetry === 1 ? clio.retryOf : clio.requestId}`,
      known = this.#answered.get(first);
    if (known) return nodeReply(frame, known.status);
    const possible = clio.opcode === 0x62 ? held === undefined : held !== undefined;
    if (possible && clio.opcode === 0x66) this.#store.delete(key);
    else if (possible) this.#store.set(key, body.slice(12));
    const status = possible ? 0 : 4;
    this.#answered.set(first, { status });
    return nodeReply(frame, status);
  }
  #toClient(frame: Uint8Array): void {
    this.#faulty(() => this.#waiting.get(parsed(frame).clio.requestId)?.done(frame));
  }
  /** One operation, asked for until it is answered. */
  async #ask(client: Client, op: KeyInput["kind"], key: bigint, value?: Uint8Array): Promise<Uint8Array> {
    let answer: Uint8Array | undefined;
    const first = this.#id,
      ids = new Set<number>(),
      waiting: Waiting = { ids, done: frame => void (answer ??= frame) };
    while (answer === undefined) {
      const requestId = this.#id++,
        again = requestId !== first && { retryOf: first };
      this.#waiting.set(requestId, waiting);
      ids.add(requestId);
      const frame = requestFrame(client, { op, key, requestId, pid, ...again, ...(value && { value }) });
      this.#faulty(() => this.rig.send(fromClient(frame)));
      const until = this.#b.cycle + timeout;
      await this.#b.until(() => answer !== undefined || this.#b.cycle > until);
    }
    for (const id of ids) this.#waiting.delete(id);
    return answer;
  }
  async #client(n: number): Promise<void> {
    const client = clientOf(n),
      { random } = this.#b,
      { operations, keys, writes } = this.#o;
    while (this.seen.done < operations) {
      this.seen.done++;
      const key = random.pick(keys),
        kind: KeyInput["kind"] = random.chance(writes) ? random.pick(["create", "update", "update", "delete"]) : "read",
        text = `${this.#value++}.`.padEnd(random.pick([3, 20, 66, 200, 900]), "x"),
        input: KeyInput = kind === "read" || kind === "delete" ? { kind } : { kind, value: text };
      await this.history.record(
        String(key),
        `client ${n}`,
        input,
        () => this.#ask(client, kind, key, "value" in input ? Buffer.from(text) : undefined),
        frame => outputOf(kind, frame),
        () => false,
      );
    }
  }
  async run(): Promise<void> {
    await this.#begin();
    const { resets, operations } = this.#o;
    const working = Promise.all(Array.from({ length: clients }, (_, n) => this.#b.spawn(() => this.#client(n))));
    for (let next = resets; next < operations; next += resets) {
      await this.#b.until(() => this.seen.done >= next);
      this.rig.reset();
      this.seen.resets++;
      await this.#begin(0);
    }
    await working;
    await this.#b.until(() => this.#due.length === 0);
    await this.rig.end();
  }
  async #begin(waits = deafCycles): Promise<void> {
    await this.rig.configure(words(3));
    await this.#b.cycles(waits);
  }
}
function outputOf(kind: KeyInput["kind"], frame: Uint8Array): KeyOutput {
  const { clio, body } = parsed(frame);
  if (kind !== "read") return clio.status === 0;
  return clio.status === 0 ? { value: Buffer.from(body.slice(4)).toString() } : "missing";
}

/** @returns what was seen. @throws when what clients saw cannot have come from one store */
export async function kvWorld(b: B, o: WorldOptions) {
  const world = new World(b, o);
  await world.run();
  const verdict = checkLinearizable(world.history.operations, keySpecification);
  if (verdict.kind !== "linearizable") throw new Error(`not linearizable: ${JSON.stringify(verdict)}`);
  return { ...world.seen, ...world.rig.counts };
}
